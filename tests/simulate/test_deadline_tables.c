/* Tables of the time left: runs computed by hand, what their cells must hold, the file that carries
 * them, and forecasts against further runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"
#include "runtime/deadline/amdahl.h"
#include "simulate/deadline/cells.h"
#include "simulate/deadline/make.h"
#include "simulate/deadline/meter.h"
#include "simulate/deadline/trial.h"
#include "workload/world.h"

#define S INT64_C(1000000000)

/* A job with its profile and a request for it. */
struct scene {
    struct br_dag *dag;
    struct br_profile profile;
    struct br_deadline_request request;
    struct br_made_table made;
};

static void finish_job(struct scene *scene)
{
    assert_int_equal(br_dag_finish(scene->dag, NULL), BR_OK);
    assert_int_equal(br_profile_init(&scene->profile, scene->dag, NULL), BR_OK);
    scene->request = br_deadline_request_default();
    scene->request.dag = scene->dag;
    scene->request.profile = &scene->profile;
    scene->request.runs = 3;
}

static uint32_t add_stage(struct scene *scene, const char *id, uint32_t tasks, int64_t ns)
{
    uint32_t stage;
    assert_int_equal(br_dag_add_stage(scene->dag, id, tasks, ns, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(scene->dag, stage, "cpu", "1", NULL), BR_OK);
    return stage;
}

static void make(struct scene *scene)
{
    struct br_diag diag = {0};
    scene->request.profile = &scene->profile; /* scenes are moved */
    if (br_deadline_make(&scene->request, &scene->made, &diag))
        fail_msg("%s", diag.what);
}

static void close_scene(struct scene *scene)
{
    br_deadline_release(&scene->made);
    br_profile_finish(&scene->profile);
    br_dag_destroy(scene->dag);
}

/* Four tasks of 10 s, then two of 5 s behind a barrier. */
static struct scene two_stages(void)
{
    struct scene scene = {.dag = br_dag_create("two")};
    add_stage(&scene, "a", 4, 10 * S);
    add_stage(&scene, "b", 2, 5 * S);
    assert_int_equal(br_dag_add_edge(scene.dag, 0, 1, BR_BARRIER, NULL), BR_OK);
    finish_job(&scene);
    return scene;
}

static int64_t start_ns(const struct br_table *table, uint32_t layer, uint32_t index, double q)
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
    struct scene scene = two_stages();
    scene.request.most = 4;
    make(&scene);
    const struct br_table *table = &scene.made.table;
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
    close_scene(&scene);
}

/* With one token tasks end at 10, 20, 30, 40, 45, 50 s. While 3 of 6 are done, from 30 to 40 s, the
 * time left falls from 20 to 10 s. */
static void test_cells(void **state)
{
    struct scene scene = two_stages();
    scene.request.most = 1;
    scene.request.cells = 7;
    scene.request.indicator = BR_VERTEXFRAC;
    make(&scene);
    const struct br_table *table = &scene.made.table;
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
    close_scene(&scene);
}

/* Nine runs of 1 to 9 s: a tenth one is below the least of them in a tenth of the cases. On the way
 * they are stretches from 0 s, of which the first second has nine parts and the last one has one.
 */
static void test_order_statistics(void **state)
{
    static const double level[] = {0, 0.1, 0.3, 0.5, 0.9, 1}, want[] = {1, 1, 3, 5, 9, 9};
    struct br_cells_maker maker;
    double row[2 * 7];
    assert_true(br_cells_init(&maker, 9, 1, level, 6));
    for (int r = 0; r < 9; r++)
        maker.left_s[2 * r] = (float)(1 + (r * 4) % 9);
    br_cells_make(&maker, row, 7);
    assert_true(fabs(row[0] - 5) < 1e-6);
    for (int q = 0; q < 6; q++)
        assert_true(fabs(row[1 + q] - want[q]) < 1e-6);
    assert_true(fabs(row[7] - 285 / 90.0) < 1e-6); /* squares over twice the sum */
    assert_true(fabs(row[8]) < 1e-6 && fabs(row[13] - 9) < 1e-6);
    assert_true(fabs(row[9] - 0.5) < 1e-6);            /* 4.5 of 45 */
    assert_true(fabs(row[11] - (2 + 5.5 / 7)) < 1e-6); /* 22.5: 9 + 8, and 5.5 of the 7 */
    br_cells_finish(&maker);
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
        struct scene scene = two_stages();
        scene.request.most = 4;
        scene.request.indicator = want[k].indicator;
        make(&scene);
        for (int s = 0; s < 2; s++) {
            const struct br_progress_weight *weight = &scene.made.table.weight[s];
            if (fabs(weight->begin - want[k].begin[s]) > 1e-9 ||
                fabs(weight->span - want[k].span[s]) > 1e-9)
                fail_msg("%s, stage %d: %g, %g", br_indicator_name(want[k].indicator), s,
                         weight->begin, weight->span);
        }
        close_scene(&scene);
    }
}

/* What the indicators make of two tasks of a and none of b: by the weights above. */
static void test_indicators(void **state)
{
    static const double want[BR_INDICATORS] = {25 / 60.0, 0.4, 2 / 6.0, 5 / 15.0, 0.4, 5 / 15.0};
    for (uint32_t k = 0; k < BR_INDICATORS; k++) {
        struct scene scene = two_stages();
        enum br_indicator found;
        scene.request.most = 4;
        scene.request.indicator = (enum br_indicator)k;
        make(&scene);
        const struct br_table *table = &scene.made.table;
        assert_true(fabs(br_table_progress(table, (uint32_t[]){2, 0}) - want[k]) < 1e-9);
        assert_true(br_table_progress(table, (uint32_t[]){0, 0}) < 1e-9);
        assert_true(br_table_progress(table, (uint32_t[]){4, 2}) == 1);
        assert_true(br_indicator_find(br_indicator_name(k), &found));
        assert_int_equal(found, k);
        close_scene(&scene);
    }
    assert_null(br_indicator_name(BR_INDICATORS));
}

/* Three tasks of 10 s, each with one behind it, two tokens. As they become ready: a0 a1, a2 b0, b1
 * b2, 30 s. Where the plan has b first: a0 a1, b0 b1, a2, b2, 40 s. */
static void test_orders(void **state)
{
    static const uint32_t rank[] = {4, 5, 6, 1, 2, 3};
    struct scene scene = {.dag = br_dag_create("pairs")};
    add_stage(&scene, "a", 3, 10 * S);
    add_stage(&scene, "b", 3, 10 * S);
    assert_int_equal(br_dag_add_edge(scene.dag, 0, 1, BR_ONE_TO_ONE, NULL), BR_OK);
    finish_job(&scene);
    scene.request.most = 2;
    scene.request.rank = rank;
    make(&scene);
    assert_int_equal(scene.made.table.layers, 2);
    assert_true(llabs(start_ns(&scene.made.table, BR_PLAIN_ORDER, 1, 0.5) - 30 * S) < S / 1000);
    assert_true(llabs(start_ns(&scene.made.table, BR_PLANNED_ORDER, 1, 0.5) - 40 * S) < S / 1000);
    assert_true(llabs(start_ns(&scene.made.table, BR_PLANNED_ORDER, 0, 0.5) - 60 * S) < S / 1000);
    close_scene(&scene);
}

/* Pairs of 10 s, of which the second ones also wait for all of a stage of 25 s: 35 s, with three
 * tokens at once. Planned, the last of the pairs come first, which changes nothing. */
static void test_both_parents(void **state)
{
    static const uint32_t rank[] = {1, 2, 5, 3, 4};
    struct scene scene = {.dag = br_dag_create("both")};
    add_stage(&scene, "a", 2, 10 * S);
    add_stage(&scene, "b", 1, 25 * S);
    add_stage(&scene, "c", 2, 10 * S);
    assert_int_equal(br_dag_add_edge(scene.dag, 0, 2, BR_ONE_TO_ONE, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(scene.dag, 1, 2, BR_BARRIER, NULL), BR_OK);
    finish_job(&scene);
    scene.request.most = 3;
    scene.request.rank = rank;
    make(&scene);
    for (uint32_t layer = 0; layer < 2; layer++)
        assert_true(llabs(start_ns(&scene.made.table, layer, 2, 0.5) - 35 * S) < S / 1000);
    assert_true(fabs(scene.made.table.stage[2].work_s - 20) < 1e-6); /* each has run once */
    close_scene(&scene);
}

/* Two stages of two tasks of 10 s, and c of 20 s behind b, with two tokens. Where the plan has a
 * first, c runs from 20 to 40 s; where it has b first, beside a, until 30 s. */
static void test_turns(void **state)
{
    static const uint32_t late[] = {1, 2, 5, 6, 7}, early[] = {5, 6, 1, 2, 3};
    for (int k = 0; k < 2; k++) {
        struct scene scene = {.dag = br_dag_create("turns")};
        add_stage(&scene, "a", 2, 10 * S);
        add_stage(&scene, "b", 2, 10 * S);
        add_stage(&scene, "c", 1, 20 * S);
        assert_int_equal(br_dag_add_edge(scene.dag, 1, 2, BR_BARRIER, NULL), BR_OK);
        finish_job(&scene);
        scene.request.most = 2;
        scene.request.rank = k ? early : late;
        make(&scene);
        int64_t ns = start_ns(&scene.made.table, BR_PLANNED_ORDER, 1, 0.5);
        assert_true(llabs(ns - (k ? 30 : 40) * S) < S / 1000);
        close_scene(&scene);
    }
}

/* Each task of a stage has a turn of its own: a0, b, c behind b, a1 by the plan. With two tokens b
 * runs beside a0, and c beside a1 until 30 s. */
static void test_own_turns(void **state)
{
    static const uint32_t rank[] = {1, 4, 2, 3};
    struct scene scene = {.dag = br_dag_create("own")};
    add_stage(&scene, "a", 2, 10 * S);
    add_stage(&scene, "b", 1, 10 * S);
    add_stage(&scene, "c", 1, 20 * S);
    assert_int_equal(br_dag_add_edge(scene.dag, 1, 2, BR_BARRIER, NULL), BR_OK);
    finish_job(&scene);
    scene.request.most = 2;
    scene.request.rank = rank;
    make(&scene);
    assert_true(llabs(start_ns(&scene.made.table, BR_PLANNED_ORDER, 1, 0.5) - 30 * S) < S / 1000);
    assert_true(llabs(start_ns(&scene.made.table, BR_PLAIN_ORDER, 1, 0.5) - 40 * S) < S / 1000);
    close_scene(&scene);
}

/* Four tasks that take a quarter of the cluster each. */
static void test_shares(void **state)
{
    struct br_cluster *cluster = br_cluster_create("rack");
    struct scene scene = {.dag = br_dag_create("quarters")};
    struct br_diag diag = {0};
    assert_int_equal(br_cluster_add_class(cluster, "m", 2, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "2", NULL), BR_OK);
    add_stage(&scene, "a", 4, 10 * S);
    finish_job(&scene);
    scene.request.kind = BR_SHARES;
    scene.request.cluster = cluster;
    make(&scene);
    const struct br_table *table = &scene.made.table;
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
    close_scene(&scene);
    br_cluster_destroy(cluster);
}

/* A thousand tasks of 10 s one after another. A failed attempt takes half of its time on average,
 * and of each task there are 0.2 / 0.8 of them; a straggler takes three times as long. */
static void test_failures(void **state)
{
    struct scene scene = {.dag = br_dag_create("many")};
    add_stage(&scene, "a", 1000, 10 * S);
    finish_job(&scene);
    scene.request.most = 1;
    scene.request.runs = 20;
    scene.request.fail = 0.2;
    make(&scene);
    double takes =
        (double)br_table_mean_ns(&scene.made.table, 0, br_table_start(&scene.made.table), 0) / 1e9;
    assert_true(fabs(takes - 11250) < 60);
    br_deadline_release(&scene.made);
    scene.request.fail = 0;
    scene.request.straggle = 0.1;
    scene.request.slowness = 3;
    make(&scene);
    takes =
        (double)br_table_mean_ns(&scene.made.table, 0, br_table_start(&scene.made.table), 0) / 1e9;
    assert_true(fabs(takes - 12000) < 60);
    close_scene(&scene);
}

/* Lognormal draws have the declared mean, the median that follows from the spread, and no longer
 * duration than the longest; measured ones are among the samples. */
static void test_profile(void **state)
{
    enum { TASKS = 200000 };
    struct scene scene = {.dag = br_dag_create("draws")};
    int64_t *ns = calloc(TASKS + 8, sizeof *ns), most = 0;
    static const int64_t measured[] = {7 * S, 3 * S};
    add_stage(&scene, "a", TASKS, 10 * S);
    add_stage(&scene, "b", 8, 10 * S);
    br_dag_set_stage_spread(scene.dag, 0, (struct br_decimal){5, -1}, 0);
    finish_job(&scene);
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
    close_scene(&scene);
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
    assert_in_range(cut, 270, 450);
    free(ns);
    free(twice);
    br_workload_destroy(workload);
}

/* ---- The file ---- */

/* A job of three stages with spread, one of them one-to-one. */
static struct scene spread_job(uint32_t tasks)
{
    struct scene scene = {.dag = br_dag_create("spread")};
    for (uint32_t s = 0; s < 3; s++) {
        add_stage(&scene, (const char *[]){"a", "b", "c"}[s], s < 2 ? tasks : 3, (5 + 7 * s) * S);
        br_dag_set_stage_spread(scene.dag, s, (struct br_decimal){4, -1}, 0);
    }
    assert_int_equal(br_dag_add_edge(scene.dag, 0, 1, BR_ONE_TO_ONE, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(scene.dag, 1, 2, BR_BARRIER, NULL), BR_OK);
    finish_job(&scene);
    return scene;
}

static void *written(const struct br_table *table, size_t *size)
{
    char *text;
    FILE *out = open_memstream(&text, size);
    assert_int_equal(br_table_write(table, out, NULL), BR_OK);
    fclose(out);
    return text;
}

static void test_threads(void **state)
{
    uint32_t rank[23];
    for (uint32_t t = 0; t < 23; t++)
        rank[t] = 23 - t;
    for (uint32_t indicator = 0; indicator < BR_INDICATORS; indicator++) {
        void *bytes[2];
        size_t size[2];
        for (int k = 0; k < 2; k++) {
            struct scene scene = spread_job(10);
            scene.request.runs = 40;
            scene.request.most = 9;
            scene.request.rank = rank;
            scene.request.fail = 0.05;
            scene.request.indicator = (enum br_indicator)indicator;
            scene.request.threads = k ? 4 : 1;
            make(&scene);
            bytes[k] = written(&scene.made.table, &size[k]);
            close_scene(&scene);
        }
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        free(bytes[0]);
        free(bytes[1]);
    }
}

static void test_file(void **state)
{
    struct scene scene = spread_job(10);
    struct br_table read;
    struct br_diag diag = {0};
    size_t size;
    scene.request.most = 3;
    scene.request.cells = 4;
    make(&scene);
    const struct br_table *table = &scene.made.table;
    char *bytes = written(table, &size);
    assert_int_equal(br_table_read(bytes, size, &read, &diag), BR_OK);
    assert_string_equal(read.job, "spread");
    assert_int_equal(read.runs, 3);
    assert_int_equal(read.cells, 5);
    assert_memory_equal(read.left, table->left, sizeof(uint32_t) * 5 * 3 * (table->quantiles + 1));
    assert_memory_equal(read.weight, table->weight, 3 * sizeof *read.weight);
    assert_int_equal(br_table_check_job(&read, scene.dag, NULL, &diag), BR_OK);
    struct scene other = two_stages();
    assert_int_equal(br_table_check_job(&read, other.dag, NULL, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "another job"));
    close_scene(&other);
    /* Any byte that is another one, and any cut, is told. */
    for (size_t k = 0; k < size; k++) {
        bytes[k] ^= 0x10;
        assert_int_equal(br_table_read(bytes, size, &read, &diag), BR_BAD_INPUT);
        bytes[k] ^= 0x10;
    }
    uint64_t *copy = malloc(size);
    for (size_t cut = 0; cut < size; cut++) {
        memcpy(copy, bytes, cut);
        assert_int_equal(br_table_read(copy, cut, &read, &diag), BR_BAD_INPUT);
    }
    free(copy);
    bytes[8]++; /* the version */
    assert_int_equal(br_table_read(bytes, size, &read, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "version 2"));
    free(bytes);
    close_scene(&scene);
}

/* Numbers that make no sense are refused, though their sum is right. */
static void test_senseless(void **state)
{
    struct scene scene = spread_job(10);
    scene.request.most = 3;
    scene.request.cells = 4;
    make(&scene);
    const struct br_table good = scene.made.table;
    uint32_t *left = (uint32_t *)good.left, *allocation = (uint32_t *)good.allocation;
    uint32_t *tasks = (uint32_t *)good.tasks;
    double *at = (double *)good.at;
    struct br_progress_weight *weight = (struct br_progress_weight *)good.weight;
    struct br_table_stage *stage = (struct br_table_stage *)good.stage;
    double level[BR_TABLE_QUANTILES];
    memcpy(level, good.level, good.quantiles * sizeof *level);
    for (int k = 0; k < 13; k++) {
        struct br_table bad = good, read;
        struct br_diag diag = {0};
        uint32_t old_left = left[5], old_allocation = allocation[1], old_tasks = tasks[0];
        double old_at = at[2], old_level = level[3];
        struct br_progress_weight old_weight = weight[1];
        struct br_table_stage old_stage = stage[2];
        bad.level = level;
        switch (k) {
        case 0:
            left[5] = left[4] - 1;
            break;
        case 1:
            allocation[1] = allocation[0];
            break;
        case 2:
            tasks[0] = 0;
            break;
        case 3:
            at[2] = 0.6;
            break;
        case 4:
            level[3] = level[2];
            break;
        case 5:
            weight[1].span = NAN;
            break;
        case 6:
            weight[1].begin = -0.1;
            break;
        case 7:
            stage[2].work_s = INFINITY;
            break;
        case 8:
            bad.unit_ns = 0;
            break;
        case 9:
            bad.indicator = (enum br_indicator)BR_INDICATORS;
            break;
        case 10:
            bad.kind = (enum br_allocation)2;
            break;
        case 11:
            bad.runs = 0;
            break;
        default:
            level[good.quantiles - 1] = 0.999;
            break;
        }
        size_t size;
        void *bytes = written(&bad, &size);
        if (br_table_read(bytes, size, &read, &diag) != BR_BAD_INPUT)
            fail_msg("case %d is taken", k);
        assert_true(*diag.what && *diag.hint);
        free(bytes);
        left[5] = old_left, allocation[1] = old_allocation, tasks[0] = old_tasks;
        at[2] = old_at, level[3] = old_level, level[good.quantiles - 1] = 1;
        weight[1] = old_weight, stage[2] = old_stage;
    }
    close_scene(&scene);
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
    struct scene scene = spread_job(30);
    scene.request.runs = 200;
    scene.request.most = 12;
    scene.request.threads = 2;
    make(&scene);
    const struct br_table *table = &scene.made.table;
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
    close_scene(&scene);
}

/* A run lies below the q-th quantile in q of the cases, at the start and on the way, within 3
 * points: over 1,000 runs of another world the chance alone is 1.6 points at the median. */
static void test_calibration(void **state)
{
    struct scene scene = spread_job(20);
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
    make(&scene);
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
    close_scene(&scene);
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
    struct scene scene = two_stages();
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
    make(&scene);
    assert_in_range(scene.made.table.allocations, 90, 100);
    assert_int_equal(scene.made.table.allocation[scene.made.table.allocations - 1], 100000);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),      cmocka_unit_test(test_cells),
        cmocka_unit_test(test_weights),      cmocka_unit_test(test_indicators),
        cmocka_unit_test(test_orders),       cmocka_unit_test(test_shares),
        cmocka_unit_test(test_failures),     cmocka_unit_test(test_profile),
        cmocka_unit_test(test_threads),      cmocka_unit_test(test_file),
        cmocka_unit_test(test_senseless),    cmocka_unit_test(test_meter),
        cmocka_unit_test(test_lookups),      cmocka_unit_test(test_calibration),
        cmocka_unit_test(test_refusals),     cmocka_unit_test(test_world),
        cmocka_unit_test(test_both_parents), cmocka_unit_test(test_turns),
        cmocka_unit_test(test_own_turns),    cmocka_unit_test(test_order_statistics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
