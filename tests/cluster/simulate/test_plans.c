/* Plans for the jobs of a workload: the same ahead as when their jobs arrive, for any number of
 * threads, and within what planning may take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/process/stop.h"
#include "planner/instance/plan.h"
#include "cluster/simulate/policies/plans.h"
#include "cluster/simulate/policies/policies.h"
#include "tests/cluster/simulate/script.h"
#include "tests/support/random_workload.h"

enum { SEEDS = 6, JOBS = 12, TASKS = 30 };

static struct br_plan_options planning(uint64_t placements)
{
    struct br_plan_options options = br_plan_options_default();
    options.effort = BR_EFFORT_FAST;
    options.threads = 1;
    options.placements = placements;
    return options;
}

static void begin(struct br_plans *plans, const struct random_workload *random, uint64_t placements)
{
    struct br_plan_options options = planning(placements);
    assert_int_equal(br_plans_init(plans, random->workload, random->cluster, &options, NULL),
                     BR_OK);
}

/* As the first job of the dag asks for it. */
static const struct br_plan *get(struct br_plans *plans, uint32_t dag, struct br_diag *diag)
{
    struct br_arrival arrival = {.dag = plans->workload->dag[dag].dag, .dag_number = dag};
    return br_plans_get(plans, &arrival, diag);
}

static void assert_equal(const struct br_plan *a, const struct br_plan *b)
{
    assert_string_equal(a->method, b->method);
    assert_int_equal(a->placements, b->placements);
    assert_memory_equal(a->start_ns, b->start_ns, a->tasks * sizeof *a->start_ns);
    assert_memory_equal(a->machine, b->machine, a->tasks * sizeof *a->machine);
}

static void test_ahead_as_at_arrival(void **state)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct random_workload random;
        struct br_plans late, early;
        assert_true(random_workload_make(seed, JOBS, TASKS, &random));
        uint32_t dags = random.workload->dags;
        begin(&late, &random, 0);
        for (uint32_t d = 0; d < dags; d++)
            assert_non_null(get(&late, d, NULL));
        for (uint32_t threads = 1; threads <= 7; threads += 3) {
            begin(&early, &random, 0);
            /* One that is there is not made again. */
            const struct br_plan *first = get(&early, 0, NULL);
            assert_int_equal(br_plans_prepare(&early, threads, NULL, NULL), BR_OK);
            assert_ptr_equal(early.plan[0], first);
            assert_int_equal(early.made, dags);
            for (uint32_t d = 0; d < dags; d++) {
                const struct br_plan *plan = early.plan[d];
                assert_non_null(plan);
                assert_ptr_equal(get(&early, d, NULL), plan);
                assert_equal(plan, late.plan[d]);
            }
            br_plans_finish(&early);
        }
        br_plans_finish(&late);
        random_workload_finish(&random);
    }
}

/* Jobs up to a 20th of the limit are planned by the method asked for, larger ones by their critical
 * path, which takes one placement a task. */
static void test_limit(void **state)
{
    bool small = false, large = false;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct random_workload random;
        struct br_plans plans, free;
        assert_true(random_workload_make(seed, JOBS, TASKS, &random));
        begin(&plans, &random, 20ull * TASKS / 2);
        begin(&free, &random, 0);
        assert_int_equal(br_plans_prepare(&plans, 2, NULL, NULL), BR_OK);
        uint32_t by_path = 0;
        for (uint32_t d = 0; d < random.workload->dags; d++) {
            const struct br_plan *plan = get(&plans, d, NULL), *best = get(&free, d, NULL);
            bool is_large = plan->tasks > TASKS / 2;
            by_path += is_large;
            (is_large ? &large : &small)[0] = true;
            if (is_large) {
                assert_string_equal(plan->method, "cp");
                assert_int_equal(plan->placements, plan->tasks);
            } else if (best->placements <= 20ull * TASKS / 2) {
                assert_equal(plan, best);
            }
        }
        assert_int_equal(plans.by_path, by_path);
        assert_int_equal(free.by_path, 0);
        br_plans_finish(&plans);
        br_plans_finish(&free);
        random_workload_finish(&random);
    }
    assert_true(small && large);
}

/* A plan that a stop cut short is not kept: it would differ from run to run. */
static void test_stop(void **state)
{
    struct random_workload random;
    struct br_plans plans;
    struct br_stop stop = {0};
    assert_true(random_workload_make(1, JOBS, TASKS, &random));
    begin(&plans, &random, 0);
    br_stop_set(&stop, 1);
    assert_int_equal(br_plans_prepare(&plans, 3, &stop, NULL), BR_OK);
    assert_int_equal(plans.made, 0);
    for (uint32_t d = 0; d < random.workload->dags; d++)
        assert_null(plans.plan[d]);
    br_plans_finish(&plans);
    random_workload_finish(&random);
}

/* What cannot be planned stops nothing ahead; whoever asks for it learns why. */
static void test_impossible(void **state)
{
    struct random_workload random;
    struct br_plans plans;
    struct br_diag diag = {0};
    assert_true(random_workload_make(2, JOBS, TASKS, &random));
    begin(&plans, &random, 0);
    plans.options.method = "none of them";
    assert_int_equal(br_plans_prepare(&plans, 3, NULL, NULL), BR_OK);
    assert_int_equal(plans.made, 0);
    assert_null(get(&plans, 0, &diag));
    assert_int_equal(diag.status, BR_USAGE);
    plans.options.method = "best";
    assert_non_null(get(&plans, 0, NULL));
    br_plans_finish(&plans);
    random_workload_finish(&random);
}

static uint32_t asked;

static const struct br_plan *count_and_get(void *plans, const struct br_arrival *arrival,
                                           struct br_diag *diag)
{
    asked++;
    return br_plans_get(plans, arrival, diag);
}

/* A row says that it follows plans where it asks for them, and only there. */
static void test_rows(void **state)
{
    const struct br_policy_row *row;
    struct random_workload random;
    assert_true(random_workload_make(3, JOBS, TASKS, &random));
    for (uint32_t k = 0; (row = br_policies_at(k)); k++) {
        struct br_plans plans;
        void *policy;
        begin(&plans, &random, 0);
        struct br_policy_setup setup = {.cluster = random.cluster,
                                        .groups = random.workload->groups,
                                        .group = random.workload->group,
                                        .enforcer = br_runtime_options_default(),
                                        .plan = count_and_get,
                                        .network_plan = br_plans_get_network,
                                        .plan_context = &plans,
                                        .number = NAN};
        const struct br_workload_job *job = &random.workload->job[0];
        struct br_arrival arrival = {.id = job->id,
                                     .dag = random.workload->dag[job->dag].dag,
                                     .dag_number = job->dag,
                                     .weight = 1,
                                     .deadline_ns = BR_NEVER};
        if (row->clairvoyant)
            arrival.true_ns = arrival.dag->duration_ns;
        asked = 0;
        assert_int_equal(row->create(row, &setup, &policy, NULL), BR_OK);
        assert_int_equal(row->arrive(policy, &arrival, 0, NULL), BR_OK);
        if ((asked > 0) != row->plans)
            fail_msg("%s", row->named.name);
        row->destroy(policy);
        br_plans_finish(&plans);
    }
    random_workload_finish(&random);
}

/* The k-th job ran its task there, from that second to that one. */
static void expect_ran(const struct br_outcome *outcome, uint32_t job, uint32_t machine,
                       int64_t start_s, int64_t end_s)
{
    const struct br_span *span = small_span(outcome, job, 0, BR_SPAN_DONE, 0);
    assert_int_equal(span->machine, machine);
    assert_int_equal(span->start_ns, start_s * 1000000000);
    assert_int_equal(span->end_ns, end_s * 1000000000);
}

/* Placed jobs go to the machine with least to do, the first of equals, and a machine takes the job
 * with the least work first. What has ended is nothing to do any more. */
static void test_placed_by_load(void **state)
{
    static const char *const stage[] = {"4:cpu=1", "1:cpu=1"};
    const struct br_plan_options options = planning(1000);
    struct small small;
    struct br_plans plans;
    struct br_outcome outcome;
    double number;
    small_begin(&small, 2, "cpu=1");
    uint32_t four = small_dag(&small, &stage[0], 1, false);
    uint32_t one = small_dag(&small, &stage[1], 1, false);
    const uint32_t dag[] = {four, four, four, four, one, four};
    const int64_t at_s[] = {0, 1, 2, 2, 3, 20};
    for (uint32_t j = 0; j < sizeof dag / sizeof *dag; j++)
        small_job(&small, dag[j], at_s[j]);
    assert_int_equal(br_workload_finish(small.workload, NULL), BR_OK);
    assert_int_equal(br_plans_init(&plans, small.workload, small.cluster, &options, NULL), BR_OK);
    small.options.setup.plan = br_plans_get;
    small.options.setup.plan_context = &plans;
    assert_int_equal(br_policies_find("placed", &small.options.row, &number, NULL), BR_OK);
    assert_int_equal(small_run(&small, small.options.row, &outcome, NULL), BR_OK);
    expect_ran(&outcome, 0, 0, 0, 4);
    expect_ran(&outcome, 1, 1, 1, 5);
    expect_ran(&outcome, 4, 0, 4, 5); /* before the third, which came first */
    expect_ran(&outcome, 2, 0, 5, 9);
    expect_ran(&outcome, 3, 1, 5, 9);
    expect_ran(&outcome, 5, 0, 20, 24);
    br_outcome_finish(&outcome);
    br_plans_finish(&plans);
    small_finish(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ahead_as_at_arrival),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_placed_by_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
