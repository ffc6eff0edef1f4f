/* Durations by wave and number of executors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/numbers/rng.h"
#include "planner/model/waves.h"

#define MS INT64_C(1000000)

struct list {
    uint32_t count, ms[4];
};

static void add(struct br_waves *waves, uint32_t stage, uint32_t executors, struct list first,
                struct list fresh, struct list rest)
{
    const struct br_wave_measured measured = {
        executors, {fresh.count, first.count, rest.count}, {fresh.ms, first.ms, rest.ms}};
    assert_int_equal(br_waves_add(waves, stage, &measured, NULL), BR_OK);
}

static void assert_sample(const struct br_waves *waves, uint32_t point, enum br_wave wave,
                          struct list is, uint32_t extra_ms)
{
    const struct br_wave_sample *sample = &waves->stage[0].point[point].sample[wave];
    assert_int_equal(sample->count, is.count);
    assert_int_equal(sample->extra_ms, extra_ms);
    for (uint32_t k = 0; k < is.count; k++)
        assert_int_equal(sample->ms[k], is.ms[k]);
}

/* Fresh tasks are no first ones; what was not measured comes from the next smaller number of
 * executors, from first with a warm-up, or from first. */
static void test_filling(void **state)
{
    struct br_waves *waves = br_waves_create(1);
    (void)state;
    waves->stage[0].tasks = 4;
    add(waves, 0, 20, (struct list){2, {9, 8}}, (struct list){2, {8, 9}}, (struct list){0});
    add(waves, 0, 5, (struct list){3, {7, 3, 7}}, (struct list){1, {7}}, (struct list){1, {2}});
    add(waves, 0, 10, (struct list){2, {6, 4}}, (struct list){0}, (struct list){2, {1, 1}});
    add(waves, 0, 2, (struct list){1, {100}}, (struct list){1, {100}}, (struct list){3, {5, 5, 5}});
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    assert_int_equal(waves->stage[0].points, 4);
    assert_sample(waves, 0, BR_WAVE_FIRST, (struct list){1, {100}}, 0);
    assert_sample(waves, 1, BR_WAVE_FRESH, (struct list){1, {7}}, 0);
    assert_sample(waves, 1, BR_WAVE_FIRST, (struct list){2, {3, 7}}, 0);
    assert_sample(waves, 1, BR_WAVE_REST, (struct list){1, {2}}, 0);
    assert_sample(waves, 2, BR_WAVE_FRESH, (struct list){2, {4, 6}}, 1000);
    assert_sample(waves, 2, BR_WAVE_REST, (struct list){2, {1, 1}}, 0);
    assert_sample(waves, 3, BR_WAVE_FIRST, (struct list){2, {4, 6}}, 0);
    assert_sample(waves, 3, BR_WAVE_FRESH, (struct list){2, {8, 9}}, 0);
    assert_sample(waves, 3, BR_WAVE_REST, (struct list){2, {4, 6}}, 0);
    /* All that was measured, once: 115 + 19 + 12 + 17 ms in 4 + 4 + 4 + 2 tasks. */
    assert_int_equal(waves->stage[0].mean_us, 11643);
    assert_int_equal(waves->work_us, 4 * 11643);
    assert_int_equal(waves->counts, 3); /* 2 is below the least */
    br_waves_destroy(waves);
}

/* How often 15 executors are served by what was measured on 10 and not on 40: 1 of 6 as the paper's
 * has it, 5 of 6 by distance. At a measured number, and beyond the ends, there is no choice; a
 * stage that lacks a number is served by its largest. */
static void test_choice(void **state)
{
    const struct list none = {0};
    struct br_waves *waves = br_waves_create(2);
    struct br_rng rng = br_rng_seed(5);
    uint32_t small[2] = {0, 0};
    (void)state;
    for (uint32_t s = 0; s < 2; s++)
        waves->stage[s].tasks = 1;
    add(waves, 0, 5, (struct list){1, {50}}, none, none);
    add(waves, 0, 10, (struct list){1, {100}}, none, none);
    add(waves, 0, 40, (struct list){1, {400}}, none, none);
    add(waves, 1, 5, (struct list){1, {51}}, none, none);
    add(waves, 1, 7, (struct list){1, {71}}, none, none);
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    const uint32_t counts[] = {5, 7, 10, 40};
    assert_int_equal(waves->counts, 4);
    for (uint32_t k = 0; k < 4; k++)
        assert_int_equal(waves->count[k], counts[k]);
    for (uint32_t k = 0; k < 10000; k++) {
        const uint64_t random[2] = {br_rng_next(&rng), br_rng_next(&rng)};
        for (int near = 0; near < 2; near++) {
            /* 15 executors: between 10 and 40, of which 10 is nearer. */
            int64_t ns = br_waves_draw_ns(waves, 0, BR_WAVE_REST, 15, near, random);
            assert_true(ns == 100 * MS || ns == 400 * MS);
            small[near] += ns == 100 * MS;
            assert_int_equal(br_waves_draw_ns(waves, 0, BR_WAVE_REST, 10, near, random), 100 * MS);
            assert_int_equal(br_waves_draw_ns(waves, 0, BR_WAVE_REST, 1, near, random), 50 * MS);
            assert_int_equal(br_waves_draw_ns(waves, 0, BR_WAVE_REST, 99, near, random), 400 * MS);
            assert_int_equal(br_waves_draw_ns(waves, 1, BR_WAVE_FRESH, 99, near, random),
                             1071 * MS);
        }
    }
    assert_uint_in_range(small[0], 10000 / 6 - 150, 10000 / 6 + 150);
    assert_uint_in_range(small[1], 50000 / 6 - 150, 50000 / 6 + 150);
    br_waves_scale(waves, 2);
    assert_int_equal(br_waves_draw_ns(waves, 0, BR_WAVE_REST, 5, false, (uint64_t[2]){0, 0}),
                     100 * MS);
    assert_true(br_waves_mean_ms(waves, 1, BR_WAVE_REST, 6) == 142);
    br_waves_destroy(waves);
}

/* What is left of a task that runs: of 10, 20, 30 and 40 ms, times two, those that are longer than
 * it has lasted, each as often; where none is, a tenth more than that. */
static void test_longer(void **state)
{
    const struct list none = {0};
    struct br_waves *waves = br_waves_create(1);
    struct br_rng rng = br_rng_seed(8);
    uint32_t seen[4] = {0};
    (void)state;
    waves->stage[0].tasks = 4;
    add(waves, 0, 5, (struct list){4, {10, 20, 30, 40}}, none, none);
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    br_waves_scale(waves, 2);
    for (int k = 0; k < 4000; k++) {
        const uint64_t random[2] = {br_rng_next(&rng), br_rng_next(&rng)};
        int64_t ns = br_waves_draw_longer_ns(waves, 0, BR_WAVE_REST, 5, false, random, 40 * MS);
        assert_true(ns == 60 * MS || ns == 80 * MS);
        seen[ns / MS / 20 - 1]++;
        assert_int_equal(br_waves_draw_longer_ns(waves, 0, BR_WAVE_REST, 5, false, random, -1),
                         br_waves_draw_ns(waves, 0, BR_WAVE_REST, 5, false, random));
        assert_int_equal(br_waves_draw_longer_ns(waves, 0, BR_WAVE_REST, 5, false, random, 80 * MS),
                         88 * MS + 1);
    }
    assert_uint_in_range(seen[2], 1800, 2200);
    assert_int_equal(seen[2] + seen[3], 4000);
    br_waves_destroy(waves);
}

/* A diamond with a tail: 0 before 1 and 2, both before 3; the work below a stage counts 3 once. */
static void test_paths(void **state)
{
    const struct list none = {0};
    struct br_waves *waves = br_waves_create(4);
    const uint32_t ms[] = {1, 10, 20, 5}, tasks[] = {1, 3, 2, 1};
    (void)state;
    for (uint32_t s = 0; s < 4; s++) {
        waves->stage[s].tasks = tasks[s];
        add(waves, s, 3, (struct list){1, {ms[s]}}, none, none);
    }
    br_waves_add_edge(waves, 0, 2, NULL);
    br_waves_add_edge(waves, 0, 1, NULL);
    br_waves_add_edge(waves, 0, 2, NULL);
    br_waves_add_edge(waves, 1, 3, NULL);
    br_waves_add_edge(waves, 2, 3, NULL);
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    assert_int_equal(waves->counts, 1); /* nothing is larger than the least, so all count */
    assert_int_equal(waves->stage[0].children, 2);
    assert_int_equal(waves->stage[3].parents, 2);
    assert_int_equal(waves->stage[0].path_us, 26000);
    assert_int_equal(waves->stage[1].path_us, 15000);
    assert_int_equal(waves->stage[0].below_us, 76000);
    assert_int_equal(waves->stage[2].below_us, 45000);
    br_waves_destroy(waves);
}

static void test_refusals(void **state)
{
    const struct list none = {0};
    struct br_diag diag = {0};
    struct br_waves *waves = br_waves_create(2);
    (void)state;
    waves->stage[0].tasks = waves->stage[1].tasks = 1;
    add(waves, 0, 5, (struct list){1, {50}}, none, none);
    assert_int_equal(br_waves_finish(waves, &diag), BR_BAD_INPUT);
    assert_string_equal(diag.what, "stage 1 has no durations");
    br_waves_destroy(waves);
    waves = br_waves_create(2);
    waves->stage[0].tasks = waves->stage[1].tasks = 1;
    add(waves, 0, 5, (struct list){1, {50}}, none, none);
    add(waves, 1, 5, (struct list){1, {50}}, none, none);
    br_waves_add_edge(waves, 0, 1, NULL);
    br_waves_add_edge(waves, 1, 0, NULL);
    assert_int_equal(br_waves_finish(waves, &diag), BR_BAD_INPUT);
    assert_string_equal(diag.what, "stage 0 waits for itself, by a cycle");
    br_waves_destroy(waves);
    waves = br_waves_create(1);
    waves->stage[0].tasks = 1;
    add(waves, 0, 5, none, none, none);
    assert_int_equal(br_waves_finish(waves, &diag), BR_BAD_INPUT);
    assert_string_equal(diag.what, "stage 0: no duration on 5 executors");
    br_waves_destroy(waves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filling),  cmocka_unit_test(test_choice),
        cmocka_unit_test(test_longer),   cmocka_unit_test(test_paths),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
