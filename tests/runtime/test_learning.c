/* What learning costs: jobs of 300 tasks in six stages whose durations nobody knows run by pilots
 * and by plans of the rest, on a clock of their own, beside the plan that knows all. As bench/learn
 * has it with real processes; here commands take no time to start, and planning none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <bigrocks/runtime.h>

#include "base/numbers/real.h"
#include "base/numbers/rng.h"
#include "base/text/diag.h"
#include "runtime/predict/dag_with.h"
#include "runtime/enforcer/decide.h"
#include "runtime/replanning/replanner.h"

enum { STAGES = 6, WIDTH = 50, TASKS = STAGES * WIDTH, SLOTS = 16, SEEDS = 10 };

static struct br_diag diag;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != BR_OK)                                                                       \
            fail_msg("%s: %s", #call, diag.what);                                                  \
    } while (0)

/* Two chains of two stages that meet in a fifth, and one stage beside. */
static struct br_dag *make_job(void)
{
    static const uint32_t edge[][2] = {{0, 2}, {1, 3}, {2, 4}, {3, 4}};
    struct br_dag *dag = br_dag_create("unknown");
    for (uint32_t s = 0; s < STAGES; s++) {
        const char id[2] = {(char)('a' + s), '\0'};
        OK(br_dag_add_stage(dag, id, WIDTH, 0, NULL, &diag));
        OK(br_dag_add_demand(dag, s, "cpu", "1", &diag));
        OK(br_dag_set_command(dag, s, "true", &diag));
    }
    for (size_t e = 0; e < sizeof edge / sizeof *edge; e++)
        OK(br_dag_add_edge(dag, edge[e][0], edge[e][1], BR_BARRIER, &diag));
    OK(br_dag_finish(dag, &diag));
    return dag;
}

/* Log-normal about a mean of the stage's own. */
static void draw(uint64_t seed, int64_t true_ns[TASKS])
{
    struct br_rng rng = br_rng_seed(seed);
    for (uint32_t s = 0; s < STAGES; s++) {
        double mean_ns = 3e8 * br_real_exp(0.8 * br_real_normal(&rng));
        for (uint32_t t = s * WIDTH; t < (s + 1) * WIDTH; t++)
            true_ns[t] = br_real_whole(mean_ns * br_real_exp(0.3 * br_real_normal(&rng) - 0.045));
    }
}

static struct br_plan_options fast(void)
{
    struct br_plan_options options = br_plan_options_default();
    options.effort = BR_EFFORT_FAST;
    options.threads = 1;
    return options;
}

static struct br_dag *with(const struct br_dag *dag, const int64_t *duration_ns)
{
    const struct br_needs needs = {.duration_ns = duration_ns};
    struct br_dag *made;
    OK(br_dag_with(dag, &needs, &made, &diag));
    return made;
}

static struct br_plan *plan_of(const struct br_dag *dag, const struct br_cluster *cluster)
{
    const struct br_plan_options options = fast();
    struct br_plan *plan;
    OK(br_plan_make(dag, cluster, &options, &plan, &diag));
    return plan;
}

/* ---- A run ---- */

struct run {
    const struct br_cluster *cluster;
    const int64_t *true_ns;
    struct br_runtime *runtime;
    struct br_dag *dag; /* that the replanner knows */
    struct br_replanner *replanner;
    uint32_t job, replans;
    int64_t end_ns[TASKS]; /* of those that run */
    bool runs[TASKS], over[TASKS];
};

/* Follows another plan, as the driver does. */
static void follow(struct run *run, const struct br_dag *dag, const struct br_plan *plan)
{
    uint32_t before = run->job;
    OK(br_runtime_take(run->runtime, dag, plan, 0, BR_READY_BY_EDGES, &run->job, &diag));
    for (uint32_t t = 0; t < TASKS; t++) {
        if (run->over[t])
            OK(br_runtime_finished(run->runtime, run->job, t, &diag));
        if (run->runs[t])
            OK(br_runtime_started(run->runtime, run->job, t, 0, &diag));
    }
    if (before != UINT32_MAX)
        OK(br_runtime_retire(run->runtime, before, &diag));
}

static void replan(struct run *run, int64_t now_ns)
{
    const int64_t *expected_ns;
    const struct br_plan_options options = fast();
    const struct br_rest rest = br_replanner_look(run->replanner, now_ns, &expected_ns);
    struct br_dag *dag = with(run->dag, expected_ns);
    struct br_plan *plan;
    OK(br_rest_plan(run->dag, run->cluster, &rest, &options, &plan, &diag));
    follow(run, dag, plan);
    run->replans++;
    br_plan_destroy(plan);
    br_dag_destroy(dag);
}

static void begin(struct run *run, const struct br_dag *dag, struct br_beliefs *beliefs,
                  uint64_t seed)
{
    struct br_replanner_options options = br_replanner_options_default();
    struct br_replanner *first;
    const int64_t *expected_ns;
    bool *unknown;
    options.seed = seed;
    OK(br_runtime_create(run->cluster, NULL, &run->runtime, &diag));
    OK(br_replanner_unknown(dag, &unknown, &diag));
    OK(br_replanner_create(dag, unknown, beliefs, &options, &first, &diag));
    br_replanner_look(first, 0, &expected_ns);
    run->dag = with(dag, expected_ns);
    OK(br_replanner_create(run->dag, unknown, beliefs, &options, &run->replanner, &diag));
    br_replanner_destroy(first);
    free(unknown);
    struct br_plan *plan = plan_of(run->dag, run->cluster), *order;
    const struct br_rest rest = br_replanner_look(run->replanner, 0, NULL);
    OK(br_rest_order(run->dag, plan, rest.pilot, &order, &diag));
    run->job = UINT32_MAX;
    follow(run, run->dag, order);
    br_plan_destroy(order);
    br_plan_destroy(plan);
}

static void start(struct run *run, int64_t now_ns)
{
    struct br_decision decision;
    while (br_runtime_decide(run->runtime, BR_ANY, now_ns, &decision, 1)) {
        OK(br_runtime_started(run->runtime, run->job, decision.task, decision.machine, &diag));
        br_replanner_started(run->replanner, decision.task, now_ns);
        assert_false(run->runs[decision.task] || run->over[decision.task]);
        run->runs[decision.task] = true;
        run->end_ns[decision.task] = now_ns + run->true_ns[decision.task];
    }
}

/* Ends the running task that ends first, and returns when; below 0: none runs. */
static int64_t end_next(struct run *run)
{
    uint32_t next = UINT32_MAX;
    for (uint32_t t = 0; t < TASKS; t++)
        if (run->runs[t] && (next == UINT32_MAX || run->end_ns[t] < run->end_ns[next]))
            next = t;
    if (next == UINT32_MAX)
        return -1;
    run->runs[next] = false;
    run->over[next] = true;
    OK(br_runtime_finished(run->runtime, run->job, next, &diag));
    br_replanner_ended(run->replanner, next, run->true_ns[next]);
    return run->end_ns[next];
}

/* The makespan of a run that learns. */
static int64_t learn(const struct br_dag *dag, const struct br_cluster *cluster,
                     const int64_t *true_ns, uint64_t seed)
{
    struct run run = {.cluster = cluster, .true_ns = true_ns};
    struct br_beliefs *beliefs;
    int64_t now_ns = 0, last_ns = 0;
    OK(br_beliefs_create(NULL, &beliefs, &diag));
    begin(&run, dag, beliefs, seed);
    while (now_ns >= 0) {
        last_ns = now_ns;
        if (br_replanner_wants(run.replanner))
            replan(&run, now_ns);
        start(&run, now_ns);
        now_ns = end_next(&run);
    }
    for (uint32_t t = 0; t < TASKS; t++)
        assert_true(run.over[t]);
    const struct br_replanner_report report = br_replanner_report(run.replanner);
    assert_int_equal(report.learnt, STAGES);
    assert_int_equal(report.measured, TASKS);
    assert_true(run.replans >= STAGES / 2);
    br_replanner_destroy(run.replanner);
    br_beliefs_destroy(beliefs);
    br_runtime_destroy(run.runtime);
    br_dag_destroy(run.dag);
    return last_ns;
}

static void test_learning(void **state)
{
    (void)state;
    struct br_dag *dag = make_job();
    struct br_cluster *cluster = br_cluster_create(NULL);
    double sum = 0, worst = 0;
    OK(br_cluster_add_class(cluster, "m", 1, NULL, &diag));
    OK(br_cluster_add_capacity(cluster, 0, "cpu", "16", &diag));
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        int64_t true_ns[TASKS];
        draw(seed, true_ns);
        struct br_dag *known = with(dag, true_ns);
        struct br_plan *plan = plan_of(known, cluster);
        double ratio = (double)learn(dag, cluster, true_ns, seed) / (double)plan->makespan_ns;
        print_message("seed %d: %.3f\n", (int)seed, ratio);
        sum += ratio;
        worst = ratio > worst ? ratio : worst;
        br_plan_destroy(plan);
        br_dag_destroy(known);
    }
    print_message("mean %.3f, worst %.3f\n", sum / SEEDS, worst);
    /* Within a tenth is what is wanted. */
    assert_true(worst <= 1.10);
    assert_true(sum / SEEDS <= 1.05);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_learning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
