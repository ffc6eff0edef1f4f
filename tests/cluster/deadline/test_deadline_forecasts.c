/* Cells of tables of the time left, look-ups in them, and forecasts against further runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/numbers/real.h"
#include "deadline_scene.h"
#include "runtime/deadline/trials/cells.h"
#include "runtime/deadline/trials/meter.h"
#include "runtime/deadline/trials/trial.h"
#include "cluster/workload/world.h"

/* Nine runs of 1 to 9 s: a tenth one is below the least of them in a tenth of the cases. On the way
 * they are stretches from 0 s, of which the first second has nine parts and the last one has one; a
 * cell tells them off their mean, the squares over twice the sum. */
static void test_order_statistics(void **state)
{
    static const double level[] = {0, 0.1, 0.3, 0.5, 0.9, 1}, want[] = {1, 1, 3, 5, 9, 9};
    const double mean = 285 / 90.0;
    struct br_cells_maker maker;
    struct br_trail trail;
    double row[2 * 7];
    assert_true(br_cells_init(&maker, 9, 1, 1, level, 6));
    assert_true(br_trail_init(&trail, 1));
    for (uint32_t r = 0; r < 9; r++) {
        br_trail_begin(&trail);
        br_trail_end(&trail, 1 + (r * 4) % 9);
        br_cells_add(&maker, r, &trail, 1 + (r * 4) % 9);
    }
    br_cells_make(&maker, row, 7);
    assert_true(fabs(row[0] - 5) < 1e-6);
    for (int q = 0; q < 6; q++)
        assert_true(fabs(row[1 + q] - want[q]) < 1e-6);
    assert_true(fabs(br_cells_curve(maker.node, 1, 0.5) - mean) < 1e-6);
    assert_true(fabs(row[7]) < 1e-6);
    assert_true(fabs(row[8] + mean) < 1e-6 && fabs(row[13] + mean - 9) < 1e-6);
    assert_true(fabs(row[9] + mean - 0.5) < 1e-6);            /* 4.5 of 45 */
    assert_true(fabs(row[11] + mean - (2 + 5.5 / 7)) < 1e-6); /* 22.5: 9 + 8, and 5.5 of the 7 */
    br_trail_finish(&trail);
    br_cells_finish(&maker);
}

/* One run of twenty tasks of 1 s in two cells of one bin. While the progress is k / 20, from k to
 * k + 1 s, 20 - t s are left: in the first bin 0.225 and 15 s on average, in the second 0.725 and 5
 * s. The curve is a line between these. The run enters the first bin 5 s above it, and leaves it
 * with progress 0.45, 0.5 s below; and the second one the other way round. */
static void test_curve(void **state)
{
    static const double level[] = {0, 0.25, 0.5, 1};
    static const double want[] = {2.25, -0.5, 0.875, 2.25, 5, -2.25, -5, -3.625, -2.25, 0.5};
    struct br_cells_maker maker;
    struct br_trail trail;
    double row[3 * 5];
    assert_true(br_cells_init(&maker, 1, 2, 1, level, 4));
    assert_true(br_trail_init(&trail, 2));
    br_trail_begin(&trail);
    for (int k = 1; k < 20; k++)
        br_trail_step(&trail, k / 20.0, k);
    br_trail_end(&trail, 20);
    br_cells_add(&maker, 0, &trail, 20);
    br_cells_make(&maker, row, 5);
    assert_true(fabs(maker.node[0].progress - 0.225) < 1e-9);
    assert_true(fabs(maker.node[1].left_s - 5) < 1e-9);
    for (int k = 0; k < 10; k++)
        if (fabs(row[5 + k] - want[k]) > 1e-5)
            fail_msg("%d: %g", k, row[5 + k]);
    static const double at[][2] = {{0, 15},    {0.225, 15}, {0.475, 10},
                                   {0.6, 7.5}, {0.73, 5},   {1, 5}};
    for (size_t k = 0; k < sizeof at / sizeof *at; k++)
        assert_true(fabs(br_cells_curve(maker.node, 2, at[k][0]) - at[k][1]) < 1e-6);
    maker.node[0].time_s = 0;
    assert_true(br_cells_curve(maker.node, 2, 0.1) == 5 && br_cells_curve(maker.node, 2, 0.6) == 5);
    maker.node[1].time_s = 0;
    assert_true(br_cells_curve(maker.node, 2, 0.5) == 0);
    br_trail_finish(&trail);
    br_cells_finish(&maker);
}

/* Four tasks of 10 s in two cells. With one token 35, 25, 15 and 5 s are left on average with 0 to
 * 3 tasks done, with two 15 s and 5 s with none and two done. Both are in the first cell for half
 * of the run, at 0.125 and 0 on average, so it is at 0.0625, and its numbers with it: for one token
 * a quarter of the way from 35 to 25 s, for two an eighth of that from 15 to 5 s. Bends lead from
 * there to where jobs can be. */
static void test_bends(void **state)
{
    struct scene scene = {.dag = br_dag_create("four")};
    scene_add_stage(&scene, "a", 4, 10 * S);
    scene_finish_job(&scene);
    scene.request.most = 2;
    scene.request.cells = 2;
    scene.request.indicator = BR_VERTEXFRAC;
    scene_make(&scene);
    const struct br_deadline_table *table = &scene.made.table;
    static const double want[][4] = {{0.0625, 32.5, 13.75, 1},
                                     {0, 35, 15, 1},
                                     {0.25, 25, 10, 1},
                                     {0.5, 15, 5, 1},
                                     {0.75, 5, 5, 0}};
    assert_true(fabs(table->at[1] - 0.0625) < 1e-9);
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        struct br_table_place place = br_table_at(table, want[k][0]);
        for (uint32_t a = 0; a < 2; a++) {
            double mean = (double)br_table_mean_ns(table, 0, place, a) / 1e9, half = 5;
            if (fabs(mean - want[k][1 + a]) > 1e-3)
                fail_msg("progress %g, %u tokens: %g", want[k][0], a + 1, mean);
            /* Tasks run for 10 s, so the time left is within 5 s of its mean. */
            assert_true(fabs((double)br_table_quantile_ns(table, 0, place, a, 1) / 1e9 - mean -
                             half) < 1e-3);
        }
    }
    /* Without them the first cell's numbers would hold until its place. */
    struct br_deadline_table straight = *table;
    straight.bends = 0;
    assert_true(fabs((double)br_table_mean_ns(&straight, 0, br_table_at(&straight, 0), 0) / 1e9 -
                     32.5) < 1e-3);
    scene_close(&scene);
}

/* Lognormal draws have the declared mean, the median that follows from the spread, and no longer
 * duration than the longest; measured ones are among the samples. */
static void test_profile(void **state)
{
    enum { TASKS = 200000 };
    struct scene scene = {.dag = br_dag_create("draws")};
    int64_t *ns = calloc(TASKS + 8, sizeof *ns), most = 0;
    static const int64_t measured[] = {7 * S, 3 * S};
    scene_add_stage(&scene, "a", TASKS, 10 * S);
    scene_add_stage(&scene, "b", 8, 10 * S);
    br_dag_set_stage_spread(scene.dag, 0, (struct br_decimal){5, -1}, 0);
    scene_finish_job(&scene);
    assert_int_equal(br_profile_measured(&scene.profile, 1, measured, 2, NULL), BR_OK);
    br_profile_draw(&scene.profile, 1, ns);
    double sum = 0, below = 0, median = 10e9 * br_real_exp(-0.125);
    for (int t = 0; t < TASKS; t++) {
        sum += (double)ns[t];
        below += (double)ns[t] < median;
        most = ns[t] > most ? ns[t] : most;
    }
    assert_true(fabs(sum / TASKS - 10e9) < 0.05e9);
    assert_true(fabs(below / TASKS - 0.5) < 0.005);
    assert_true(most > 40 * S);
    for (int t = TASKS; t < TASKS + 8; t++)
        assert_true(ns[t] == 7 * S || ns[t] == 3 * S);
    scene.profile.stage[0].longest_ns = 20 * S;
    br_profile_draw(&scene.profile, 1, ns);
    for (int t = 0; t < TASKS; t++)
        assert_true(ns[t] <= 20 * S);
    free(ns);
    scene_close(&scene);
}

/* The world draws what is declared with a spread, too, and errors come on top. */
static void test_world(void **state)
{
    enum { TASKS = 50000 };
    struct br_workload *workload = br_workload_create("w", NULL);
    struct br_dag *dag = br_dag_create("job");
    struct br_workload_job job = br_workload_job_default();
    struct br_world world = br_world_default();
    int64_t *ns = calloc(TASKS, sizeof *ns), *twice = calloc(TASKS, sizeof *twice);
    uint32_t number;
    assert_int_equal(br_dag_add_stage(dag, "a", TASKS, 10 * S, NULL, NULL), BR_OK);
    br_dag_set_stage_spread(dag, 0, (struct br_decimal){5, -1}, 30 * S);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_workload_add_dag(workload, dag, NULL, NULL, &number, NULL), BR_OK);
    job.dag = number;
    job.id = "1";
    assert_int_equal(br_workload_add_job(workload, &job, NULL), BR_OK);
    assert_int_equal(br_workload_finish(workload, NULL), BR_OK);
    br_world_durations(&world, workload, 0, ns);
    world.task.bias = 2;
    br_world_durations(&world, workload, 0, twice);
    double sum = 0;
    uint32_t cut = 0;
    for (int t = 0; t < TASKS; t++) {
        sum += (double)ns[t];
        cut += ns[t] == 30 * S;
        assert_true(ns[t] <= 30 * S && llabs(twice[t] - 2 * ns[t]) <= 1);
    }
    /* 30 s lie (ln 3 + 0.125) / 0.5 = 2.447 standard deviations above the median: 0.72 % are cut,
     * which takes 10 x 0.02577 - 30 x 0.0072 = 0.042 s away. */
    assert_true(fabs(sum / TASKS - 9.958e9) < 0.06e9);
    assert_uint_in_range(cut, 270, 450);
    free(ns);
    free(twice);
    br_workload_destroy(workload);
}

/* ---- Properties ---- */

static void test_meter(void **state)
{
    enum { STAGES = 13 };
    struct br_rng rng = br_rng_seed(5);
    for (uint32_t round = 0; round < 300; round++) {
        struct br_progress_weight weight[STAGES];
        uint32_t tasks[STAGES], done[STAGES] = {0}, left = 0;
        uint32_t stages = 1 + (uint32_t)br_rng_below(&rng, STAGES);
        enum br_indicator indicator = (enum br_indicator)(round % BR_INDICATORS);
        struct br_meter meter;
        for (uint32_t s = 0; s < stages; s++) {
            double begin = br_rng_unit(&rng);
            weight[s] = indicator <= BR_VERTEXFRAC
                            ? (struct br_progress_weight){0, 1.0 / stages}
                            : (struct br_progress_weight){begin, br_rng_unit(&rng) * (1 - begin)};
            left += tasks[s] = 1 + (uint32_t)br_rng_below(&rng, 5);
        }
        assert_true(br_meter_init(&meter, indicator, weight, tasks, stages));
        double before = 0;
        while (left-- > 0) {
            uint32_t s;
            do
                s = (uint32_t)br_rng_below(&rng, stages);
            while (done[s] == tasks[s]);
            done[s]++;
            double progress = br_meter_add(&meter, s);
            assert_true(fabs(progress - br_progress(indicator, weight, tasks, done, stages)) <
                        1e-12);
            assert_true(progress >= before - 1e-12);
            before = progress;
        }
        assert_true(before == 1);
        br_meter_finish(&meter);
    }
}

/* The share below a quantile is its level, more of it is never less, and look-ups beyond the ends
 * hold still. */
static void test_lookups(void **state)
{
    struct scene scene = scene_spread_job(30);
    scene.request.runs = 200;
    scene.request.most = 12;
    scene.request.threads = 2;
    scene_make(&scene);
    const struct br_deadline_table *table = &scene.made.table;
    double left_s[BR_TABLE_QUANTILES];
    for (int step = -2; step <= 102; step++) {
        struct br_table_place place = br_table_at(table, step / 100.0);
        assert_true(place.part >= 0 && place.part <= 1 && place.low >= 1);
        for (uint32_t a = 0; a < table->allocations; a++) {
            int64_t before = -1;
            for (int k = 0; k <= 50; k++) {
                int64_t ns = br_table_quantile_ns(table, 0, place, a, k / 50.0);
                assert_true(ns >= before);
                if (k > 0 && k < 50 && ns > before + 1000000)
                    assert_true(fabs(br_table_share(table, 0, place, a, ns) - k / 50.0) < 1e-3);
                before = ns;
            }
            br_table_distribution(table, 0, place, a, left_s);
            for (uint32_t k = 0; k < table->quantiles; k++)
                assert_true(fabs(left_s[k] -
                                 (double)br_table_quantile_ns(table, 0, place, a, table->level[k]) /
                                     1e9) < 1e-6);
        }
    }
    assert_int_equal(br_table_index(table, 0), 0);
    assert_int_equal(br_table_index(table, 7), 6);
    assert_int_equal(br_table_index(table, 99), 11);
    scene_close(&scene);
}

/* A run lies below the q-th quantile in q of the cases, at the start and on the way, within 3
 * points: over 1,000 runs of another world the chance alone is 1.6 points at the median. */
static void test_calibration(void **state)
{
    struct scene scene = scene_spread_job(20);
    struct br_trials trials;
    struct br_diag diag = {0};
    uint32_t rank[43];
    for (uint32_t t = 0; t < 43; t++)
        rank[t] = 43 - t;
    scene.request.rank = rank;
    scene.request.runs = 4000;
    scene.request.most = 12;
    scene.request.fail = 0.02;
    scene.request.threads = 2;
    scene_make(&scene);
    if (br_trials_make(&scene.request, &scene.made.table, 3000, S, &trials, &diag))
        fail_msg("%s", diag.what);
    assert_int_equal(trials.count, 16);
    for (uint32_t k = 0; k < trials.count; k++) {
        const struct br_trial *trial = &trials.trial[k];
        for (uint32_t q = 0; q < BR_TRIAL_LEVELS; q++)
            if (fabs(trial->below[q] - br_trial_level(q)) > 0.03 ||
                fabs(trial->below_later[q] - br_trial_level(q)) > 0.03)
                fail_msg("%u tokens, level %g: %g, later %g",
                         scene.made.table.allocation[trial->index], br_trial_level(q),
                         trial->below[q], trial->below_later[q]);
        assert_true(fabs(trial->forecast_mean_s / trial->actual_mean_s - 1) < 0.02);
    }
    br_trials_finish(&trials);
    scene_close(&scene);
}

/* Runs that differ by less than a cell of progress is wide: 600 tasks, whose work differs by 0.8 %
 * from run to run, in cells of a 48th. On the way forecasts hold as well as at the start. */
static void test_alike(void **state)
{
    struct scene scene = {.dag = br_dag_create("alike")};
    struct br_trials trials;
    scene_add_stage(&scene, "a", 600, 10 * S);
    br_dag_set_stage_spread(scene.dag, 0, (struct br_decimal){2, -1}, 0);
    scene_finish_job(&scene);
    scene.request.runs = 2000;
    scene.request.most = 3;
    scene_make(&scene);
    assert_int_equal(br_trials_make(&scene.request, &scene.made.table, 2000, 7 * S, &trials, NULL),
                     BR_OK);
    for (uint32_t k = 0; k < trials.count; k++)
        for (uint32_t q = 0; q < BR_TRIAL_LEVELS; q++)
            if (fabs(trials.trial[k].below_later[q] - br_trial_level(q)) > 0.04)
                fail_msg("%u tokens, level %g: %g", scene.made.table.allocation[k],
                         br_trial_level(q), trials.trial[k].below_later[q]);
    br_trials_finish(&trials);
    scene_close(&scene);
}

/* Pipelines of wide and narrow stages, so that the time left falls fast where the progress rises
 * slowly and the other way round, within a cell, by more than runs differ. Held against as many
 * runs as the table is from: of two times 4,000 the largest distance is above 3 points by chance in
 * one case of twenty (Kolmogorov and Smirnov's), so more than that is an error of the table's. */
static void test_kinks(void **state)
{
    enum { STAGES = 30 };
    struct scene scene = {.dag = br_dag_create("kinks")};
    struct br_trials trials;
    for (uint32_t s = 0; s < STAGES; s++) {
        char id[16];
        snprintf(id, sizeof id, "s%u", s);
        scene_add_stage(&scene, id, s % 2 ? 2 : 30, (s % 2 ? 20 : 5) * S);
        br_dag_set_stage_spread(scene.dag, s, (struct br_decimal){1, -1}, 0);
        if (s)
            assert_int_equal(br_dag_add_edge(scene.dag, s - 1, s, BR_BARRIER, NULL), BR_OK);
    }
    scene_finish_job(&scene);
    scene.request.runs = 4000;
    scene.request.most = 6;
    scene.request.threads = 2;
    scene_make(&scene);
    assert_int_equal(br_trials_make(&scene.request, &scene.made.table, 4000, 11 * S, &trials, NULL),
                     BR_OK);
    for (uint32_t k = 0; k < trials.count; k++)
        for (uint32_t q = 0; q < BR_TRIAL_LEVELS; q++)
            if (fabs(trials.trial[k].below_later[q] - br_trial_level(q)) > 0.035)
                fail_msg("%u tokens, level %g: %g (start %g)", scene.made.table.allocation[k],
                         br_trial_level(q), trials.trial[k].below_later[q],
                         trials.trial[k].below[q]);
    br_trials_finish(&trials);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_statistics),
        cmocka_unit_test(test_curve),
        cmocka_unit_test(test_bends),
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_world),
        cmocka_unit_test(test_meter),
        cmocka_unit_test(test_lookups),
        cmocka_unit_test(test_calibration),
        cmocka_unit_test(test_kinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
