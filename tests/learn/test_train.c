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
    for (int kind = 0; kind < 3; kind++) {
        struct br_train_options options = small_options();
        size_t size[2];
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

static void a_checkpoint_goes_on_as_if_nothing_had_been(void **state)
{
    struct pool pool;
    struct br_course course;
    struct br_train_options options = small_options();
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

/* Two episodes by hand, with a job that is there from 0 on. The first decides at 0 and 2 s and ends
 * at 4 s with a cost of 8; the second decides at 0 and 1 s and ends at 6 s with a cost of 12. */
static void gains_are_what_the_others_cost_more(void **state)
{
    const int64_t second = INT64_C(1000000000);
    struct br_episode_step first[] = {{.now_ns = 0, .cost = 0}, {.now_ns = 2 * second, .cost = 6}};
    struct br_episode_step other[] = {{.now_ns = 0, .cost = 0}, {.now_ns = 1 * second, .cost = 2}};
    struct br_episode episode[2] = {{.step = first, .steps = 2, .end_ns = 4 * second, .cost = 8},
                                    {.step = other, .steps = 2, .end_ns = 6 * second, .cost = 12}};
    assert_true(br_episodes_gains(episode, 2, 0));
    /* From 0: 8 and 12, mean 10. From 2 s: 2, and 10 * 4 / 5 = 8, mean 5. From 1 s: 8 - 3 = 5, and
     * 10, mean 7.5. */
    double gain[] = {2, 3, -2, -2.5}, square = 4 + 9 + 4 + 6.25;
    double spread = sqrt(square / 4);
    assert_true(fabs(first[0].gain - gain[0] / spread) < 1e-12);
    assert_true(fabs(first[1].gain - gain[1] / spread) < 1e-12);
    assert_true(fabs(other[0].gain - gain[2] / spread) < 1e-12);
    assert_true(fabs(other[1].gain - gain[3] / spread) < 1e-12);
    /* At a usual rate of 2 a second both cost nothing more than usual from 0 on. */
    assert_true(br_episodes_gains(episode, 2, 2));
    assert_true(fabs(first[0].gain) < 1e-12 && fabs(other[0].gain) < 1e-12);
    assert_true(first[1].gain > 0);
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

/* Puts the sum of a changed model right, as one who means it would. */
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
        cmocka_unit_test(gains_are_what_the_others_cost_more),
        cmocka_unit_test(threads_do_not_count),
        cmocka_unit_test(a_checkpoint_goes_on_as_if_nothing_had_been),
        cmocka_unit_test(it_learns),
        cmocka_unit_test(a_model_is_read_whole_or_not_at_all),
        cmocka_unit_test(a_learned_policy_decides),
        cmocka_unit_test(two_levels_express_a_longest_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
