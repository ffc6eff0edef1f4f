/* The control loop of a job with a deadline: utilities and decisions computed by hand, properties
 * over drawn tables, and no memory in a decision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/deadline/control.h"
#include "tests/runtime/deadline_fixture.h"

#define S INT64_C(1000000000)

/* ---- Allocations are counted ---- */

static uint64_t calls;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
    calls++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    calls++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    calls++;
    return __real_realloc(old, size);
}

/* ---- Utility ---- */

static void test_points(void **state)
{
    struct br_utility u = br_utility_of_deadline(3600);
    (void)state;
    assert_float_equal(br_utility_at(&u, 0), 1, 0);
    assert_float_equal(br_utility_at(&u, 3600), 1, 0);
    assert_float_equal(br_utility_at(&u, 3900), 0, 1e-12);
    assert_float_equal(br_utility_at(&u, 4200), -1, 1e-12);
    assert_float_equal(br_utility_at(&u, 63600), -1000, 1e-9);
    /* Behind the last point it falls on: 999 in 59400 s. */
    assert_float_equal(br_utility_at(&u, 63600 + 59400), -1999, 1e-9);
    assert_float_equal(br_utility_deadline(&u), 3600, 0);
}

/* Level until 100 s, then down to 0 at 200 s. */
static struct br_utility ramp(void)
{
    struct br_utility u;
    assert_int_equal(
        br_utility_make((const double[]){100, 200}, (const double[]){1, 0}, 2, &u, NULL), BR_OK);
    return u;
}

static void test_expected(void **state)
{
    const double level[] = {0, 0.5, 1}, left[] = {50, 100, 150}, late[] = {300, 300, 400};
    struct br_utility u = ramp();
    (void)state;
    /* Half of it is on time; the other falls evenly from 1 to 0.5. */
    assert_float_equal(br_utility_expected(&u, 0, 1, level, left, 3), (1 + 0.75) / 2, 1e-12);
    /* Twice as long: 100 to 200 s, mean 0.5; 200 to 300 s, mean -0.5. */
    assert_float_equal(br_utility_expected(&u, 0, 2, level, left, 3), 0, 1e-12);
    /* 50 s later: 100 to 150, 150 to 200. */
    assert_float_equal(br_utility_expected(&u, 50, 1, level, left, 3), 0.5, 1e-12);
    /* A point at 300 s, -1; then 300 to 400 s, mean -1.5. */
    assert_float_equal(br_utility_expected(&u, 0, 1, level, late, 3), -1.25, 1e-12);
    assert_float_equal(br_utility_expected(&u, 10, 1.2, level, left + 1, 1), 1 - 0.3, 1e-12);
}

/* The integral against a sum over many points, for drawn utilities and distributions. */
static void test_expected_by_sums(void **state)
{
    struct br_rng rng = br_rng_seed(3);
    (void)state;
    for (uint32_t round = 0; round < 200; round++) {
        double at[5], value[5], level[6], left[6], sum = 0;
        uint32_t points = 1 + (uint32_t)br_rng_below(&rng, 5);
        for (uint32_t k = 0; k < points; k++) {
            at[k] = (k ? at[k - 1] : 0) + 1 + 100 * br_rng_unit(&rng);
            value[k] =
                (k ? value[k - 1] : 1) - 3 * br_rng_unit(&rng) * (double)br_rng_below(&rng, 2);
        }
        for (uint32_t k = 0; k < 6; k++) {
            level[k] = k / 5.0;
            left[k] =
                (k ? left[k - 1] : 0) + 80 * br_rng_unit(&rng) * (double)br_rng_below(&rng, 2);
        }
        struct br_utility u;
        assert_int_equal(br_utility_make(at, value, points, &u, NULL), BR_OK);
        const uint32_t pieces = 20000;
        for (uint32_t p = 0; p < pieces; p++) {
            double q = (p + 0.5) / pieces;
            uint32_t k = (uint32_t)(q * 5);
            double x = left[k] + (left[k + 1] - left[k]) * (q * 5 - k);
            sum += br_utility_at(&u, 7 + 1.3 * x);
        }
        assert_float_equal(br_utility_expected(&u, 7, 1.3, level, left, 6), sum / pieces, 1e-4);
    }
}

static void refuse_utility(uint32_t points, const double *at_s, const double *value,
                           const char *what)
{
    struct br_utility u;
    struct br_diag diag = {0};
    assert_int_equal(br_utility_make(at_s, value, points, &u, &diag), BR_USAGE);
    if (!strstr(diag.what, what))
        fail_msg("%s: %s", what, diag.what);
}

static void test_bad_utilities(void **state)
{
    double many[BR_UTILITY_POINTS + 1], none[BR_UTILITY_POINTS + 1] = {0};
    struct br_utility u;
    (void)state;
    for (uint32_t k = 0; k <= BR_UTILITY_POINTS; k++)
        many[k] = k;
    refuse_utility(2, (const double[]){0, 100}, (const double[]){1, 2}, "rises at point 2");
    refuse_utility(3, (const double[]){0, 100, 100}, (const double[]){1, 0, -1}, "of point 3");
    refuse_utility(3, (const double[]){0, 50, 20}, (const double[]){1, 0, -1}, "of point 3");
    refuse_utility(1, (const double[]){-5}, (const double[]){1}, "makes no sense");
    refuse_utility(1, (const double[]){0}, (const double[]){NAN}, "makes no sense");
    refuse_utility(0, many, none, "1 to 16 points, not 0");
    refuse_utility(BR_UTILITY_POINTS + 1, many, none, "1 to 16 points, not 17");
    assert_int_equal(br_utility_make((const double[]){0, 10}, (const double[]){1, 1}, 2, &u, NULL),
                     BR_OK);
    assert_true(isinf(br_utility_deadline(&u)));
}

/* ---- Decisions by hand ---- */

/* 100 s of path and 1000 s of work: 1100 s with 1 token, 300 s with 5, 200 s with 10, 150 s with
 * 20; at half of the progress half of that. No spread. */
static void make_plain(struct deadline_fixture *fixture)
{
    deadline_fixture_make(fixture, 100, 12, 3, 100, 1000, 0);
}

static struct br_control_options plain(void)
{
    struct br_control_options options = br_control_options_default();
    options.slack = 1;
    options.hysteresis = 1;
    options.dead_zone_s = 0;
    return options;
}

static struct br_control control_of(const struct deadline_fixture *fixture,
                                    const struct br_control_options *options, double deadline_s)
{
    struct br_utility utility = br_utility_of_deadline(deadline_s);
    struct br_control control;
    struct br_diag diag = {0};
    if (br_control_init(&control, &fixture->table, options, &utility, &diag))
        fail_msg("%s", diag.what);
    return control;
}

static struct br_control_decision decide(struct br_control *control, double elapsed_s,
                                         uint32_t done)
{
    const struct br_control_view view = {(int64_t)(elapsed_s * 1e9), &done, done > 0};
    struct br_control_decision decision = {0};
    br_control_decide(control, &view, &decision);
    return decision;
}

static void test_least_allocation(void **state)
{
    struct deadline_fixture *f = malloc(sizeof *f);
    struct br_control_options options = plain();
    (void)state;
    make_plain(f);
    struct br_control control = control_of(f, &options, 300);
    struct br_control_decision d = decide(&control, 0, 0);
    assert_int_equal(d.raw, 5);
    assert_int_equal(d.amount, 5);
    assert_int_equal(d.left_ns, 300 * S);
    assert_float_equal(d.utility, 1, 1e-9);
    assert_float_equal(d.on_time, 1, 0);
    assert_float_equal(d.progress, 0, 0);
    /* Slack: 1.2 x left has to be at most 300, so left 250, so 150 for 1000 s of work: 7. */
    options.slack = 1.2;
    control = control_of(f, &options, 300);
    assert_int_equal(decide(&control, 0, 0).amount, 7);
    /* A dead zone of 60 s: 1.2 x left at most 240, so left 200: 10. */
    options.dead_zone_s = 60;
    control = control_of(f, &options, 300);
    assert_int_equal(decide(&control, 0, 0).amount, 10);
    /* Half done after 100 s: 1.2 x left at most 140, left 116.7 = 50 + 500 / 7.5: 8. */
    control = control_of(f, &options, 300);
    d = decide(&control, 100, 500);
    assert_int_equal(d.amount, 8);
    assert_float_equal(d.progress, 0.5, 1e-12);
    /* 50 + 62.5 s are left. */
    assert_true(llabs(d.left_ns - 112500000000) < S / 500);
    /* Too late for anything: all that can still help. Below 100 tokens there is no most. */
    control = control_of(f, &options, 50);
    assert_int_equal(decide(&control, 0, 0).amount, 100);
    options.most = 30;
    control = control_of(f, &options, 50);
    d = decide(&control, 0, 0);
    assert_int_equal(d.amount, 30);
    assert_float_equal(d.on_time, 0, 0);
    free(f);
}

static void test_hysteresis(void **state)
{
    struct deadline_fixture *f = malloc(sizeof *f);
    struct br_control_options options = plain();
    (void)state;
    make_plain(f);
    options.hysteresis = 0.2;
    struct br_control control = control_of(f, &options, 200);
    /* The first decision is not smoothed. */
    assert_int_equal(decide(&control, 0, 0).amount, 10);
    /* With twice the time 4 would do: 10 - 0.2 x 6 = 8.8, 8.8 - 0.2 x 4.8 = 7.84. */
    control.utility = br_utility_of_deadline(400);
    struct br_control_decision d = decide(&control, 0, 0);
    assert_int_equal(d.raw, 4);
    assert_int_equal(d.amount, 9);
    assert_int_equal(decide(&control, 0, 0).amount, 8);
    /* 150 s: 20 would do. 7.84 + 0.2 x 12.16 = 10.272. */
    control.utility = br_utility_of_deadline(150);
    assert_int_equal(decide(&control, 0, 0).amount, 11);
    free(f);
}

/* A deadline that moves counts at once, but where the loop does not adapt. */
static void test_moved(void **state)
{
    struct deadline_fixture *f = malloc(sizeof *f);
    struct br_control_options options = plain();
    struct br_utility later = br_utility_of_deadline(400), sooner = br_utility_of_deadline(150);
    (void)state;
    make_plain(f);
    options.hysteresis = 0.2;
    struct br_control control = control_of(f, &options, 200);
    assert_int_equal(decide(&control, 0, 0).amount, 10);
    br_control_move(&control, &later);
    assert_int_equal(decide(&control, 0, 0).amount, 4);
    br_control_move(&control, &sooner);
    assert_int_equal(decide(&control, 0, 0).amount, 20);
    options.adaptation = BR_ADAPT_NOT;
    control = control_of(f, &options, 200);
    assert_int_equal(decide(&control, 0, 0).amount, 10);
    br_control_move(&control, &sooner);
    assert_int_equal(decide(&control, 0, 0).amount, 10);
    free(f);
}

static void test_dead_zone(void **state)
{
    struct deadline_fixture *f = malloc(sizeof *f);
    struct br_control_options options = plain();
    (void)state;
    make_plain(f);
    options.dead_zone_s = 60;
    struct br_control control = control_of(f, &options, 260);
    /* 200 s: 10 tokens. */
    assert_int_equal(decide(&control, 0, 0).amount, 10);
    /* After 50 s without progress: 150 s would need 20, but 10 still end after 250 s. */
    struct br_control_decision d = decide(&control, 50, 0);
    assert_int_equal(d.raw, 20);
    assert_int_equal(d.amount, 10);
    /* After 61 s they end after 261 s, which is late by the whole dead zone. 139 s need 26. */
    d = decide(&control, 61, 0);
    assert_int_equal(d.raw, 26);
    assert_int_equal(d.amount, 26);
    /* It falls without waiting: at 90 % in 10 + 100 / a, of 139 s: 1. */
    assert_int_equal(decide(&control, 61, 900).amount, 1);
    free(f);
}

static void test_adaptations(void **state)
{
    struct deadline_fixture *f = malloc(sizeof *f);
    struct br_control_options options = plain();
    (void)state;
    make_plain(f);
    options.adaptation = BR_ADAPT_NOT;
    struct br_control control = control_of(f, &options, 300);
    assert_int_equal(decide(&control, 0, 0).amount, 5);
    struct br_control_decision d = decide(&control, 200, 0);
    assert_int_equal(d.raw, 100);
    assert_int_equal(d.amount, 5);
    options.adaptation = BR_ADAPT_MOST;
    options.most = 64;
    control = control_of(f, &options, 100000);
    assert_int_equal(decide(&control, 0, 0).amount, 64);
    assert_int_equal(decide(&control, 10, 999).amount, 64);
    free(f);
}

static void test_amdahl(void **state)
{
    struct deadline_fixture *f = malloc(sizeof *f);
    struct br_control_options options = plain();
    (void)state;
    /* The table says ten times as long; Amdahl's model does not look at it. */
    deadline_fixture_make(f, 100, 12, 3, 1000, 10000, 0);
    f->stage = (struct br_table_stage){.longest_s = 100, .work_s = 1100};
    options.forecast = BR_FORECAST_AMDAHL;
    struct br_control control = control_of(f, &options, 300);
    struct br_control_decision d = decide(&control, 0, 0);
    assert_int_equal(d.amount, 5);
    assert_int_equal(d.left_ns, 300 * S);
    assert_int_equal(d.left_high_ns, 300 * S);
    /* Half of it: 50 + 500 / 10 = 100. */
    assert_int_equal(decide(&control, 200, 500).amount, 10);
    free(f);
}

/* With a token 1100 s, give or take a fifth; evenly. */
static void test_on_time(void **state)
{
    struct deadline_fixture *f = malloc(sizeof *f);
    struct br_control_options options = plain();
    (void)state;
    deadline_fixture_make(f, 100, 12, 21, 100, 1000, 0.2);
    /* 300 s: 5 tokens are on time in half of all cases; 6 take 213.3 to 320 s: in 81 %; 7 take
     * 194.3 to 291.4 s: always. */
    options.on_time = 0.5;
    struct br_control control = control_of(f, &options, 300);
    struct br_control_decision d = decide(&control, 0, 0);
    assert_int_equal(d.amount, 5);
    assert_float_equal(d.on_time, 0.5, 1e-4);
    options.on_time = 0.8;
    control = control_of(f, &options, 300);
    d = decide(&control, 0, 0);
    assert_int_equal(d.amount, 6);
    assert_float_equal(d.on_time, (300 - 213.333) / 106.667, 1e-3);
    options.on_time = 0.95;
    control = control_of(f, &options, 300);
    assert_int_equal(decide(&control, 0, 0).amount, 7);
    /* Slack: 1.2 x left at most 300, so left at most 250. 7 tokens have 57 %, 6 have 34 %, 9 have
     * 96 %, 8 have 78 %. */
    options.slack = 1.2;
    options.on_time = 0.5;
    control = control_of(f, &options, 300);
    assert_int_equal(decide(&control, 0, 0).amount, 7);
    options.on_time = 0.8;
    control = control_of(f, &options, 300);
    assert_int_equal(decide(&control, 0, 0).amount, 9);
    options.slack = 1;
    options.on_time = 0.95;
    /* Never certain: the one that is on time most often. */
    control = control_of(f, &options, 95);
    d = decide(&control, 0, 0);
    assert_int_equal(d.amount, 100);
    assert_float_equal(d.on_time, (95 - 88) / 44.0, 1e-3);
    free(f);
}

static void test_bad_options(void **state)
{
    struct deadline_fixture *f = malloc(sizeof *f);
    const struct br_control_options fine = br_control_options_default();
    struct br_control_options bad[10];
    (void)state;
    make_plain(f);
    for (uint32_t k = 0; k < 10; k++)
        bad[k] = fine;
    bad[0].slack = 0.9;
    bad[1].slack = NAN;
    bad[2].hysteresis = 0;
    bad[3].hysteresis = 1.1;
    bad[4].dead_zone_s = -1;
    bad[5].period_s = 0;
    bad[6].most = 0;
    bad[7].on_time = 1.5;
    bad[8].layer = 1;
    bad[9].on_time = -0.1;
    assert_int_equal(br_control_check(&fine, NULL), BR_OK);
    struct br_utility utility = br_utility_of_deadline(10);
    for (uint32_t k = 0; k < 10; k++) {
        struct br_control control;
        struct br_diag diag = {0};
        assert_int_equal(br_control_init(&control, &f->table, &bad[k], &utility, &diag), BR_USAGE);
        assert_true(diag.what[0]);
    }
    free(f);
}

/* ---- Properties ---- */

/* The least allocation of the greatest utility by a plain scan. */
static uint32_t scan(const struct br_control *control, double elapsed_s, uint32_t done)
{
    const struct br_deadline_table *table = control->table;
    struct br_table_place place =
        done ? br_table_at(table, br_table_progress(table, &done)) : br_table_start(table);
    double left[BR_TABLE_QUANTILES], worth[BR_TABLE_ALLOCATIONS], most = -INFINITY;
    for (uint32_t a = 0; a < table->allocations; a++) {
        br_table_distribution(table, 0, place, a, left);
        worth[a] =
            br_utility_expected(&control->utility, elapsed_s + control->options.dead_zone_s,
                                control->options.slack, table->level, left, table->quantiles);
        most = worth[a] > most ? worth[a] : most;
    }
    uint32_t a = 0;
    while (worth[a] < most - BR_UTILITY_EQUAL)
        a++;
    return table->allocation[a];
}

/* Where more tokens and more progress never take longer: a later deadline never needs more tokens,
 * nor does less time gone; and what the loop takes is what a plain scan finds. */
static void test_monotone(void **state)
{
    struct deadline_fixture *f = malloc(sizeof *f);
    struct br_rng rng = br_rng_seed(7);
    (void)state;
    uint32_t changes = 0;
    for (uint32_t round = 0; round < 3000; round++) {
        struct br_control_options options = br_control_options_default();
        deadline_fixture_draw(f, &rng);
        options.slack = 1 + br_rng_unit(&rng);
        options.dead_zone_s = 50 * br_rng_unit(&rng);
        double elapsed = 200 * br_rng_unit(&rng), deadline = 1 + 1500 * br_rng_unit(&rng);
        uint32_t done = (uint32_t)br_rng_below(&rng, 1000);
        struct br_control one = control_of(f, &options, deadline),
                          later = control_of(f, &options, deadline + 300 * br_rng_unit(&rng)),
                          slow = one;
        uint32_t raw = decide(&one, elapsed, done).raw;
        assert_int_equal(raw, scan(&one, elapsed, done));
        assert_true(decide(&later, elapsed, done).raw <= raw);
        assert_true(decide(&slow, elapsed + 100 * br_rng_unit(&rng), done).raw >= raw);
        changes += later.amount < raw;
    }
    assert_true(changes > 300);
    free(f);
}

/* The allocation never leaves its bounds, and goes towards the raw one or stays. */
static void test_bounded(void **state)
{
    struct deadline_fixture *f = malloc(sizeof *f);
    struct br_rng rng = br_rng_seed(11);
    (void)state;
    for (uint32_t round = 0; round < 300; round++) {
        struct br_control_options options = br_control_options_default();
        deadline_fixture_draw(f, &rng);
        options.hysteresis = 0.05 + 0.95 * br_rng_unit(&rng);
        options.most = 1 + (uint32_t)br_rng_below(&rng, 14);
        struct br_control control = control_of(f, &options, 1 + 1000 * br_rng_unit(&rng));
        double elapsed = 0, before = 0;
        for (uint32_t step = 0; step < 30; step++) {
            struct br_control_decision d = decide(&control, elapsed, 33 * step);
            assert_true(d.amount >= 1 && d.amount <= options.most);
            assert_true(d.amount >= control.smooth - 1e-9 && d.amount < control.smooth + 1);
            if (step) {
                double low = fmin(before, fmin(d.raw, options.most));
                double high = fmax(before, d.raw);
                assert_true(control.smooth >= low - 1e-9 && control.smooth <= high + 1e-9);
            }
            before = control.smooth;
            elapsed += 60 * br_rng_unit(&rng);
        }
    }
    free(f);
}

static void test_no_memory(void **state)
{
    struct deadline_fixture *f = malloc(sizeof *f);
    struct br_control_options options = br_control_options_default();
    (void)state;
    deadline_fixture_make(f, 100, 41, 21, 100, 10000, 0.3);
    struct br_control control = control_of(f, &options, 400);
    uint64_t before = calls;
    assert_true(before > 0);
    for (uint32_t k = 0; k < 100; k++)
        decide(&control, k, 10 * k);
    assert_int_equal(calls, before);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),           cmocka_unit_test(test_expected),
        cmocka_unit_test(test_expected_by_sums), cmocka_unit_test(test_bad_utilities),
        cmocka_unit_test(test_least_allocation), cmocka_unit_test(test_hysteresis),
        cmocka_unit_test(test_dead_zone),        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_adaptations),      cmocka_unit_test(test_amdahl),
        cmocka_unit_test(test_on_time),          cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_monotone),         cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
