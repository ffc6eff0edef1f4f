/* No policy sees the future: two worlds that are equal up to a moment, and differ in how long what
 * has not ended by then will last, get equal decisions up to that moment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "cluster/simulate/engine.h"
#include "cluster/simulate/policies/plans.h"
#include "cluster/simulate/policies/policies.h"
#include "tests/support/random_job.h"
#include "tests/support/random_workload.h"

enum { JOBS = 8, TASKS = 12 };

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

/* Recorded durations for every job; the caller frees them. */
static int64_t **record(struct br_workload *workload, const struct br_world *world)
{
    int64_t **true_ns = calloc(workload->jobs, sizeof *true_ns);
    for (uint32_t j = 0; j < workload->jobs; j++) {
        true_ns[j] = calloc(workload->dag[workload->job[j].dag].dag->tasks, sizeof **true_ns);
        br_world_durations(world, workload, j, true_ns[j]);
    }
    return true_ns;
}

static void use(struct br_workload *workload, int64_t **true_ns)
{
    for (uint32_t j = 0; j < workload->jobs; j++)
        workload->job[j].true_ns = true_ns[j];
}

static void release(const struct br_workload *workload, int64_t **true_ns)
{
    for (uint32_t j = 0; j < workload->jobs; j++)
        free(true_ns[j]);
    free(true_ns);
}

/* Draws anew how long all tasks last that are not done by the moment: what has run by then, in any
 * attempt, has to run beyond it. */
static void redraw(const struct br_workload *workload, const struct br_outcome *outcome,
                   int64_t moment_ns, int64_t step_ns, struct br_rng *rng, int64_t **true_ns)
{
    for (uint32_t j = 0; j < workload->jobs; j++)
        for (uint32_t t = 0; t < workload->dag[workload->job[j].dag].dag->tasks; t++) {
            int64_t least_ns = 0;
            bool done = false;
            for (uint64_t s = 0; s < outcome->spans; s++) {
                const struct br_span *span = &outcome->span[s];
                if (span->job != j || span->task != t || span->start_ns > moment_ns)
                    continue;
                int64_t seen_ns = span->end_ns < moment_ns ? span->end_ns : moment_ns;
                done |= span->end == BR_SPAN_DONE && span->end_ns <= moment_ns;
                if (seen_ns - span->start_ns + 1 > least_ns)
                    least_ns = seen_ns - span->start_ns + 1;
            }
            if (!done)
                true_ns[j][t] = least_ns + (int64_t)br_rng_below(rng, 3 * (uint64_t)step_ns);
        }
}

static int by_start(const void *one, const void *other)
{
    const struct br_span *a = one, *b = other;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    return a->task < b->task ? -1 : a->task > b->task;
}

/* Everything that started up to the moment did so in both, at the same time and place. */
static void judge_equal(struct br_outcome *a, struct br_outcome *b, int64_t moment_ns)
{
    qsort(a->span, a->spans, sizeof *a->span, by_start);
    qsort(b->span, b->spans, sizeof *b->span, by_start);
    for (uint64_t s = 0; s < a->spans && a->span[s].start_ns <= moment_ns; s++) {
        assert_true(s < b->spans);
        assert_int_equal(a->span[s].start_ns, b->span[s].start_ns);
        assert_int_equal(a->span[s].job, b->span[s].job);
        assert_int_equal(a->span[s].task, b->span[s].task);
        assert_int_equal(a->span[s].machine, b->span[s].machine);
    }
}

static void run(const struct random_workload *random, const struct br_simulate_options *options,
                struct br_outcome *outcome)
{
    struct br_diag diag = {0};
    if (br_simulate_workload(random->workload, random->cluster, options, outcome, &diag) != BR_OK)
        fail_msg("%s", diag.what);
}

/* True where the two outcomes differ after the moment. */
static bool try_row(const struct random_workload *random, const struct br_simulate_options *options,
                    struct br_rng *rng)
{
    struct br_outcome seen, other;
    int64_t **true_ns = record(random->workload, &options->world);
    int64_t **others = record(random->workload, &options->world);
    use(random->workload, true_ns);
    run(random, options, &seen);
    int64_t moment_ns = (int64_t)br_rng_below(rng, (uint64_t)seen.end_of_all_ns + 1);
    redraw(random->workload, &seen, moment_ns, random->step_ns, rng, others);
    use(random->workload, others);
    run(random, options, &other);
    bool differ = seen.end_of_all_ns != other.end_of_all_ns;
    judge_equal(&seen, &other, moment_ns);
    judge_equal(&other, &seen, moment_ns);
    br_outcome_finish(&seen);
    br_outcome_finish(&other);
    for (uint32_t j = 0; j < random->workload->jobs; j++)
        random->workload->job[j].true_ns = NULL;
    release(random->workload, true_ns);
    release(random->workload, others);
    return differ;
}

static void test_blind(void **state)
{
    uint32_t runs = 0, differ = 0;
    struct br_rng rng = br_rng_seed(1);
    struct br_plan_options planning = br_plan_options_default();
    planning.effort = BR_EFFORT_FAST;
    planning.method = "cp";
    planning.threads = 1;
    for (uint64_t seed = 1; seed <= random_jobs(300); seed++) {
        struct random_workload random;
        struct br_plans plans;
        struct br_simulate_options options = {.setup = {.enforcer = br_runtime_options_default(),
                                                        .plan = br_plans_get,
                                                        .network_plan = br_plans_get_network,
                                                        .plan_context = &plans,
                                                        .number = NAN}};
        assert_true(random_workload_make(seed, JOBS, TASKS, &random));
        assert_int_equal(br_plans_init(&plans, random.workload, random.cluster, &planning, NULL),
                         BR_OK);
        options.world = random_world(seed % 2 ? 1 : 4, seed, random.step_ns);
        for (uint32_t p = 0; (options.row = br_policies_at(p)); p++) {
            if (options.row->clairvoyant)
                continue;
            now.seed = seed;
            now.policy = options.row->named.name;
            options.setup.number = random_number(options.row);
            runs++;
            differ += try_row(&random, &options, &rng);
        }
        br_plans_finish(&plans);
        random_workload_finish(&random);
    }
    now.policy = NULL;
    assert_true(differ * 2 > runs); /* else there was no other future */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_blind, tell)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
