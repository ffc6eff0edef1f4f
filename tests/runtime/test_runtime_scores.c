/* The enforcer by hand: which of several tasks starts first, by scores that the comments work out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "planner/instance/plan.h"
#include "runtime/enforcer/decide.h"
#include "tests/runtime/by_hand.h"

/* A job of single tasks without edges: cpu and net of each, durations of 1 s. */
static struct br_dag *single_tasks(const char *const demand[][2], uint32_t tasks)
{
    struct br_dag *dag = br_dag_create("single");
    for (uint32_t t = 0; t < tasks; t++) {
        char id[8];
        uint32_t stage;
        snprintf(id, sizeof id, "t%u", t);
        assert_int_equal(br_dag_add_stage(dag, id, 1, 1000000000, &stage, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, stage, "cpu", demand[t][0], NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, stage, "net", demand[t][1], NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

/* The order in which the tasks of the job start on machine 0, as one decision after another. */
static void starts(struct br_cluster *cluster, const struct br_dag *dag, const struct br_plan *plan,
                   const struct br_runtime_options *options, const char *want)
{
    struct br_runtime *runtime;
    struct br_decision decision[8];
    char got[9] = "";
    uint32_t job;
    assert_int_equal(br_runtime_create(cluster, options, &runtime, NULL), BR_OK);
    assert_int_equal(br_runtime_submit(runtime, dag, plan, 0, BR_READY_BY_EDGES, &job, NULL),
                     BR_OK);
    uint32_t made = br_runtime_decide(runtime, 0, 0, decision, 8);
    for (uint32_t d = 0; d < made; d++)
        got[d] = (char)('0' + decision[d].task);
    assert_string_equal(got, want);
    br_runtime_destroy(runtime);
}

/* On an empty machine of cpu 4 and net 8 packing is cpu / 4 + net / 8, and less as it fills.
 * Task 0 (1, 0): 1/4. Task 1 (0, 4): 1/2. Task 2 (1, 4): 3/4. By packing 2 goes first; then free
 * are (3, 4), so that 0 has 3/16 and 1 has 1/4. Times the plan's order, 1, 2/3 and 1/3: 0 has 1/4,
 * 1 has 1/3 and 2 has 1/4, so 1 is first; then net is half: 0 has 1/4, 2 has 1/6. */
static void test_packing(void **state)
{
    static const char *const demand[][2] = {{"1", "0"}, {"0", "4"}, {"1", "4"}};
    struct br_cluster *cluster = one_machine("4", "8");
    struct br_dag *dag = single_tasks(demand, 3);
    struct br_runtime_options options = br_runtime_options_default();
    options.policy = "packing";
    starts(cluster, dag, NULL, &options, "210");
    options.policy = "graphene";
    starts(cluster, dag, NULL, &options, "102");
    options.policy = "order";
    starts(cluster, dag, NULL, &options, "012");
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* By order and with room for all, the best of a bundle of two is 0, then 1, which is of another
 * kind, then 2. A bundle of one goes on with what is like 0: 2, before it looks again. */
static void test_bundle(void **state)
{
    static const char *const demand[][2] = {{"1", "0"}, {"0", "1"}, {"1", "0"}};
    struct br_cluster *cluster = one_machine("4", "8");
    struct br_dag *dag = single_tasks(demand, 3);
    struct br_runtime_options options = br_runtime_options_default();
    options.policy = "order";
    options.bundle = 2;
    starts(cluster, dag, NULL, &options, "012");
    options.bundle = 1;
    starts(cluster, dag, NULL, &options, "021");
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* Two equal tasks; the plan has 0 on the machine m[1] and 1 on m[0]. Asked for m[0], 0 comes at 0.8
 * of its packing and 1 in full: 1 is first. Without a penalty the plan's order decides. */
static void test_remote_penalty(void **state)
{
    static const char *const demand[][2] = {{"3", "0"}, {"3", "0"}};
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_dag *dag = single_tasks(demand, 2);
    struct br_runtime_options options = br_runtime_options_default();
    struct br_plan *plan;
    assert_int_equal(br_cluster_add_class(cluster, "m", 2, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "4", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "net", "8", NULL), BR_OK);
    assert_int_equal(br_plan_make(dag, cluster, NULL, &plan, NULL), BR_OK);
    plan->machine[0] = 1;
    plan->machine[1] = 0;
    plan->order[0] = 0;
    plan->order[1] = 1;
    options.policy = "packing";
    options.keep_plan = false;
    starts(cluster, dag, plan, &options, "1");
    options.remote_penalty = 1;
    starts(cluster, dag, plan, &options, "0");
    br_plan_destroy(plan);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* Of task t of three equal ones, `lies[t]` lies on m[0]; below 0: it reads nothing. */
static double lies_on_first(void *context, uint32_t job, uint32_t task, uint32_t machine)
{
    const double *lies = context;
    assert_int_equal(job, 0);
    return lies[task] < 0 || machine == 0 ? lies[task] : 1 - lies[task];
}

/* The first task that m[0] starts: of three equal ones the first of the order, unless one that was
 * told to be near has more there. Packing is 3/4; at a penalty of 0.8 what lies there for a share s
 * counts 0.8 + 0.2 s. A task that reads nothing is remote by its plan, which has 1 there alone. */
static void test_near(void **state)
{
    static const char *const demand[][2] = {{"3", "0"}, {"3", "0"}, {"3", "0"}};
    static const struct {
        double lies[3];
        uint32_t near[2]; /* BR_ANY: none */
        uint32_t first;
    } cases[] = {
        {{0, 1, 0.5}, {BR_ANY, BR_ANY}, 1}, /* it is the plan's next there */
        {{0.4, 0, 0.5}, {BR_ANY, BR_ANY}, 0},
        {{0.4, 0, 0.5}, {2, BR_ANY}, 2},
        {{0.6, 0, 0.5}, {2, BR_ANY}, 0},
        {{0.5, 0, 0.5}, {2, BR_ANY}, 0}, /* equal: by the order */
        {{0, 0.9, 1}, {2, 0}, 2},
        {{0, -1, 0.9}, {2, BR_ANY}, 1},
        {{0, -1, 1}, {2, BR_ANY}, 1},
        {{-1, 0.1, 0}, {2, BR_ANY}, 1},
    };
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_dag *dag = single_tasks(demand, 3);
    struct br_runtime_options options = br_runtime_options_default();
    struct br_plan *plan;
    assert_int_equal(br_cluster_add_class(cluster, "m", 3, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "4", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "net", "8", NULL), BR_OK);
    assert_int_equal(br_plan_make(dag, cluster, NULL, &plan, NULL), BR_OK);
    for (uint32_t t = 0; t < 3; t++) {
        plan->machine[t] = (t + 2) % 3;
        plan->order[t] = t;
        plan->rank[t] = t + 1;
    }
    options.policy = "packing";
    options.keep_plan = false;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct br_runtime *runtime;
        struct br_decision decision;
        uint32_t job;
        const struct br_data data = {lies_on_first, (void *)cases[c].lies};
        assert_int_equal(br_runtime_create(cluster, &options, &runtime, NULL), BR_OK);
        assert_int_equal(br_runtime_data(runtime, &data, NULL), BR_OK);
        assert_int_equal(br_runtime_submit(runtime, dag, plan, 0, BR_READY_BY_EDGES, &job, NULL),
                         BR_OK);
        for (int k = 0; k < 2; k++)
            if (cases[c].near[k] != BR_ANY)
                assert_int_equal(br_runtime_near(runtime, job, cases[c].near[k], 0, NULL), BR_OK);
        assert_int_equal(br_runtime_near(runtime, job, 0, 3, NULL), BR_USAGE);
        assert_int_equal(br_runtime_near(runtime, job, 3, 0, NULL), BR_USAGE);
        assert_int_equal(br_runtime_decide(runtime, 0, 0, &decision, 1), 1);
        assert_int_equal(decision.task, cases[c].first);
        /* What was near is forgotten with its job, also if another gets its number. */
        assert_int_equal(br_runtime_finished(runtime, job, decision.task, NULL), BR_OK);
        assert_int_equal(br_runtime_retire(runtime, job, NULL), BR_OK);
        assert_int_equal(br_runtime_submit(runtime, dag, plan, 0, BR_READY_BY_EDGES, &job, NULL),
                         BR_OK);
        assert_int_equal(job, 0);
        assert_int_equal(br_runtime_decide(runtime, 0, 0, &decision, 1), 1);
        if (cases[c].lies[0] == 0.4)
            assert_int_equal(decision.task, 0);
        br_runtime_destroy(runtime);
    }
    br_plan_destroy(plan);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* The plan for m[0]: d until 10 s, then c on the whole machine until 20 s, then the short a, and
 * the long b; for m[1]: the long x. All three demand the same. Only a may start beside d, since it
 * has ended before c; e, f and g demand other amounts and are long. */
static void test_short_beside(void **state)
{
    static const char *const cpus[] = {"2", "8", "4", "4", "4", "3", "5", "6"};
    static const int64_t start_s[] = {0, 10, 0, 20, 20, 120, 120, 220},
                         end_s[] = {10, 20, 99, 21, 120, 220, 220, 320};
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_dag *dag = br_dag_create("beside");
    struct br_runtime_options options = br_runtime_options_default();
    struct br_plan *plan;
    assert_int_equal(br_cluster_add_class(cluster, "m", 2, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "8", NULL), BR_OK);
    for (uint32_t t = 0; t < 8; t++)
        add_stage(dag, &"d\0c\0x\0a\0b\0e\0f\0g"[2 * t], (end_s[t] - start_s[t]) * 1000000000,
                  "cpu", cpus[t]);
    assert_int_equal(br_dag_add_edge(dag, 0, 1, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_plan_make(dag, cluster, NULL, &plan, NULL), BR_OK);
    for (uint32_t t = 0; t < 8; t++) {
        plan->order[t] = t;
        plan->rank[t] = t + 1;
        plan->machine[t] = t == 2;
        plan->start_ns[t] = start_s[t] * 1000000000;
        plan->end_ns[t] = end_s[t] * 1000000000;
    }
    struct br_runtime *runtime;
    struct br_decision decision[2];
    uint32_t job;
    assert_int_equal(br_runtime_create(cluster, &options, &runtime, NULL), BR_OK);
    assert_int_equal(br_runtime_submit(runtime, dag, plan, 0, BR_READY_BY_EDGES, &job, NULL),
                     BR_OK);
    assert_int_equal(br_runtime_started(runtime, job, 0, 0, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, 0, 0, decision, 2), 1);
    assert_int_equal(decision[0].task, 3);
    br_runtime_destroy(runtime);
    br_plan_destroy(plan);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* Two jobs of equal tasks, of 20 and of 2: both of the short one go first. Where remaining work
 * counts for nothing, the first of each job does: then the next of the long one is later in its
 * order than that of the short one. */
static void test_remaining_work(void **state)
{
    struct br_cluster *cluster = one_machine("4", "8");
    struct br_dag *dag[2] = {wide_job(20, "1"), wide_job(2, "1")};
    for (int counts = 0; counts < 2; counts++) {
        struct br_runtime_options options = br_runtime_options_default();
        struct br_runtime *runtime;
        struct br_decision decision[2];
        uint32_t job[2];
        options.policy = "packing";
        if (!counts)
            options.eta_factor = 0;
        assert_int_equal(br_runtime_create(cluster, &options, &runtime, NULL), BR_OK);
        for (int j = 0; j < 2; j++)
            assert_int_equal(
                br_runtime_submit(runtime, dag[j], NULL, 0, BR_READY_BY_EDGES, &job[j], NULL),
                BR_OK);
        assert_int_equal(br_runtime_decide(runtime, 0, 0, decision, 2), 2);
        assert_int_equal(decision[0].job, job[counts]);
        assert_int_equal(decision[1].job, job[1]);
        br_runtime_destroy(runtime);
    }
    br_dag_destroy(dag[0]);
    br_dag_destroy(dag[1]);
    br_cluster_destroy(cluster);
}

/* A job of 6 tasks with 1 of 4 cpu packs worse than one of 4 tasks with 2, and has less to do.
 * Packing is 1/4 and 1/2, in the mean over tasks 7/20. Work is in the ratio 6 to 8, so 6/7 and 8/7
 * of the mean over jobs. Scores times 20 are 5 - 6 eta and 10 - 8 eta: the larger tasks go first
 * with eta x1, as in the paper, and up to x5/2; the shorter job goes first by default. */
static void test_weight_of_work(void **state)
{
    struct br_cluster *cluster = one_machine("4", "8");
    struct br_dag *dag[2] = {wide_job(6, "1"), wide_job(4, "2")};
    static const double factor[] = {BR_ETA_PAPER, 2.4375, 2.5625};
    for (int k = 0; k < 4; k++) {
        struct br_runtime_options options = br_runtime_options_default();
        struct br_runtime *runtime;
        struct br_decision decision;
        uint32_t job[2];
        if (k < 3)
            options.eta_factor = factor[k];
        assert_int_equal(br_runtime_create(cluster, &options, &runtime, NULL), BR_OK);
        for (int j = 0; j < 2; j++)
            assert_int_equal(
                br_runtime_submit(runtime, dag[j], NULL, 0, BR_READY_BY_EDGES, &job[j], NULL),
                BR_OK);
        assert_int_equal(br_runtime_decide(runtime, 0, 0, &decision, 1), 1);
        assert_int_equal(decision.job, job[k < 2]);
        br_runtime_destroy(runtime);
    }
    br_dag_destroy(dag[0]);
    br_dag_destroy(dag[1]);
    br_cluster_destroy(cluster);
}

/* Of two jobs the one with 4 tasks left goes before that with 6. If a task of it took three times
 * as long as declared, its pace is (3 + w) / 2 with the job's w, the root of 3: 2.37 x 3 is 7.1
 * against 6, so the other goes first. If it took as long as declared, or if nobody knows how long,
 * nothing changes. If the stage after it is all that is left, it counts w x 4 = 6.9. */
static void test_lasted(void **state)
{
    static const struct {
        int64_t took_ns;
        bool later; /* the tasks left are of another stage */
        bool overtaken;
    } cases[] = {{1000, false, false},
                 {3000, false, true},
                 {0, false, false},
                 {3000, true, true},
                 {2000, true, false}};
    struct br_cluster *cluster = one_machine("1", "8");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct br_dag *dag[2] = {NULL, wide_job(6, "1")};
        struct br_runtime *runtime;
        struct br_decision decision;
        struct br_runtime_options options = br_runtime_options_default();
        uint32_t stage, job[2];
        dag[0] = br_dag_create("two");
        assert_int_equal(br_dag_add_stage(dag[0], "a", cases[k].later ? 1 : 4, 1000, &stage, NULL),
                         BR_OK);
        assert_int_equal(br_dag_add_demand(dag[0], stage, "cpu", "1", NULL), BR_OK);
        if (cases[k].later) {
            assert_int_equal(br_dag_add_stage(dag[0], "b", 4, 1000, &stage, NULL), BR_OK);
            assert_int_equal(br_dag_add_demand(dag[0], stage, "cpu", "1", NULL), BR_OK);
        }
        assert_int_equal(br_dag_finish(dag[0], NULL), BR_OK);
        options.policy = "packing";
        options.eta_factor = 100;
        assert_int_equal(br_runtime_create(cluster, &options, &runtime, NULL), BR_OK);
        for (int j = 0; j < 2; j++)
            assert_int_equal(
                br_runtime_submit(runtime, dag[j], NULL, 0, BR_READY_BY_EDGES, &job[j], NULL),
                BR_OK);
        assert_int_equal(br_runtime_finished(runtime, job[0], 0, NULL), BR_OK);
        assert_int_equal(br_runtime_lasted(runtime, job[0], 0, cases[k].took_ns, NULL), BR_OK);
        assert_int_equal(br_runtime_decide(runtime, 0, 0, &decision, 1), 1);
        assert_int_equal(decision.job, job[cases[k].overtaken]);
        assert_int_equal(br_runtime_lasted(runtime, 7, 0, 1, NULL), BR_USAGE);
        assert_int_equal(br_runtime_lasted(runtime, job[0], 99, 1, NULL), BR_USAGE);
        br_runtime_destroy(runtime);
        br_dag_destroy(dag[0]);
        br_dag_destroy(dag[1]);
    }
    br_cluster_destroy(cluster);
}

/* Groups of weights 1 and 3; a task of the first takes 1 of 8 cpu and 4 of 8 mem. As a slot that is
 * an eighth of the cluster, by its dominant share a half. The first has had that and was due a
 * quarter of it; the second was due three quarters and has had nothing. */
static void test_deficits(void **state)
{
    struct br_cluster *cluster = one_machine("8", "1");
    struct br_dag *dag = br_dag_create("deficits");
    uint32_t stage;
    assert_int_equal(br_dag_add_stage(dag, "s", 4, 1000, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, stage, "cpu", "1", NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, stage, "mem", "4", NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    for (int dominant = 0; dominant < 2; dominant++) {
        struct br_runtime_options options = br_runtime_options_default();
        struct br_runtime *runtime;
        struct br_decision decision;
        uint32_t group[2], job, taken = dominant ? 4 : 1; /* eighths */
        options.fairness = dominant ? BR_FAIR_DOMINANT : BR_FAIR_SLOTS;
        assert_int_equal(br_runtime_create(cluster, &options, &runtime, NULL), BR_OK);
        for (uint32_t g = 0; g < 2; g++) {
            assert_int_equal(br_runtime_add_group(runtime, "g", g ? 3 : 1, &group[g], NULL), BR_OK);
            assert_int_equal(
                br_runtime_submit(runtime, dag, NULL, group[g], BR_READY_BY_EDGES, &job, NULL),
                BR_OK);
        }
        assert_int_equal(br_runtime_decide(runtime, 0, 0, &decision, 1), 1);
        assert_int_equal(decision.job, 0);
        assert_true(br_runtime_deficit(runtime, group[0]) == -0.75 * taken / 8);
        assert_true(br_runtime_deficit(runtime, group[1]) == 0.75 * taken / 8);
        br_runtime_destroy(runtime);
    }
    /* The values of the command's help. */
    struct br_runtime_options usual = br_runtime_options_default();
    assert_true(usual.fairness == BR_FAIR_DOMINANT && usual.kappa == 0.1 &&
                usual.remote_penalty == 0.8 && usual.eta_factor == 3 && usual.bundle == 8 &&
                usual.keep_plan && strcmp(usual.policy, "graphene") == 0);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* What the cluster declares fungible may be overbooked, and nothing else; memory cannot be
 * declared, whatever it is called. */
static void test_what_is_overbooked(void **state)
{
    static const char *const memory[] = {"mem", "memory", "ram", "rss", "swap", "MEM", "Ram"};
    static const char *const other[] = {"net", "disk", "cpu", "member"}, *const bare[] = {"vmem",
                                                                                          "gpu"};
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_runtime *runtime;
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        assert_int_equal(br_cluster_add_capacity(cluster, 0, memory[k], "8", NULL), BR_OK);
    for (size_t k = 0; k < sizeof other / sizeof *other; k++)
        assert_int_equal(br_cluster_add_capacity(cluster, 0, other[k], "8", NULL), BR_OK);
    for (size_t k = 0; k < sizeof bare / sizeof *bare; k++)
        assert_int_equal(br_cluster_add_capacity(cluster, 0, bare[k], "8", NULL), BR_OK);
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) {
        struct br_diag diag = {0};
        assert_int_equal(br_cluster_set_fungible(cluster, memory[k], &diag), BR_BAD_INPUT);
        assert_non_null(strstr(diag.what, "memory"));
    }
    for (size_t k = 0; k < sizeof other / sizeof *other; k++)
        for (int twice = 0; twice < 2; twice++)
            assert_int_equal(br_cluster_set_fungible(cluster, other[k], NULL), BR_OK);
    assert_int_equal(br_cluster_set_fungible(cluster, "nte", NULL), BR_BAD_INPUT);
    assert_int_equal(br_cluster_set_fungible(cluster, NULL, NULL), BR_BAD_INPUT);
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) {
        struct br_diag diag = {0};
        assert_int_equal(br_runtime_overbook(runtime, memory[k], 150, &diag), BR_USAGE);
        assert_non_null(strstr(diag.what, "memory"));
    }
    for (size_t k = 0; k < sizeof bare / sizeof *bare; k++) {
        struct br_diag diag = {0};
        assert_int_equal(br_runtime_overbook(runtime, bare[k], 150, &diag), BR_USAGE);
        assert_non_null(strstr(diag.what, "not declared fungible"));
        assert_non_null(strstr(diag.hint, "--fungible"));
    }
    for (size_t k = 0; k < sizeof other / sizeof *other; k++)
        assert_int_equal(br_runtime_overbook(runtime, other[k], 150, NULL), BR_OK);
    assert_int_equal(br_runtime_overbook(runtime, "net", 99, NULL), BR_USAGE);
    assert_int_equal(br_runtime_overbook(runtime, "net", 100, NULL), BR_OK);
    assert_int_equal(br_runtime_overbook(runtime, "net", 400, NULL), BR_OK);
    assert_int_equal(br_runtime_overbook(runtime, "net", 401, NULL), BR_USAGE);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packing),        cmocka_unit_test(test_bundle),
        cmocka_unit_test(test_remote_penalty), cmocka_unit_test(test_near),
        cmocka_unit_test(test_short_beside),   cmocka_unit_test(test_remaining_work),
        cmocka_unit_test(test_weight_of_work), cmocka_unit_test(test_lasted),
        cmocka_unit_test(test_deficits),       cmocka_unit_test(test_what_is_overbooked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
