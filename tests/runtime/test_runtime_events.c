/* The enforcer by hand: events, limits, groups, machines that are kept free, and plans that are
 * kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <bigrocks/planner.h>

#include "planner/instance/plan.h"
#include "runtime/enforcer/decide.h"
#include "tests/runtime/by_hand.h"

/* As many tasks as fit beside it run of another job, while one is at its limit; a limit that rises
 * lets go on at once, and one that falls stops nothing. A group whose job is at its limit is not
 * owed more, so no machine is kept free for it. */
static void test_limit(void **state)
{
    struct br_dag *dag = wide_job(20, "1");
    struct br_cluster *cluster = one_machine("10", "1");
    struct br_runtime *runtime;
    struct br_decision decision[16];
    uint32_t one, other, group;
    (void)state;
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    assert_int_equal(br_runtime_add_group(runtime, "g", 100, &group, NULL), BR_OK);
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, group, BR_READY_BY_EDGES, &one, NULL),
                     BR_OK);
    assert_int_equal(br_runtime_limit(runtime, one, 3, NULL), BR_OK);
    assert_int_equal(br_runtime_limit(runtime, one + 1, 3, NULL), BR_USAGE);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 16), 3);
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, 0, BR_READY_BY_EDGES, &other, NULL),
                     BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision + 3, 13), 7);
    assert_int_equal(br_runtime_job(runtime, one).running, 3);
    assert_int_equal(br_runtime_job(runtime, other).running, 7);
    assert_true(br_runtime_deficit(runtime, group) <= 0);
    /* What ends makes room for the other, and for the one only up to its limit. */
    for (uint32_t k = 3; k < 7; k++)
        assert_int_equal(br_runtime_finished(runtime, other, decision[k].task, NULL), BR_OK);
    assert_int_equal(br_runtime_limit(runtime, one, 5, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 1, decision + 3, 13), 4);
    assert_int_equal(br_runtime_job(runtime, one).running, 5);
    assert_int_equal(br_runtime_limit(runtime, one, 1, NULL), BR_OK);
    assert_int_equal(br_runtime_finished(runtime, one, decision[0].task, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 2, decision, 16), 1);
    assert_int_equal(decision[0].job, other);
    assert_int_equal(br_runtime_job(runtime, one).running, 4);
    /* Without a limit it takes all that comes free. */
    assert_int_equal(br_runtime_limit(runtime, one, BR_ANY, NULL), BR_OK);
    assert_int_equal(br_runtime_finished(runtime, other, decision[0].task, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 3, decision, 16), 1);
    assert_int_equal(decision[0].job, one);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

/* Two resources: tasks of the one stage take 1 of 10 cpus, those of the other 3 of 10 disks, and a
 * cap of 60 percents holds six and two of them. What a kind may not take another one may; what ends
 * makes room up to the cap, one that falls stops nothing, and without it all that fits runs. */
static void test_cap(void **state)
{
    struct br_dag *dag = br_dag_create("two");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_runtime *runtime;
    struct br_decision decision[32];
    uint32_t a, b, cls, job, group;
    (void)state;
    assert_int_equal(br_dag_add_stage(dag, "a", 20, 1, &a, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, a, "cpu", "1", NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "b", 20, 1, &b, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, b, "disk", "3", NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    /* Of two machines each has half: a cap is of the whole. */
    assert_int_equal(br_cluster_add_class(cluster, "m", 2, &cls, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, cls, "cpu", "5", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, cls, "disk", "5", NULL), BR_OK);
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    assert_int_equal(br_runtime_add_group(runtime, "g", 100, &group, NULL), BR_OK);
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, group, BR_READY_BY_EDGES, &job, NULL),
                     BR_OK);
    assert_int_equal(br_runtime_cap(runtime, job + 1, 60, NULL), BR_USAGE);
    assert_int_equal(br_runtime_cap(runtime, job, 0, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 32), 0);
    assert_int_equal(br_runtime_cap(runtime, job, 60, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 32), 6 + 2);
    assert_true(br_runtime_used(runtime, BR_ANY, "cpu") == 0.6);
    assert_true(br_runtime_used(runtime, BR_ANY, "disk") == 0.6);
    /* What ends or fails makes room for as much. */
    assert_int_equal(br_runtime_finished(runtime, job, decision[0].task, NULL), BR_OK);
    assert_int_equal(br_runtime_failed(runtime, job, decision[1].task, true, NULL), BR_OK);
    decision[0] = decision[7];
    decision[1] = decision[6];
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 1, decision + 6, 26), 2);
    assert_true(br_runtime_used(runtime, BR_ANY, "cpu") == 0.6);
    assert_true(br_runtime_used(runtime, BR_ANY, "disk") == 0.6);
    /* A lower cap stops nothing, and lets nothing start until less runs; then two of a, and none of
     * b, of which one is above it. */
    assert_int_equal(br_runtime_cap(runtime, job, 20, NULL), BR_OK);
    for (uint32_t d = 0; d < 8; d++) {
        struct br_decision none;
        assert_int_equal(br_runtime_job(runtime, job).running, 8 - d);
        assert_int_equal(br_runtime_finished(runtime, job, decision[d].task, NULL), BR_OK);
        if (br_runtime_used(runtime, BR_ANY, "cpu") >= 0.2)
            assert_int_equal(br_runtime_decide(runtime, BR_ANY, 2, &none, 1), 0);
    }
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 2, decision, 32), 2);
    assert_true(br_runtime_used(runtime, BR_ANY, "cpu") == 0.2);
    assert_true(br_runtime_used(runtime, BR_ANY, "disk") == 0);
    assert_int_equal(br_runtime_cap(runtime, job, BR_ANY, NULL), BR_OK);
    br_runtime_decide(runtime, BR_ANY, 3, decision, 32);
    assert_true(br_runtime_used(runtime, BR_ANY, "cpu") == 1);
    assert_int_equal(br_runtime_retire(runtime, job, NULL), BR_OK);
    assert_true(br_runtime_used(runtime, BR_ANY, "cpu") == 0);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

/* Two groups of weights 1 and 3 share one machine: what each has had differs from its share by no
 * more than the threshold and one task. */
static void test_fairness(void **state)
{
    struct br_cluster *cluster = one_machine("8", "1");
    struct br_dag *dag = wide_job(400, "1");
    struct br_runtime_options options = br_runtime_options_default();
    struct br_runtime *runtime;
    struct br_decision decision[8];
    uint32_t group[2], job[2], had[2] = {0, 0};
    options.kappa = 0.25;
    assert_int_equal(br_runtime_create(cluster, &options, &runtime, NULL), BR_OK);
    for (uint32_t g = 0; g < 2; g++) {
        assert_int_equal(br_runtime_add_group(runtime, "g", g ? 3 : 1, &group[g], NULL), BR_OK);
        assert_int_equal(
            br_runtime_submit(runtime, dag, NULL, group[g], BR_READY_BY_EDGES, &job[g], NULL),
            BR_OK);
    }
    uint32_t got = br_runtime_decide(runtime, 0, 0, decision, 8), total = 0;
    assert_int_equal(got, 8);
    for (uint32_t step = 0; step < 300; step++) {
        assert_int_equal(got, step ? 1 : 8);
        for (uint32_t d = 0; d < got; d++)
            had[decision[d].job == job[1]]++;
        total += got;
        assert_true((double)had[0] >= total / 4.0 - 3 && (double)had[0] <= total / 4.0 + 3);
        for (uint32_t g = 0; g < 2; g++)
            assert_true(br_runtime_deficit(runtime, group[g]) <= 0.25 + 0.125 + 1e-9);
        assert_int_equal(br_runtime_finished(runtime, decision[0].job, decision[0].task, NULL),
                         BR_OK);
        got = br_runtime_decide(runtime, BR_ANY, step, decision, 8);
    }
    br_runtime_destroy(runtime);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

static uint32_t fit_at_once(struct br_runtime *runtime, const char *resource)
{
    struct br_dag *dag = br_dag_create("net");
    struct br_decision decision[64];
    uint32_t stage, job, got;
    assert_int_equal(br_dag_add_stage(dag, "s", 50, 1000, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, stage, resource, "1", NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, 0, BR_READY_BY_EDGES, &job, NULL),
                     BR_OK);
    br_dag_destroy(dag); /* what is needed of it has been copied */
    got = br_runtime_decide(runtime, BR_ANY, 0, decision, 64);
    assert_int_equal(br_runtime_retire(runtime, job, NULL), BR_OK);
    return got;
}

static void test_overbook_and_report(void **state)
{
    struct br_cluster *cluster = one_machine("4", "10");
    struct br_runtime *runtime;
    struct br_diag diag = {0};
    assert_int_equal(br_cluster_set_fungible(cluster, "net", NULL), BR_OK);
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    assert_int_equal(fit_at_once(runtime, "net"), 10);
    assert_int_equal(br_runtime_overbook(runtime, "net", 150, NULL), BR_OK);
    assert_int_equal(fit_at_once(runtime, "net"), 15);
    assert_int_equal(br_runtime_overbook(runtime, "mem", 150, &diag), BR_USAGE);
    assert_int_equal(br_runtime_overbook(runtime, "disk", 150, &diag), BR_USAGE);
    assert_int_equal(br_runtime_report(runtime, 0, "cpu", "2.5", NULL), BR_OK);
    assert_int_equal(fit_at_once(runtime, "cpu"), 2);
    assert_int_equal(br_runtime_report(runtime, 0, "cpu", "99", NULL), BR_OK);
    assert_int_equal(fit_at_once(runtime, "cpu"), 4);
    assert_int_equal(br_runtime_report(runtime, 0, "cpu", "-1", &diag), BR_USAGE);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
}

/* A job whose tasks become ready as the caller says, a task that somebody else started, one that
 * an earlier run finished, one that fails for good; and events that make no sense. */
static void test_events(void **state)
{
    struct br_cluster *cluster = one_machine("4", "10");
    struct br_dag *dag = wide_job(6, "2");
    struct br_runtime *runtime;
    struct br_decision decision[8];
    uint32_t job;
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, 0, BR_READY_BY_EVENT, &job, NULL),
                     BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 8), 0);
    assert_int_equal(br_runtime_ready(runtime, job, 4, NULL), BR_OK);
    assert_int_equal(br_runtime_ready(runtime, job, 4, NULL), BR_USAGE);
    assert_int_equal(br_runtime_withdrawn(runtime, job, 4, NULL), BR_OK);
    assert_int_equal(br_runtime_withdrawn(runtime, job, 4, NULL), BR_USAGE);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 8), 0);
    assert_int_equal(br_runtime_ready(runtime, job, 4, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 8), 1);
    assert_int_equal(decision[0].task, 4);
    assert_int_equal(br_runtime_started(runtime, job, 0, 0, NULL), BR_OK);
    assert_int_equal(br_runtime_started(runtime, job, 1, 0, NULL), BR_OK); /* overfull */
    assert_true(br_runtime_used(runtime, 0, "cpu") == 1.5);
    assert_int_equal(br_runtime_finished(runtime, job, 5, NULL), BR_OK);
    assert_int_equal(br_runtime_ready(runtime, job, 2, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 8), 0);
    assert_int_equal(br_runtime_finished(runtime, job, 0, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 8), 0);
    assert_int_equal(br_runtime_failed(runtime, job, 1, false, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 8), 1);
    assert_int_equal(decision[0].task, 2);
    struct br_job_state now = br_runtime_job(runtime, job);
    assert_int_equal(now.waiting, 1);
    assert_int_equal(now.running, 2);
    assert_int_equal(now.finished, 2);
    assert_int_equal(now.failed, 1);
    assert_int_equal(br_runtime_finished(runtime, job, 1, NULL), BR_USAGE);
    assert_int_equal(br_runtime_failed(runtime, job, 3, true, NULL), BR_USAGE);
    assert_int_equal(br_runtime_finished(runtime, job, 6, NULL), BR_USAGE);
    assert_int_equal(br_runtime_finished(runtime, job + 1, 0, NULL), BR_USAGE);
    assert_int_equal(br_runtime_started(runtime, job, 3, 1, NULL), BR_USAGE);
    assert_int_equal(br_runtime_retire(runtime, job, NULL), BR_OK);
    assert_true(br_runtime_used(runtime, 0, "cpu") == 0);
    br_runtime_destroy(runtime);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* The plan is 'before' on one machine, and 'x', 'large', 'long' one after another on the other;
 * 'large' waits for 'before'. While 'x' runs, 'long' is kept back for 'large', and it starts as
 * soon as 'large' is not coming any more. */
static void test_kept_back(void **state)
{
    enum { BEFORE, X, LARGE, LONG, TASKS_HERE };
    static const int64_t starts_ns[] = {0, 0, 10, 20};
    for (int by_event = 0; by_event < 2; by_event++) {
        struct br_dag *dag = br_dag_create("kept back");
        struct br_cluster *cluster = br_cluster_create(NULL);
        struct br_plan *plan = br_plan_create(TASKS_HERE);
        struct br_runtime *runtime;
        struct br_decision decision[8];
        uint32_t job, cls;
        add_stage(dag, "before", 5, "tape", "1");
        add_stage(dag, "x", 10, "cpu", "3");
        add_stage(dag, "large", 10, "cpu", "4");
        add_stage(dag, "long", 30, "cpu", "1");
        assert_int_equal(br_dag_add_edge(dag, BEFORE, LARGE, BR_BARRIER, NULL), BR_OK);
        assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
        assert_int_equal(br_cluster_add_class(cluster, "tape", 1, &cls, NULL), BR_OK);
        assert_int_equal(br_cluster_add_capacity(cluster, cls, "tape", "1", NULL), BR_OK);
        assert_int_equal(br_cluster_add_class(cluster, "m", 1, &cls, NULL), BR_OK);
        assert_int_equal(br_cluster_add_capacity(cluster, cls, "cpu", "4", NULL), BR_OK);
        for (uint32_t t = 0; t < TASKS_HERE; t++) {
            plan->start_ns[t] = starts_ns[t];
            plan->machine[t] = t != BEFORE;
            plan->order[t] = t;
        }
        assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
        assert_int_equal(br_runtime_take(runtime, dag, plan, 0,
                                         by_event ? BR_READY_BY_EVENT : BR_READY_BY_EDGES, &job,
                                         NULL),
                         BR_OK);
        for (uint32_t t = 0; t < TASKS_HERE && by_event; t++)
            assert_int_equal(br_runtime_ready(runtime, job, t, NULL), BR_OK);
        assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 8), 2);
        assert_int_equal(decision[0].task + decision[1].task, BEFORE + X);
        assert_int_equal(br_runtime_decide(runtime, BR_ANY, 1, decision, 8), 0);
        if (by_event)
            assert_int_equal(br_runtime_withdrawn(runtime, job, LARGE, NULL), BR_OK);
        else
            assert_int_equal(br_runtime_failed(runtime, job, BEFORE, false, NULL), BR_OK);
        assert_int_equal(br_runtime_decide(runtime, BR_ANY, 1, decision, 8), 1);
        assert_int_equal(decision[0].task, LONG);
        br_runtime_destroy(runtime);
        br_plan_destroy(plan);
        br_dag_destroy(dag);
        br_cluster_destroy(cluster);
    }
}

/* A group with large tasks comes to its share although small ones of others would always fit. The
 * machine is kept free for it, but only once it is behind by a cluster and the threshold, 1.1:
 * every small task that starts leaves it behind by an eighth. */
static void test_no_starvation(void **state)
{
    struct br_cluster *cluster = one_machine("4", "1");
    struct br_dag *small = wide_job(1000, "1"), *large = wide_job(5, "4");
    struct br_runtime *runtime;
    struct br_decision decision[8];
    uint32_t running[8], runs = 0, job[2], group[2], left = 5, steps = 0, kept_free = 0;
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    for (uint32_t g = 0; g < 2; g++) {
        assert_int_equal(br_runtime_add_group(runtime, "g", 1, &group[g], NULL), BR_OK);
        assert_int_equal(br_runtime_submit(runtime, g ? large : small, NULL, group[g],
                                           BR_READY_BY_EDGES, &job[g], NULL),
                         BR_OK);
    }
    for (; left && steps < 200; steps++) {
        uint32_t got = br_runtime_decide(runtime, BR_ANY, 0, decision, 8);
        for (uint32_t d = 0; d < got; d++)
            running[runs++] = (decision[d].job == job[1]) << 16 | decision[d].task;
        assert_true(runs > 0);
        bool is_large = running[0] >> 16, is_owed = br_runtime_deficit(runtime, group[1]) >= 1.1;
        assert_true(is_large || runs == 4 || is_owed);
        kept_free += !is_large && runs < 4;
        /* One after the other, so that there are never four cores free by chance. */
        uint32_t ended = running[0];
        memmove(running, running + 1, --runs * sizeof *running);
        left -= ended >> 16;
        assert_int_equal(br_runtime_finished(runtime, job[ended >> 16], ended & 0xffff, NULL),
                         BR_OK);
    }
    assert_int_equal(left, 0);
    assert_true(kept_free > 0 && steps < 100);
    br_runtime_destroy(runtime);
    br_dag_destroy(small);
    br_dag_destroy(large);
    br_cluster_destroy(cluster);
}

/* Of a job that is closed nothing more is started, also not what its running tasks would make ready
 * or what fails; its group wants nothing and is owed nothing; others go on. */
static void test_close(void **state)
{
    (void)state;
    struct br_cluster *cluster = br_cluster_create("c");
    struct br_dag *dag = br_dag_create("j");
    struct br_runtime *runtime;
    struct br_decision decision[8];
    uint32_t number, first, second, group, closed, other;
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, &number, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, number, "cpu", "2", NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "a", 4, 1000, &first, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "b", 4, 1000, &second, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, first, "cpu", "1", NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, second, "cpu", "1", NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, first, second, BR_ONE_TO_ONE, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    assert_int_equal(br_runtime_add_group(runtime, "g", 1, &group, NULL), BR_OK);
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, group, BR_READY_BY_EDGES, &closed, NULL),
                     BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 8), 2);
    uint32_t done = decision[0].task, failed = decision[1].task;
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, 0, BR_READY_BY_EDGES, &other, NULL),
                     BR_OK);
    assert_int_equal(br_runtime_close(runtime, 7, NULL), BR_USAGE);
    assert_int_equal(br_runtime_close(runtime, closed, NULL), BR_OK);
    struct br_job_state s = br_runtime_job(runtime, closed);
    assert_int_equal(s.running, 2);
    assert_int_equal(s.failed, 6);
    assert_int_equal(s.waiting + s.ready, 0);
    assert_int_equal(br_runtime_finished(runtime, closed, done, NULL), BR_OK);
    assert_int_equal(br_runtime_failed(runtime, closed, failed, true, NULL), BR_OK);
    s = br_runtime_job(runtime, closed);
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.failed, 7);
    assert_true(br_runtime_deficit(runtime, group) == 0);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 1, decision, 8), 2);
    assert_int_equal(decision[0].job, other);
    assert_int_equal(decision[1].job, other);
    assert_int_equal(br_runtime_retire(runtime, closed, NULL), BR_OK);
    br_runtime_destroy(runtime);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

static void test_refusals(void **state)
{
    struct br_cluster *cluster = one_machine("4", "1");
    struct br_dag *large = wide_job(1, "5");
    struct br_runtime_options options = br_runtime_options_default();
    struct br_runtime *runtime;
    struct br_diag diag = {0};
    uint32_t job;
    options.policy = "best";
    assert_int_equal(br_runtime_create(cluster, &options, &runtime, &diag), BR_USAGE);
    assert_null(runtime);
    options = br_runtime_options_default();
    options.kappa = 0;
    assert_int_equal(br_runtime_create(cluster, &options, &runtime, &diag), BR_USAGE);
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, &diag), BR_OK);
    assert_int_equal(br_runtime_submit(runtime, large, NULL, 0, BR_READY_BY_EDGES, &job, &diag),
                     BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "'s'"));
    assert_int_equal(br_runtime_submit(runtime, large, NULL, 1, BR_READY_BY_EDGES, &job, &diag),
                     BR_USAGE);
    br_runtime_destroy(runtime);
    br_dag_destroy(large);
    br_cluster_destroy(cluster);
}

/* A job that counts in MiB does not come to machines that are given in bytes. */
static void test_units(void **state)
{
    (void)state;
    for (int in_bytes = 0; in_bytes < 2; in_bytes++) {
        struct br_cluster *cluster = br_cluster_create(NULL);
        struct br_dag *dag = br_dag_create("job");
        struct br_runtime *runtime;
        struct br_diag diag = {0};
        uint32_t job, cls;
        assert_int_equal(br_cluster_add_class(cluster, "m", 1, &cls, NULL), BR_OK);
        assert_int_equal(br_cluster_add_capacity(cluster, cls, "cpu", "4B", NULL), BR_OK);
        assert_int_equal(
            br_cluster_add_capacity(cluster, cls, "mem", in_bytes ? "8GiB" : "8192", NULL), BR_OK);
        assert_int_equal(br_dag_add_resource(dag, "mem", "MiB", NULL), BR_OK);
        assert_int_equal(br_dag_add_resource(dag, "cpu", "cores", NULL), BR_OK);
        add_stage(dag, "s", 1, "cpu", "1");
        assert_int_equal(br_dag_add_demand(dag, 0, "mem", "512", NULL), BR_OK);
        assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
        assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
        assert_int_equal(br_runtime_submit(runtime, dag, NULL, 0, BR_READY_BY_EDGES, &job, &diag),
                         in_bytes ? BR_BAD_INPUT : BR_OK);
        if (in_bytes)
            assert_non_null(strstr(diag.what, "mem in MiB"));
        br_runtime_destroy(runtime);
        br_dag_destroy(dag);
        br_cluster_destroy(cluster);
    }
}

/* A job that has a plan is closed while several tasks of one kind are ready on one machine: what is
 * offered there is not looked for behind the last of them (the address sanitizer would tell). */
static void test_close_planned(void **state)
{
    enum { TASKS_HERE = 4 };
    (void)state;
    struct br_dag *dag = wide_job(TASKS_HERE, "1");
    struct br_cluster *cluster = one_machine("2", "1");
    struct br_plan *plan = br_plan_create(TASKS_HERE);
    struct br_runtime *runtime;
    struct br_decision decision[TASKS_HERE];
    uint32_t job;
    for (uint32_t t = 0; t < TASKS_HERE; t++) {
        plan->start_ns[t] = t / 2 * 1000;
        plan->machine[t] = 0;
        plan->order[t] = t;
    }
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    assert_int_equal(br_runtime_take(runtime, dag, plan, 0, BR_READY_BY_EDGES, &job, NULL), BR_OK);
    assert_int_equal(br_runtime_close(runtime, job, NULL), BR_OK);
    assert_int_equal(br_runtime_job(runtime, job).failed, TASKS_HERE);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 1, decision, TASKS_HERE), 0);
    br_runtime_destroy(runtime);
    br_plan_destroy(plan);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* Somebody else has started 'x', so the enforcer looks at the machine for the first time while it
 * runs. 'x' (3 of 4 cpus) ends at 10, when the plan has 'next' (3) begin, which waits for it: so 1
 * is free all the time, and 'long' (1 cpu, 30 ns, planned at 20) may start at 1. Were 'x'
 * forgotten, it would seem that from 10 on 2 cpus less than none are free. */
static void test_chained_late(void **state)
{
    enum { X, NEXT, LONG, TASKS_HERE };
    static const int64_t starts_ns[] = {0, 10, 20};
    struct br_dag *dag = br_dag_create("chained late");
    struct br_cluster *cluster = one_machine("4", "1");
    struct br_plan *plan = br_plan_create(TASKS_HERE);
    struct br_runtime *runtime;
    struct br_decision decision[4];
    uint32_t job;
    (void)state;
    add_stage(dag, "x", 10, "cpu", "3");
    add_stage(dag, "next", 10, "cpu", "3");
    add_stage(dag, "long", 30, "cpu", "1");
    assert_int_equal(br_dag_add_edge(dag, X, NEXT, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    for (uint32_t t = 0; t < TASKS_HERE; t++) {
        plan->start_ns[t] = starts_ns[t];
        plan->machine[t] = 0;
        plan->order[t] = t;
    }
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    assert_int_equal(br_runtime_take(runtime, dag, plan, 0, BR_READY_BY_EDGES, &job, NULL), BR_OK);
    assert_int_equal(br_runtime_started(runtime, job, X, 0, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 1, decision, 4), 1);
    assert_int_equal(decision[0].task, LONG);
    assert_int_equal(br_runtime_finished(runtime, job, X, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 10, decision, 4), 1);
    assert_int_equal(decision[0].task, NEXT);
    br_runtime_destroy(runtime);
    br_plan_destroy(plan);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* A plan of another job is refused: one of other tasks, of tasks that last otherwise, and one that
 * has a task before its parents. */
static void test_foreign_plan(void **state)
{
    struct br_cluster *cluster = one_machine("4", "1");
    struct br_dag *job[4], *three = wide_job(3, "1"); /* 1000 ns each */
    struct br_runtime *runtime;
    struct br_diag diag;
    uint32_t number;
    (void)state;
    job[0] = wide_job(2, "1");
    for (uint32_t j = 1; j < 4; j++) {
        job[j] = br_dag_create("other");
        for (uint32_t s = 0; s < 3; s++)
            add_stage(job[j], &"a\0b\0c"[2 * s], j == 1 && s == 2 ? 500 : 1000, "cpu", "1");
        if (j == 2)
            assert_int_equal(br_dag_add_edge(job[j], 2, 0, BR_BARRIER, NULL), BR_OK);
        assert_int_equal(br_dag_finish(job[j], NULL), BR_OK);
    }
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    for (uint32_t j = 0; j < 4; j++) {
        struct br_plan *plan;
        assert_int_equal(br_plan_make(three, cluster, NULL, &plan, NULL), BR_OK);
        assert_int_equal(
            br_runtime_submit(runtime, job[j], plan, 0, BR_READY_BY_EDGES, &number, &diag),
            j < 3 ? BR_USAGE : BR_OK);
        if (j == 1)
            assert_string_equal(diag.what, "the plan is of another job: task c lasts 1e-06 s in "
                                           "it, not 5e-07 s");
        br_plan_destroy(plan);
        br_dag_destroy(job[j]);
    }
    br_runtime_destroy(runtime);
    br_dag_destroy(three);
    br_cluster_destroy(cluster);
}

/* A form is found by the number of its Dag and by its plan, not by where it is kept; and it lives
 * as long as a job of it. */
static void test_forms(void **state)
{
    static struct br_forms forms;
    struct br_cluster *cluster = one_machine("4", "1");
    struct br_dag *dag = wide_job(3, "1");
    struct br_plan *plan = br_plan_create(3);
    struct br_runtime *runtime;
    struct br_form *one, *other;
    struct br_decision decision[4];
    uint32_t job;
    (void)state;
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    assert_int_equal(br_runtime_form(runtime, dag, NULL, &one, NULL), BR_OK);
    assert_int_equal(br_runtime_form(runtime, dag, NULL, &other, NULL), BR_OK);
    br_dag_destroy(dag); /* what is needed of it has been copied */
    assert_null(br_forms_find(&forms, 0, NULL));
    br_forms_keep(&forms, 1, NULL, one);
    assert_ptr_equal(br_forms_find(&forms, 1, NULL), one);
    assert_null(br_forms_find(&forms, 1, plan));
    assert_null(br_forms_find(&forms, 1 + BR_FORMS, NULL));
    assert_int_equal(br_runtime_submit_form(runtime, one, 0, BR_READY_BY_EDGES, &job, NULL), BR_OK);
    br_form_release(one);
    br_forms_keep(&forms, 1 + BR_FORMS, NULL, other); /* in its place */
    assert_null(br_forms_find(&forms, 1, NULL));
    assert_ptr_equal(br_forms_find(&forms, 1 + BR_FORMS, NULL), other);
    br_form_release(other);
    br_forms_finish(&forms);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 4), 3);
    br_runtime_destroy(runtime);
    br_plan_destroy(plan);
    br_cluster_destroy(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limit),         cmocka_unit_test(test_cap),
        cmocka_unit_test(test_fairness),      cmocka_unit_test(test_overbook_and_report),
        cmocka_unit_test(test_events),        cmocka_unit_test(test_kept_back),
        cmocka_unit_test(test_no_starvation), cmocka_unit_test(test_close),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_units),
        cmocka_unit_test(test_chained_late),  cmocka_unit_test(test_forms),
        cmocka_unit_test(test_foreign_plan),  cmocka_unit_test(test_close_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
