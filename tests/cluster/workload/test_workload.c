/* Filling a workload: order, groups, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "cluster/workload/workload.h"

static struct br_workload *empty(void)
{
    struct br_workload *workload = br_workload_create("test", "test.xml");
    struct br_dag *dag = br_dag_create("pair");
    uint32_t number;
    assert_non_null(workload);
    assert_int_equal(br_dag_add_stage(dag, "s", 2, 1000, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_workload_add_dag(workload, dag, "pair.xml", "first", &number, NULL), BR_OK);
    assert_int_equal(number, 0);
    assert_string_equal(workload->dag[0].path, "pair.xml");
    assert_string_equal(workload->dag[0].entry, "first");
    assert_true(workload->dag[0].scale == 1);
    return workload;
}

static struct br_workload_job job_of(const char *id)
{
    struct br_workload_job job = br_workload_job_default();
    job.id = id;
    job.pos.line = 7;
    job.pos.column = 3;
    return job;
}

/* Jobs go by arrival, and those that arrive together in the order given. */
static void test_sorted(void **state)
{
    struct br_rng rng = br_rng_seed(1);
    for (uint32_t jobs = 1; jobs < 200; jobs += 7) {
        struct br_workload *workload = empty();
        for (uint32_t j = 0; j < jobs; j++) {
            char id[16];
            struct br_workload_job job;
            snprintf(id, sizeof id, "%u", j);
            job = job_of(id);
            job.arrival_ns = (int64_t)br_rng_below(&rng, 8) * INT64_C(3000000000);
            job.seed = j; /* the place that it was given */
            assert_int_equal(br_workload_add_job(workload, &job, NULL), BR_OK);
        }
        assert_int_equal(br_workload_finish(workload, NULL), BR_OK);
        assert_true(workload->finished);
        assert_int_equal(workload->tasks, 2 * jobs);
        for (uint32_t j = 0; j < jobs; j++) {
            const struct br_workload_job *job = &workload->job[j];
            char id[16];
            snprintf(id, sizeof id, "%u", (unsigned)job->seed);
            assert_string_equal(job->id, id);
            if (j)
                assert_true(job[-1].arrival_ns < job->arrival_ns ||
                            (job[-1].arrival_ns == job->arrival_ns && job[-1].seed < job->seed));
        }
        br_workload_destroy(workload);
    }
}

static void test_groups(void **state)
{
    struct br_workload *workload = empty();
    struct br_diag diag = {0};
    uint32_t group;
    assert_int_equal(workload->groups, 1);
    assert_string_equal(workload->group[0].name, "default");
    assert_true(workload->group[0].weight == 1);
    assert_int_equal(br_workload_add_group(workload, "night", 2, &group, NULL), BR_OK);
    assert_int_equal(group, 1);
    assert_int_equal(br_workload_add_group(workload, "default", 0.5, &group, NULL), BR_OK);
    assert_int_equal(group, 0);
    assert_int_equal(workload->groups, 2);
    assert_true(workload->group[0].weight == 0.5 && workload->group[1].weight == 2);
    assert_int_equal(br_workload_find_group(workload, "night"), 1);
    assert_int_equal(br_workload_find_group(workload, "day"), BR_NO_GROUP);
    const double bad[] = {0, -1, NAN, INFINITY};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_int_equal(br_workload_add_group(workload, "day", bad[k], &group, &diag),
                         BR_BAD_INPUT);
    assert_int_equal(workload->groups, 2);
    for (uint32_t g = 2; g < 100; g++) {
        char name[16];
        snprintf(name, sizeof name, "g%u", g);
        assert_int_equal(br_workload_add_group(workload, name, g, &group, NULL), BR_OK);
        assert_int_equal(group, g);
    }
    for (uint32_t g = 2; g < 100; g++) {
        char name[16];
        snprintf(name, sizeof name, "g%u", g);
        assert_int_equal(br_workload_find_group(workload, name), g);
    }
    br_workload_destroy(workload);
}

/* What is given is copied. */
static void test_copies(void **state)
{
    struct br_workload *workload = empty();
    char id[] = "mine";
    int64_t true_ns[] = {5, 6};
    struct br_workload_job job = job_of(id);
    job.true_ns = true_ns;
    assert_int_equal(br_workload_add_job(workload, &job, NULL), BR_OK);
    memset(id, 'x', 4);
    true_ns[0] = true_ns[1] = -1;
    assert_int_equal(br_workload_finish(workload, NULL), BR_OK);
    assert_string_equal(workload->job[0].id, "mine");
    assert_int_equal(workload->job[0].true_ns[0], 5);
    assert_int_equal(workload->job[0].true_ns[1], 6);
    assert_string_equal(workload->name, "test");
    assert_string_equal(workload->source, "test.xml");
    br_workload_destroy(workload);
}

/* The workload of a good job and this one is refused at this one's place, for that reason; NULL:
 * it is well. */
static void judge(const struct br_workload_job *job, const char *why)
{
    struct br_workload *workload = empty();
    struct br_workload_job good = job_of("good");
    struct br_diag diag = {0};
    good.pos.line = 6;
    assert_int_equal(br_workload_add_job(workload, &good, NULL), BR_OK);
    assert_int_equal(br_workload_add_job(workload, job, NULL), BR_OK);
    enum br_status status = br_workload_finish(workload, &diag);
    assert_int_equal(status, why ? BR_BAD_INPUT : BR_OK);
    assert_int_equal(workload->finished, !why);
    if (why) {
        if (!strstr(diag.what, why))
            fail_msg("'%s' does not say '%s'", diag.what, why);
        assert_int_equal(diag.line, 7);
        assert_int_equal(diag.column, 3);
        assert_string_equal(diag.file, "test.xml");
    }
    br_workload_destroy(workload);
}

static void test_faults(void **state)
{
    struct br_workload_job job = job_of("bad");
    judge(&job, NULL);
    job.id = "good";
    judge(&job, "two jobs 'good'");
    job = job_of("bad");
    job.arrival_ns = -1;
    judge(&job, "'bad' arrives before time 0");
    job = job_of("bad");
    job.arrival_ns = 10;
    job.deadline_ns = 10;
    judge(&job, "deadline of job 'bad'");
    job.deadline_ns = 11;
    judge(&job, NULL);
    const double bad[] = {0, -1, NAN, INFINITY};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        job = job_of("bad");
        job.weight = bad[k];
        judge(&job, "weight of job 'bad'");
    }
    int64_t true_ns[] = {0, -1};
    job = job_of("bad");
    job.true_ns = true_ns;
    judge(&job, "true duration below 0");
    true_ns[1] = 0;
    judge(&job, NULL);
}

static void test_no_such(void **state)
{
    struct br_workload *workload = empty();
    struct br_diag diag = {0};
    struct br_workload_job job = job_of("lost");
    assert_int_equal(br_workload_finish(workload, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "no job"));
    job.dag = 1;
    assert_int_equal(br_workload_add_job(workload, &job, NULL), BR_USAGE);
    job.dag = 0;
    job.group = 1;
    assert_int_equal(br_workload_add_job(workload, &job, NULL), BR_USAGE);
    assert_int_equal(workload->jobs, 0);
    br_workload_destroy(workload);
    br_workload_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorted),  cmocka_unit_test(test_groups),
        cmocka_unit_test(test_copies),  cmocka_unit_test(test_faults),
        cmocka_unit_test(test_no_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
