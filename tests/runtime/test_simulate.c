/* The enforcer in virtual time: what becomes of plans, kept and disturbed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/instance/plan.h"
#include "runtime/replay/replay.h"
#include "tests/support/random_job.h"

enum { TASKS = 60 };

static struct br_plan *make(const struct random_job *job, const char *method)
{
    struct br_plan_options options = br_plan_options_default();
    struct br_plan *plan = NULL;
    options.method = method;
    options.effort = BR_EFFORT_FAST;
    options.threads = 1;
    options.placements = 20000;
    assert_int_equal(br_plan_make(job->dag, job->cluster, &options, &plan, NULL), BR_OK);
    return plan;
}

/* Makes a plan of what happened, so that the check of plans can look at it. */
static void check_run(const struct random_job *job, struct br_plan *plan,
                      const struct br_simulation *run)
{
    struct br_diag diag = {0};
    memcpy(plan->start_ns, run->start_ns, plan->tasks * sizeof *plan->start_ns);
    memcpy(plan->machine, run->machine, plan->tasks * sizeof *plan->machine);
    assert_int_equal(br_plan_rank(plan, job->dag, &diag), BR_OK);
    plan->lower_bound_ns = 0;
    assert_int_equal(br_plan_verify(plan, job->dag, job->cluster, 1, NULL, NULL, &diag), BR_OK);
    assert_true(plan->makespan_ns == run->makespan_ns);
}

/* To the planner a task without duration takes nothing, but a process that is expected to end at
 * once does; so let such stages demand nothing. */
static void free_timeless(struct br_dag *dag)
{
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++)
            if (!dag->duration_ns[dag->stage[s].first_task + i])
                dag->stage[s].demands = 0;
}

/* Where all tasks last as planned, nothing starts later than planned, whatever the policy and
 * however good or bad the plan; and what runs is a valid schedule. */
static void test_plan_is_kept(void **state)
{
    static const char *const methods[] = {"best", "graphene", "cp", "random"};
    uint32_t earlier = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct random_job job;
        assert_true(random_job_make(seed, 2 + seed % TASKS, 0, &job));
        free_timeless(job.dag);
        struct br_plan *plan = make(&job, methods[seed % 4]);
        for (uint32_t p = 0; br_policy_name(p); p++) {
            struct br_runtime_options options = br_runtime_options_default();
            struct br_simulation run;
            options.policy = br_policy_name(p);
            options.bundle = 1 + (uint32_t)seed % 9;
            assert_int_equal(br_simulate(job.dag, job.cluster, plan, NULL, &options, &run, NULL),
                             BR_OK);
            for (uint32_t t = 0; t < plan->tasks; t++)
                assert_true(run.start_ns[t] <= plan->start_ns[t]);
            earlier += run.makespan_ns < plan->makespan_ns;
            struct br_plan *what_ran = make(&job, "cp");
            check_run(&job, what_ran, &run);
            br_plan_destroy(what_ran);
            br_simulation_finish(&run);
        }
        br_plan_destroy(plan);
        random_job_finish(&job);
    }
    assert_true(earlier > 0);
}

/* Tasks that last longer or shorter: everything still runs, in a valid order. */
static void test_disturbed(void **state)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random_job job;
        assert_true(random_job_make(seed, TASKS, 0, &job));
        struct br_plan *plan = make(&job, "cp");
        struct br_arena arena = {0};
        int64_t *lasts = br_simulate_durations(&arena, job.dag, 0.5, seed);
        struct br_simulation run[2];
        for (int k = 0; k < 2; k++)
            assert_int_equal(br_simulate(job.dag, job.cluster, plan, lasts, NULL, &run[k], NULL),
                             BR_OK);
        assert_memory_equal(run[0].start_ns, run[1].start_ns,
                            plan->tasks * sizeof *run[0].start_ns);
        /* As if it had been planned with these durations. */
        memcpy(job.dag->duration_ns, lasts, plan->tasks * sizeof *lasts);
        check_run(&job, plan, &run[0]);
        br_simulation_finish(&run[0]);
        br_simulation_finish(&run[1]);
        br_arena_finish(&arena);
        br_plan_destroy(plan);
        random_job_finish(&job);
    }
}

/* Without a plan the longest path goes first, and nothing idles that need not. */
static void test_without_plan(void **state)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random_job job;
        struct br_simulation run;
        assert_true(random_job_make(seed, TASKS, 0, &job));
        assert_int_equal(br_simulate(job.dag, job.cluster, NULL, NULL, NULL, &run, NULL), BR_OK);
        struct br_plan *plan = make(&job, "cp");
        check_run(&job, plan, &run);
        br_plan_destroy(plan);
        br_simulation_finish(&run);
        random_job_finish(&job);
    }
}

/* Durations are drawn around those of the job: their logarithms spread as asked, their mean stays.
 */
static void test_durations(void **state)
{
    enum { MANY = 20000 };
    const double spread = 0.5;
    struct br_dag *dag = br_dag_create("many");
    struct br_arena arena = {0};
    double sum = 0, logs = 0, squares = 0;
    assert_int_equal(br_dag_add_stage(dag, "s", MANY, 1000000000, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    int64_t *lasts = br_simulate_durations(&arena, dag, spread, 1);
    int64_t *again = br_simulate_durations(&arena, dag, spread, 1);
    assert_memory_equal(lasts, again, MANY * sizeof *lasts);
    for (int t = 0; t < MANY; t++) {
        double factor = (double)lasts[t] / 1e9;
        sum += factor;
        logs += log(factor);
        squares += log(factor) * log(factor);
    }
    /* Within five standard errors. */
    double mean = logs / MANY, deviation = sqrt(squares / MANY - mean * mean);
    assert_true(fabs(sum / MANY - 1) < 0.02);
    assert_true(fabs(mean + spread * spread / 2) < 0.02);
    assert_true(fabs(deviation - spread) < 0.015);
    lasts = br_simulate_durations(&arena, dag, 0, 1);
    for (int t = 0; t < MANY; t++)
        assert_int_equal(lasts[t], 1000000000);
    br_arena_finish(&arena);
    br_dag_destroy(dag);
}

/* The longest duration that a job may have is never passed, and may be reached. */
static void test_longest_durations(void **state)
{
    enum { MANY = 2000 };
    const int64_t longest = INT64_MAX / 4;
    struct br_dag *dag = br_dag_create("long");
    struct br_arena arena = {0};
    uint32_t reached = 0;
    assert_int_equal(br_dag_add_stage(dag, "s", MANY, longest, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    int64_t *lasts = br_simulate_durations(&arena, dag, 0, 1);
    for (int t = 0; t < MANY; t++)
        assert_int_equal(lasts[t], longest);
    lasts = br_simulate_durations(&arena, dag, 0.5, 1);
    for (int t = 0; t < MANY; t++) {
        assert_true(lasts[t] > 0 && lasts[t] <= longest);
        reached += lasts[t] == longest;
    }
    assert_true(reached > 0 && reached < MANY);
    br_arena_finish(&arena);
    br_dag_destroy(dag);
}

/* One core of two is free beside a, and c, which needs one, is ready. But it would still hold it
 * when b is due, which needs both. So it waits, as planned, however small what it needs; where it
 * ends in time, it does not. */
static void test_least_demand(void **state)
{
    static const char *const amounts[][2] = {
        {"1", "2"}, {"0.5", "1"}, {"0.000000000000000001", "0.000000000000000002"}};
    for (size_t k = 0; k < 2 * sizeof amounts / sizeof *amounts; k++) {
        const char *half = amounts[k / 2][0], *whole = amounts[k / 2][1];
        const int64_t duration_ns[] = {10, 10, k % 2 ? 10 : 11}, start_ns[] = {0, 10, 20};
        struct random_job job = {br_dag_create("least"), br_cluster_create("one")};
        struct br_simulation run;
        assert_int_equal(br_cluster_add_class(job.cluster, "m", 1, NULL, NULL), BR_OK);
        assert_int_equal(br_cluster_add_capacity(job.cluster, 0, "cpu", whole, NULL), BR_OK);
        for (uint32_t s = 0; s < 3; s++) {
            char id[] = {(char)('a' + s), '\0'};
            assert_int_equal(br_dag_add_stage(job.dag, id, 1, duration_ns[s], NULL, NULL), BR_OK);
            assert_int_equal(br_dag_add_demand(job.dag, s, "cpu", s == 1 ? whole : half, NULL),
                             BR_OK);
        }
        assert_int_equal(br_dag_add_edge(job.dag, 0, 1, BR_BARRIER, NULL), BR_OK);
        assert_int_equal(br_dag_finish(job.dag, NULL), BR_OK);
        struct br_plan *plan = make(&job, "cp");
        memcpy(plan->start_ns, start_ns, sizeof start_ns);
        assert_int_equal(br_plan_rank(plan, job.dag, NULL), BR_OK);
        assert_int_equal(br_simulate(job.dag, job.cluster, plan, NULL, NULL, &run, NULL), BR_OK);
        assert_int_equal(run.start_ns[0], 0);
        assert_int_equal(run.start_ns[1], 10);
        assert_int_equal(run.start_ns[2], k % 2 ? 0 : 20);
        br_simulation_finish(&run);
        br_plan_destroy(plan);
        random_job_finish(&job);
    }
}

/* What the enforcer refuses is not replayed: a job that fits nowhere, the plan of another job, and
 * options that make no sense. */
static void test_refused(void **state)
{
    struct br_runtime_options options = br_runtime_options_default();
    struct br_dag *dag = br_dag_create("large");
    struct br_diag diag = {0};
    struct br_simulation run;
    struct random_job job;
    uint32_t s;
    assert_true(random_job_make(1, 12, 0, &job));
    struct br_plan *plan = make(&job, "cp");
    assert_int_equal(br_dag_add_stage(dag, "s", 1, 1000, &s, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, s, "cpu", "1000000000", NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_simulate(dag, job.cluster, NULL, NULL, NULL, &run, &diag), BR_BAD_INPUT);
    assert_true(diag.what[0] != '\0');
    br_simulation_finish(&run);
    assert_int_equal(br_simulate(dag, job.cluster, plan, NULL, NULL, &run, NULL), BR_USAGE);
    br_simulation_finish(&run);
    options.policy = "no such policy";
    assert_int_equal(br_simulate(job.dag, job.cluster, plan, NULL, &options, &run, NULL), BR_USAGE);
    br_simulation_finish(&run);
    br_plan_destroy(plan);
    br_dag_destroy(dag);
    random_job_finish(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_is_kept),      cmocka_unit_test(test_disturbed),
        cmocka_unit_test(test_without_plan),      cmocka_unit_test(test_durations),
        cmocka_unit_test(test_longest_durations), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_least_demand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
