/* Training: that it gives the same bytes however it is run, that what it is told about decisions is
 * right, that it learns; and that a model that is not whole is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/collections/index.h"
#include "learn/policy/learned.h"
#include "learn/train/course.h"
#include "learn/train/critical.h"
#include "simulate/executors/plan.h"

enum { POOL = 3 };

/* Jobs of two or three stages: `tasks` of `ms` each, then fewer longer ones. */
static struct br_waves *make_job(uint32_t stages, uint32_t tasks, uint32_t ms)
{
    struct br_waves *waves = br_waves_create(stages);
    assert_non_null(waves);
    for (uint32_t s = 0; s < stages; s++) {
        const uint32_t one[] = {ms * (s + 1), ms * (s + 1) + 10};
        const struct br_wave_measured measured = {
            .executors = 5,
            .count = {[BR_WAVE_FRESH] = 1, [BR_WAVE_FIRST] = 2, [BR_WAVE_REST] = 2},
            .ms = {[BR_WAVE_FRESH] = one, [BR_WAVE_FIRST] = one, [BR_WAVE_REST] = one}};
        waves->stage[s].tasks = s ? 2 : tasks;
        assert_int_equal(br_waves_add(waves, s, &measured, NULL), BR_OK);
        if (s)
            assert_int_equal(br_waves_add_edge(waves, s - 1, s, NULL), BR_OK);
    }
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    return waves;
}

struct pool {
    struct br_waves *owned[POOL];
    const struct br_waves *waves[POOL];
    struct br_train_jobs jobs;
};

static void open_pool(struct pool *pool)
{
    pool->owned[0] = make_job(2, 6, 500);
    pool->owned[1] = make_job(3, 12, 2000);
    pool->owned[2] = make_job(2, 30, 9000);
    for (int k = 0; k < POOL; k++)
        pool->waves[k] = pool->owned[k];
    pool->jobs = (struct br_train_jobs){pool->waves, POOL};
}

static void close_pool(struct pool *pool)
{
    for (int k = 0; k < POOL; k++)
        br_waves_destroy(pool->owned[k]);
}

static struct br_train_options small_options(void)
{
    struct br_train_options options = br_train_options_default();
    options.cluster.executors = 6;
    options.episodes = 5;
    options.jobs = 4;
    options.iterations = 6;
    options.seed = 11;
    return options;
}

static const struct br_course_options trials = {.every = 3, .trials = 4, .trial_seed = 2};

/* The checkpoint of a course: everything there is about it. */
static char *checkpoint(const struct br_course *course, size_t *size)
{
    char *bytes = NULL;
    FILE *file = open_memstream(&bytes, size);
    assert_non_null(file);
    assert_int_equal(br_course_save(course, file, NULL), BR_OK);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

static void open_course(struct br_course *course, const struct br_train_options *options,
                        const struct pool *pool)
{
    assert_int_equal(br_course_init(course, options, &trials, pool->jobs, NULL), BR_OK);
}

static void go_on(struct br_course *course, uint64_t until)
{
    bool tried;
    while (course->trainer.iteration < until)
        assert_int_equal(br_course_step(course, &tried, NULL), BR_OK);
}

static char *train(const struct br_train_options *options, const struct pool *pool, size_t *size)
{
    struct br_course course;
    open_course(&course, options, pool);
    go_on(&course, options->iterations);
    char *bytes = checkpoint(&course, size);
    br_course_finish(&course);
    return bytes;
}

static void threads_do_not_count(void **state)
{
    struct pool pool;
    open_pool(&pool);
    for (int kind = 0; kind < 6; kind++) {
        struct br_train_options options = small_options();
        size_t size[2];
        options.most_shift = kind == 5 ? 1e-3 : 0;
        if (kind == 3 || kind == 4) { /* in pairs: the planner's numbers, and all weights */
            options.method = BR_EVOLVE;
            options.episodes = 6;
            options.shape = kind == 3 ? br_network_shape_planned() : options.shape;
        }
        if (kind == 1) { /* arrivals over time, episodes that end early */
            options.interarrival_ns = INT64_C(4000000000);
            options.length_ns = INT64_C(8000000000);
            options.last_length_ns = INT64_C(40000000000);
        }
        options.own_arrivals = kind == 2;
        char *one = train(&options, &pool, &size[0]);
        options.threads = 3;
        char *three = train(&options, &pool, &size[1]);
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(one, three, size[0]);
        free(three);
        options.seed++;
        three = train(&options, &pool, &size[1]);
        assert_memory_not_equal(one, three, size[0]);
        free(one);
        free(three);
    }
    close_pool(&pool);
}

/* Puts the sum of a changed model or checkpoint right, as one who means it would. */
static void sum_up(char *bytes, size_t size)
{
    uint32_t version;
    memcpy(&version, bytes + 8, sizeof version);
    uint64_t sum = version;
    for (size_t k = 32; k < size; k += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + k, size - k < 8 ? size - k : 8);
        sum = br_hash_number(sum ^ word);
    }
    memcpy(bytes + 24, &sum, sizeof sum);
}

static void check_checkpoint(struct br_train_options options)
{
    struct pool pool;
    struct br_course course;
    size_t size, whole_size;
    open_pool(&pool);
    char *whole = train(&options, &pool, &whole_size);
    open_course(&course, &options, &pool);
    go_on(&course, 4); /* one past a trial */
    char *bytes = checkpoint(&course, &size);
    br_course_finish(&course);
    open_course(&course, &options, &pool);
    assert_int_equal(br_course_load(&course, bytes, size, NULL), BR_OK);
    assert_int_equal(course.trainer.iteration, 4);
    go_on(&course, options.iterations);
    size_t again_size;
    char *again = checkpoint(&course, &again_size);
    assert_int_equal(again_size, whole_size);
    assert_memory_equal(again, whole, whole_size);
    br_course_finish(&course);
    /* Not of another training, and not with a bit changed or a byte cut. */
    options.seed++;
    open_course(&course, &options, &pool);
    assert_int_equal(br_course_load(&course, bytes, size, NULL), BR_BAD_INPUT);
    br_course_finish(&course);
    options.seed--;
    open_course(&course, &options, &pool);
    for (size_t k = 0; k < size; k += 97) {
        bytes[k] ^= 4;
        assert_int_equal(br_course_load(&course, bytes, size, NULL), BR_BAD_INPUT);
        assert_int_equal(br_course_load(&course, bytes, k, NULL), BR_BAD_INPUT);
        bytes[k] ^= 4;
    }
    br_course_finish(&course);
    free(bytes);
    free(whole);
    free(again);
    close_pool(&pool);
}

static void a_checkpoint_goes_on_as_if_nothing_had_been(void **state)
{
    struct br_train_options options = small_options();
    check_checkpoint(options);
    options.most_shift = 1e-4;
    check_checkpoint(options);
    options.most_shift = 0;
    options.method = BR_EVOLVE;
    options.episodes = 4;
    options.shape = br_network_shape_planned();
    check_checkpoint(options);
}

/* Numbers of a checkpoint that its sum vouches for and no training gives: each is refused, and the
 * course stays what it was. */
static void a_checkpoint_of_absurd_numbers_is_refused(void **state)
{
    enum { HEAD = 136, ITERATION = 40, STEPS = 48, BEST = 56, RATE = 64, BEST_S = 72, SINCE = 80 };
    struct pool pool;
    struct br_course course, fresh;
    const struct br_train_options options = small_options();
    size_t size, fresh_size, after_size;
    open_pool(&pool);
    open_course(&course, &options, &pool);
    go_on(&course, 4);
    char *bytes = checkpoint(&course, &size), *copy = malloc(size);
    size_t parameters = course.trainer.model.network.parameters;
    size_t square = HEAD + parameters * sizeof(double), row = square + parameters * sizeof(double);
    size_t weight = row + sizeof(struct br_course_row), best = weight + parameters * sizeof(float);
    assert_non_null(copy);
    assert_int_equal(size, best + parameters * sizeof(float));
    const struct {
        size_t at;
        double number;
    } wrong[] = {{RATE, NAN},      {RATE, -1},       {BEST_S, INFINITY},  {BEST_S, -1},
                 {SINCE + 8, NAN}, {SINCE + 16, -1}, {HEAD, NAN},         {square - 8, INFINITY},
                 {square, -1e-9},  {row - 8, NAN},   {row + 8, INFINITY}, {row + 32, -5},
                 {row + 40, NAN}};
    const struct {
        size_t at;
        uint64_t number;
    } counts[] = {{ITERATION, 7}, {ITERATION, 3}, {ITERATION, UINT64_MAX},
                  {STEPS, 5},     {BEST, 5},      {BEST, 0},
                  {SINCE, 0},     {SINCE, 5},     {SINCE, 1 << 20},
                  {row, 0},       {row, 4},       {row, UINT64_MAX}};
    const float weights[] = {NAN, INFINITY, -2e4F};
    open_course(&fresh, &options, &pool);
    char *before = checkpoint(&fresh, &fresh_size);
    const size_t doubles = sizeof wrong / sizeof *wrong;
    const size_t numbers = doubles + sizeof counts / sizeof *counts;
    for (size_t k = 0; k < numbers + 6; k++) {
        memcpy(copy, bytes, size);
        if (k < doubles)
            memcpy(copy + wrong[k].at, &wrong[k].number, sizeof wrong[k].number);
        else if (k < numbers)
            memcpy(copy + counts[k - doubles].at, &counts[k - doubles].number, sizeof(uint64_t));
        else
            memcpy(copy + (k % 2 ? weight + 4 : best), &weights[(k - numbers) / 2], sizeof(float));
        sum_up(copy, size);
        struct br_diag diag = {0};
        if (br_course_load(&fresh, copy, size, &diag) != BR_BAD_INPUT)
            fail_msg("change %zu was taken", k);
        assert_non_null(strstr(diag.what, "out of its range"));
    }
    char *after = checkpoint(&fresh, &after_size);
    assert_int_equal(fresh_size, after_size);
    assert_memory_equal(before, after, after_size);
    assert_int_equal(br_course_load(&fresh, bytes, size, NULL), BR_OK);
    br_course_finish(&fresh);
    br_course_finish(&course);
    free(before);
    free(after);
    free(copy);
    free(bytes);
    close_pool(&pool);
}

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
    struct pool pool;
    struct br_train_options options = small_options();
    struct br_trainer trainer;
    struct br_train_report report;
    double usual = 0;
    open_pool(&pool);
    options.interarrival_ns = INT64_C(4000000000);
    options.length_ns = INT64_C(8000000000);
    options.last_length_ns = INT64_C(40000000000);
    assert_int_equal(br_trainer_init(&trainer, &options, pool.jobs, NULL), BR_OK);
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
    close_pool(&pool);
}

/* With few jobs and executors even some iterations help, and a teacher does at once. */
static void it_learns(void **state)
{
    struct pool pool;
    struct br_train_options options = small_options();
    struct br_trainer trainer;
    struct br_train_report report;
    double before, after;
    open_pool(&pool);
    options.episodes = 8;
    options.iterations = 60;
    options.rate = options.last_rate = 5e-3;
    assert_int_equal(br_trainer_init(&trainer, &options, pool.jobs, NULL), BR_OK);
    assert_int_equal(br_trainer_try(&trainer, 16, 5, &before, NULL), BR_OK);
    for (uint64_t k = 0; k < options.iterations; k++)
        assert_int_equal(br_trainer_step(&trainer, &report, NULL), BR_OK);
    assert_int_equal(br_trainer_try(&trainer, 16, 5, &after, NULL), BR_OK);
    print_message("reinforced: %.2f s a job before, %.2f s after\n", before, after);
    assert_true(after < before * 0.95);
    br_trainer_finish(&trainer);
    for (uint32_t k = 0; br_executors_policy(k); k++)
        if (strcmp(br_executors_policy(k)->name, "sjf-cp") == 0)
            options.teacher = br_executors_policy(k);
    options.taught = options.iterations;
    options.teacher_number = NAN;
    assert_int_equal(br_trainer_init(&trainer, &options, pool.jobs, NULL), BR_OK);
    for (uint64_t k = 0; k < options.iterations; k++)
        assert_int_equal(br_trainer_step(&trainer, &report, NULL), BR_OK);
    assert_true(report.taught);
    assert_int_equal(br_trainer_try(&trainer, 16, 5, &after, NULL), BR_OK);
    print_message("taught: %.2f s after\n", after);
    assert_true(after < before * 0.95);
    br_trainer_finish(&trainer);
    close_pool(&pool);
}

/* So do pairs of changes that go opposite ways: by all weights of a network, and they leave
 * everything but the numbers of a planner's rule where there is one. */
static void pairs_learn(void **state)
{
    struct pool pool;
    struct br_train_options options = small_options();
    struct br_trainer trainer;
    struct br_train_report report;
    double before, after;
    open_pool(&pool);
    options.method = BR_EVOLVE;
    options.episodes = 16;
    options.iterations = 40;
    options.rate = options.last_rate = 0.02;
    options.reach = 0.1;
    assert_int_equal(br_trainer_init(&trainer, &options, pool.jobs, NULL), BR_OK);
    assert_int_equal(br_trainer_try(&trainer, 16, 5, &before, NULL), BR_OK);
    for (uint64_t k = 0; k < options.iterations; k++)
        assert_int_equal(br_trainer_step(&trainer, &report, NULL), BR_OK);
    assert_int_equal(br_trainer_try(&trainer, 16, 5, &after, NULL), BR_OK);
    print_message("by pairs: %.2f s a job before, %.2f s after\n", before, after);
    assert_true(after < before * 0.9);
    br_trainer_finish(&trainer);

    options.shape = br_network_shape_planned();
    assert_int_equal(br_trainer_init(&trainer, &options, pool.jobs, NULL), BR_OK);
    const struct br_network *network = &trainer.model.network;
    assert_int_equal(network->plan + network->plan_parameters, network->parameters);
    br_weight *weights = malloc(network->parameters * sizeof *weights);
    assert_non_null(weights);
    memcpy(weights, trainer.model.parameter, network->parameters * sizeof *weights);
    assert_int_equal(br_trainer_step(&trainer, &report, NULL), BR_OK);
    assert_true(report.moved);
    assert_memory_equal(weights, trainer.model.parameter, network->plan * sizeof *weights);
    for (uint32_t k = network->plan; k < network->parameters; k++)
        assert_true(weights[k] == 0 && trainer.model.parameter[k] != 0);
    free(weights);
    br_trainer_finish(&trainer);
    close_pool(&pool);
}

/* A step that is much too long is shortened until it changes decisions by what it may; what has not
 * changed is no shift, and one that may change next to nothing is taken back. */
static void steps_are_kept_short(void **state)
{
    struct pool pool;
    struct br_train_options options = small_options();
    struct br_trainer trainer;
    struct br_train_report report;
    double long_shift = 0;
    open_pool(&pool);
    options.rate = options.last_rate = 0.3;
    for (int kind = 0; kind < 3; kind++) {
        options.most_shift = kind == 0 ? 10 : kind == 1 ? 0.01 : 1e-300;
        assert_int_equal(br_trainer_init(&trainer, &options, pool.jobs, NULL), BR_OK);
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
    close_pool(&pool);
}

static void bad_options_are_refused(void **state)
{
    struct br_train_options options = small_options();
    assert_int_equal(br_train_options_check(&options, NULL), BR_OK);
    options.episodes = 1;
    assert_int_equal(br_train_options_check(&options, NULL), BR_USAGE);
    options = small_options();
    options.rate = NAN;
    assert_int_equal(br_train_options_check(&options, NULL), BR_USAGE);
    options = small_options();
    options.length_ns = 1;
    assert_int_equal(br_train_options_check(&options, NULL), BR_USAGE);
    options = small_options();
    options.method = BR_EVOLVE; /* 5 episodes are no pairs */
    assert_int_equal(br_train_options_check(&options, NULL), BR_USAGE);
    options.episodes = 6;
    assert_int_equal(br_train_options_check(&options, NULL), BR_OK);
    options.taught = 1;
    assert_int_equal(br_train_options_check(&options, NULL), BR_USAGE);
    options.taught = 0;
    options.length_ns = options.last_length_ns = 1;
    assert_int_equal(br_train_options_check(&options, NULL), BR_USAGE);
    options = small_options();
    options.most_shift = -1;
    assert_int_equal(br_train_options_check(&options, NULL), BR_USAGE);
    options = small_options();
    options.reach = 0;
    assert_int_equal(br_train_options_check(&options, NULL), BR_USAGE);
}

/* ---- Models ---- */

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

/* A learned policy without a model is refused; with one it runs, twice alike. */
static void a_learned_policy_decides(void **state)
{
    struct pool pool;
    struct br_model model;
    const struct br_network_shape shape = br_network_shape_code();
    const struct br_executors_options cluster = {.executors = 6, .moving_ns = 2000000000};
    struct br_executors_arrival arrival[POOL];
    struct br_executors_setup setup = {.row = &br_learned_policy, .number = NAN};
    struct br_executors *sim = br_executors_create(&cluster);
    int64_t end_ns[2];
    void *policy = NULL;
    open_pool(&pool);
    assert_non_null(sim);
    for (int k = 0; k < POOL; k++)
        arrival[k] = (struct br_executors_arrival){.waves = pool.waves[k], .seed = (uint64_t)k};
    assert_int_equal(br_learned_policy.create(&setup, &policy, NULL), BR_USAGE);
    assert_int_equal(br_model_init(&model, &shape, NULL), BR_OK);
    br_network_draw(&model.network, 4, model.parameter);
    setup.model = &model;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(br_learned_policy.create(&setup, &policy, NULL), BR_OK);
        assert_int_equal(br_executors_reset(sim, arrival, POOL, NULL, NULL), BR_OK);
        assert_int_equal(br_executors_follow(sim, &br_learned_policy, policy, NULL), BR_OK);
        assert_int_equal(sim->ended_jobs, POOL);
        end_ns[k] = sim->now_ns;
        br_learned_policy.destroy(policy);
    }
    assert_int_equal(end_ns[0], end_ns[1]);
    br_executors_destroy(sim);
    br_model_finish(&model);
    close_pool(&pool);
}

static enum br_status create_planner(const struct br_executors_setup *setup, void **policy,
                                     struct br_diag *diag)
{
    *policy = br_executors_plan_create();
    return *policy ? BR_OK : br_fail_memory(diag);
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

static const struct br_executors_row planner = {.name = "planner",
                                                .create = create_planner,
                                                .begin = begin_planner,
                                                .decide = ask_planner,
                                                .destroy = destroy_planner};

/* A planned network whose weights are all 0 knows nothing but the advice: it decides as the planner
 * does, where several jobs wait, come later, and are done. */
static void a_planned_network_begins_as_the_planner(void **state)
{
    enum { JOBS = 12 };
    struct pool pool;
    struct br_model model;
    const struct br_network_shape shape = br_network_shape_planned();
    const struct br_executors_options cluster = {.executors = 7, .moving_ns = 2000000000};
    struct br_executors_arrival arrival[JOBS];
    struct br_executors *sim = br_executors_create(&cluster);
    const struct br_executors_row *rows[2] = {&br_learned_policy, &planner};
    int64_t end_ns[2], jobs_time_ns[2];
    uint32_t decisions[2];
    open_pool(&pool);
    assert_non_null(sim);
    assert_int_equal(br_model_init(&model, &shape, NULL), BR_OK);
    for (int k = 0; k < JOBS; k++)
        arrival[k] = (struct br_executors_arrival){.waves = pool.waves[k % POOL],
                                                   .arrival_ns = k / 8 * INT64_C(9000000000),
                                                   .seed = (uint64_t)k};
    for (int k = 0; k < 2; k++) {
        struct br_executors_setup setup = {.row = rows[k], .number = NAN, .model = &model};
        void *policy = NULL;
        assert_int_equal(rows[k]->create(&setup, &policy, NULL), BR_OK);
        assert_int_equal(br_executors_reset(sim, arrival, JOBS, NULL, NULL), BR_OK);
        assert_int_equal(br_executors_follow(sim, rows[k], policy, NULL), BR_OK);
        end_ns[k] = sim->now_ns;
        jobs_time_ns[k] = sim->jobs_time_ns;
        decisions[k] = sim->decisions;
        rows[k]->destroy(policy);
    }
    assert_int_equal(end_ns[0], end_ns[1]);
    assert_int_equal(jobs_time_ns[0], jobs_time_ns[1]);
    assert_int_equal(decisions[0], decisions[1]);
    br_executors_destroy(sim);
    br_model_finish(&model);
    close_pool(&pool);
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
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(a_checkpoint_of_absurd_numbers_is_refused),
        cmocka_unit_test(gains_are_what_the_others_cost_more),
        cmocka_unit_test(gains_fade_with_a_horizon),
        cmocka_unit_test(the_usual_rate_is_of_the_iterations_before),
        cmocka_unit_test(threads_do_not_count),
        cmocka_unit_test(a_checkpoint_goes_on_as_if_nothing_had_been),
        cmocka_unit_test(it_learns),
        cmocka_unit_test(pairs_learn),
        cmocka_unit_test(steps_are_kept_short),
        cmocka_unit_test(a_model_is_read_whole_or_not_at_all),
        cmocka_unit_test(a_learned_policy_decides),
        cmocka_unit_test(a_planned_network_begins_as_the_planner),
        cmocka_unit_test(two_levels_express_a_longest_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
