/* What trainings learn from: gains of decisions, pairs of changes, and how far a step goes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/cluster/executors/small.h"

/* Two episodes by hand, with a job that is there from 0 on. The first decides at 0 and 2 s and ends
 * at 4 s with a cost of 8; the second decides at 0 and 1 s and ends at 6 s with a cost of 12. */
static void gains_are_what_the_others_cost_more(void **state)
{
    const int64_t second = INT64_C(1000000000);
    struct br_episode_step first[] = {{.now_ns = 0, .cost = 0}, {.now_ns = 2 * second, .cost = 6}};
    struct br_episode_step other[] = {{.now_ns = 0, .cost = 0}, {.now_ns = 1 * second, .cost = 2}};
    struct br_episode episode[2] = {{.step = first, .steps = 2, .end_ns = 4 * second, .cost = 8},
                                    {.step = other, .steps = 2, .end_ns = 6 * second, .cost = 12}};
    assert_true(br_episodes_gains(episode, 2, 0, 0));
    /* From 0: 8 and 12, mean 10. From 2 s: 2, and 10 * 4 / 5 = 8, mean 5. From 1 s: 8 - 3 = 5, and
     * 10, mean 7.5. */
    double gain[] = {2, 3, -2, -2.5}, square = 4 + 9 + 4 + 6.25;
    double spread = sqrt(square / 4);
    assert_true(fabs(first[0].gain - gain[0] / spread) < 1e-12);
    assert_true(fabs(first[1].gain - gain[1] / spread) < 1e-12);
    assert_true(fabs(other[0].gain - gain[2] / spread) < 1e-12);
    assert_true(fabs(other[1].gain - gain[3] / spread) < 1e-12);
    /* At a usual rate of 2 a second both cost nothing more than usual from 0 on. */
    assert_true(br_episodes_gains(episode, 2, 2, 0));
    assert_true(fabs(first[0].gain) < 1e-12 && fabs(other[0].gain) < 1e-12);
    assert_true(first[1].gain > 0);
}

/* The sum of a horizon, by hand: a step at 0, one at 2 s, the end at 4 s, 1 a second; what is left
 * is 3 and then 5. The other episode costs nothing, and its changes are all 0. */
static void gains_fade_with_a_horizon(void **state)
{
    const int64_t second = INT64_C(1000000000);
    struct br_episode_step first[] = {{.now_ns = 0, .cost = 0, .left = 3},
                                      {.now_ns = 2 * second, .cost = 2, .left = 5}};
    struct br_episode_step other[] = {{.now_ns = 0}};
    struct br_episode episode[2] = {{.step = first, .steps = 2, .end_ns = 4 * second, .cost = 4},
                                    {.step = other, .steps = 1, .end_ns = 4 * second}};
    /* Even growth by 4 in the first two seconds, by -3 in the last two. Of what comes within two
     * seconds counts (1 - 1/e) on average where the horizon is two seconds. */
    const double kept = exp(-1.0), mean = 1 - kept;
    const double after[] = {4 * mean - 3 * mean * kept, -3 * mean};
    assert_true(br_episodes_gains(episode, 2, 0, 2));
    assert_true(fabs(first[0].after - after[0]) < 1e-9 && fabs(first[1].after - after[1]) < 1e-9);
    const double gain[] = {-after[0] / 2, -after[1] / 2, after[0] / 2};
    const double spread = sqrt((gain[0] * gain[0] + gain[1] * gain[1] + gain[2] * gain[2]) / 3);
    assert_true(fabs(first[0].gain - gain[0] / spread) < 1e-9);
    assert_true(fabs(first[1].gain - gain[1] / spread) < 1e-9);
    assert_true(fabs(other[0].gain - gain[2] / spread) < 1e-9);
}

/* Arrivals over time: an iteration's gains are above what a second usually cost before it, and that
 * is the first iteration's mean, then moves by a fiftieth. */
static void the_usual_rate_is_of_the_iterations_before(void **state)
{
    const struct pool *pool = *state;
    struct br_train_options options = small_options();
    struct br_trainer trainer;
    struct br_train_report report;
    double usual = 0;
    options.interarrival_ns = INT64_C(4000000000);
    options.length_ns = INT64_C(8000000000);
    options.last_length_ns = INT64_C(40000000000);
    assert_int_equal(br_trainer_init(&trainer, &options, pool->jobs, NULL), BR_OK);
    for (uint64_t k = 0; k < options.iterations; k++) {
        double cost = 0, time_s = 0, gain = 0;
        uint32_t last = 0;
        assert_int_equal(br_trainer_step(&trainer, &report, NULL), BR_OK);
        for (uint32_t i = 0; i < options.episodes; i++) {
            cost += trainer.episode[i].cost;
            time_s += (double)trainer.episode[i].end_ns * 1e-9;
            last = trainer.episode[i].steps > trainer.episode[last].steps ? i : last;
        }
        /* The gains that it learned with are those at the rate before. */
        assert_true(trainer.episode[last].steps > 0);
        gain = trainer.episode[last].step[0].gain;
        assert_true(br_episodes_gains(trainer.episode, options.episodes, usual, 0));
        assert_true(fabs(trainer.episode[last].step[0].gain - gain) < 1e-12);
        usual += (cost / time_s - usual) / (k ? 50 : 1);
        assert_true(usual > 0 && fabs(trainer.usual_rate - usual) < 1e-12 * usual);
    }
    br_trainer_finish(&trainer);
}

/* With few jobs and executors even some iterations help, and a teacher does at once. */
static void it_learns(void **state)
{
    const struct pool *pool = *state;
    struct br_train_options options = small_options();
    struct br_trainer trainer;
    struct br_train_report report;
    double before, after;
    options.episodes = 8;
    options.iterations = 60;
    options.rate = options.last_rate = 5e-3;
    assert_int_equal(br_trainer_init(&trainer, &options, pool->jobs, NULL), BR_OK);
    assert_int_equal(br_trainer_try(&trainer, 16, 5, &before, NULL), BR_OK);
    for (uint64_t k = 0; k < options.iterations; k++)
        assert_int_equal(br_trainer_step(&trainer, &report, NULL), BR_OK);
    assert_int_equal(br_trainer_try(&trainer, 16, 5, &after, NULL), BR_OK);
    print_message("reinforced: %.2f s a job before, %.2f s after\n", before, after);
    assert_true(after < before * 0.95);
    br_trainer_finish(&trainer);
    for (uint32_t k = 0; br_executors_policy(k); k++)
        if (strcmp(br_executors_policy(k)->named.name, "sjf-cp") == 0)
            options.teacher = br_executors_policy(k);
    options.taught = options.iterations;
    options.teacher_number = NAN;
    assert_int_equal(br_trainer_init(&trainer, &options, pool->jobs, NULL), BR_OK);
    for (uint64_t k = 0; k < options.iterations; k++)
        assert_int_equal(br_trainer_step(&trainer, &report, NULL), BR_OK);
    assert_true(report.taught);
    assert_int_equal(br_trainer_try(&trainer, 16, 5, &after, NULL), BR_OK);
    print_message("taught: %.2f s after\n", after);
    assert_true(after < before * 0.95);
    br_trainer_finish(&trainer);
}

/* So do pairs of changes that go opposite ways: by all weights of a network, and they leave
 * everything but the numbers of a planner's rule where there is one. */
static void pairs_learn(void **state)
{
    const struct pool *pool = *state;
    struct br_train_options options = small_options();
    struct br_trainer trainer;
    struct br_train_report report;
    double before, after;
    options.method = BR_EVOLVE;
    options.episodes = 16;
    options.iterations = 40;
    options.rate = options.last_rate = 0.02;
    options.reach = 0.1;
    assert_int_equal(br_trainer_init(&trainer, &options, pool->jobs, NULL), BR_OK);
    assert_int_equal(br_trainer_try(&trainer, 16, 5, &before, NULL), BR_OK);
    for (uint64_t k = 0; k < options.iterations; k++)
        assert_int_equal(br_trainer_step(&trainer, &report, NULL), BR_OK);
    assert_int_equal(br_trainer_try(&trainer, 16, 5, &after, NULL), BR_OK);
    print_message("by pairs: %.2f s a job before, %.2f s after\n", before, after);
    assert_true(after < before * 0.9);
    br_trainer_finish(&trainer);

    options.shape = br_network_shape_planned();
    assert_int_equal(br_trainer_init(&trainer, &options, pool->jobs, NULL), BR_OK);
    const struct br_network *network = &trainer.model.network;
    assert_int_equal(network->plan + network->plan_parameters, network->parameters);
    br_weight *weights = malloc(network->parameters * sizeof *weights);
    assert_non_null(weights);
    memcpy(weights, trainer.model.parameter, network->parameters * sizeof *weights);
    assert_int_equal(br_trainer_step(&trainer, &report, NULL), BR_OK);
    assert_true(report.moved);
    assert_memory_equal(weights, trainer.model.parameter, network->plan * sizeof *weights);
    /* Those of classes and of deadlines stay where there are none. */
    for (uint32_t k = 0; k < network->plan_parameters; k++) {
        assert_true(weights[network->plan + k] == 0);
        assert_int_equal(trainer.model.parameter[network->plan + k] != 0,
                         br_plan_kind_of((enum br_plan_number)k) == BR_PLAN_ALWAYS);
    }
    free(weights);
    br_trainer_finish(&trainer);
}

/* The numbers of classes, of deadlines and of arrivals are learned where there are such; deadlines
 * make trials count what is missed, and stages are asked for by every episode anew. */
static void what_a_cluster_has_is_learned(void **state)
{
    const struct pool *pool = *state;
    for (int kind = 0; kind < 3; kind++) {
        struct br_train_options options = small_options();
        struct br_train_jobs jobs = pool->jobs;
        struct br_trainer trainer;
        struct br_train_report report;
        double cost;
        options.method = BR_EVOLVE;
        options.episodes = 6;
        options.shape = br_network_shape_planned();
        if (kind == 0) {
            options.draw_requests = true;
            options.cluster.classes = 2;
            for (int c = 0; c < 2; c++) {
                options.cluster.cls[c].executors = 3;
                options.cluster.cls[c].memory = c + 1;
            }
        } else if (kind == 2) {
            options.interarrival_ns = INT64_C(4000000000);
        } else {
            jobs.deadline_ns = pool->deadline_ns;
            options.objective = BR_MISSES;
        }
        assert_int_equal(br_trainer_init(&trainer, &options, jobs, NULL), BR_OK);
        const br_weight *plan = trainer.model.parameter + trainer.model.network.plan;
        assert_true(plan[BR_PLAN_SPARE] == (kind == 2 ? BR_PLAN_SPARING : 0));
        assert_int_equal(br_trainer_step(&trainer, &report, NULL), BR_OK);
        const enum br_plan_number of_classes[] = {BR_PLAN_OVERSIZE, BR_PLAN_SCARCE, BR_PLAN_PART,
                                                  BR_PLAN_RIVALS};
        for (int n = 0; n < 4; n++)
            assert_int_equal(plan[of_classes[n]] != 0, kind == 0);
        for (int n = BR_PLAN_SLACK; n <= BR_PLAN_LOST; n++)
            assert_int_equal(plan[n] != 0, kind == 1);
        assert_int_equal(plan[BR_PLAN_SPARE] != 0, kind == 2);
        assert_int_equal(plan[BR_PLAN_FRESH] != 0, kind == 2);
        assert_int_equal(plan[BR_PLAN_FREE] != 0, kind == 2);
        assert_int_equal(br_trainer_try(&trainer, 6, 5, &cost, NULL), BR_OK);
        uint32_t cls[2] = {0}, missed = 0;
        for (uint32_t k = 0; k < 6; k++) {
            const struct br_executors *sim = trainer.episode[k].sim;
            for (uint32_t s = 0; s < sim->stages; s++)
                cls[sim->stage[s].request.cls]++;
            for (uint32_t j = 0; j < sim->jobs; j++)
                missed += sim->job[j].deadline_ns && sim->job[j].end_ns > sim->job[j].deadline_ns;
        }
        if (kind == 0)
            assert_true(cls[0] > 0 && cls[1] > 0);
        else if (kind == 1)
            assert_true(missed > 0 && missed < 24 && fabs(cost - missed / 24.0) < 1e-12);
        br_trainer_finish(&trainer);
    }
}

/* A step that is much too long is shortened until it changes decisions by what it may; what has not
 * changed is no shift, and one that may change next to nothing is taken back. */
static void steps_are_kept_short(void **state)
{
    const struct pool *pool = *state;
    struct br_train_options options = small_options();
    struct br_trainer trainer;
    struct br_train_report report;
    double long_shift = 0;
    options.rate = options.last_rate = 0.3;
    for (int kind = 0; kind < 3; kind++) {
        options.most_shift = kind == 0 ? 10 : kind == 1 ? 0.01 : 1e-300;
        assert_int_equal(br_trainer_init(&trainer, &options, pool->jobs, NULL), BR_OK);
        assert_int_equal(br_trainer_step(&trainer, &report, NULL), BR_OK);
        assert_true(report.moved);
        long_shift = kind ? long_shift : report.shift;
        assert_true(kind != 1 || (report.shift > 0 && report.shift <= 0.01));
        bool same = memcmp(trainer.before, trainer.model.parameter,
                           trainer.model.network.parameters * sizeof(br_weight)) == 0;
        assert_int_equal(same, kind == 2);
        if (kind == 2) {
            const struct br_episode_run run = {
                .arrival = trainer.arrival, .jobs = options.jobs, .until_ns = BR_NEVER};
            assert_int_equal(br_episode_compare(&trainer.episode[1], &run, NULL), BR_OK);
            assert_true(trainer.episode[1].steps > 0 && trainer.episode[1].shift == 0);
        }
        br_trainer_finish(&trainer);
    }
    assert_true(long_shift > 0.02); /* or nothing was shortened */
}

/* Where the planner leaves executors idle, that is no step: an episode is learned and compared step
 * by step all the same. */
static void staying_is_no_step(void **state)
{
    const struct pool *pool = *state;
    struct br_train_options options = small_options();
    struct br_trainer trainer;
    struct br_train_report report;
    options.shape = br_network_shape_planned();
    options.interarrival_ns = INT64_C(4000000000);
    assert_int_equal(br_trainer_init(&trainer, &options, pool->jobs, NULL), BR_OK);
    trainer.model.parameter[trainer.model.network.plan + BR_PLAN_SPARE] = 2;
    assert_int_equal(br_trainer_step(&trainer, &report, NULL), BR_OK);
    assert_true(report.moved);
    const struct br_episode_run run = {
        .arrival = trainer.arrival, .jobs = options.jobs, .until_ns = BR_NEVER};
    struct br_episode *episode = &trainer.episode[0];
    assert_int_equal(br_episode_play(episode, &run, true, 3, NULL), BR_OK);
    uint32_t decisions = episode->sim->decisions;
    assert_true(episode->steps > 0 && episode->steps < decisions);
    assert_int_equal(br_episode_compare(episode, &run, NULL), BR_OK);
    assert_true(episode->shift == 0);
    assert_int_equal(episode->sim->decisions, decisions);
    assert_int_equal(br_episode_learn(episode, &run, 0, NULL), BR_OK);
    assert_int_equal(episode->sim->decisions, decisions);
    br_trainer_finish(&trainer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gains_are_what_the_others_cost_more),
        cmocka_unit_test(gains_fade_with_a_horizon),
        cmocka_unit_test(the_usual_rate_is_of_the_iterations_before),
        cmocka_unit_test(it_learns),
        cmocka_unit_test(pairs_learn),
        cmocka_unit_test(what_a_cluster_has_is_learned),
        cmocka_unit_test(steps_are_kept_short),
        cmocka_unit_test(staying_is_no_step),
    };
    return cmocka_run_group_tests(tests, open_pool, close_pool);
}
