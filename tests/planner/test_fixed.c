/* The job of a plan's choice: valid by the checker, with the same times, machines and task ids, run
 * by the enforcer as planned; and what its commands are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/collections/memory.h"
#include "base/numbers/rng.h"
#include "planner/eligibility/features.h"
#include "planner/model/alternative_text.h"
#include "planner/modes/fixed.h"
#include "runtime/replay/replay.h"

#define S INT64_C(1000000000)

static void ok(enum br_status status)
{
    assert_int_equal(status, BR_OK);
}

#define REFUSED(call, text)                                                                        \
    do {                                                                                           \
        struct br_diag diag = {0};                                                                 \
        assert_int_equal(call, BR_BAD_INPUT);                                                      \
        if (!strstr(diag.what, text))                                                              \
            fail_msg("'%s' does not say '%s'", diag.what, text);                                   \
    } while (0)

static int64_t between(struct br_rng *rng, int64_t least, int64_t most)
{
    return least + (int64_t)br_rng_below(rng, (uint64_t)(most - least + 1));
}

static struct br_cluster *make_cluster(void)
{
    struct br_cluster *cluster = br_cluster_create("mixed");
    static const char *const names[] = {"node", "old", "gpu"};
    for (uint32_t c = 0; c < 3; c++) {
        ok(br_cluster_add_class(cluster, names[c], c == 2 ? 1 : 2, NULL, NULL));
        ok(br_cluster_add_capacity(cluster, c, "cpu", c == 2 ? "2" : "4", NULL));
    }
    ok(br_cluster_add_capacity(cluster, 2, "gpu", "1", NULL));
    ok(br_cluster_set_speed(cluster, 1, "0.5", NULL));
    ok(br_cluster_add_shared(cluster, "money", "3", NULL));
    return cluster;
}

static void add_ways(struct br_dag *dag, uint32_t stage, struct br_rng *rng)
{
    uint32_t way;
    const int64_t ns = between(rng, 1, 9) * 8 * S;
    ok(br_dag_add_alternative(dag, stage, "one", ns, &way, NULL));
    ok(br_dag_add_alternative_demand(dag, stage, way, "cpu", "1", NULL));
    ok(br_dag_add_alternative(dag, stage, "four", ns / 2, &way, NULL));
    ok(br_dag_add_alternative_demand(dag, stage, way, "cpu", "4", NULL));
    ok(br_dag_add_alternative(dag, stage, "gpu", ns / 8, &way, NULL));
    ok(br_dag_add_alternative_demand(dag, stage, way, "gpu", "1", NULL));
    ok(br_dag_set_classes(dag, stage, way, "gpu", NULL));
    ok(br_dag_add_consumed(dag, stage, way, "money", "1", NULL));
}

static struct br_dag *make_random(struct br_rng *rng)
{
    struct br_dag *dag = br_dag_create("random");
    const uint32_t stages = (uint32_t)between(rng, 1, 6);
    const uint32_t tasks = (uint32_t)between(rng, 1, 6);
    for (uint32_t s = 0; s < stages; s++) {
        char id[20];
        snprintf(id, sizeof id, "s%u", s);
        ok(br_dag_add_stage(dag, id, tasks, between(rng, 1, 9) * S, NULL, NULL));
        ok(br_dag_set_command(dag, s, "x {index} {alternative}", NULL));
        br_dag_set_stage_pos(dag, s, (struct br_pos){s + 7, 1});
        if (between(rng, 0, 3))
            add_ways(dag, s, rng);
        else
            ok(br_dag_add_demand(dag, s, "cpu", "2", NULL));
        if (s)
            ok(br_dag_add_edge(dag, (uint32_t)between(rng, 0, s - 1), s,
                               between(rng, 0, 1) ? BR_BARRIER : BR_ONE_TO_ONE, NULL));
    }
    ok(br_dag_finish(dag, NULL));
    return dag;
}

/* The command and the alternative of the fixed task are those of the given one. */
static void same_words(const struct br_dag *dag, const struct br_plan *plan,
                       const struct br_dag *made, uint32_t task)
{
    const uint32_t s = br_dag_task_stage(dag, task), m = br_dag_task_stage(made, task);
    const struct br_stage *stage = &made->stage[m];
    const char *id = br_dag_alternative_id(dag, s, br_plan_alternative(plan, task));
    const uint32_t index = task - dag->stage[s].first_task;
    char expected[100], index_text[20] = "{index}";
    assert_int_equal(stage->first_index + task - stage->first_task, index);
    assert_int_equal(stage->pos.line, dag->stage[s].pos.line);
    if (stage->tasks != dag->stage[s].tasks)
        snprintf(index_text, sizeof index_text, "%u", index);
    snprintf(expected, sizeof expected, "x %s %s", index_text, id ? id : "{alternative}");
    assert_string_equal(stage->command, expected);
    assert_true(id ? stage->chosen && strcmp(stage->chosen, id) == 0 : !stage->chosen);
}

static void hold_against(const struct br_dag *dag, const struct br_cluster *cluster,
                         const struct br_plan *plan, const struct br_fixed *fixed, bool kept)
{
    struct br_simulation simulation;
    assert_int_equal(br_features(fixed->dag, fixed->cluster) & BR_FEATURES_MODES, 0);
    assert_int_equal(fixed->plan->makespan_ns, plan->makespan_ns);
    assert_true(fixed->dag->tasks >= dag->tasks);
    for (uint32_t t = 0; t < dag->tasks; t++) {
        char given[50], made[50];
        br_dag_task_id(dag, t, given, sizeof given);
        br_dag_task_id(fixed->dag, t, made, sizeof made);
        assert_string_equal(given, made);
        assert_int_equal(plan->start_ns[t], fixed->plan->start_ns[t]);
        assert_int_equal(plan->end_ns[t], fixed->plan->end_ns[t]);
        assert_int_equal(plan->machine[t], fixed->plan->machine[t]);
        same_words(dag, plan, fixed->dag, t);
    }
    struct br_diag diag = {0};
    if (br_plan_verify(fixed->plan, fixed->dag, fixed->cluster, 1, NULL, NULL, &diag))
        fail_msg("%s", diag.what);
    struct br_runtime_options options = br_runtime_options_default();
    options.keep_plan = true;
    ok(br_simulate(fixed->dag, fixed->cluster, fixed->plan, NULL, &options, &simulation, NULL));
    assert_true(simulation.makespan_ns <= plan->makespan_ns);
    for (uint32_t t = 0; t < dag->tasks && kept; t++) {
        /* Classes are kept also if another machine would be free earlier. */
        const struct br_alternatives *all = dag->alternatives;
        const uint32_t s = br_dag_task_stage(dag, t);
        const uint32_t cls = br_cluster_machine_class(cluster, simulation.machine[t]);
        const struct br_class *planned =
            &cluster->cls[br_cluster_machine_class(cluster, plan->machine[t])];
        assert_int_equal(br_decimal_compare(cluster->cls[cls].speed, planned->speed), 0);
        if (all && all->alternative[br_plan_way(plan, dag, s, t)].classes)
            assert_string_equal(cluster->cls[cls].name, planned->name);
    }
    br_simulation_finish(&simulation);
}

static void test_random(void **state)
{
    (void)state;
    uint32_t split = 0, joints = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct br_dag *dag = make_random(&rng);
        struct br_cluster *cluster = make_cluster();
        struct br_plan_options options = br_plan_options_default();
        struct br_plan *plan;
        struct br_fixed fixed;
        options.effort = BR_EFFORT_FAST;
        options.seed = seed;
        ok(br_plan_make(dag, cluster, &options, &plan, NULL));
        for (int use = BR_SELECTED_RUN; use <= BR_SELECTED_DRAWN; use++) {
            struct br_diag diag = {0};
            if (br_fixed_make(dag, cluster, plan, (enum br_selected_use)use, &fixed, &diag))
                fail_msg("seed %u: %s", (unsigned)seed, diag.what);
            hold_against(dag, cluster, plan, &fixed, use == BR_SELECTED_RUN);
            split += fixed.dag->stages > dag->stages;
            joints += fixed.dag->tasks > dag->tasks;
            br_fixed_finish(&fixed);
        }
        br_plan_destroy(plan);
        br_cluster_destroy(cluster);
        br_dag_destroy(dag);
    }
    assert_true(split > 300);
    assert_int_equal(joints, 0);
}

/* 150 x 150 edges between tasks are more than a job is given: a task that takes no time joins
 * them. */
static void test_joint(void **state)
{
    (void)state;
    struct br_dag *dag = br_dag_create("wide");
    struct br_cluster *cluster = make_cluster();
    struct br_plan *plan;
    struct br_fixed fixed;
    struct br_rng rng = br_rng_seed(1);
    for (uint32_t s = 0; s < 2; s++) {
        ok(br_dag_add_stage(dag, s ? "b" : "a", 150, S, NULL, NULL));
        ok(br_dag_set_command(dag, s, "x {index} {alternative}", NULL));
        br_dag_set_stage_pos(dag, s, (struct br_pos){s + 7, 1});
        add_ways(dag, s, &rng);
    }
    ok(br_dag_add_edge(dag, 0, 1, BR_BARRIER, NULL));
    ok(br_dag_set_edge_bytes(dag, 0, 1, 99, NULL));
    ok(br_dag_finish(dag, NULL));
    struct br_plan_options options = br_plan_options_default();
    options.effort = BR_EFFORT_FAST;
    ok(br_plan_make(dag, cluster, &options, &plan, NULL));
    ok(br_fixed_make(dag, cluster, plan, BR_SELECTED_RUN, &fixed, NULL));
    assert_int_equal(fixed.dag->tasks, 301);
    assert_int_equal(fixed.dag->doubts, 1);
    assert_non_null(strstr(fixed.dag->doubt[0], "bytes between stages"));
    hold_against(dag, cluster, plan, &fixed, true);
    br_fixed_finish(&fixed);

    /* A plan that is not valid is refused in words. */
    uint32_t moved = 0;
    while (plan->alternative[moved] == 2)
        moved++;
    plan->machine[moved] = 4;
    plan->alternative[moved] = 1; /* four cores, and the machine has two */
    REFUSED(br_fixed_make(dag, cluster, plan, BR_SELECTED_RUN, &fixed, &diag),
            "on a machine on which its alternative does not run");
    br_fixed_finish(&fixed);
    br_plan_destroy(plan);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

/* Outputs and times belong to stages, so tasks of one stage run in one way. */
static void test_whole_stages(void **state)
{
    (void)state;
    struct br_dag *dag = br_dag_create("kept");
    struct br_cluster *cluster = make_cluster();
    struct br_plan *plan;
    struct br_fixed fixed;
    struct br_rng rng = br_rng_seed(1);
    ok(br_dag_add_stage(dag, "a", 2, S, NULL, NULL));
    ok(br_dag_set_command(dag, 0, "x {index} {alternative}", NULL));
    add_ways(dag, 0, &rng);
    ok(br_dag_set_release(dag, 0, UINT32_MAX, 7 * S, NULL));
    ok(br_dag_finish(dag, NULL));
    ok(br_plan_make(dag, cluster, NULL, &plan, NULL));
    ok(br_fixed_make(dag, cluster, plan, BR_SELECTED_RUN, &fixed, NULL));
    assert_int_equal(br_dag_release(fixed.dag, 1), 7 * S);
    hold_against(dag, cluster, plan, &fixed, true);
    br_fixed_finish(&fixed);
    plan->alternative[0] = 0;
    plan->machine[0] = 0;
    plan->alternative[1] = 1;
    plan->machine[1] = 1;
    REFUSED(br_fixed_make(dag, cluster, plan, BR_SELECTED_RUN, &fixed, &diag),
            "runs in another way than the first of its stage");
    br_fixed_finish(&fixed);
    br_plan_destroy(plan);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

static void test_text(void **state)
{
    (void)state;
    static const struct {
        const char *command, *id;
        uint32_t index;
        const char *made; /* NULL: refused */
    } rows[] = {
        {"./x -j{alternative:one=1,four=4} {alternative}", "four", UINT32_MAX, "./x -j4 four"},
        {"./x {alternative:four=4,one=1}{index}", "one", UINT32_MAX, "./x 1{index}"},
        {"./x {alternative:one=,four=-j 4}.", "one", 7, "./x ."},
        {"./x {index}{index} {alternatives} {alternative", "one", 7,
         "./x 77 {alternatives} {alternative"},
        {"./x {alternative:one=1} {alternative}", NULL, 3, "./x {alternative:one=1} {alternative}"},
        {"", "one", UINT32_MAX, ""},
        {"./x {alternative:ones=1,on=2}", "one", UINT32_MAX, NULL},
        {"./x {alternative:}", "one", UINT32_MAX, NULL},
        {"./x {alternative:one=1", "one", UINT32_MAX, NULL},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char *made;
        struct br_diag diag = {0};
        const enum br_status status =
            br_alternative_text(rows[k].command, rows[k].id, rows[k].index, &made, &diag);
        assert_int_equal(status, rows[k].made ? BR_OK : BR_BAD_INPUT);
        if (rows[k].made)
            assert_string_equal(made, rows[k].made);
        else
            assert_non_null(strstr(diag.what, "no text for the alternative 'one'"));
        br_free(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_joint),
        cmocka_unit_test(test_whole_stages),
        cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
