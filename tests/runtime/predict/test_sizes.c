/* Durations in a history follow the sizes of what stages read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/predict/inputs.h"
#include "store/history/way.h"
#include "tests/support/database_file.h"

static struct br_history *open_history(const char *job)
{
    struct br_history *history;
    assert_int_equal(br_history_open(database_path, job, &history, NULL), BR_OK);
    return history;
}

/* A run of the job with one task of the stage. */
static void add_run(const char *job, const char *name, const char *stage, int64_t bytes,
                    int64_t wall_ns)
{
    struct br_history *history = open_history(job);
    struct br_history_sample sample = {.stage = name,
                                       .wall_ns = wall_ns,
                                       .cpu_ns = wall_ns / 2,
                                       .mem_bytes = 7,
                                       .reader = stage,
                                       .input_bytes = bytes};
    assert_int_equal(br_history_add(history, &sample, NULL), BR_OK);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
}

/* The durations of the stage, ascending, where a task of it reads so much now. */
static void durations(const char *job, const char *stage, int64_t bytes, uint32_t scaled,
                      const int64_t *wanted, uint32_t count)
{
    struct br_history *history = open_history(job);
    const struct br_history_input input[] = {{"other", 5}, {stage, bytes}};
    struct br_history_estimate estimate;
    int64_t *wall_ns;
    uint32_t found;
    assert_int_equal(br_history_expect(history, input, 2, &found, NULL), BR_OK);
    assert_int_equal(found, scaled);
    assert_int_equal(br_history_durations(history, stage, &wall_ns, &found, NULL), BR_OK);
    assert_int_equal(found, count);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1; b < count; b++)
            if (wall_ns[b] < wall_ns[a]) {
                int64_t keep = wall_ns[a];
                wall_ns[a] = wall_ns[b];
                wall_ns[b] = keep;
            }
    for (uint32_t k = 0; k < count; k++)
        assert_int_equal(wall_ns[k], wanted[k]);
    free(wall_ns);
    /* The estimate takes the same; memory and shares of processors stay. */
    assert_int_equal(br_history_estimate_ways(history, stage, NULL, &estimate, NULL), BR_OK);
    assert_int_equal(estimate.wall_ns, wanted[(count - 1) / 2]);
    assert_int_equal(estimate.cpu_milli, 500);
    assert_int_equal(estimate.mem_bytes, 7);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
}

/* Of one size alone: in proportion. Without a size now, or of another stage or job: as it was. */
static void test_proportion(void **state)
{
    (void)state;
    add_run("job", "a", "a", 100, 1000);
    add_run("job", "a", "a", 100, 1200);
    add_run("other", "a", "a", 50, 1200);
    durations("job", "a", 100, 0, (int64_t[]){1000, 1200}, 2);
    durations("job", "a", 250, 1, (int64_t[]){2500, 3000}, 2);
    durations("job", "a", 50, 1, (int64_t[]){500, 600}, 2);
    durations("job", "a", 0, 0, (int64_t[]){1000, 1200}, 2);
    durations("other", "a", 100, 1, (int64_t[]){2400}, 1);
    /* At most a thousandfold. */
    durations("other", "a", 5000000, 1, (int64_t[]){1200000}, 1);
}

/* 600 + 4 x size: at 300 it is 1800, and what was longer than that line stays as much longer. */
static void test_line(void **state)
{
    (void)state;
    add_run("job", "a", "a", 100, 900);
    add_run("job", "a", "a", 100, 1100);
    add_run("job", "a", "a", 200, 1400);
    durations("job", "a", 300, 1, (int64_t[]){1620, 1800, 1980}, 3);
    /* A run without a size, and one of a way: the first stays, the second follows the line. */
    add_run("job", "a", "a", 0, 10);
    char *name = br_history_way_name("a", NULL, "m", (struct br_decimal){1, 0});
    struct br_history *history = open_history("job");
    struct br_history_estimate estimate;
    uint32_t scaled;
    add_run("job", name, "a", 100, 1000);
    assert_int_equal(
        br_history_expect(history, &(struct br_history_input){"a", 300}, 1, &scaled, NULL), BR_OK);
    assert_int_equal(br_history_estimate_ways(history, "a", NULL, &estimate, NULL), BR_OK);
    assert_int_equal(estimate.samples, 5);
    assert_int_equal(estimate.wall_ns, 1800);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
    free(name);
}

/* Durations that fall with the size tell that it does not matter; a line that would be below 0 at
 * none goes through 0. */
static void test_ends_of_lines(void **state)
{
    (void)state;
    add_run("falls", "a", "a", 100, 900);
    add_run("falls", "a", "a", 200, 700);
    durations("falls", "a", 400, 0, (int64_t[]){700, 900}, 2);
    add_run("steep", "a", "a", 100, 100);
    add_run("steep", "a", "a", 200, 1000);
    durations("steep", "a", 400, 1, (int64_t[]){400, 2000}, 2);
}

/* Sizes go with their runs, and a file that never had any is not changed by asking. */
static void test_kept(void **state)
{
    (void)state;
    uint32_t count;
    add_run("job", "a", NULL, 100, 1000);
    durations("job", "a", 200, 0, (int64_t[]){1000}, 1);
    add_run("job", "a", "a", 100, 500);
    struct br_history *history = open_history("job");
    bool joined;
    assert_int_equal(br_history_rename(history, "new", &joined, NULL), BR_OK);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
    durations("new", "a", 200, 1, (int64_t[]){1000, 1000}, 2);
    history = open_history("new");
    assert_int_equal(br_history_keep(history, 0, &count, NULL), BR_OK);
    assert_int_equal(count, 2);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
    add_run("new", "a", "a", 400, 500);
    durations("new", "a", 200, 1, (int64_t[]){250}, 1);
}

/* What beliefs are made of is brought to the size, too; other jobs are not. */
struct read {
    int64_t own, other;
};
static void note(void *context, const struct br_history_row *row)
{
    struct read *read = context;
    *(strcmp(row->job, "job") == 0 ? &read->own : &read->other) = row->wall_ns;
}

static void test_rows(void **state)
{
    (void)state;
    struct read read = {0};
    uint32_t scaled;
    add_run("other", "a", "a", 100, 300);
    add_run("job", "a", "a", 100, 1000);
    struct br_history *history = open_history("job");
    assert_int_equal(
        br_history_expect(history, &(struct br_history_input){"a", 300}, 1, &scaled, NULL), BR_OK);
    assert_int_equal(br_history_read(history, note, &read, NULL), BR_OK);
    assert_true(read.own == 3000 && read.other == 300);
    assert_int_equal(br_history_samples(history, note, &read, NULL), BR_OK);
    assert_int_equal(read.own, 1000);
    /* Another job from now on: what was expected was of the first. */
    assert_int_equal(br_history_use(history, "other", NULL), BR_OK);
    assert_int_equal(br_history_read(history, note, &read, NULL), BR_OK);
    assert_true(read.own == 1000 && read.other == 300);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
}

/* What a task reads: its share of its stage's own input and of edges, else of the job's. */
static void test_inputs(void **state)
{
    (void)state;
    struct br_dag *dag = br_dag_create("job");
    struct br_diag diag = {0};
    uint32_t stage;
    int64_t *bytes;
    assert_int_equal(br_dag_add_stage(dag, "a", 3, 1, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "b", 2, 1, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "c", 1, 1, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, 0, 1, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_inputs_of(dag, &bytes, NULL), BR_OK);
    assert_null(bytes);
    dag->edge[0].bytes = 100;
    assert_int_equal(br_dag_add_attribute(dag, BR_OWNER_STAGE, 1, "input_size", "7", NULL), BR_OK);
    assert_int_equal(br_inputs_of(dag, &bytes, NULL), BR_OK);
    assert_true(bytes[0] == 0 && bytes[1] == 54 && bytes[2] == 0);
    free(bytes);
    assert_int_equal(br_dag_add_attribute(dag, BR_OWNER_JOB, 0, "input_size", "1KiB", NULL), BR_OK);
    assert_int_equal(br_inputs_of(dag, &bytes, NULL), BR_OK);
    assert_true(bytes[0] == 342 && bytes[1] == 54 && bytes[2] == 1024);
    free(bytes);
    assert_int_equal(br_dag_add_attribute(dag, BR_OWNER_STAGE, 2, "input_size", "-1", NULL), BR_OK);
    assert_int_equal(br_inputs_of(dag, &bytes, &diag), BR_BAD_INPUT);
    assert_string_equal(diag.what, "the input_size of stage 'c' is '-1', which is no amount");
    assert_null(bytes);
    br_dag_destroy(dag);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, database_make_path, database_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_proportion), TEST(test_line), TEST(test_ends_of_lines),
        TEST(test_kept),       TEST(test_rows), TEST(test_inputs),
    };
    if (!br_history_is_there()) {
        puts("this build keeps no histories: it was made without SQLite");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
