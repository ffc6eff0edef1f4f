/* Every decision of every policy, judged at the moment that it is made by a slow view of its own
 * (watch.h): the lists start what their keys and orders say, and nobody leaves room unused. */
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
#include "tests/cluster/simulate/watch.h"
#include "tests/support/random_job.h"
#include "tests/support/random_workload.h"

enum { JOBS = 10, TASKS = 12 };

/* What is being tried, to be told where it fails. */
static struct {
    uint64_t seed;
    const char *policy;
} now;

static int tell(void **state)
{
    if (now.policy)
        print_message("seed %u, policy %s\n", (unsigned)now.seed, now.policy);
    return 0;
}

struct set {
    struct random_workload random;
    struct br_plans plans;
    struct br_simulate_options options;
};

static void begin(uint64_t seed, struct set *set)
{
    struct br_plan_options planning = br_plan_options_default();
    planning.effort = BR_EFFORT_FAST;
    planning.method = "cp";
    planning.threads = 1;
    planning.placements = 1000;
    *set = (struct set){.options = {.setup = {.enforcer = br_runtime_options_default(),
                                              .plan = br_plans_get,
                                              .network_plan = br_plans_get_network,
                                              .number = NAN}}};
    assert_true(random_workload_make(seed, JOBS, TASKS, &set->random));
    assert_int_equal(
        br_plans_init(&set->plans, set->random.workload, set->random.cluster, &planning, NULL),
        BR_OK);
    set->options.setup.plan_context = &set->plans;
    set->options.world = random_world((uint32_t)(seed % RANDOM_WORLDS), seed, set->random.step_ns);
    now.seed = seed;
}

static void end(struct set *set)
{
    br_plans_finish(&set->plans);
    random_workload_finish(&set->random);
}

static void run(struct set *set, struct watch *watch, struct br_outcome *outcome)
{
    struct br_diag diag = {0};
    set->options.row = &watch->row;
    set->options.setup.number = watch->number;
    now.policy = watch->row.named.name;
    if (br_simulate_workload(set->random.workload, set->random.cluster, &set->options, outcome,
                             &diag) != BR_OK)
        fail_msg("%s: %s", watch->row.named.name, diag.what);
    assert_int_equal(outcome->finished, outcome->jobs);
}

/* The jobs of the least keys go first, and within them the first tasks; with any room for decisions
 * the same comes of it. */
static void test_lists(void **state)
{
    uint64_t decisions = 0, passed_over = 0;
    for (uint64_t seed = 1; seed <= random_jobs(400); seed++) {
        struct set set;
        const struct br_policy_row *row;
        begin(seed, &set);
        for (uint32_t p = 0; (row = br_policies_at(p)); p++) {
            struct watch watch;
            struct br_outcome outcome, again;
            double number = (row->number || row->step > 0) && seed % 2 ? 0.5 : NAN;
            watch_begin(&watch, row, number, set.random.workload->jobs);
            if (!watch.rule)
                continue;
            run(&set, &watch, &outcome);
            decisions += watch.decisions;
            passed_over += watch.passed_over;
            watch_begin(&watch, row, number, set.random.workload->jobs);
            watch.most_room = 1 + (uint32_t)(seed % 3);
            run(&set, &watch, &again);
            assert_int_equal(again.spans, outcome.spans);
            assert_memory_equal(again.span, outcome.span, outcome.spans * sizeof *outcome.span);
            br_outcome_finish(&outcome);
            br_outcome_finish(&again);
        }
        end(&set);
    }
    now.policy = NULL;
    assert_true(passed_over * 10 > decisions); /* else nothing has been chosen from */
}

/* Does the enforcer decide? */
static bool is_enforced(const struct br_policy_row *row)
{
    static const char *const names[] = {"graphene", "order", "tetris", "tetris-plan"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(names[k], row->named.name) == 0)
            return true;
    return false;
}

/* Whatever the policy, what is started is ready and fits. Under the enforcer nothing waits that
 * could run, where no group is owed anything and no plan is kept. */
static void test_enforced(void **state)
{
    const struct br_overbook more = {"cpu", 150};
    for (uint64_t seed = 1; seed <= random_jobs(400); seed++) {
        struct set set;
        const struct br_policy_row *row;
        begin(seed, &set);
        set.options.setup.overbooked = seed % 2;
        set.options.setup.overbook = &more;
        for (uint32_t p = 0; (row = br_policies_at(p)); p++)
            for (int idles = 0; idles < 2; idles++) {
                struct watch watch;
                struct br_outcome outcome;
                watch_begin(&watch, row, random_number(row), set.random.workload->jobs);
                if (watch.rule)
                    continue;
                watch.idles = idles || !is_enforced(row);
                watch.most_room = (uint32_t)(seed % 4);
                set.options.setup.enforcer.kappa = idles ? 0.1 : 1e9;
                set.options.setup.enforcer.keep_plan = idles;
                run(&set, &watch, &outcome);
                br_outcome_finish(&outcome);
            }
        end(&set);
    }
    now.policy = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_lists, tell),
                                       cmocka_unit_test_teardown(test_enforced, tell)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
