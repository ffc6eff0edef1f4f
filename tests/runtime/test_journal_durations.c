/* How long tasks took comes back from a journal: to as many digits as its records have room for,
 * and not at all where a record does not tell it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "planner/model/dag.h"
#include "runtime/drivers/common/journal.h"
#include "runtime/drivers/common/record.h"

enum { TASKS = 12 };

static struct br_journal journal;
static bool done[TASKS];
static int64_t lasted_ns[TASKS];

static void open_it(const char *path, const struct br_dag *dag, bool asked)
{
    static char mark[BR_MARK];
    struct br_journal_found found;
    struct br_journal_job job = {.dag = dag, .done = done, .lasted_ns = asked ? lasted_ns : NULL};
    memset(done, 0, sizeof done);
    memset(lasted_ns, 0, sizeof lasted_ns);
    br_mark_make(mark);
    assert_int_equal(br_journal_open(&journal, path, true, &job, 1, mark, &found, NULL), BR_OK);
    assert_int_equal(found.damaged, 0);
}

/* A record as this program, or an earlier one, writes it. */
static void add(const char *text)
{
    char record[BR_RECORD_SHORT + 1];
    br_record_write(record, BR_RECORD_SHORT, journal.seed, text);
    assert_int_equal(write(journal.file, record, BR_RECORD_SHORT), BR_RECORD_SHORT);
}

static void test_durations(void **state)
{
    char folder[] = "/tmp/journal-XXXXXX", path[64];
    struct br_dag *dag = br_dag_create("job");
    const int64_t written[] = {1, 123456789, INT64_C(30123456789), 0, INT64_C(9123456789012345678)};
    (void)state;
    assert_int_equal(br_dag_add_stage(dag, "a", TASKS, 1, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/j", folder);
    open_it(path, dag, true);
    for (uint32_t t = 0; t < 5; t++)
        assert_int_equal(br_journal_finished(&journal, 0, t, written[t], NULL), BR_OK);
    /* Of an earlier version, then with zeros, the most that there can be, and what is too much. */
    add("finished 0000000000 0000000005");
    add("finished 0 6 123456e3");
    add("finished 0 7 92e17");
    add("finished 0 8 93e17");
    add("finished 0 9 1e99");
    add("finished 0 10 -5");
    add("started 0 11");
    br_journal_close(&journal);
    open_it(path, dag, true);
    /* Of a text 30 bytes are written: "finished 0 4 912345678901235e4". What is more than a number
     * of nanoseconds can be, and what is none, is not known. */
    const int64_t wanted[TASKS] = {
        1, 123456789, INT64_C(30123456789),        0, INT64_C(9123456789012350000),
        0, 123456000, INT64_C(9200000000000000000)};
    for (uint32_t t = 0; t < TASKS; t++) {
        assert_int_equal(done[t], t != 11);
        assert_true(lasted_ns[t] == wanted[t]);
    }
    br_journal_close(&journal);
    open_it(path, dag, false);
    assert_true(done[0] && !lasted_ns[0]);
    br_journal_close(&journal);
    unlink(path);
    rmdir(folder);
    br_dag_destroy(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_durations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
