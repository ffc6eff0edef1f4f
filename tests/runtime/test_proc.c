/* Other processes, known by number and environment, and the environment that tasks get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/drivers/common/proc.h"
#include "runtime/drivers/common/setup.h"

/* The name under which this program does nothing but become itself again. */
static const char again[] = "exec again";

/* A signal hits the process that was looked at, and no later one of the same number. */
static void test_signal(void **state)
{
    struct br_proc proc;
    int ended;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        for (;;)
            pause();
    assert_true(br_proc_read(child, &proc));
    assert_true(proc.pid == child && proc.parent == getpid() && !proc.over);
    proc.start++; /* as if the number were another's by now */
    assert_false(br_proc_signal(&proc, NULL, SIGKILL));
    proc.start -= 2;
    assert_false(br_proc_signal(&proc, NULL, SIGKILL));
    proc.start++;
    assert_false(br_proc_signal(&proc, (const char *const[]){"NO_SUCH=thing", NULL}, SIGKILL));
    assert_true(br_proc_signal(&proc, NULL, 0));
    assert_int_equal(waitpid(child, &ended, WNOHANG), 0);
    assert_true(br_proc_signal(&proc, NULL, SIGTERM));
    siginfo_t info = {0};
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_false(br_proc_signal(&proc, NULL, 0)); /* over, and not collected yet */
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGTERM);
    assert_false(br_proc_signal(&proc, NULL, 0));
}

/* A process that does nothing but become itself again is known by its environment at any moment:
 * one that was missed would go on beside the next attempt of its task. */
static void test_exec(void **state)
{
    enum { LOOKS = 3000 };
    static const char *const own[] = {"BIGROCKS_SESSION=own", "LAST=1", NULL};
    static const char *const other[] = {"BIGROCKS_SESSION=own", "LAST=2", NULL};
    struct br_proc proc;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(300); /* outlasts execve */
        setenv("BIGROCKS_SESSION", "own", 1);
        setenv("LAST", "1", 1);
        execl("/proc/self/exe", again, (char *)NULL);
        _exit(1);
    }
    while (!br_proc_carries(child, own))
        assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    assert_true(br_proc_read(child, &proc));
    for (int k = 0; k < LOOKS; k++)
        assert_true(br_proc_signal(&proc, own, 0));
    assert_false(br_proc_signal(&proc, other, SIGKILL));
    assert_true(br_proc_signal(&proc, own, SIGKILL));
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static uint32_t entries(const struct br_environment *environment, const char *text)
{
    uint32_t count = 0;
    for (char **entry = environment->entry; *entry; entry++)
        count += strncmp(*entry, text, strlen(text)) == 0;
    return count;
}

/* Tasks have all that this process has, but what an outer run has set; that comes from this one. */
static void test_environment(void **state)
{
    static const char *const kept[] = {"A=1", "B=2",  "BIGROCK=3", "BIGROCKT=4",
                                       "C=5", "CC=6", "Z="};
    struct br_cluster *cluster = br_cluster_create("c");
    struct br_environment environment = {0};
    assert_int_equal(br_cluster_add_class(cluster, "m", 2, NULL, NULL), BR_OK);
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        assert_int_equal(putenv((char *)kept[k]), 0);
    assert_int_equal(putenv((char *)"BIGROCKS_RUN=outer"), 0);
    assert_int_equal(putenv((char *)"BIGROCKS_TASK=outer[1]"), 0);
    assert_int_equal(putenv((char *)"BIGROCKS_ANYTHING=outer"), 0);
    assert_true(br_environment_init(&environment, cluster, "mine", "BIGROCKS_SESSION=x"));
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        assert_int_equal(entries(&environment, kept[k]), 1);
    assert_int_equal(entries(&environment, "PATH="), 1);
    assert_int_equal(entries(&environment, "BIGROCKS_RUN="), 1);
    assert_int_equal(entries(&environment, "BIGROCKS_RUN=mine"), 1);
    assert_int_equal(entries(&environment, "BIGROCKS_SESSION=x"), 1);
    assert_int_equal(entries(&environment, "BIGROCKS_TASK=outer"), 0);
    assert_int_equal(entries(&environment, "BIGROCKS_ANYTHING"), 0);
    br_environment_finish(&environment);
    br_cluster_destroy(cluster);
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
        char name[16];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(kept[k], "="), kept[k]);
        unsetenv(name);
    }
    unsetenv("BIGROCKS_RUN");
    unsetenv("BIGROCKS_TASK");
    unsetenv("BIGROCKS_ANYTHING");
}

int main(int count, char **word)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signal),
        cmocka_unit_test(test_exec),
        cmocka_unit_test(test_environment),
    };
    if (count == 1 && strcmp(word[0], again) == 0)
        return execl("/proc/self/exe", again, (char *)NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
