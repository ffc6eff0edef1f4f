/* The network against what is known of it: its sizes, finite differences, and itself computed all
 * anew. Built with doubles (BR_NETWORK_DOUBLE), where a difference of 1e-5 is far above rounding.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/numbers/rng.h"
#include "cluster/executors/network/adam.h"
#include "cluster/executors/network/scene.h"

enum { NODES = 6, JOBS = 3, STEPS = 4, LIMIT_FROM = 3, LIMIT_TO = 7, MOST = 10 };

/* A diamond with a tail and a stage of its own. */
static const uint32_t first[NODES + 1] = {0, 2, 3, 4, 5, 5, 5};
static const uint32_t child[] = {1, 2, 3, 3, 4};
static const struct br_stage_graph diamond = {NODES, first, child};

/* Three jobs whose features change from step to step, and a loss over all steps. */
struct world {
    struct br_network network;
    struct br_embedding embedding[JOBS];
    struct br_scene_job job[JOBS];
    struct br_scene scene;
    struct br_choices nodes, limits;
};

static void open_world(struct world *world, const struct br_network_shape *shape,
                       const br_weight *parameter, br_weight *gradient)
{
    memset(world, 0, sizeof *world);
    assert_int_equal(br_network_init(&world->network, shape, NULL), BR_OK);
    for (int j = 0; j < JOBS; j++) {
        assert_int_equal(br_embedding_init(&world->embedding[j], &world->network, diamond, NULL),
                         BR_OK);
        world->job[j].embedding = &world->embedding[j];
    }
    world->scene = (struct br_scene){.network = &world->network,
                                     .parameter = parameter,
                                     .gradient = gradient,
                                     .job = world->job};
}

static void close_world(struct world *world)
{
    for (int j = 0; j < JOBS; j++)
        br_embedding_finish(&world->embedding[j]);
    br_choices_finish(&world->nodes);
    br_choices_finish(&world->limits);
}

/* What step `step` changes: a feature of one stage of one job, its job's features, an end. */
static void change(struct world *world, int step)
{
    struct br_rng rng = br_rng_seed(77 + (uint64_t)step);
    world->scene.jobs = step ? JOBS : JOBS - 1;
    for (int j = 0; j < JOBS; j++)
        for (uint32_t v = 0; v < NODES; v++)
            for (uint32_t x = 0; x < world->network.shape.node_features; x++) {
                double number = 2 * br_rng_unit(&rng) - 1;
                if (step == 0 || (j == step % JOBS && v == (uint32_t)step + 1))
                    br_embedding_features(&world->embedding[j], v)[x] = (br_weight)number;
            }
    for (uint32_t x = 0; x < world->network.shape.job_features; x++)
        world->job[0].feature[x] = (br_weight)(br_rng_unit(&rng) - 0.5);
    if (step == 2)
        world->embedding[1].wanted_gone[0] = true;
    if (step == 3)
        world->embedding[1].wanted_gone[1] = world->embedding[0].wanted_gone[5] = true;
}

/* Step after step; the loss, and where there is a gradient also that. */
static double run(struct world *world)
{
    static const struct br_scene_candidate candidate[] = {
        {0, 2, {1, 0, 0.5}}, {0, 4, {0, 1, 0.1}}, {1, 3, {0, 0, 0.3}}, {1, 4, {0, 1, 0.2}}};
    static const struct br_scene_limits limits = {1,    LIMIT_FROM,     LIMIT_TO,
                                                  MOST, LIMIT_FROM + 1, LIMIT_FROM};
    double loss = 0;
    for (int step = 0; step < STEPS; step++) {
        change(world, step);
        br_scene_update(&world->scene);
        assert_true(br_scene_score_nodes(&world->scene, candidate, 4, &world->nodes));
        loss +=
            (1 + step) * log(world->nodes.share[step]) + 0.3 * br_choices_freedom(&world->nodes);
        br_choices_learn(&world->nodes, (uint32_t)step, 1 + step, 0.3);
        assert_true(br_scene_score_limits(&world->scene, &limits, &world->limits));
        loss += 2 * log(world->limits.share[step]) + 0.1 * br_choices_freedom(&world->limits);
        br_choices_learn(&world->limits, (uint32_t)step, 2, 0.1);
        if (!world->scene.gradient)
            continue;
        br_scene_nodes_back(&world->scene, candidate, &world->nodes);
        br_scene_limits_back(&world->scene, 1, &world->limits);
        br_scene_all_back(&world->scene);
    }
    for (int j = 0; j < JOBS && world->scene.gradient; j++)
        br_embedding_send_back(&world->embedding[j], world->scene.parameter, world->scene.gradient);
    return loss;
}

static double loss_of(const struct br_network_shape *shape, const br_weight *parameter,
                      br_weight *gradient)
{
    struct world world;
    open_world(&world, shape, parameter, gradient);
    double loss = run(&world);
    close_world(&world);
    return loss;
}

/* One parameter of `every`: the derivative of the loss is the difference that it makes. */
static void check_gradient(struct br_network_shape shape, uint32_t every)
{
    struct br_network network;
    assert_int_equal(br_network_init(&network, &shape, NULL), BR_OK);
    br_weight *parameter = calloc(network.parameters, sizeof *parameter);
    br_weight *gradient = calloc(network.parameters, sizeof *gradient);
    uint32_t moved = 0, bent = 0, looked = 0;
    assert_true(parameter && gradient);
    br_network_draw(&network, 5, parameter);
    struct br_rng rng = br_rng_seed(9);
    for (uint32_t k = 0; k < network.parameters; k++) /* biases, too */
        parameter[k] += (br_weight)(0.2 * br_rng_unit(&rng) - 0.1);
    loss_of(&shape, parameter, gradient);
    for (uint32_t k = 0; k < network.parameters; k += every, looked++) {
        const double step = 1e-5;
        br_weight kept = parameter[k];
        parameter[k] = kept + (br_weight)step;
        double more = loss_of(&shape, parameter, NULL);
        parameter[k] = kept - (br_weight)step;
        double less = loss_of(&shape, parameter, NULL);
        parameter[k] = kept;
        double difference = (more - less) / (2 * step);
        moved += fabs(difference) > 1e-6;
        bent += fabs(difference - gradient[k]) > 1e-5 * (1 + fabs(difference));
    }
    /* A step may cross the bend of a unit, where there is no derivative: that is rare. */
    assert_true(bent <= looked / 500);
    assert_true(moved > looked * 8 / 10);
    free(parameter);
    free(gradient);
}

static void gradients_are_finite_differences(void **state)
{
    struct br_network_shape one_level = br_network_shape_code();
    one_level.one_level = true;
    check_gradient(br_network_shape_code(), 1);
    check_gradient(br_network_shape_paper(), 7);
    check_gradient(one_level, 3);
    check_gradient(br_network_shape_split(), 1);
    check_gradient(br_network_shape_planned(), 1);
}

static void sizes_are_the_known_ones(void **state)
{
    struct br_network network;
    struct br_network_shape shape = br_network_shape_code();
    assert_int_equal(br_network_init(&network, &shape, NULL), BR_OK);
    assert_int_equal(network.parameters, 4770);
    shape = br_network_shape_paper();
    assert_int_equal(br_network_init(&network, &shape, NULL), BR_OK);
    assert_int_equal(network.parameters, 12736);
    shape.hidden[0] = 30; /* no multiple of a lane */
    assert_int_equal(br_network_init(&network, &shape, NULL), BR_BAD_INPUT);
    shape.hidden[0] = 256;
    assert_int_equal(br_network_init(&network, &shape, NULL), BR_BAD_INPUT);
}

/* The embeddings after all steps, beside those of jobs that see only the last one. */
static void a_part_gives_the_bytes_of_the_whole(void **state)
{
    const struct br_network_shape shapes[] = {br_network_shape_code(), br_network_shape_paper()};
    for (int s = 0; s < 2; s++) {
        struct br_network network;
        struct world steps, once;
        assert_int_equal(br_network_init(&network, &shapes[s], NULL), BR_OK);
        br_weight *parameter = calloc(network.parameters, sizeof *parameter);
        assert_non_null(parameter);
        br_network_draw(&network, 3, parameter);
        open_world(&steps, &shapes[s], parameter, NULL);
        open_world(&once, &shapes[s], parameter, NULL);
        for (int step = 0; step < STEPS; step++) {
            change(&steps, step);
            br_scene_update(&steps.scene);
            change(&once, step);
        }
        br_scene_update(&once.scene);
        size_t e = network.shape.embedded * sizeof(br_weight);
        uint64_t computed[2] = {0, 0};
        for (int j = 0; j < JOBS; j++) {
            for (uint32_t v = 0; v < NODES; v++)
                if (!once.embedding[j].gone[v])
                    assert_memory_equal(steps.embedding[j].stage + v * network.shape.embedded,
                                        once.embedding[j].stage + v * network.shape.embedded, e);
            assert_memory_equal(steps.embedding[j].job, once.embedding[j].job, e);
            computed[0] += steps.embedding[j].computed;
            computed[1] += once.embedding[j].computed;
        }
        assert_memory_equal(steps.scene.all, once.scene.all, e);
        /* All once; then in step 1 stage 2 of job 1 and stage 0 before it (stage 1 is not before
         * it), in step 2 stage 3 of job 2 and 0, 1, 2, in step 3 stages 4, 3, 2, 1, 0 of job 0. */
        assert_int_equal(computed[1], JOBS * NODES - 3);
        assert_int_equal(computed[0], JOBS * NODES + 2 + 4 + 5);
        close_world(&steps);
        close_world(&once);
        free(parameter);
    }
}

/* What is not there, or not in the list, has no say. */
static void what_has_ended_counts_nowhere(void **state)
{
    struct br_network_shape shape = br_network_shape_code();
    struct br_network network;
    assert_int_equal(br_network_init(&network, &shape, NULL), BR_OK);
    br_weight *parameter = calloc(network.parameters, sizeof *parameter), job[8];
    struct world world;
    assert_non_null(parameter);
    br_network_draw(&network, 3, parameter);
    open_world(&world, &shape, parameter, NULL);
    change(&world, 0);
    world.embedding[0].wanted_gone[0] = true;
    br_scene_update(&world.scene);
    memcpy(job, world.embedding[0].job, sizeof job);
    br_embedding_features(&world.embedding[0], 0)[0] += 1; /* of the one that has ended */
    br_scene_update(&world.scene);
    assert_memory_equal(job, world.embedding[0].job, sizeof job);
    br_embedding_features(&world.embedding[0], 5)[0] += 1;
    br_scene_update(&world.scene);
    assert_memory_not_equal(job, world.embedding[0].job, sizeof job);
    close_world(&world);
    free(parameter);
}

/* Shares by hand: scores 0 and ln 3 are 1/4 and 3/4. */
static void shares_are_chosen_by_their_size(void **state)
{
    double share[] = {0.25, 0.75}, adjoint[2], advice[] = {0, 0};
    struct br_choices scores = {.count = 2, .share = share, .adjoint = adjoint, .advice = advice};
    assert_int_equal(br_choices_choose(&scores, 0), 0);
    assert_int_equal(br_choices_choose(&scores, 0.2499), 0);
    assert_int_equal(br_choices_choose(&scores, 0.25), 1);
    assert_int_equal(br_choices_choose(&scores, 0.9999), 1);
    assert_int_equal(br_choices_choose(&scores, -1), 1);
    assert_true(fabs(br_choices_entropy(&scores) - (0.25 * log(4) + 0.75 * log(4.0 / 3))) < 1e-12);
    br_choices_learn(&scores, 0, 2, 0);
    assert_true(fabs(adjoint[0] - 1.5) < 1e-12 && fabs(adjoint[1] + 1.5) < 1e-12);
    /* Shares that are what the advice gives are as free as can be; others are drawn to it. */
    advice[1] = log(3);
    assert_true(fabs(br_choices_freedom(&scores) - log(4)) < 1e-12);
    br_choices_learn(&scores, 0, 0, 1);
    assert_true(fabs(adjoint[0]) < 1e-12 && fabs(adjoint[1]) < 1e-12);
    advice[1] = log(4);
    br_choices_learn(&scores, 0, 0, 1);
    assert_true(adjoint[0] < -0.01 && adjoint[1] > 0.01);
}

/* The first steps by hand: whatever the gradient, the first is as long as the rate; after a second
 * gradient of 0 the means are 0.09 g and 0.000999 g^2, divided by 0.19 and 0.001999. */
static void adam_steps_as_printed(void **state)
{
    br_weight parameter[2] = {1, 1};
    struct br_adam adam;
    assert_true(br_adam_init(&adam, 2, 0.01));
    assert_true(br_adam_step(&adam, (double[]){4, -0.5}, 0, parameter));
    assert_true(fabs(parameter[0] - 0.99) < 1e-7 && fabs(parameter[1] - 1.01) < 1e-7);
    assert_true(br_adam_step(&adam, (double[]){0, 0}, 0, parameter));
    double second = 0.01 * (0.36 / 0.19) / sqrt(0.015984 / 0.001999);
    assert_true(fabs(parameter[0] - (0.99 - second)) < 1e-7);
    /* A gradient of length 5 that is cut to 1 adds 0.6 and 0.8 tenths to the means. */
    adam.mean[0] = adam.mean[1] = 0;
    assert_true(br_adam_step(&adam, (double[]){3, 4}, 1, parameter));
    assert_true(fabs(adam.mean[0] - 0.06) < 1e-12 && fabs(adam.mean[1] - 0.08) < 1e-12);
    br_weight kept = parameter[0];
    assert_false(br_adam_step(&adam, (double[]){NAN, 0}, 1, parameter));
    assert_true(parameter[0] == kept && adam.steps == 3);
    br_adam_finish(&adam);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_the_known_ones),
        cmocka_unit_test(gradients_are_finite_differences),
        cmocka_unit_test(a_part_gives_the_bytes_of_the_whole),
        cmocka_unit_test(what_has_ended_counts_nowhere),
        cmocka_unit_test(shares_are_chosen_by_their_size),
        cmocka_unit_test(adam_steps_as_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
