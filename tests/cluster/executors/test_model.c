/* Models: that one that is not whole is refused, and that they decide. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cluster/executors/policy/learned.h"
#include "cluster/executors/train/critical.h"
#include "cluster/executors/plan.h"
#include "tests/cluster/executors/small.h"

static char *model_bytes(const struct br_model *model, size_t *size)
{
    char *bytes = NULL;
    FILE *file = open_memstream(&bytes, size);
    assert_non_null(file);
    assert_int_equal(br_model_write(model, file, NULL), BR_OK);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

static void refuse(const char *bytes, size_t size)
{
    struct br_model model;
    struct br_diag diag = {0};
    char *copy = malloc(size ? size : 1); /* of its very size, for the sanitizer */
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    assert_int_equal(br_model_read(copy, size, &model, &diag), BR_BAD_INPUT);
    assert_true(diag.what[0] && !model.parameter);
    free(copy);
}

static void a_model_is_read_whole_or_not_at_all(void **state)
{
    struct br_model model, read;
    const struct br_network_shape shape = br_network_shape_split();
    size_t size, again;
    assert_int_equal(br_model_init(&model, &shape, NULL), BR_OK);
    br_network_draw(&model.network, 4, model.parameter);
    model.executors = 50;
    model.seed = 7;
    model.iterations = 123;
    model.made_by = strdup("bigrocks train x");
    char *bytes = model_bytes(&model, &size);
    assert_int_equal(br_model_read(bytes, size, &read, NULL), BR_OK);
    assert_memory_equal(read.parameter, model.parameter,
                        model.network.parameters * sizeof *model.parameter);
    assert_string_equal(read.made_by, model.made_by);
    assert_int_equal(read.executors, 50);
    char *other = model_bytes(&read, &again);
    assert_int_equal(size, again);
    assert_memory_equal(bytes, other, size);
    br_model_finish(&read);
    for (size_t k = 0; k < size; k += k < 128 ? 1 : 61) { /* cut, or with a bit changed */
        refuse(bytes, k);
        bytes[k] ^= 0x10;
        refuse(bytes, size);
        bytes[k] ^= 0x10;
    }
    /* Numbers that the sum vouches for and that no training gives. */
    const float wrong[] = {NAN, INFINITY, 2e4f};
    size_t first_number = size - strlen(model.made_by) - model.network.parameters * sizeof(float);
    for (int k = 0; k < 3; k++) {
        memcpy(other, bytes, size);
        memcpy(other + first_number, &wrong[k], sizeof(float));
        sum_up(other, size);
        refuse(other, size);
    }
    for (size_t at = 48; at < first_number; at += 4) { /* form, widths, features, counts */
        const uint32_t numbers[] = {3, 24, UINT32_MAX};
        for (int k = 0; k < 3; k++) {
            uint32_t kept;
            memcpy(&kept, bytes + at, sizeof kept);
            if (at == first_number - 16 || kept == numbers[k])
                continue; /* executors may be any number */
            if (at == first_number - 4 && numbers[k] == BR_WITHOUT_ALL)
                continue;
            memcpy(other, bytes, size);
            memcpy(other + at, &numbers[k], sizeof(uint32_t));
            sum_up(other, size);
            refuse(other, size);
        }
    }
    memcpy(other, bytes, size);
    other[8] = 2; /* the version */
    sum_up(other, size);
    refuse(other, size);
    free(bytes);
    free(other);
    br_model_finish(&model);
}

/* A model that was made before the planner's rule had all its numbers: the others are 0. */
static void a_model_of_fewer_numbers_is_read(void **state)
{
    enum { LEAST = BR_PLAN_PARAMETERS_LEAST, MOST = BR_PLAN_PARAMETERS, PARAMETERS_AT = 76 };
    struct br_model model, read;
    const struct br_network_shape shape = br_network_shape_planned();
    size_t size;
    assert_int_equal(br_model_init(&model, &shape, NULL), BR_OK);
    const struct br_network *network = &model.network;
    for (uint32_t k = 0; k < network->parameters; k++)
        model.parameter[k] = 1;
    model.executors = 5;
    char *bytes = model_bytes(&model, &size);
    for (uint32_t lacks = 0; lacks <= MOST - LEAST + 1; lacks++) {
        size_t less = size - lacks * sizeof(float);
        uint32_t parameters = network->parameters - lacks;
        uint64_t told = less;
        memcpy(bytes + 16, &told, sizeof told);
        memcpy(bytes + PARAMETERS_AT, &parameters, sizeof parameters);
        sum_up(bytes, less);
        if (lacks > MOST - LEAST) {
            refuse(bytes, less);
            continue;
        }
        assert_int_equal(br_model_read(bytes, less, &read, NULL), BR_OK);
        assert_int_equal(read.network.parameters, network->parameters);
        for (uint32_t k = 0; k < network->parameters; k++)
            assert_true(read.parameter[k] == (k < parameters));
        br_model_finish(&read);
    }
    free(bytes);
    br_model_finish(&model);
}

/* A learned policy without a model is refused; with one it runs, twice alike. */
static void a_learned_policy_decides(void **state)
{
    const struct pool *pool = *state;
    struct br_model model;
    const struct br_network_shape shape = br_network_shape_code();
    const struct br_executors_options cluster = {.executors = 6, .moving_ns = 2000000000};
    struct br_executors_arrival arrival[POOL];
    struct br_executors_setup setup = {.row = &br_executors_policy_learned, .number = NAN};
    struct br_executors *sim = br_executors_create(&cluster);
    int64_t end_ns[2];
    void *policy = NULL;
    assert_non_null(sim);
    for (int k = 0; k < POOL; k++)
        arrival[k] = (struct br_executors_arrival){.waves = pool->waves[k], .seed = (uint64_t)k};
    assert_int_equal(br_executors_policy_learned.create(&setup, &policy, NULL), BR_USAGE);
    assert_int_equal(br_model_init(&model, &shape, NULL), BR_OK);
    br_network_draw(&model.network, 4, model.parameter);
    setup.model = &model;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(br_executors_policy_learned.create(&setup, &policy, NULL), BR_OK);
        assert_int_equal(br_executors_reset(sim, arrival, POOL, NULL, NULL), BR_OK);
        assert_int_equal(br_executors_follow(sim, &br_executors_policy_learned, policy, NULL),
                         BR_OK);
        assert_int_equal(sim->ended_jobs, POOL);
        end_ns[k] = sim->now_ns;
        br_executors_policy_learned.destroy(policy);
    }
    assert_int_equal(end_ns[0], end_ns[1]);
    br_executors_destroy(sim);
    br_model_finish(&model);
}

static enum br_status create_planner(const struct br_executors_setup *setup, void **policy,
                                     struct br_diag *diag)
{
    const struct br_model *model = setup->model;
    double steps[BR_PLAN_PARAMETERS];
    *policy = br_executors_plan_create();
    if (!*policy)
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < BR_PLAN_PARAMETERS; k++)
        steps[k] = (double)model->parameter[model->network.plan + k];
    br_executors_plan_set(*policy, steps);
    return BR_OK;
}

static enum br_status begin_planner(void *policy, const struct br_executors *sim,
                                    struct br_diag *diag)
{
    return br_executors_plan_begin(policy, sim, diag);
}

static struct br_executors_choice ask_planner(void *policy, const struct br_executors *sim)
{
    return br_executors_plan_decide(policy, sim);
}

static void destroy_planner(void *policy)
{
    br_executors_plan_destroy(policy);
}

static const struct br_executors_row planner = {.named = {"planner", NULL},
                                                .create = create_planner,
                                                .begin = begin_planner,
                                                .decide = ask_planner,
                                                .destroy = destroy_planner};

/* A planned network whose weights are all 0 knows nothing but the advice: it decides as the planner
 * does, where several jobs wait, come later, and are done; also where the planner leaves executors
 * idle (the second time), which a network cannot choose by itself. */
static void a_planned_network_begins_as_the_planner(void **state)
{
    enum { JOBS = 12 };
    const struct pool *pool = *state;
    struct br_model model;
    const struct br_network_shape shape = br_network_shape_planned();
    const struct br_executors_options cluster = {.executors = 7, .moving_ns = 2000000000};
    struct br_executors_arrival arrival[JOBS];
    struct br_executors *sim = br_executors_create(&cluster);
    const struct br_executors_row *rows[2] = {&br_executors_policy_learned, &planner};
    int64_t end_ns[4], jobs_time_ns[4];
    uint32_t decisions[4];
    assert_non_null(sim);
    assert_int_equal(br_model_init(&model, &shape, NULL), BR_OK);
    for (int k = 0; k < JOBS; k++)
        arrival[k] = (struct br_executors_arrival){.waves = pool->waves[k % POOL],
                                                   .arrival_ns = k / 2 * INT64_C(9000000000),
                                                   .seed = (uint64_t)k};
    for (int k = 0; k < 4; k++) {
        const struct br_executors_row *row = rows[k % 2];
        struct br_executors_setup setup = {.row = row, .number = NAN, .model = &model};
        void *policy = NULL;
        /* Where executors are paid for that wait, jobs get few, and some are to spare. */
        model.parameter[model.network.plan + BR_PLAN_HELD] = 10;
        model.parameter[model.network.plan + BR_PLAN_SPARE] = k < 2 ? 0 : 2;
        assert_int_equal(row->create(&setup, &policy, NULL), BR_OK);
        assert_int_equal(br_executors_reset(sim, arrival, JOBS, NULL, NULL), BR_OK);
        assert_int_equal(br_executors_follow(sim, row, policy, NULL), BR_OK);
        end_ns[k] = sim->now_ns;
        jobs_time_ns[k] = sim->jobs_time_ns;
        decisions[k] = sim->decisions;
        row->destroy(policy);
    }
    for (int k = 0; k < 4; k += 2) {
        assert_int_equal(end_ns[k], end_ns[k + 1]);
        assert_int_equal(jobs_time_ns[k], jobs_time_ns[k + 1]);
        assert_int_equal(decisions[k], decisions[k + 1]);
    }
    assert_true(jobs_time_ns[0] != jobs_time_ns[2]);
    br_executors_destroy(sim);
    br_model_finish(&model);
}

/* What a network of a form without some parts does in a run where the first stage is always named:
 * how many stages it embeds, and how many of its limits are below what could be given. */
static void run_without(const struct pool *pool, enum br_network_form form, uint32_t without,
                        uint64_t *computed, uint32_t *lower)
{
    enum { JOBS = 6 };
    const struct br_executors_options cluster = {.executors = 7, .moving_ns = 2000000000};
    struct br_network_shape shape =
        form == BR_NETWORK_SPLIT ? br_network_shape_split() : br_network_shape_planned();
    struct br_executors_arrival arrival[JOBS];
    struct br_executors *sim = br_executors_create(&cluster);
    struct br_model model;
    struct br_learner learner;
    struct br_learner_choice choice;
    shape.without = without;
    assert_int_equal(br_model_init(&model, &shape, NULL), BR_OK);
    br_network_draw(&model.network, 4, model.parameter);
    br_learner_init(&learner, &model, NULL);
    for (int k = 0; k < JOBS; k++)
        arrival[k] =
            (struct br_executors_arrival){.waves = pool->waves[k % POOL], .seed = (uint64_t)k};
    assert_int_equal(br_executors_reset(sim, arrival, JOBS, NULL, NULL), BR_OK);
    assert_int_equal(br_learner_begin(&learner, sim, NULL), BR_OK);
    *lower = 0;
    while (br_executors_next(sim)) {
        assert_true(br_learner_look(&learner, sim));
        assert_true(br_learner_choose(&learner, sim, NULL, &choice));
        uint32_t job = sim->stage[choice.stage].job;
        uint32_t most = sim->group.count, need = br_executors_need(&sim->stage[choice.stage]);
        most = form == BR_NETWORK_PLANNED && need < most ? need : most;
        assert_uint_in_range(choice.limit, 1, br_executors_held(sim, job) + most);
        *lower += choice.limit < br_executors_held(sim, job) + most;
        uint32_t stage = learner.stage[0];
        br_executors_decide(sim, stage, sim->options.executors);
    }
    *computed = learner.computed;
    br_learner_end(&learner);
    br_learner_finish(&learner);
    br_model_finish(&model);
    br_executors_destroy(sim);
}

/* Without the graph a change of a stage is none of those that it waits for; without limits all that
 * a job can be given it is. A model keeps what it is without. */
static void parts_can_be_left_out(void **state)
{
    for (enum br_network_form form = BR_NETWORK_SPLIT; form <= BR_NETWORK_PLANNED; form++) {
        uint64_t computed[4];
        uint32_t lower[4];
        for (uint32_t without = 0; without < 4; without++)
            run_without(*state, form, without, &computed[without], &lower[without]);
        assert_true(computed[BR_WITHOUT_GRAPH] < computed[0]);
        assert_int_equal(computed[BR_WITHOUT_ALL], computed[BR_WITHOUT_GRAPH]);
        assert_int_equal(computed[BR_WITHOUT_LIMITS], computed[0]);
        print_message("%u limits are lower\n", lower[0]);
        assert_true(form == BR_NETWORK_PLANNED || (lower[0] > 0 && lower[BR_WITHOUT_GRAPH] > 0));
        assert_int_equal(lower[BR_WITHOUT_LIMITS] + lower[BR_WITHOUT_ALL], 0);
    }
    enum { WITHOUT = 84 };
    struct br_network_shape shape = br_network_shape_split();
    struct br_model model, read;
    size_t size;
    shape.without = BR_WITHOUT_LIMITS;
    assert_int_equal(br_model_init(&model, &shape, NULL), BR_OK);
    model.executors = 7;
    char *bytes = model_bytes(&model, &size);
    assert_int_equal(br_model_read(bytes, size, &read, NULL), BR_OK);
    assert_int_equal(read.network.shape.without, BR_WITHOUT_LIMITS);
    assert_int_equal(bytes[WITHOUT], BR_WITHOUT_LIMITS);
    bytes[WITHOUT] = BR_WITHOUT_ALL + 1;
    sum_up(bytes, size);
    refuse(bytes, size);
    br_model_finish(&read);
    br_model_finish(&model);
    free(bytes);
}

/* The first iterations; the numbers are the same on every machine. */
static void two_levels_express_a_longest_path(void **state)
{
    struct br_critical_options options = br_critical_options_default();
    struct br_critical_row rows[2][2];
    options.iterations = 60;
    options.every = 30;
    options.dags = 64;
    options.tests = 200;
    for (int k = 0; k < 2; k++) {
        options.one_level = k;
        assert_int_equal(br_critical_learn(&options, rows[k], NULL), BR_OK);
        print_message("%d: error %.5f, right %.3f\n", k, rows[k][1].error, rows[k][1].accuracy);
    }
    assert_true(rows[0][1].accuracy > rows[1][1].accuracy + 0.02);
    assert_true(rows[0][1].error < rows[1][1].error * 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_read_whole_or_not_at_all),
        cmocka_unit_test(a_model_of_fewer_numbers_is_read),
        cmocka_unit_test(a_learned_policy_decides),
        cmocka_unit_test(a_planned_network_begins_as_the_planner),
        cmocka_unit_test(parts_can_be_left_out),
        cmocka_unit_test(two_levels_express_a_longest_path),
    };
    return cmocka_run_group_tests(tests, open_pool, close_pool);
}
