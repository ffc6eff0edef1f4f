/* Alternatives, classes, speeds and what is consumed, as data: merged with what stages say, every
 * refusal, copies, and the durations of plans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "planner/instance/instance.h"
#include "planner/instance/plan.h"
#include "planner/eligibility/features.h"
#include "planner/eligibility/ways.h"

#define S INT64_C(1000000000)

static void ok(enum br_status status)
{
    assert_int_equal(status, BR_OK);
}

/* The diagnostic of a refusal has this in it. */
#define REFUSED(call, with, text)                                                                  \
    do {                                                                                           \
        struct br_diag diag = {0};                                                                 \
        assert_int_equal(call, with);                                                              \
        if (!strstr(diag.what, text))                                                              \
            fail_msg("'%s' does not say '%s'", diag.what, text);                                   \
    } while (0)

/* Stage 0 runs in one way, stage 1 by three alternatives. */
static struct br_dag *make_open(void)
{
    struct br_dag *dag = br_dag_create("link");
    uint32_t way;
    ok(br_dag_add_stage(dag, "compile", 2, 10 * S, NULL, NULL));
    ok(br_dag_add_stage(dag, "link", 3, 60 * S, NULL, NULL));
    ok(br_dag_add_demand(dag, 0, "cpu", "1", NULL));
    ok(br_dag_set_classes(dag, 1, BR_WHOLE_STAGE, "m old", NULL));
    ok(br_dag_add_consumed(dag, 1, BR_WHOLE_STAGE, "money", "1", NULL));
    ok(br_dag_add_demand(dag, 1, "mem", "2", NULL));
    ok(br_dag_add_demand(dag, 1, "cpu", "1", NULL));
    ok(br_dag_add_alternative(dag, 1, "one", BR_STAGE_DURATION, &way, NULL));
    assert_int_equal(way, 0);
    ok(br_dag_add_alternative(dag, 1, "four", 30 * S, &way, NULL));
    assert_int_equal(way, 1);
    ok(br_dag_add_alternative_demand(dag, 1, way, "cpu", "4", NULL));
    ok(br_dag_add_alternative_demand(dag, 1, way, "disk", "1", NULL));
    ok(br_dag_add_alternative(dag, 1, "gpu", 9 * S, &way, NULL));
    ok(br_dag_add_alternative_demand(dag, 1, way, "cpu", "0", NULL));
    ok(br_dag_set_classes(dag, 1, way, " gpu\tm ", NULL));
    ok(br_dag_add_consumed(dag, 1, way, "money", "3.5", NULL));
    ok(br_dag_set_alternative_duration(dag, 1, 2, 0, 99 * S, NULL)); /* undone by the next */
    ok(br_dag_set_duration(dag, 1, 0, 50 * S, NULL));
    ok(br_dag_set_duration(dag, 1, 2, 70 * S, NULL));
    ok(br_dag_set_alternative_duration(dag, 1, 1, 2, 7 * S, NULL));
    return dag;
}

static struct br_cluster *make_cluster(void)
{
    struct br_cluster *cluster = br_cluster_create(NULL);
    static const char *const names[] = {"m", "old", "gpu"};
    for (uint32_t c = 0; c < 3; c++) {
        ok(br_cluster_add_class(cluster, names[c], 2, NULL, NULL));
        ok(br_cluster_add_capacity(cluster, c, "cpu", "4", NULL));
        ok(br_cluster_add_capacity(cluster, c, "mem", "2", NULL));
    }
    ok(br_cluster_add_shared(cluster, "money", "3", NULL));
    ok(br_cluster_set_speed(cluster, 1, "0.3", NULL));
    return cluster;
}

static int64_t lasts(const struct br_dag *dag, uint32_t way, uint32_t task)
{
    return br_alternative_duration(dag, dag->alternatives->stage_first[1] + way, task) / S;
}

static void check_merged(const struct br_dag *dag)
{
    const struct br_alternatives *all = dag->alternatives;
    assert_non_null(all);
    assert_int_equal(all->count, 4);
    assert_int_equal(all->stage_first[1], 1);
    assert_int_equal(all->stage_first[2], 4);
    assert_null(all->alternative[0].id);
    assert_int_equal(all->alternative[0].demands, 1);
    const struct br_alternative *one = &all->alternative[1], *four = &all->alternative[2],
                                *gpu = &all->alternative[3];
    assert_string_equal(one->id, "one");
    assert_int_equal(one->duration_ns, 60 * S);
    assert_int_equal(one->demands, 2);
    assert_int_equal(one->classes, 2);
    assert_int_equal(one->consumed, 1);
    assert_int_equal(four->demands, 3);
    assert_int_equal(four->classes, 2);
    assert_int_equal(all->demand[four->first_demand].amount.mantissa, 2);
    assert_int_equal(all->demand[four->first_demand + 1].amount.mantissa, 4);
    assert_string_equal(dag->resource[all->demand[four->first_demand + 2].resource].name, "disk");
    assert_int_equal(gpu->demands, 2);
    assert_int_equal(all->demand[gpu->first_demand + 1].amount.mantissa, 0);
    assert_string_equal(all->class_name[gpu->first_class], "gpu");
    assert_string_equal(all->class_name[gpu->first_class + 1], "m");
    assert_int_equal(gpu->consumed, 1);
    assert_int_equal(all->consumed[gpu->first_consumed].amount.mantissa, 35);
    static const int64_t durations[3][3] = {{50, 60, 70}, {50, 30, 7}, {50, 9, 70}};
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(lasts(dag, a, 2 + i), durations[a][i]);
    assert_int_equal(dag->duration_ns[2] / S, 50); /* the shortest */
    assert_int_equal(dag->duration_ns[3] / S, 9);
    assert_int_equal(dag->duration_ns[4] / S, 7);
    assert_int_equal(dag->duration_ns[0] / S, 10);
    assert_int_equal(br_dag_alternative_count(dag, 0), 0);
    assert_int_equal(br_dag_alternative_count(dag, 1), 3);
    assert_string_equal(br_dag_alternative_id(dag, 1, 2), "gpu");
    assert_null(br_dag_alternative_id(dag, 1, 3));
    assert_null(br_dag_alternative_id(dag, 0, 0));
    assert_int_equal(br_alternative_find(dag, 1, "four"), 1);
    assert_int_equal(br_alternative_find(dag, 1, "five"), UINT32_MAX);
    assert_int_equal(br_features(dag, NULL),
                     BR_FEATURE_ALTERNATIVES | BR_FEATURE_CLASSES | BR_FEATURE_CONSUMED);
}

static void merged(void **state)
{
    struct br_dag *dag = make_open();
    ok(br_dag_finish(dag, NULL));
    check_merged(dag);
    br_dag_replace_duration(dag, 1, 1, 5 * S);
    for (uint32_t a = 0; a < 3; a++)
        assert_int_equal(lasts(dag, a, 3), 5);
    br_dag_destroy(dag);
}

static void copied(void **state)
{
    struct br_dag *dag = make_open(), *copy = br_dag_create("copy");
    ok(br_dag_finish(dag, NULL));
    for (uint32_t s = 0; s < 2; s++)
        ok(br_dag_add_stage(copy, dag->stage[s].id, dag->stage[s].tasks, dag->stage[s].duration_ns,
                            NULL, NULL));
    ok(br_dag_add_demand(copy, 0, "cpu", "1", NULL));
    ok(br_dag_add_demand(copy, 1, "mem", "2", NULL));
    ok(br_dag_add_demand(copy, 1, "cpu", "1", NULL));
    ok(br_dag_copy_features(copy, dag, NULL));
    ok(br_dag_finish(copy, NULL));
    check_merged(copy);
    assert_true(br_dag_details_fingerprint(copy) == br_dag_details_fingerprint(dag));
    br_dag_replace_duration(copy, 1, 1, 5 * S);
    assert_true(br_dag_details_fingerprint(copy) != br_dag_details_fingerprint(dag));
    br_dag_destroy(copy);
    br_dag_destroy(dag);
}

static void refused(void **state)
{
    struct br_dag *dag = make_open();
    REFUSED(br_dag_add_alternative(dag, 1, "a b", 0, NULL, &diag), BR_BAD_INPUT, "the id 'a b'");
    REFUSED(br_dag_add_alternative(dag, 1, "", 0, NULL, &diag), BR_BAD_INPUT, "the id ''");
    REFUSED(br_dag_add_alternative(dag, 1, "one", 0, NULL, &diag), BR_BAD_INPUT,
            "two alternatives 'one'");
    REFUSED(br_dag_add_alternative(dag, 1, "x", -2, NULL, &diag), BR_BAD_INPUT, "lasts");
    REFUSED(br_dag_add_alternative(dag, 7, "x", 0, NULL, &diag), BR_USAGE, "no stage");
    REFUSED(br_dag_add_alternative_demand(dag, 1, 3, "cpu", "1", &diag), BR_USAGE,
            "no alternative number 3");
    REFUSED(br_dag_add_alternative_demand(dag, 1, BR_WHOLE_STAGE, "cpu", "1", &diag), BR_USAGE, "");
    REFUSED(br_dag_add_alternative_demand(dag, 1, 2, "cpu", "x", &diag), BR_BAD_INPUT, "number");
    REFUSED(br_dag_add_consumed(dag, 1, 2, "money", "4", &diag), BR_BAD_INPUT, "two amounts");
    REFUSED(br_dag_set_classes(dag, 1, 2, " ", &diag), BR_BAD_INPUT, "names no class");
    REFUSED(br_dag_set_alternative_duration(dag, 1, 2, 3, 1, &diag), BR_BAD_INPUT, "index 3");
    REFUSED(br_dag_set_alternative_duration(dag, 1, 2, 0, -1, &diag), BR_BAD_INPUT, "lasts");
    ok(br_dag_add_alternative(dag, 0, "x", 0, NULL, NULL));
    ok(br_dag_add_alternative(dag, 1, "gpu", 0, NULL, NULL)); /* out of order: found at the end */
    REFUSED(br_dag_finish(dag, &diag), BR_BAD_INPUT, "two alternatives 'gpu'");
    br_dag_destroy(dag);
    dag = make_open();
    ok(br_dag_add_consumed(dag, 1, 0, "mem", "4", NULL));
    REFUSED(br_dag_finish(dag, &diag), BR_BAD_INPUT, "both demands and consumes mem");
    br_dag_destroy(dag);
}

/* What a job asks for that the cluster does not have. */
static void refused_on_clusters(void **state)
{
    struct br_cluster *cluster = make_cluster();
    struct br_dag *dag = make_open();
    ok(br_dag_finish(dag, NULL));
    ok(br_instance_check(dag, cluster, NULL));
    assert_int_equal(br_features(dag, cluster) & ~BR_FEATURES_OF_JOB,
                     BR_FEATURE_SPEED | BR_FEATURE_SHARED);
    assert_true(br_alternative_fits(dag, 1, cluster, 0));
    assert_false(br_alternative_fits(dag, 1, cluster, 2)); /* of another class */
    assert_false(br_alternative_fits(dag, 2, cluster, 0)); /* no disk */
    assert_true(br_alternative_fits(dag, 3, cluster, 2));
    br_dag_destroy(dag);

    dag = make_open();
    ok(br_dag_set_classes(dag, 0, BR_WHOLE_STAGE, "none", NULL));
    ok(br_dag_finish(dag, NULL));
    REFUSED(br_instance_check(dag, cluster, &diag), BR_BAD_INPUT,
            "stage 'compile' runs on machines of class 'none'");
    br_dag_destroy(dag);

    dag = make_open();
    ok(br_dag_add_consumed(dag, 0, BR_WHOLE_STAGE, "disk", "1", NULL));
    ok(br_dag_finish(dag, NULL));
    REFUSED(br_instance_check(dag, cluster, &diag), BR_BAD_INPUT,
            "which the cluster does not share");
    br_dag_destroy(dag);

    dag = make_open();
    ok(br_dag_add_consumed(dag, 0, BR_WHOLE_STAGE, "money", "0.5", NULL));
    ok(br_dag_finish(dag, NULL));
    REFUSED(br_instance_check(dag, cluster, &diag), BR_BAD_INPUT,
            "consumes at least 4 of money, and the cluster has 3");
    br_dag_destroy(dag);

    dag = make_open();
    ok(br_dag_add_stage(dag, "large", 1, 1, NULL, NULL));
    ok(br_dag_add_alternative(dag, 2, "a", 1, NULL, NULL));
    ok(br_dag_add_alternative_demand(dag, 2, 0, "mem", "3", NULL));
    ok(br_dag_finish(dag, NULL));
    REFUSED(br_instance_check(dag, cluster, &diag), BR_BAD_INPUT,
            "none of the 1 alternatives of stage 'large' fits");
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

static void speeds(void **state)
{
    static const struct {
        const char *speed;
        int64_t ns, lasts;
    } rows[] = {{"1", 7, 7},
                {"0.3", 10 * S, 33333333334},
                {"2", 7, 4},
                {"1.0", INT64_MAX, INT64_MAX},
                {"0.5", INT64_MAX / 2, INT64_MAX - 1},
                {"0.5", INT64_MAX / 2 + 1, INT64_MAX},
                {"1000000", 1, 1},
                {"3", 0, 0}};
    for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct br_cluster *cluster = make_cluster();
        ok(br_cluster_set_speed(cluster, 1, rows[k].speed, NULL));
        assert_int_equal(br_class_duration(&cluster->cls[1], rows[k].ns), rows[k].lasts);
        assert_int_equal(cluster->speeds, k != 0 && k != 3);
        br_cluster_destroy(cluster);
    }
    struct br_cluster *cluster = make_cluster();
    const uint64_t before = br_cluster_fingerprint(cluster);
    ok(br_cluster_set_speed(cluster, 0, "2", NULL));
    assert_true(br_cluster_fingerprint(cluster) != before);
    REFUSED(br_cluster_set_speed(cluster, 3, "1", &diag), BR_USAGE, "no class number 3");
    static const char *const bad[] = {"0", "-1", "x", "0.0000001", "1000001", "", NULL};
    for (uint32_t k = 0; k < sizeof bad / sizeof *bad; k++)
        REFUSED(br_cluster_set_speed(cluster, 0, bad[k], &diag), BR_BAD_INPUT, "speed '");
    br_cluster_destroy(cluster);
}

/* Ends of plans follow alternatives and speeds. */
static void ranked(void **state)
{
    struct br_dag *dag = make_open();
    struct br_cluster *cluster = make_cluster();
    ok(br_dag_finish(dag, NULL));
    struct br_plan *plan = br_plan_create(dag->tasks);
    assert_non_null(plan);
    assert_true(br_plan_allow_alternatives(plan, dag));
    plan->alternative[3] = 1;
    plan->machine[3] = 2;
    plan->alternative[4] = 2;
    ok(br_plan_rank_on(plan, dag, cluster, NULL));
    assert_int_equal(plan->end_ns[0], 10 * S);
    assert_int_equal(plan->end_ns[2], 50 * S);
    assert_int_equal(plan->end_ns[3], 100 * S);
    assert_int_equal(plan->end_ns[4], 70 * S);
    assert_int_equal(plan->makespan_ns, 100 * S);
    assert_int_equal(plan->rank[3], 3); /* the longest of its stage */
    assert_int_equal(br_plan_alternative(plan, 4), 2);
    assert_int_equal(br_plan_alternative(plan, 9), 0);
    assert_int_equal(br_plan_alternative(NULL, 0), 0);
    br_plan_destroy(plan);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged),  cmocka_unit_test(copied),
        cmocka_unit_test(refused), cmocka_unit_test(refused_on_clusters),
        cmocka_unit_test(speeds),  cmocka_unit_test(ranked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
