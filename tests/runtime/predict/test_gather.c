/* What is gathered of a history is of one moment, although another program writes meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/history/gather.h"
#include "store/history/file.h"

static char path[64];

static void write_run(void)
{
    struct br_history *history;
    const struct br_history_sample sample = {"a", 0, 1000, -1, -1, 0, NULL, 0};
    assert_int_equal(br_history_open(path, "job", &history, NULL), BR_OK);
    assert_int_equal(br_history_add(history, &sample, NULL), BR_OK);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
}

/* Another program writes a run before every statement but the first that reads tables. */
static int write_between(unsigned event, void *context, void *statement, void *text)
{
    uint32_t *reads = context;
    (void)event;
    (void)text;
    if (strncmp(sqlite3_sql(statement), "SELECT", 6) == 0 && (*reads)++)
        write_run();
    return 0;
}

static void test_one_moment(void **state)
{
    struct br_history *history;
    struct br_gathered gathered;
    (void)state;
    for (int detailed = 0; detailed < 2; detailed++) {
        uint32_t reads = 0;
        write_run();
        assert_int_equal(br_history_open_to_read(path, "job", &history, NULL), BR_OK);
        assert_int_equal(br_gather(history, detailed, &gathered, NULL), BR_OK);
        assert_int_equal(gathered.jobs, 1);
        const uint32_t runs = gathered.job->runs;
        br_gathered_finish(&gathered);
        sqlite3_trace_v2(history->database.db, SQLITE_TRACE_STMT, write_between, &reads);
        assert_int_equal(br_gather(history, detailed, &gathered, NULL), BR_OK);
        sqlite3_trace_v2(history->database.db, 0, NULL, NULL);
        assert_true(reads > 2);
        assert_int_equal(gathered.job->runs, runs);
        if (detailed)
            assert_int_equal(gathered.job->stage->samples, runs);
        br_gathered_finish(&gathered);
        /* And the next time it is of another moment. */
        assert_int_equal(br_gather(history, detailed, &gathered, NULL), BR_OK);
        assert_int_equal(gathered.job->runs, runs + reads - 1);
        br_gathered_finish(&gathered);
        br_history_close(history, NULL);
    }
}

/* A history that is open to be read takes nothing. */
static void test_takes_nothing(void **state)
{
    struct br_history *history;
    const struct br_history_sample sample = {"b", 0, 1000, -1, -1, 0, NULL, 0};
    uint32_t gone;
    bool joined;
    (void)state;
    write_run();
    assert_int_equal(br_history_open_to_read(path, "job", &history, NULL), BR_OK);
    assert_int_equal(br_history_add(history, &sample, NULL), BR_OK);
    assert_int_not_equal(br_history_flush(history, NULL), BR_OK);
    assert_int_not_equal(br_history_keep(history, 0, &gone, NULL), BR_OK);
    assert_int_not_equal(br_history_rename(history, "other", &joined, NULL), BR_OK);
    br_history_close(history, NULL);
}

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/bigrocks-gather.XXXXXX");
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_moment, make_path, remove_file),
        cmocka_unit_test_setup_teardown(test_takes_nothing, make_path, remove_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
