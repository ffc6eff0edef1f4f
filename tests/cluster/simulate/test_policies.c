/* Every row of the table of policies, on random workloads in every world: what comes of them is
 * possible, is whole, and comes again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/simulate/engine.h"
#include "cluster/simulate/policies/plans.h"
#include "cluster/simulate/policies/policies.h"
#include "tests/support/judge_outcome.h"
#include "tests/support/random_job.h"
#include "tests/support/random_workload.h"

enum { JOBS = 8, TASKS = 14 };

/* What is being tried, to be told where it fails. */
static struct {
    uint64_t seed;
    uint32_t world;
    const char *policy;
} now;

static int tell(void **state)
{
    if (now.policy)
        print_message("seed %u, world %u, policy %s\n", (unsigned)now.seed, now.world, now.policy);
    return 0;
}

static struct br_plan_options quick(void)
{
    struct br_plan_options options = br_plan_options_default();
    options.effort = BR_EFFORT_FAST;
    options.method = "cp";
    options.threads = 1;
    options.placements = 1000;
    return options;
}

static bool has(const struct br_cluster *cluster, const char *resource)
{
    for (uint32_t c = 0; c < cluster->classes; c++)
        for (uint32_t k = 0; k < cluster->cls[c].capacities; k++)
            if (strcmp(cluster->cls[c].capacity[k].resource, resource) == 0)
                return true;
    return false;
}

static void run(const struct random_workload *random, const struct br_simulate_options *options,
                struct br_outcome *outcome)
{
    struct br_diag diag = {0};
    if (br_simulate_workload(random->workload, random->cluster, options, outcome, &diag) != BR_OK)
        fail_msg("%s: %s", options->row->named.name, diag.what);
}

static void judge_row(const struct random_workload *random, struct br_simulate_options *options,
                      const struct judge_limit *limit)
{
    struct br_outcome outcome, again, ends;
    run(random, options, &outcome);
    judge_outcome(random->workload, random->cluster, &options->world, limit, &outcome);
    assert_null(outcome.note);
    run(random, options, &again);
    assert_int_equal(again.spans, outcome.spans);
    assert_memory_equal(again.span, outcome.span, outcome.spans * sizeof *outcome.span);
    options->no_spans = true;
    run(random, options, &ends);
    options->no_spans = false;
    assert_int_equal(ends.spans, 0);
    assert_int_equal(ends.events, outcome.events);
    assert_memory_equal(ends.end_ns, outcome.end_ns, outcome.jobs * sizeof *outcome.end_ns);
    br_outcome_finish(&ends);
    br_outcome_finish(&again);
    br_outcome_finish(&outcome);
}

static void test_all(void **state)
{
    const struct br_overbook more = {"net", 200};
    const struct br_plan_options planning = quick();
    for (uint64_t seed = 1; seed <= random_jobs(100); seed++) {
        struct random_workload random;
        struct br_plans plans;
        struct judge_limit limit = {NULL, 0};
        struct br_simulate_options options = {.setup = {.enforcer = br_runtime_options_default(),
                                                        .plan = br_plans_get,
                                                        .network_plan = br_plans_get_network,
                                                        .number = NAN}};
        assert_true(random_workload_make(seed, JOBS, TASKS, &random));
        assert_int_equal(br_plans_init(&plans, random.workload, random.cluster, &planning, NULL),
                         BR_OK);
        options.setup.plan_context = &plans;
        if (seed % 3 == 0 && has(random.cluster, more.resource)) {
            options.setup.overbooked = 1;
            options.setup.overbook = &more;
            limit = (struct judge_limit){more.resource, more.percent};
        }
        for (uint32_t p = 0; (options.row = br_policies_at(p)); p++) {
            options.setup.number = random_number(options.row);
            for (uint32_t w = 0; w < RANDOM_WORLDS; w++) {
                options.world = random_world(w, seed, random.step_ns);
                now.seed = seed;
                now.world = w;
                now.policy = options.row->named.name;
                judge_row(&random, &options, &limit);
            }
        }
        br_plans_finish(&plans);
        random_workload_finish(&random);
    }
    now.policy = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_all, tell)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
