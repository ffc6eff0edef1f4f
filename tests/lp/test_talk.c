/* Talks with children that do not do as one hopes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <cmocka.h>

#include "lp/client/child.h"

enum { SIZE = 4 << 20 }; /* more than any pipe holds */

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Feeds `SIZE` bytes to a script of the shell. */
static struct br_talk talk_to(const char *script)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    char *text = malloc(SIZE);
    assert_non_null(text);
    memset(text, 'x', SIZE);
    struct br_talk talk = {.program = "/bin/sh",
                           .argv = argv,
                           .text = text,
                           .size = SIZE,
                           .limit_ns = INT64_C(60000000000),
                           .processor_seconds = 60};
    assert_int_equal(br_talk(&talk), 0);
    assert_int_equal(talk.ending, BR_TALK_ENDED);
    assert_true(WIFEXITED(talk.state));
    assert_int_equal(WEXITSTATUS(talk.state), 0);
    free(text);
    return talk;
}

static void all_is_fed(void **state)
{
    struct br_talk talk = talk_to("wc -c");
    assert_int_equal(strtol(talk.answer, NULL, 10), SIZE);
    br_talk_finish(&talk);
}

/* A child that wants no more may take its time over the answer: it is waited for, in sleep. */
static void who_wants_no_more_is_not_fed(void **state)
{
    double before = processor_seconds();
    struct br_talk talk = talk_to("exec 0<&-; sleep 3; echo done");
    double spent = processor_seconds() - before;
    assert_string_equal(talk.answer, "done\n");
    if (spent > 0.1)
        fail_msg("waiting took %.2f s of the processor", spent);
    br_talk_finish(&talk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_fed),
        cmocka_unit_test(who_wants_no_more_is_not_fed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
