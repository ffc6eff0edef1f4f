/* How training goes: the same bytes however it is run, from checkpoints, too; and what it refuses.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <bigrocks/dag.h>

#include "cluster/executors/train/course.h"
#include "tests/cluster/executors/small.h"

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

static void set_classes(struct br_train_options *options)
{
    options->cluster.classes = 2;
    options->cluster.cls[0].executors = 4;
    options->cluster.cls[0].memory = 0.5;
    options->cluster.cls[1].executors = 2;
    options->cluster.cls[1].memory = 1;
    options->draw_requests = true;
}

/* With two means of the time between arrivals, each sequence has its own, from anywhere between
 * them; with one, or two that are equal, all have that. 100 times vary by a tenth in the mean. */
static void arrivals_have_means_of_their_own(void **state)
{
    enum { JOBS = 101, SEQUENCES = 24 };
    static const int64_t seconds[][2] = {{100, 0}, {100, 100}, {100, 1000}};
    for (size_t k = 0; k < sizeof seconds / sizeof *seconds; k++) {
        struct br_train_options options = small_options();
        struct br_trainer trainer;
        struct br_train_report report;
        double least = INFINITY, most = 0;
        options.method = BR_EVOLVE;
        options.shape = br_network_shape_planned();
        options.jobs = JOBS;
        options.episodes = 2 * SEQUENCES;
        options.interarrival_ns = seconds[k][0] * INT64_C(1000000000);
        options.last_interarrival_ns = seconds[k][1] * INT64_C(1000000000);
        const struct pool *pool = *state;
        assert_int_equal(br_trainer_init(&trainer, &options, pool->jobs, NULL), BR_OK);
        assert_int_equal(br_trainer_step(&trainer, &report, NULL), BR_OK);
        for (uint32_t q = 0; q < SEQUENCES; q++) {
            const struct br_executors_arrival *arrival = trainer.arrival + (size_t)q * JOBS;
            double mean = (double)arrival[JOBS - 1].arrival_ns * 1e-9 / (JOBS - 1);
            least = mean < least ? mean : least;
            most = mean > most ? mean : most;
        }
        assert_true(least > 65 && most < 1350);
        assert_int_equal(most > 145, k == 2);
        assert_true(k < 2 || (least < 300 && most > 800));
        br_trainer_finish(&trainer);
    }
}

static void threads_do_not_count(void **state)
{
    const struct pool *pool = *state;
    for (int kind = 0; kind < 8; kind++) {
        struct br_train_options options = small_options();
        struct pool dated = *pool;
        size_t size[2];
        dated.jobs.deadline_ns = kind == 7 ? dated.deadline_ns : NULL;
        if (kind == 6)
            set_classes(&options);
        if (kind == 7)
            options.objective = BR_MISSES;
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
        char *one = train(&options, &dated, &size[0]);
        options.threads = 3;
        char *three = train(&options, &dated, &size[1]);
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(one, three, size[0]);
        free(three);
        options.seed++;
        three = train(&options, &dated, &size[1]);
        assert_memory_not_equal(one, three, size[0]);
        free(one);
        free(three);
    }
}

static void check_checkpoint(const struct pool *pool, struct br_train_options options)
{
    struct br_course course;
    size_t size, whole_size;
    char *whole = train(&options, pool, &whole_size);
    open_course(&course, &options, pool);
    go_on(&course, 4); /* one past a trial */
    char *bytes = checkpoint(&course, &size);
    br_course_finish(&course);
    open_course(&course, &options, pool);
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
    open_course(&course, &options, pool);
    assert_int_equal(br_course_load(&course, bytes, size, NULL), BR_BAD_INPUT);
    br_course_finish(&course);
    options.seed--;
    open_course(&course, &options, pool);
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
}

static void a_checkpoint_goes_on_as_if_nothing_had_been(void **state)
{
    struct br_train_options options = small_options();
    check_checkpoint(*state, options);
    options.most_shift = 1e-4;
    check_checkpoint(*state, options);
    options.most_shift = 0;
    options.method = BR_EVOLVE;
    options.episodes = 4;
    options.shape = br_network_shape_planned();
    check_checkpoint(*state, options);
}

/* Numbers of a checkpoint that its sum vouches for and no training gives: each is refused, and the
 * course stays what it was. */
static void a_checkpoint_of_absurd_numbers_is_refused(void **state)
{
    enum { HEAD = 136, ITERATION = 40, STEPS = 48, BEST = 56, RATE = 64, BEST_S = 72, SINCE = 80 };
    const struct pool *pool = *state;
    struct br_course course, fresh;
    const struct br_train_options options = small_options();
    size_t size, fresh_size, after_size;
    open_course(&course, &options, pool);
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
    open_course(&fresh, &options, pool);
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
}

/* A job of so many stages, each of which asks for so much memory. */
static struct br_dag *asking(uint32_t stages, const char *memory)
{
    struct br_dag *dag = br_dag_create("j");
    assert_int_equal(br_dag_add_resource(dag, "mem", NULL, NULL), BR_OK);
    for (uint32_t s = 0; s < stages; s++) {
        char id[16];
        uint32_t stage;
        snprintf(id, sizeof id, "s%u", s);
        assert_int_equal(br_dag_add_stage(dag, id, 1, 1000, &stage, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, stage, "mem", memory, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

/* A training does not go on from a checkpoint of jobs that asked for other amounts of memory, nor
 * where executors now yield. */
static void a_checkpoint_is_of_its_cluster(void **state)
{
    const struct pool *pool = *state;
    struct br_train_options options = small_options();
    struct pool small = *pool;
    struct br_course course;
    struct br_dag *dag[2][POOL];
    size_t size;
    for (int kind = 0; kind < 2; kind++)
        for (uint32_t k = 0; k < POOL; k++)
            dag[kind][k] = asking(pool->waves[k]->stages, kind && k == 1 ? "0.6" : "0.3");
    set_classes(&options);
    options.draw_requests = false;
    small.jobs.dag = (const struct br_dag *const *)dag[0];
    open_course(&course, &options, &small);
    go_on(&course, 1);
    char *bytes = checkpoint(&course, &size);
    br_course_finish(&course);
    for (int kind = 0; kind < 3; kind++) {
        small.jobs.dag = (const struct br_dag *const *)dag[kind == 1];
        options.cluster.yields = kind == 2;
        open_course(&course, &options, &small);
        assert_int_equal(br_course_load(&course, bytes, size, NULL), kind ? BR_BAD_INPUT : BR_OK);
        br_course_finish(&course);
    }
    free(bytes);
    for (uint32_t k = 0; k < 2 * POOL; k++)
        br_dag_destroy(dag[k / POOL][k % POOL]);
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
    options = small_options();
    set_classes(&options);
    assert_int_equal(br_train_options_check(&options, NULL), BR_OK);
    options.cluster.classes = 0;
    assert_int_equal(br_train_options_check(&options, NULL), BR_USAGE);
    /* Deadlines that no job has cannot be missed. */
    const struct pool *pool = *state;
    struct br_trainer trainer;
    options = small_options();
    options.objective = BR_MISSES;
    assert_int_equal(br_trainer_init(&trainer, &options, pool->jobs, NULL), BR_USAGE);
    br_trainer_finish(&trainer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(a_checkpoint_of_absurd_numbers_is_refused),
        cmocka_unit_test(threads_do_not_count),
        cmocka_unit_test(arrivals_have_means_of_their_own),
        cmocka_unit_test(a_checkpoint_is_of_its_cluster),
        cmocka_unit_test(a_checkpoint_goes_on_as_if_nothing_had_been),
    };
    return cmocka_run_group_tests(tests, open_pool, close_pool);
}
