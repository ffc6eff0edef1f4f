/* Experiments: every combination of policy and seed once, in order, as the engine alone finds it;
 * by shards and any number of threads the same; a stop leaves those that have ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "cluster/simulate/experiment/experiment.h"
#include "cluster/simulate/policies/policies.h"
#include "tests/support/random_workload.h"

enum { SEEDS = 3, POLICIES = 2, RUNS = SEEDS * POLICIES };

struct scene {
    struct random_workload random;
    struct br_experiment_policy policy[POLICIES];
    struct br_experiment experiment;
    uint32_t told, of;
    struct br_stop stop;
    uint32_t stop_after;
};

static const struct br_policy_row *row_of(const char *name)
{
    for (uint32_t k = 0; br_policies_at(k); k++)
        if (strcmp(br_policies_at(k)->named.name, name) == 0)
            return br_policies_at(k);
    fail();
    return NULL;
}

static void tell(void *context, uint32_t done, uint32_t of)
{
    struct scene *scene = context;
    assert_int_equal(done, ++scene->told);
    scene->of = of;
    if (done == scene->stop_after)
        br_stop_set(&scene->stop, 1);
}

static void scene_make(struct scene *scene, uint64_t seed)
{
    static char fifo[] = "fifo", srpt[] = "srpt";
    *scene =
        (struct scene){.policy = {{.name = fifo, .number = NAN}, {.name = srpt, .number = NAN}}};
    assert_true(random_workload_make(seed, 8, 20, &scene->random));
    for (uint32_t p = 0; p < POLICIES; p++)
        scene->policy[p].row = row_of(scene->policy[p].name);
    scene->experiment = (struct br_experiment){.workload = scene->random.workload,
                                               .cluster = scene->random.cluster,
                                               .policies = POLICIES,
                                               .policy = scene->policy,
                                               .seeds = SEEDS,
                                               .world = random_world(1, 7, scene->random.step_ns),
                                               .enforcer = br_runtime_options_default(),
                                               .plan = br_plan_options_default(),
                                               .threads = 3,
                                               .step = 1,
                                               .stop = &scene->stop,
                                               .ended = tell,
                                               .context = scene};
}

/* The mean completion time and the makespan by the engine alone. */
static void alone(const struct scene *scene, uint32_t policy, uint32_t seed, double found[2])
{
    struct br_simulate_options options = {
        .row = scene->policy[policy].row,
        .setup = {.enforcer = scene->experiment.enforcer, .number = NAN},
        .world = scene->experiment.world};
    struct br_outcome outcome;
    int64_t last = 0;
    options.world.seed += seed;
    found[0] = 0;
    assert_int_equal(br_simulate_workload(scene->random.workload, scene->random.cluster, &options,
                                          &outcome, NULL),
                     BR_OK);
    for (uint32_t j = 0; j < scene->random.workload->jobs; j++) {
        found[0] += (double)(outcome.end_ns[j] - scene->random.workload->job[j].arrival_ns) * 1e-9;
        last = outcome.end_ns[j] > last ? outcome.end_ns[j] : last;
    }
    found[0] /= scene->random.workload->jobs;
    found[1] = (double)last * 1e-9;
    br_outcome_finish(&outcome);
}

static void assert_run(const struct scene *scene, const struct br_study_run *run, uint32_t number)
{
    double right[2];
    uint32_t policy = number / SEEDS, seed = number % SEEDS;
    assert_string_equal(run->policy, scene->policy[policy].name);
    assert_int_equal(run->seed, scene->experiment.world.seed + seed);
    alone(scene, policy, seed, right);
    assert_true(fabs(run->metrics->mean_jct_s - right[0]) <= 1e-9 * right[0]);
}

static void test_all(void **state)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct scene scene;
        struct br_experiment_results results;
        scene_make(&scene, seed);
        assert_int_equal(br_experiment_run(&scene.experiment, &results, NULL), BR_OK);
        assert_int_equal(results.study.runs, RUNS);
        assert_int_equal(scene.told, RUNS);
        assert_int_equal(scene.of, RUNS);
        assert_false(results.cut);
        for (uint32_t k = 0; k < RUNS; k++)
            assert_run(&scene, &results.study.run[k], k);
        br_experiment_finish(&results);
        random_workload_finish(&scene.random);
    }
}

/* Each combination is in exactly one of three shards. */
static void test_shards(void **state)
{
    uint32_t runs = 0;
    for (uint32_t shard = 0; shard < 3; shard++) {
        struct scene scene;
        struct br_experiment_results results;
        scene_make(&scene, 5);
        scene.experiment.first = shard;
        scene.experiment.step = 3;
        assert_int_equal(br_experiment_run(&scene.experiment, &results, NULL), BR_OK);
        for (uint32_t k = 0; k < results.study.runs; k++)
            assert_run(&scene, &results.study.run[k], shard + 3 * k);
        runs += results.study.runs;
        br_experiment_finish(&results);
        random_workload_finish(&scene.random);
    }
    assert_int_equal(runs, RUNS);
}

static void test_stop(void **state)
{
    struct scene scene;
    struct br_experiment_results results;
    scene_make(&scene, 6);
    scene.experiment.threads = 1;
    scene.stop_after = 2;
    assert_int_equal(br_experiment_run(&scene.experiment, &results, NULL), BR_OK);
    assert_true(results.cut);
    assert_int_equal(results.study.runs, 2);
    for (uint32_t k = 0; k < 2; k++)
        assert_run(&scene, &results.study.run[k], k);
    br_experiment_finish(&results);
    random_workload_finish(&scene.random);
}

/* With two threads the runs that take longest begin first, though they are last in the order of the
 * results: when one run has ended, both threads have begun with one of these. */
static void test_longest_first(void **state)
{
    static char fifo[] = "fifo", tuned[] = "weighted-fair-tuned";
    struct scene scene;
    struct br_experiment_results results;
    scene_make(&scene, 7);
    scene.policy[0] =
        (struct br_experiment_policy){.name = fifo, .row = row_of(fifo), .number = NAN};
    scene.policy[1] =
        (struct br_experiment_policy){.name = tuned, .row = row_of(tuned), .number = NAN};
    scene.experiment.threads = 2;
    scene.stop_after = 1;
    assert_int_equal(br_experiment_run(&scene.experiment, &results, NULL), BR_OK);
    assert_true(results.cut && results.study.runs >= 1 && results.study.runs <= 2);
    for (uint32_t k = 0; k < results.study.runs; k++)
        assert_string_equal(results.study.run[k].policy, tuned);
    br_experiment_finish(&results);
    random_workload_finish(&scene.random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all), cmocka_unit_test(test_shards),
                                       cmocka_unit_test(test_stop),
                                       cmocka_unit_test(test_longest_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
