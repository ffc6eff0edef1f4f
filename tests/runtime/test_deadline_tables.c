/* Runs and tables of the time left: what hands compute, what is drawn, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deadline_scene.h"
#include "runtime/deadline/amdahl.h"

static int64_t start_ns(const struct br_deadline_table *table, uint32_t layer, uint32_t index,
                        double q)
{
    return br_table_quantile_ns(table, layer, br_table_start(table), index, q);
}

/* Without spread every run takes what a hand computes: 50 s with one token, 25 s with two or three,
 * 15 s with four. */
static void test_by_hand(void **state)
{
    static const int64_t takes[] = {50 * S, 25 * S, 25 * S, 15 * S};
    static const int64_t amdahl[] = {50 * S, 32500000000, 26666666667, 23750000000};
    const uint32_t none[2] = {0};
    struct scene scene = scene_two_stages();
    scene.request.most = 4;
    scene_make(&scene);
    const struct br_deadline_table *table = &scene.made.table;
    assert_int_equal(table->allocations, 4);
    for (uint32_t a = 0; a < 4; a++) {
        assert_int_equal(table->allocation[a], a + 1);
        for (int q = 0; q <= 4; q++)
            assert_true(llabs(start_ns(table, 0, a, q / 4.0) - takes[a]) < S / 1000);
        assert_true(llabs(br_table_mean_ns(table, 0, br_table_start(table), a) - takes[a]) <
                    S / 1000);
        /* 10 s + 5 s one after another, and the other 35 s of the work shared. */
        assert_true(llabs(br_amdahl_ns(table, none, a + 1) - amdahl[a]) < S / 1000);
    }
    /* A half of a, and nothing of b: 5 s + 5 s of 30 s. */
    assert_true(llabs(br_amdahl_ns(table, (uint32_t[]){2, 0}, 2) - 20 * S) < S / 1000);
    scene_close(&scene);
}

/* With one token tasks end at 10, 20, 30, 40, 45, 50 s. While 3 of 6 are done, from 30 to 40 s, the
 * time left falls from 20 to 10 s. */
static void test_cells(void **state)
{
    struct scene scene = scene_two_stages();
    scene.request.most = 1;
    scene.request.cells = 7;
    scene.request.indicator = BR_VERTEXFRAC;
    scene_make(&scene);
    const struct br_deadline_table *table = &scene.made.table;
    struct br_table_place place = br_table_at(table, 0.5);
    assert_true(fabs(br_table_progress(table, (uint32_t[]){3, 0}) - 0.5) < 1e-12);
    assert_int_equal(place.low, 4);
    assert_true(place.part < 1e-9);
    assert_true(fabs(table->at[4] - 0.5) < 1e-9);
    assert_true(llabs(br_table_mean_ns(table, 0, place, 0) - 15 * S) < S / 1000);
    for (int k = 0; k <= 10; k++)
        assert_true(llabs(br_table_quantile_ns(table, 0, place, 0, k / 10.0) - (10 + k) * S) <
                    S / 1000);
    assert_true(fabs(br_table_share(table, 0, place, 0, 12 * S) - 0.2) < 1e-3);
    assert_true(br_table_share(table, 0, place, 0, 9 * S) == 0);
    assert_true(br_table_share(table, 0, place, 0, 21 * S) == 1);
    /* Half way to where 4 are done, which is from 40 to 45 s: between 15 s and 7.5 s. */
    place = br_table_at(table, (0.5 + 4.0 / 6) / 2);
    assert_true(llabs(br_table_mean_ns(table, 0, place, 0) - 11250000000) < S / 1000);
    /* Nothing has finished, but it has begun: from 50 to 40 s. */
    place = br_table_at(table, 0);
    assert_true(llabs(br_table_mean_ns(table, 0, place, 0) - 45 * S) < S / 1000);
    scene_close(&scene);
}

/* Two bends: 10 units of 0.5 s at progress 0.3 and 30 at 0.8, for the second of two allocations.
 * All numbers are off by as much, on the line between the two, and never below 0. */
static void test_between_bends(void **state)
{
    static const double at[] = {0.3, 0.8};
    static const double want[][2] = {{0, 5}, {0.2, 5}, {0.3, 5}, {0.55, 10}, {0.7, 13}, {0.9, 15}};
    struct scene scene = scene_two_stages();
    scene.request.most = 2;
    scene.request.cells = 7;
    scene.request.indicator = BR_VERTEXFRAC;
    scene_make(&scene);
    struct br_deadline_table straight = scene.made.table, bent = straight;
    straight.bends = 0;
    bent.bends = 2;
    bent.bend_at = at;
    uint32_t unit[] = {1, S / 2 / bent.unit_ns};
    int16_t bend[] = {0, 10, 0, 30}; /* by bend, then by allocation */
    bent.bend_unit = unit;
    bent.bend = bend;
    for (size_t k = 0; k < sizeof want / sizeof *want; k++)
        for (uint32_t a = 0; a < 2; a++) {
            struct br_table_place to = br_table_at(&bent, want[k][0]);
            struct br_table_place from = br_table_at(&straight, want[k][0]);
            int64_t more = a ? (int64_t)(want[k][1] * S) : 0;
            assert_true(llabs(br_table_mean_ns(&bent, 0, to, a) -
                              br_table_mean_ns(&straight, 0, from, a) - more) < 1000);
            for (int q = 0; q <= 4; q++)
                assert_true(llabs(br_table_quantile_ns(&bent, 0, to, a, q / 4.0) -
                                  br_table_quantile_ns(&straight, 0, from, a, q / 4.0) - more) <
                            1000);
        }
    /* The start is no progress, and is not bent. */
    assert_true(start_ns(&bent, 0, 1, 0.5) == start_ns(&straight, 0, 1, 0.5));
    bend[3] = INT16_MIN;
    assert_true(br_table_mean_ns(&bent, 0, br_table_at(&bent, 0.9), 1) == 0);
    scene_close(&scene);
}

/* Usual runs have three of one to four tokens: a runs from 0 to 20 s, b until 25 s, and one task of
 * a waits 10 s. With four at once they end after 10 and 15 s. */
static void test_weights(void **state)
{
    static const struct {
        enum br_indicator indicator;
        double begin[2], span[2];
    } want[] = {
        {BR_TOTALWORK_Q, {0, 0}, {50 / 60.0, 10 / 60.0}},
        {BR_TOTALWORK, {0, 0}, {0.8, 0.2}},
        {BR_VERTEXFRAC, {0, 0}, {4 / 6.0, 2 / 6.0}},
        {BR_CP, {5 / 15.0, 0}, {10 / 15.0, 5 / 15.0}},
        {BR_MINSTAGE, {0, 0.8}, {0.8, 0.2}},
        {BR_MINSTAGE_INF, {0, 10 / 15.0}, {10 / 15.0, 5 / 15.0}},
    };
    assert_int_equal(sizeof want / sizeof *want, BR_INDICATORS);
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        struct scene scene = scene_two_stages();
        scene.request.most = 4;
        scene.request.indicator = want[k].indicator;
        scene_make(&scene);
        for (int s = 0; s < 2; s++) {
            const struct br_progress_weight *weight = &scene.made.table.weight[s];
            if (fabs(weight->begin - want[k].begin[s]) > 1e-9 ||
                fabs(weight->span - want[k].span[s]) > 1e-9)
                fail_msg("%s, stage %d: %g, %g", br_named_name(&br_indicators, want[k].indicator),
                         s, weight->begin, weight->span);
        }
        scene_close(&scene);
    }
}

/* What the indicators make of two tasks of a and none of b: by the weights above. */
static void test_indicators(void **state)
{
    static const double want[BR_INDICATORS] = {25 / 60.0, 0.4, 2 / 6.0, 5 / 15.0, 0.4, 5 / 15.0};
    for (uint32_t k = 0; k < BR_INDICATORS; k++) {
        struct scene scene = scene_two_stages();
        enum br_indicator found;
        scene.request.most = 4;
        scene.request.indicator = (enum br_indicator)k;
        scene_make(&scene);
        const struct br_deadline_table *table = &scene.made.table;
        assert_true(fabs(br_table_progress(table, (uint32_t[]){2, 0}) - want[k]) < 1e-9);
        assert_true(br_table_progress(table, (uint32_t[]){0, 0}) < 1e-9);
        assert_true(br_table_progress(table, (uint32_t[]){4, 2}) == 1);
        assert_true(br_indicator_find(br_named_name(&br_indicators, k), &found));
        assert_int_equal(found, k);
        scene_close(&scene);
    }
    assert_null(br_named_name(&br_indicators, BR_INDICATORS));
}

/* Three tasks of 10 s, each with one behind it, two tokens. As they become ready: a0 a1, a2 b0, b1
 * b2, 30 s. Where the plan has b first: a0 a1, b0 b1, a2, b2, 40 s. */
static void test_orders(void **state)
{
    static const uint32_t rank[] = {4, 5, 6, 1, 2, 3};
    struct scene scene = {.dag = br_dag_create("pairs")};
    scene_add_stage(&scene, "a", 3, 10 * S);
    scene_add_stage(&scene, "b", 3, 10 * S);
    assert_int_equal(br_dag_add_edge(scene.dag, 0, 1, BR_ONE_TO_ONE, NULL), BR_OK);
    scene_finish_job(&scene);
    scene.request.most = 2;
    scene.request.rank = rank;
    scene_make(&scene);
    assert_int_equal(scene.made.table.layers, 2);
    assert_true(llabs(start_ns(&scene.made.table, BR_PLAIN_ORDER, 1, 0.5) - 30 * S) < S / 1000);
    assert_true(llabs(start_ns(&scene.made.table, BR_PLANNED_ORDER, 1, 0.5) - 40 * S) < S / 1000);
    assert_true(llabs(start_ns(&scene.made.table, BR_PLANNED_ORDER, 0, 0.5) - 60 * S) < S / 1000);
    scene_close(&scene);
}

/* Pairs of 10 s, of which the second ones also wait for all of a stage of 25 s: 35 s, with three
 * tokens at once. Planned, the last of the pairs come first, which changes nothing. */
static void test_both_parents(void **state)
{
    static const uint32_t rank[] = {1, 2, 5, 3, 4};
    struct scene scene = {.dag = br_dag_create("both")};
    scene_add_stage(&scene, "a", 2, 10 * S);
    scene_add_stage(&scene, "b", 1, 25 * S);
    scene_add_stage(&scene, "c", 2, 10 * S);
    assert_int_equal(br_dag_add_edge(scene.dag, 0, 2, BR_ONE_TO_ONE, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(scene.dag, 1, 2, BR_BARRIER, NULL), BR_OK);
    scene_finish_job(&scene);
    scene.request.most = 3;
    scene.request.rank = rank;
    scene_make(&scene);
    for (uint32_t layer = 0; layer < 2; layer++)
        assert_true(llabs(start_ns(&scene.made.table, layer, 2, 0.5) - 35 * S) < S / 1000);
    assert_true(fabs(scene.made.table.stage[2].work_s - 20) < 1e-6); /* each has run once */
    scene_close(&scene);
}

/* Two stages of two tasks of 10 s, and c of 20 s behind b, with two tokens. Where the plan has a
 * first, c runs from 20 to 40 s; where it has b first, beside a, until 30 s. */
static void test_turns(void **state)
{
    static const uint32_t late[] = {1, 2, 5, 6, 7}, early[] = {5, 6, 1, 2, 3};
    for (int k = 0; k < 2; k++) {
        struct scene scene = {.dag = br_dag_create("turns")};
        scene_add_stage(&scene, "a", 2, 10 * S);
        scene_add_stage(&scene, "b", 2, 10 * S);
        scene_add_stage(&scene, "c", 1, 20 * S);
        assert_int_equal(br_dag_add_edge(scene.dag, 1, 2, BR_BARRIER, NULL), BR_OK);
        scene_finish_job(&scene);
        scene.request.most = 2;
        scene.request.rank = k ? early : late;
        scene_make(&scene);
        int64_t ns = start_ns(&scene.made.table, BR_PLANNED_ORDER, 1, 0.5);
        assert_true(llabs(ns - (k ? 30 : 40) * S) < S / 1000);
        scene_close(&scene);
    }
}

/* Each task of a stage has a turn of its own: a0, b, c behind b, a1 by the plan. With two tokens b
 * runs beside a0, and c beside a1 until 30 s. */
static void test_own_turns(void **state)
{
    static const uint32_t rank[] = {1, 4, 2, 3};
    struct scene scene = {.dag = br_dag_create("own")};
    scene_add_stage(&scene, "a", 2, 10 * S);
    scene_add_stage(&scene, "b", 1, 10 * S);
    scene_add_stage(&scene, "c", 1, 20 * S);
    assert_int_equal(br_dag_add_edge(scene.dag, 1, 2, BR_BARRIER, NULL), BR_OK);
    scene_finish_job(&scene);
    scene.request.most = 2;
    scene.request.rank = rank;
    scene_make(&scene);
    assert_true(llabs(start_ns(&scene.made.table, BR_PLANNED_ORDER, 1, 0.5) - 30 * S) < S / 1000);
    assert_true(llabs(start_ns(&scene.made.table, BR_PLAIN_ORDER, 1, 0.5) - 40 * S) < S / 1000);
    scene_close(&scene);
}

/* Four tasks that take a quarter of the cluster each. */
static void test_shares(void **state)
{
    struct br_cluster *cluster = br_cluster_create("rack");
    struct scene scene = {.dag = br_dag_create("quarters")};
    struct br_diag diag = {0};
    assert_int_equal(br_cluster_add_class(cluster, "m", 2, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "2", NULL), BR_OK);
    scene_add_stage(&scene, "a", 4, 10 * S);
    scene_finish_job(&scene);
    scene.request.kind = BR_SHARES;
    scene.request.cluster = cluster;
    scene_make(&scene);
    const struct br_deadline_table *table = &scene.made.table;
    const uint32_t none = 0;
    assert_int_equal(table->allocation[0], 25);
    assert_int_equal(table->allocation[table->allocations - 1], 100);
    const int64_t takes[][2] = {{25, 40}, {49, 40}, {50, 20}, {74, 20}, {75, 20}, {100, 10}};
    for (int k = 0; k < 6; k++) {
        int64_t ns = start_ns(table, 0, br_table_index(table, (uint32_t)takes[k][0]), 0.5);
        assert_true(llabs(ns - takes[k][1] * S) < S / 1000);
    }
    /* 10 s of serial time; the work is 40 s x 25 %. */
    assert_true(llabs(br_amdahl_ns(table, &none, 100) - (10 * S + (1000 - 10) * S / 100)) < S);
    br_deadline_release(&scene.made);
    scene.request.most = 24;
    assert_int_equal(br_deadline_make(&scene.request, &scene.made, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "holds every task"));
    scene_close(&scene);
    br_cluster_destroy(cluster);
}

/* A thousand tasks of 10 s one after another. A failed attempt takes half of its time on average,
 * and of each task there are 0.2 / 0.8 of them; a straggler takes three times as long. */
static void test_failures(void **state)
{
    struct scene scene = {.dag = br_dag_create("many")};
    scene_add_stage(&scene, "a", 1000, 10 * S);
    scene_finish_job(&scene);
    scene.request.most = 1;
    scene.request.runs = 20;
    scene.request.fail = 0.2;
    scene_make(&scene);
    double takes =
        (double)br_table_mean_ns(&scene.made.table, 0, br_table_start(&scene.made.table), 0) / 1e9;
    assert_true(fabs(takes - 11250) < 60);
    br_deadline_release(&scene.made);
    scene.request.fail = 0;
    scene.request.straggle = 0.1;
    scene.request.slowness = 3;
    scene_make(&scene);
    takes =
        (double)br_table_mean_ns(&scene.made.table, 0, br_table_start(&scene.made.table), 0) / 1e9;
    assert_true(fabs(takes - 12000) < 60);
    scene_close(&scene);
}

static double takes_s(struct scene *scene)
{
    scene_make(scene);
    double takes =
        (double)br_table_mean_ns(&scene->made.table, 0, br_table_start(&scene->made.table), 0) /
        1e9;
    br_deadline_release(&scene->made);
    return takes;
}

/* A stage's own share of failures counts in place of the request's, and that of further attempts by
 * itself: a failed attempt takes half of its time. Latencies come with every attempt. */
static void test_own_failures(void **state)
{
    (void)state;
    struct scene scene = {.dag = br_dag_create("many")};
    scene_add_stage(&scene, "a", 1000, 10 * S);
    scene_add_stage(&scene, "b", 1000, 10 * S);
    scene_finish_job(&scene);
    scene.request.most = 1;
    scene.request.runs = 20;
    assert_true(fabs(takes_s(&scene) - 20000) < 1e-3);
    scene.profile.stage[0].fail = 0.2;
    scene.profile.stage[0].fail_again = 0;
    assert_true(fabs(takes_s(&scene) - (20000 + 0.2 * 5 * 1000)) < 60);
    scene.profile.stage[0].fail_again = 0.5; /* one more attempt on average */
    assert_true(fabs(takes_s(&scene) - (20000 + 0.2 * 2 * 5 * 1000)) < 60);
    scene.request.fail = 0.2; /* of the other stage alone */
    assert_true(fabs(takes_s(&scene) - (20000 + 0.2 * 2 * 5 * 1000 + 0.25 * 5 * 1000)) < 80);
    scene.request.fail = 0;
    scene.request.latency_s = 2; /* 1400 attempts of the first stage, and 1000 */
    assert_true(fabs(takes_s(&scene) - (22000 + 2 * 2400)) < 80);
    scene.request.latency_spread = 0.5;
    assert_true(fabs(takes_s(&scene) - (22000 + 2 * 2400)) < 150);
    scene_close(&scene);
}

/* Failures that come of a lost output: what made it runs again, with failures of its own. With f =
 * 0.3 / 0.7 failed attempts, of half the time, of each task: a's take A = 10 (1 + f / 2) s, b's 20
 * (1 + f / 2) s, and after each of the f failed ones an a's runs again. */
static void test_lost_outputs(void **state)
{
    (void)state;
    const double f = 0.3 / 0.7, a_s = 10 * (1 + f / 2), b_s = 20 * (1 + f / 2);
    for (int barrier = 0; barrier < 2; barrier++) {
        struct scene scene = {.dag = br_dag_create("lost")};
        scene_add_stage(&scene, "a", 400, 10 * S);
        scene_add_stage(&scene, "b", 400, 20 * S);
        assert_int_equal(
            br_dag_add_edge(scene.dag, 0, 1, barrier ? BR_BARRIER : BR_ONE_TO_ONE, NULL), BR_OK);
        scene_finish_job(&scene);
        scene.request.most = 1;
        scene.request.runs = 60;
        scene.request.fail = 0.3;
        assert_true(fabs(takes_s(&scene) - 400 * (a_s + b_s)) < 60);
        scene.request.lost = 1;
        const double more = takes_s(&scene) - 400 * (a_s + b_s);
        /* Of a barrier several may wait for the same output. */
        assert_true(barrier ? more > 200 * f * a_s && more < 400 * f * a_s
                            : fabs(more - 400 * f * a_s) < 80);
        scene.request.lost = 0.5;
        if (!barrier)
            assert_true(fabs(takes_s(&scene) - 400 * (a_s + b_s + f * a_s / 2)) < 80);
        scene.request.lost = 1;
        scene.request.most = 40; /* some wait for the same output */
        scene_make(&scene);
        br_deadline_release(&scene.made);
        scene_close(&scene);
    }
}

/* Making it ends so, and leaves nothing behind. */
static void refuse(struct scene *scene, enum br_status status)
{
    struct br_diag diag = {0};
    assert_int_equal(br_deadline_make(&scene->request, &scene->made, &diag), status);
    br_deadline_release(&scene->made);
}

static void test_refusals(void **state)
{
    struct scene scene = scene_two_stages();
    scene.request.profile = &scene.profile;
    const struct br_deadline_request good = scene.request;
    scene.request.most = 0;
    refuse(&scene, BR_USAGE);
    scene.request = good, scene.request.fail = 1;
    refuse(&scene, BR_USAGE);
    scene.request = good, scene.request.slowness = 0.5;
    refuse(&scene, BR_USAGE);
    scene.request = good, scene.request.cells = BR_TABLE_CELLS;
    refuse(&scene, BR_USAGE);
    scene.request = good, scene.request.kind = BR_SHARES;
    refuse(&scene, BR_USAGE);
    struct br_stop stop = {0};
    br_stop_set(&stop, 1);
    scene.request = good, scene.request.stop = &stop;
    refuse(&scene, BR_NO);
    scene.request = good, scene.request.most = 100000;
    scene_make(&scene);
    assert_uint_in_range(scene.made.table.allocations, 90, 100);
    assert_int_equal(scene.made.table.allocation[scene.made.table.allocations - 1], 100000);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),       cmocka_unit_test(test_cells),
        cmocka_unit_test(test_between_bends), cmocka_unit_test(test_weights),
        cmocka_unit_test(test_indicators),    cmocka_unit_test(test_orders),
        cmocka_unit_test(test_both_parents),  cmocka_unit_test(test_turns),
        cmocka_unit_test(test_own_turns),     cmocka_unit_test(test_shares),
        cmocka_unit_test(test_failures),      cmocka_unit_test(test_own_failures),
        cmocka_unit_test(test_lost_outputs),  cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
