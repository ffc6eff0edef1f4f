/* The enforcer by hand, on jobs with outputs, shared resources and times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <bigrocks/planner.h>
#include <bigrocks/runtime.h>

#include "tests/runtime/by_hand.h"

enum { ROOM = 16 };
static const int64_t second_ns = 1000000000;

/* One machine with that much mem, and shared licences. */
static struct br_cluster *machine(const char *mem, const char *licences)
{
    struct br_cluster *cluster = br_cluster_create("one");
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "4", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "mem", mem, NULL), BR_OK);
    assert_int_equal(br_cluster_add_shared(cluster, "licence", licences, NULL), BR_OK);
    return cluster;
}

static uint32_t stage(struct br_dag *dag, const char *id)
{
    return add_stage(dag, id, second_ns, "cpu", "1");
}

/* A stage that leaves 40 of mem to its children. */
static uint32_t table(struct br_dag *dag, const char *id, unsigned flags)
{
    const uint32_t s = stage(dag, id);
    assert_int_equal(br_dag_add_output(dag, s, "table", "mem", "40", flags, NULL), BR_OK);
    return s;
}

static void edge(struct br_dag *dag, uint32_t parent, uint32_t child)
{
    assert_int_equal(br_dag_add_edge(dag, parent, child, BR_BARRIER, NULL), BR_OK);
}

/* Two builds of a table each, and a probe of both. */
static void query(struct br_dag *dag, const char *a, const char *b, const char *probe)
{
    const uint32_t x = table(dag, a, 0), y = table(dag, b, 0), z = stage(dag, probe);
    edge(dag, x, z);
    edge(dag, y, z);
}

static struct br_runtime *runtime_of(const struct br_cluster *cluster)
{
    struct br_runtime *runtime;
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    return runtime;
}

static uint32_t submit(struct br_runtime *runtime, struct br_dag *dag)
{
    uint32_t job;
    struct br_diag diag = {0};
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, 0, BR_READY_BY_EDGES, &job, &diag),
                     BR_OK);
    br_dag_destroy(dag); /* it is not needed any more */
    return job;
}

static uint32_t decide(struct br_runtime *runtime, int64_t now_ns, struct br_decision *decision)
{
    return br_runtime_decide(runtime, BR_ANY, now_ns, decision, ROOM);
}

static void finish(struct br_runtime *runtime, uint32_t job, uint32_t task)
{
    assert_int_equal(br_runtime_finished(runtime, job, task, NULL), BR_OK);
}

/* The two queries of ../shared/cases/query/01-held-memory in one job, on room for two tables and a
 * half: with a table of each of them held, nothing could ever go on. */
static void test_two_queries(void **state)
{
    struct br_cluster *cluster = machine("100", "1");
    struct br_dag *dag = br_dag_create("two");
    struct br_decision decision[ROOM];
    uint32_t running[ROOM], runs = 0, done = 0;
    (void)state;
    query(dag, "q1.a", "q1.b", "q1.probe");
    query(dag, "q2.a", "q2.b", "q2.probe");
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    struct br_runtime *runtime = runtime_of(cluster);
    const uint32_t job = submit(runtime, dag);
    while (done < 6) {
        const uint32_t got = decide(runtime, done, decision);
        assert_true(br_runtime_used(runtime, 0, "mem") <= 0.8);
        for (uint32_t d = 0; d < got; d++)
            running[runs++] = decision[d].task;
        assert_true(runs > 0);
        finish(runtime, job, running[--runs]);
        done++;
    }
    assert_true(br_runtime_used(runtime, BR_ANY, "mem") == 0);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
}

/* The same as two jobs: one may hold both tables only once the other has none. Each job alone has a
 * way on with one table of the other held, and both together do not. */
static void test_two_jobs(void **state)
{
    struct br_cluster *cluster = machine("100", "1");
    struct br_decision decision[ROOM];
    struct br_runtime *runtime = runtime_of(cluster);
    uint32_t job[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct br_dag *dag = br_dag_create("query");
        query(dag, "a", "b", "probe");
        assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
        job[k] = submit(runtime, dag);
    }
    assert_int_equal(decide(runtime, 0, decision), 2);
    assert_int_equal(decision[0].job, job[0]);
    assert_int_equal(decision[1].job, job[0]);
    finish(runtime, job[0], 0);
    finish(runtime, job[0], 1);
    assert_int_equal(decide(runtime, 1, decision), 1); /* the probe */
    assert_int_equal(decision[0].task, 2);
    assert_int_equal(br_runtime_failed(runtime, job[0], 2, true, NULL), BR_OK);
    assert_true(br_runtime_used(runtime, 0, "mem") == 0.8); /* its tables are still held */
    assert_int_equal(decide(runtime, 2, decision), 1);
    finish(runtime, job[0], 2);
    assert_true(br_runtime_used(runtime, 0, "mem") == 0);
    assert_int_equal(decide(runtime, 3, decision), 2);
    assert_int_equal(decision[0].job, job[1]);
    assert_int_equal(br_runtime_retire(runtime, job[1], NULL), BR_OK);
    assert_true(br_runtime_used(runtime, 0, "mem") == 0);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
}

/* A job without features waits, too, if one with features could not go on otherwise, and takes what
 * that one leaves. */
static void test_beside_plain(void **state)
{
    struct br_cluster *cluster = machine("100", "1");
    struct br_decision decision[ROOM];
    struct br_runtime *runtime = runtime_of(cluster);
    struct br_dag *dag = br_dag_create("plain"), *held = br_dag_create("query");
    (void)state;
    assert_int_equal(br_dag_add_stage(dag, "p", 3, second_ns, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, 0, "mem", "90", NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    query(held, "a", "b", "probe");
    assert_int_equal(br_dag_finish(held, NULL), BR_OK);
    const uint32_t plain = submit(runtime, dag);
    assert_int_equal(decide(runtime, 0, decision), 1);
    const uint32_t job = submit(runtime, held);
    assert_int_equal(decide(runtime, 1, decision), 0);
    finish(runtime, plain, decision[0].task);
    assert_int_equal(decide(runtime, 2, decision), 2);
    assert_int_equal(decision[0].job, job);
    finish(runtime, job, 0);
    finish(runtime, job, 1);
    assert_int_equal(decide(runtime, 3, decision), 1);
    finish(runtime, job, 2);
    assert_int_equal(decide(runtime, 4, decision), 1);
    assert_int_equal(decision[0].job, plain);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
}

/* Outputs are told once when they are free; results are not. */
static void test_freed(void **state)
{
    struct br_cluster *cluster = machine("100", "1");
    struct br_decision decision[ROOM];
    struct br_runtime *runtime = runtime_of(cluster);
    struct br_dag *dag = br_dag_create("chain");
    struct br_freed freed;
    (void)state;
    const uint32_t a = table(dag, "a", BR_OUTPUT_FROM_END), b = table(dag, "b", 0);
    edge(dag, a, b);
    assert_int_equal(br_dag_add_output(dag, b, "scrap", "mem", "10", BR_OUTPUT_UNKEPT, NULL),
                     BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    const uint32_t job = submit(runtime, dag);
    assert_int_equal(decide(runtime, 0, decision), 1);
    assert_true(br_runtime_used(runtime, 0, "mem") == 0.4); /* what it will leave */
    finish(runtime, job, a);
    assert_false(br_runtime_freed(runtime, &freed));
    assert_int_equal(decide(runtime, 0, decision), 1);
    assert_true(br_runtime_used(runtime, 0, "mem") == 0.9);
    assert_int_equal(br_runtime_failed(runtime, job, b, true, NULL), BR_OK);
    assert_false(br_runtime_freed(runtime, &freed));
    assert_int_equal(decide(runtime, 0, decision), 1);
    finish(runtime, job, b);
    assert_true(br_runtime_freed(runtime, &freed));
    assert_int_equal(freed.task, b);
    assert_int_equal(freed.output, 2);
    assert_true(br_runtime_freed(runtime, &freed));
    assert_int_equal(freed.task, a);
    assert_int_equal(freed.output, 0);
    assert_int_equal(freed.job, job);
    assert_false(br_runtime_freed(runtime, &freed));
    assert_true(br_runtime_used(runtime, 0, "mem") == 0);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
}

/* What a task that has failed for good would have read is free, and so is what a closed job held
 * for tasks that never start. */
static void test_given_up(void **state)
{
    struct br_cluster *cluster = machine("100", "1");
    struct br_decision decision[ROOM];
    struct br_runtime *runtime = runtime_of(cluster);
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        struct br_dag *dag = br_dag_create("query");
        query(dag, "a", "b", "probe");
        assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
        const uint32_t job = submit(runtime, dag);
        assert_int_equal(decide(runtime, 0, decision), 2);
        finish(runtime, job, 0);
        if (closed) {
            assert_int_equal(br_runtime_close(runtime, job, NULL), BR_OK);
            assert_true(br_runtime_used(runtime, 0, "mem") == 0.4); /* 'b' runs */
            finish(runtime, job, 1);
        } else {
            assert_int_equal(br_runtime_failed(runtime, job, 1, false, NULL), BR_OK);
        }
        assert_true(br_runtime_used(runtime, 0, "mem") == 0);
        assert_int_equal(decide(runtime, 0, decision), 0);
        assert_int_equal(br_runtime_retire(runtime, job, NULL), BR_OK);
    }
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
}

/* Licences count over all machines, and come back. */
static void test_shared(void **state)
{
    struct br_cluster *cluster = machine("100", "2");
    struct br_decision decision[ROOM];
    struct br_runtime *runtime = runtime_of(cluster);
    struct br_dag *dag = br_dag_create("licensed");
    (void)state;
    assert_int_equal(br_dag_add_stage(dag, "x", 4, second_ns, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, 0, "licence", "1", NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    const uint32_t job = submit(runtime, dag);
    assert_int_equal(decide(runtime, 0, decision), 2);
    assert_int_equal(decide(runtime, 0, decision + 2), 0);
    finish(runtime, job, decision[0].task);
    assert_int_equal(decide(runtime, 0, decision + 2), 1);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
}

/* The caller is told when to ask again; a lag counts from the first question after the end. */
static void test_times(void **state)
{
    struct br_cluster *cluster = machine("100", "1");
    struct br_decision decision[ROOM];
    struct br_runtime *runtime = runtime_of(cluster);
    struct br_dag *dag = br_dag_create("timed");
    (void)state;
    const uint32_t a = stage(dag, "a"), b = stage(dag, "b"), c = stage(dag, "c");
    edge(dag, a, b);
    edge(dag, b, c);
    assert_int_equal(br_dag_set_release(dag, a, UINT32_MAX, 7, NULL), BR_OK);
    assert_int_equal(br_dag_set_edge_lag(dag, a, b, 5, NULL), BR_OK);
    assert_int_equal(br_dag_set_edge_lag(dag, b, c, 2, NULL), BR_OK);
    assert_int_equal(br_dag_set_edge_stream(dag, b, c, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_true(br_runtime_next_ns(runtime) == INT64_MAX);
    const uint32_t job = submit(runtime, dag);
    assert_int_equal(decide(runtime, 100, decision), 0); /* its time begins */
    assert_int_equal(br_runtime_job(runtime, job).ready, 1);
    assert_int_equal(br_runtime_next_ns(runtime), 107);
    assert_int_equal(decide(runtime, 106, decision), 0);
    assert_int_equal(decide(runtime, 107, decision), 1);
    assert_int_equal(decision[0].task, a);
    assert_true(br_runtime_next_ns(runtime) == INT64_MAX);
    finish(runtime, job, a);
    assert_int_equal(decide(runtime, 120, decision), 0);
    assert_int_equal(br_runtime_next_ns(runtime), 125);
    assert_int_equal(decide(runtime, 125, decision), 1);
    assert_int_equal(decide(runtime, 126, decision), 0);
    assert_int_equal(decide(runtime, 128, decision), 1); /* beside its parent */
    assert_int_equal(decision[0].task, c);
    /* The parent fails: the child goes on, and the parent starts again. */
    assert_int_equal(br_runtime_failed(runtime, job, b, true, NULL), BR_OK);
    assert_int_equal(decide(runtime, 129, decision), 1);
    assert_int_equal(decision[0].task, b);
    finish(runtime, job, b);
    finish(runtime, job, c);
    assert_int_equal(br_runtime_job(runtime, job).finished, 3);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
}

/* Tasks that an earlier run has finished are told without a start, in any order. */
static void test_resumed(void **state)
{
    struct br_cluster *cluster = machine("80", "1");
    struct br_decision decision[ROOM];
    struct br_runtime *runtime = runtime_of(cluster);
    struct br_dag *dag = br_dag_create("two");
    (void)state;
    query(dag, "q1.a", "q1.b", "q1.probe");
    query(dag, "q2.a", "q2.b", "q2.probe");
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    const uint32_t job = submit(runtime, dag);
    finish(runtime, job, 4);
    assert_true(br_runtime_used(runtime, 0, "mem") == 0.5);
    assert_int_equal(decide(runtime, 0, decision), 1); /* not a table of the other query */
    assert_int_equal(decision[0].task, 3);
    finish(runtime, job, 3);
    assert_int_equal(decide(runtime, 0, decision), 1);
    assert_int_equal(decision[0].task, 5);
    finish(runtime, job, 5);
    assert_int_equal(decide(runtime, 0, decision), 2);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
}

static void test_refused(void **state)
{
    struct br_cluster *cluster = machine("70", "1");
    struct br_runtime *runtime = runtime_of(cluster);
    struct br_dag *dag = br_dag_create("query");
    struct br_diag diag = {0};
    uint32_t job;
    (void)state;
    query(dag, "a", "b", "probe");
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, 0, BR_READY_BY_EDGES, &job, &diag),
                     BR_NO);
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, 0, BR_READY_BY_EVENT, &job, &diag),
                     BR_NO);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
    cluster = machine("80", "1");
    runtime = runtime_of(cluster);
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, 0, BR_READY_BY_EVENT, &job, &diag),
                     BR_BAD_INPUT);
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, 0, BR_READY_BY_EDGES, &job, &diag),
                     BR_OK);
    assert_int_equal(br_runtime_ready(runtime, job, 0, NULL), BR_USAGE);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_queries),  cmocka_unit_test(test_two_jobs),
        cmocka_unit_test(test_beside_plain), cmocka_unit_test(test_freed),
        cmocka_unit_test(test_given_up),     cmocka_unit_test(test_shared),
        cmocka_unit_test(test_times),        cmocka_unit_test(test_resumed),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
