/* The file form of tables of the time left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deadline_scene.h"

static void *written(const struct br_deadline_table *table, size_t *size)
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
            struct scene scene = scene_spread_job(10);
            scene.request.runs = 40;
            scene.request.most = 9;
            scene.request.rank = rank;
            scene.request.fail = 0.05;
            scene.request.indicator = (enum br_indicator)indicator;
            scene.request.threads = k ? 4 : 1;
            scene_make(&scene);
            bytes[k] = written(&scene.made.table, &size[k]);
            scene_close(&scene);
        }
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        free(bytes[0]);
        free(bytes[1]);
    }
}

static void test_file(void **state)
{
    struct scene scene = scene_spread_job(10);
    struct br_deadline_table read;
    struct br_diag diag = {0};
    size_t size;
    scene.request.most = 3;
    scene.request.cells = 4;
    scene_make(&scene);
    const struct br_deadline_table *table = &scene.made.table;
    char *bytes = written(table, &size);
    assert_int_equal(br_table_read(bytes, size, &read, &diag), BR_OK);
    assert_string_equal(read.job, "spread");
    assert_int_equal(read.runs, 3);
    assert_int_equal(read.cells, 5);
    assert_memory_equal(read.left, table->left, sizeof(uint32_t) * 5 * 3 * (table->quantiles + 1));
    assert_int_equal(read.bends, table->bends);
    assert_memory_equal(read.bend_at, table->bend_at, read.bends * sizeof *read.bend_at);
    assert_memory_equal(read.bend_unit, table->bend_unit, 3 * sizeof *read.bend_unit);
    assert_memory_equal(read.bend, table->bend, 3 * read.bends * sizeof *read.bend);
    assert_memory_equal(read.weight, table->weight, 3 * sizeof *read.weight);
    assert_int_equal(br_table_check_job(&read, scene.dag, NULL, &diag), BR_OK);
    struct scene other = scene_two_stages();
    assert_int_equal(br_table_check_job(&read, other.dag, NULL, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "another job"));
    scene_close(&other);
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
    uint32_t version; /* in the order of this machine's bytes */
    memcpy(&version, bytes + 8, sizeof version);
    version++;
    memcpy(bytes + 8, &version, sizeof version);
    assert_int_equal(br_table_read(bytes, size, &read, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "version 3"));
    free(bytes);
    scene_close(&scene);
}

/* Numbers that make no sense are refused, though their sum is right. */
static void test_senseless(void **state)
{
    struct scene scene = scene_spread_job(10);
    scene.request.most = 3;
    scene.request.cells = 4;
    scene_make(&scene);
    const struct br_deadline_table good = scene.made.table;
    uint32_t *left = (uint32_t *)good.left, *allocation = (uint32_t *)good.allocation;
    uint32_t *tasks = (uint32_t *)good.tasks;
    double *at = (double *)good.at, *bend_at = (double *)good.bend_at;
    uint32_t *bend_unit = (uint32_t *)good.bend_unit;
    struct br_progress_weight *weight = (struct br_progress_weight *)good.weight;
    struct br_table_stage *stage = (struct br_table_stage *)good.stage;
    double level[BR_TABLE_QUANTILES];
    memcpy(level, good.level, good.quantiles * sizeof *level);
    for (int k = 0; k < 16; k++) {
        struct br_deadline_table bad = good, read;
        struct br_diag diag = {0};
        uint32_t old_left = left[5], old_allocation = allocation[1], old_tasks = tasks[0];
        double old_at = at[2], old_level = level[3], old_bend_at = bend_at[7];
        uint32_t old_unit = bend_unit[1];
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
        case 12:
            bend_at[7] = 9.0 / good.bends;
            break;
        case 13:
            bend_unit[1] = 0;
            break;
        case 14:
            bend_unit[1] = BR_TABLE_BEND_UNIT + 1;
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
        bend_at[7] = old_bend_at, bend_unit[1] = old_unit;
    }
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_senseless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
