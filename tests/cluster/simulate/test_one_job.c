/* One job alone: its plan is kept, and two drivers of the enforcer agree, the simulator of
 * workloads and the replay of one job, which share no loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "planner/instance/plan.h"
#include "cluster/simulate/engine.h"
#include "cluster/simulate/policies/plans.h"
#include "cluster/simulate/policies/policies.h"
#include "runtime/replay/replay.h"
#include "tests/support/random_job.h"

enum { TASKS = 50 };

static struct br_plan_options quick(const char *method)
{
    struct br_plan_options options = br_plan_options_default();
    options.effort = BR_EFFORT_FAST;
    options.method = method;
    options.threads = 1;
    options.placements = 20000;
    return options;
}

/* To the planner a task without duration takes nothing, but one that runs for no time holds its
 * demand until its end is told; so let such stages demand nothing. */
static void free_timeless(struct br_dag *dag)
{
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++)
            if (!dag->duration_ns[dag->stage[s].first_task + i])
                dag->stage[s].demands = 0;
}

struct alone {
    struct random_job job;
    struct br_workload *workload; /* owns the dag */
    struct br_plans plans;
    struct br_plan_options planning;
    struct br_simulate_options options;
    struct br_outcome outcome;
};

static void begin(struct alone *alone, uint64_t seed, const char *method, bool with_timeless)
{
    struct br_workload_job job = br_workload_job_default();
    *alone = (struct alone){.planning = quick(method)};
    assert_true(random_job_make(seed, 1 + (uint32_t)(seed % TASKS), 0, &alone->job));
    if (!with_timeless)
        free_timeless(alone->job.dag);
    alone->workload = br_workload_create(NULL, NULL);
    assert_int_equal(
        br_workload_add_dag(alone->workload, alone->job.dag, NULL, NULL, &job.dag, NULL), BR_OK);
    job.id = "alone";
    assert_int_equal(br_workload_add_job(alone->workload, &job, NULL), BR_OK);
    assert_int_equal(br_workload_finish(alone->workload, NULL), BR_OK);
    assert_int_equal(
        br_plans_init(&alone->plans, alone->workload, alone->job.cluster, &alone->planning, NULL),
        BR_OK);
    alone->options =
        (struct br_simulate_options){.world = br_world_default(),
                                     .setup = {.enforcer = br_runtime_options_default(),
                                               .plan = br_plans_get,
                                               .network_plan = br_plans_get_network,
                                               .plan_context = &alone->plans,
                                               .number = NAN}};
}

static void run(struct alone *alone, const char *policy)
{
    double number;
    struct br_diag diag = {0};
    assert_int_equal(br_policies_find(policy, &alone->options.row, &number, NULL), BR_OK);
    if (br_simulate_workload(alone->workload, alone->job.cluster, &alone->options, &alone->outcome,
                             &diag) != BR_OK)
        fail_msg("%s", diag.what);
    assert_int_equal(alone->outcome.finished, 1);
}

static void end(struct alone *alone)
{
    br_plans_finish(&alone->plans);
    br_workload_destroy(alone->workload);
    br_cluster_destroy(alone->job.cluster);
}

/* Where nothing goes otherwise than declared, no task starts later than planned. */
static void test_plan_is_kept(void **state)
{
    static const char *const methods[] = {"best", "graphene", "cp", "random"}, *const policies[] = {
                                                                                   "graphene",
                                                                                   "order",
                                                                                   "tetris-plan"};
    uint32_t equal = 0;
    for (uint64_t seed = 1; seed <= random_jobs(200); seed++) {
        struct alone alone;
        begin(&alone, seed, methods[seed % 4], false);
        for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
            run(&alone, policies[p]);
            const struct br_plan *plan = alone.plans.plan[0];
            assert_int_equal(alone.plans.made, 1);
            for (uint64_t s = 0; s < alone.outcome.spans; s++)
                assert_true(alone.outcome.span[s].start_ns <=
                            plan->start_ns[alone.outcome.span[s].task]);
            assert_true(alone.outcome.end_of_all_ns <= plan->makespan_ns);
            assert_true(alone.outcome.end_of_all_ns >= plan->lower_bound_ns);
            equal += p == 0 && seed % 4 == 0 && alone.outcome.end_of_all_ns == plan->makespan_ns;
            br_outcome_finish(&alone.outcome);
        }
        end(&alone);
    }
    assert_true(equal * 10 >=
                random_jobs(200) / 4 * 9); /* of the best plans hardly any is beaten */
}

/* The same starts on the same machines as by the replay, with durations that are off. */
static void test_replay(void **state)
{
    static const struct {
        const char *row, *policy;
        double penalty;
        bool plan;
    } same[] = {{"graphene", "graphene", 0.8, true},
                {"order", "order", 0.8, true},
                {"tetris", "packing", 1, false},
                {"tetris-plan", "packing", 1, true}};
    for (uint64_t seed = 1; seed <= random_jobs(300); seed++) {
        struct alone alone;
        struct br_arena arena = {0};
        begin(&alone, seed, "cp", true);
        int64_t *true_ns = br_simulate_durations(&arena, alone.job.dag, 0.5, seed);
        alone.workload->job[0].true_ns = true_ns;
        for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
            struct br_runtime_options options = br_runtime_options_default();
            struct br_simulation replay;
            struct br_plan *plan = NULL;
            options.policy = same[k].policy;
            options.remote_penalty = same[k].penalty;
            options.keep_plan = alone.options.setup.enforcer.keep_plan = seed % 3 > 0;
            assert_int_equal(
                br_plan_make(alone.job.dag, alone.job.cluster, &alone.planning, &plan, NULL),
                BR_OK);
            run(&alone, same[k].row);
            assert_int_equal(br_simulate(alone.job.dag, alone.job.cluster,
                                         same[k].plan ? plan : NULL, true_ns, &options, &replay,
                                         NULL),
                             BR_OK);
            assert_int_equal(alone.outcome.spans, alone.job.dag->tasks);
            for (uint64_t s = 0; s < alone.outcome.spans; s++) {
                const struct br_span *span = &alone.outcome.span[s];
                assert_int_equal(span->start_ns, replay.start_ns[span->task]);
                assert_int_equal(span->end_ns, replay.end_ns[span->task]);
                assert_int_equal(span->machine, replay.machine[span->task]);
            }
            assert_int_equal(alone.outcome.end_of_all_ns, replay.makespan_ns);
            br_simulation_finish(&replay);
            br_outcome_finish(&alone.outcome);
            br_plan_destroy(plan);
        }
        br_arena_finish(&arena);
        end(&alone);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plan_is_kept),
                                       cmocka_unit_test(test_replay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
