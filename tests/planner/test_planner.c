/* A planner that plans job after job: the plans of br_plan_make, from one call to the next, and not
 * one allocation once it has seen a job of the size. The linker puts the allocators of takings.h
 * before the library's, and counts sorting by the C library, which allocates as it likes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "planner/model/dag.h"
#include "planner/instance/plan.h"
#include "tests/support/random_job.h"
#include "tests/support/takings.h"
#include <bigrocks/bigrocks.h>

enum { SERIES = 50, OPERATORS = 30, RESOURCES = 3, MIXED = 60 };

static const char *const resource[RESOURCES] = {"cpu", "mem", "disk"};

void __wrap_qsort(void *items, size_t count, size_t size,
                  int (*compare)(const void *, const void *));
void __wrap_qsort_r(void *items, size_t count, size_t size,
                    int (*compare)(const void *, const void *, void *), void *context);
void __real_qsort(void *items, size_t count, size_t size,
                  int (*compare)(const void *, const void *));
void __real_qsort_r(void *items, size_t count, size_t size,
                    int (*compare)(const void *, const void *, void *), void *context);

void __wrap_qsort(void *items, size_t count, size_t size,
                  int (*compare)(const void *, const void *))
{
    assert_true(taken > refuse); /* only where memory is out */
    __real_qsort(items, count, size, compare);
}

void __wrap_qsort_r(void *items, size_t count, size_t size,
                    int (*compare)(const void *, const void *, void *), void *context)
{
    assert_true(taken > refuse);
    __real_qsort_r(items, count, size, compare, context);
}

/* A query: operators that read from one or two before them, few of which take long. The shape is
 * that of the seed, durations are those of `details`. */
static void fill_query(struct br_dag *dag, uint32_t tasks, uint64_t seed, uint64_t details)
{
    struct br_rng shape = br_rng_seed(seed), amounts = br_rng_seed(details);
    static char command[1500]; /* which needs a block of its own */
    memset(command, 'x', sizeof command - 1);
    for (uint32_t r = 0; r < RESOURCES; r++)
        assert_int_equal(br_dag_add_resource(dag, resource[r], command, NULL), BR_OK);
    for (uint32_t t = 0; t < tasks; t++) {
        char id[16], amount[16];
        double unit = br_rng_unit(&amounts);
        snprintf(id, sizeof id, "op%u", t);
        assert_int_equal(
            br_dag_add_stage(dag, id, 1, 1000000 + (int64_t)(unit * unit * unit * 1e9), NULL, NULL),
            BR_OK);
        assert_int_equal(br_dag_set_command(dag, t, command, NULL), BR_OK);
        for (uint32_t r = 0; r < RESOURCES; r++) {
            snprintf(amount, sizeof amount, "%u", 10 + (unsigned)br_rng_below(&amounts, 61));
            assert_int_equal(br_dag_add_demand(dag, t, resource[r], amount, NULL), BR_OK);
        }
        for (uint64_t p = t ? 1 + br_rng_below(&shape, 2) : 0; p > 0; p--) {
            uint32_t back = 1 + (uint32_t)br_rng_below(&shape, t);
            assert_int_equal(br_dag_add_edge(dag, t - back, t, BR_BARRIER, NULL), BR_OK);
        }
    }
    if (details % 2)
        assert_int_equal(br_dag_set_duration(dag, tasks / 2, 0, 77000000, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
}

static struct br_dag *make_query(uint32_t tasks, uint64_t seed, uint64_t details)
{
    struct br_dag *dag = br_dag_create("query");
    assert_non_null(dag);
    fill_query(dag, tasks, seed, details);
    return dag;
}

static struct br_cluster *make_machines(uint32_t machines)
{
    struct br_cluster *cluster = br_cluster_create("machines");
    uint32_t cls;
    assert_int_equal(br_cluster_add_class(cluster, "m", machines, &cls, NULL), BR_OK);
    for (uint32_t r = 0; r < RESOURCES; r++)
        assert_int_equal(br_cluster_add_capacity(cluster, cls, resource[r], "100", NULL), BR_OK);
    return cluster;
}

static struct br_plan_options fast(void)
{
    struct br_plan_options options = br_plan_options_default();
    options.effort = BR_EFFORT_FAST;
    options.threads = 1;
    return options;
}

static void assert_texts_equal(const char *a, const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a)
        assert_string_equal(a, b);
}

static void assert_plans_equal(const struct br_plan *a, const struct br_plan *b)
{
    int64_t proven_a = -1, proven_b = -1;
    assert_int_equal(a->tasks, b->tasks);
    assert_memory_equal(a->start_ns, b->start_ns, a->tasks * sizeof *a->start_ns);
    assert_memory_equal(a->machine, b->machine, a->tasks * sizeof *a->machine);
    assert_memory_equal(a->order, b->order, a->tasks * sizeof *a->order);
    assert_memory_equal(a->subset, b->subset, a->tasks);
    assert_int_equal(a->makespan_ns, b->makespan_ns);
    assert_int_equal(a->lower_bound_ns, b->lower_bound_ns);
    assert_int_equal(a->placements, b->placements);
    assert_int_equal(a->parts, b->parts);
    assert_texts_equal(a->method, b->method);
    assert_texts_equal(a->bound_method, b->bound_method);
    assert_texts_equal(a->note, b->note);
    assert_int_equal(br_certificate_bound(a->certificate, &proven_a),
                     br_certificate_bound(b->certificate, &proven_b));
    assert_int_equal(proven_a, proven_b);
}

/* Plans the job by the planner, and as others do; how many allocations the planner took. */
static uint32_t plan_both_ways(struct br_planner *planner, const struct br_dag *dag,
                               const struct br_cluster *cluster,
                               const struct br_plan_options *options)
{
    const struct br_plan *kept = NULL;
    struct br_plan *own = NULL;
    struct br_diag diag = {0};
    const uint32_t before = taken;
    assert_int_equal(br_planner_plan(planner, dag, cluster, options, &kept, &diag), BR_OK);
    int64_t bound_ns = -1, own_bound_ns = -2;
    assert_int_equal(br_planner_bound(planner, dag, cluster, &bound_ns, NULL, &diag), BR_OK);
    const uint32_t took = taken - before;
    assert_int_equal(br_bound(dag, cluster, &own_bound_ns, NULL, &diag), BR_OK);
    assert_int_equal(bound_ns, own_bound_ns);
    /* Enough is enough: what is found reaches it, and is no more than the bound. */
    for (int64_t enough_ns = 1; enough_ns <= own_bound_ns; enough_ns += own_bound_ns / 3 + 1) {
        assert_int_equal(
            br_planner_bound_until(planner, dag, cluster, enough_ns, &bound_ns, NULL, &diag),
            BR_OK);
        assert_true(enough_ns <= bound_ns && bound_ns <= own_bound_ns);
    }
    assert_int_equal(
        br_planner_bound_until(planner, dag, cluster, own_bound_ns + 1, &bound_ns, NULL, &diag),
        BR_OK);
    assert_int_equal(bound_ns, own_bound_ns);
    assert_int_equal(br_plan_make(dag, cluster, options, &own, &diag), BR_OK);
    assert_true(taken - before - took > 50); /* so the count is one */
    assert_plans_equal(kept, own);
    br_plan_destroy(own);
    return took;
}

/* Other queries of as many operators, and the same with other durations and demands. */
static void series(uint32_t operators, uint32_t machines, uint32_t jobs)
{
    struct br_planner *planner = br_planner_create();
    struct br_cluster *cluster = make_machines(machines);
    const struct br_plan_options options = fast();
    for (uint32_t k = 0; k <= jobs; k++) {
        struct br_dag *dag = make_query(operators, k < jobs / 2 ? k : 7, k);
        uint32_t took = plan_both_ways(planner, dag, cluster, &options);
        if (k == 0)
            assert_uint_in_range(took, 1, 6); /* memory that doubles, and what is kept ahead */
        else
            assert_int_equal(took, 0);
        br_dag_destroy(dag);
    }
    br_planner_destroy(planner);
    br_cluster_destroy(cluster);
}

static void test_machines(void **state)
{
    series(OPERATORS, 4, SERIES);
}

static void test_one_machine(void **state)
{
    series(OPERATORS, 1, SERIES);
}

/* A job that is reset from query to query: what is built is the same, and from the third on the
 * whole way to the plan takes nothing. */
static void test_reset(void **state)
{
    struct br_planner *planner = br_planner_create();
    struct br_cluster *cluster = make_machines(4);
    const struct br_plan_options options = fast();
    struct br_dag *kept = br_dag_create("first");
    for (uint32_t k = 0; k <= SERIES; k++) {
        struct br_dag *dag = make_query(OPERATORS - k % 7, k, k);
        const uint32_t before = taken;
        if (k > 0)
            assert_int_equal(br_dag_reset(kept, "query", NULL), BR_OK);
        fill_query(kept, OPERATORS - k % 7, k, k);
        const uint32_t built = taken - before;
        const uint32_t planned = plan_both_ways(planner, kept, cluster, &options);
        assert_true(k < 2 || built + planned == 0);
        assert_string_equal(br_dag_name(kept), k ? "query" : "first");
        assert_int_equal(br_dag_fingerprint(kept, true), br_dag_fingerprint(dag, true));
        assert_int_equal(br_dag_details_fingerprint(kept), br_dag_details_fingerprint(dag));
        br_dag_destroy(dag);
    }
    br_planner_destroy(planner);
    br_dag_destroy(kept);
    br_cluster_destroy(cluster);
}

/* A job is reset in the middle of its building, after an error and twice; where memory is out it
 * is empty, and can be filled. */
static void test_reset_any_time(void **state)
{
    struct br_dag *dag = br_dag_create("a");
    struct br_diag diag = {0};
    for (uint32_t n = 0; n < 2; n++) { /* for the memory itself, then for what is in it */
        refuse = taken + n;
        assert_int_equal(br_dag_reset(dag, "b", &diag), BR_SYSTEM);
        assert_non_null(strstr(diag.what, "memory"));
        refuse = UINT32_MAX;
        assert_string_equal(br_dag_name(dag), n ? "" : "a");
        fill_query(dag, 4, 1, 1);
    }
    for (uint32_t k = 0; k < 6; k++) {
        assert_int_equal(br_dag_reset(dag, k ? "again" : NULL, NULL), BR_OK);
        assert_int_equal(br_dag_stage_count(dag), 0);
        assert_int_equal(br_dag_finish(dag, NULL), BR_BAD_INPUT); /* it is empty */
        assert_int_equal(br_dag_add_stage(dag, "x", 2, 5, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_stage(dag, "y", 2, 5, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_stage(dag, "x", 1, 5, NULL, NULL), BR_BAD_INPUT);
        assert_int_equal(br_dag_add_resource(dag, "cpu", "cores", NULL), BR_OK);
        assert_int_equal(br_dag_add_edge(dag, 0, 1, BR_ONE_TO_ONE, NULL), BR_OK);
        assert_int_equal(br_dag_set_command(dag, 0, "true", NULL), BR_OK);
        assert_int_equal(br_dag_set_duration(dag, 0, 1, 9, NULL), BR_OK);
        assert_int_equal(br_dag_find_stage(dag, "op3"), UINT32_MAX);
        assert_int_equal(br_dag_find_stage(dag, "y"), 1);
        if (k % 3 == 0)
            assert_int_equal(br_dag_add_edge(dag, 1, 0, BR_BARRIER, NULL), BR_OK);
        assert_int_equal(br_dag_finish(dag, NULL), k % 3 ? BR_OK : BR_BAD_INPUT); /* a cycle */
    }
    br_dag_destroy(dag);
}

/* So large that the C library's sorts would allocate. */
static void test_larger(void **state)
{
    series(10 * OPERATORS, 4, SERIES / 5);
}

/* Stages of several tasks, decimals, tasks without durations, cuts: after all have been seen once,
 * none of them asks for anything, in whatever order they come. */
static void test_mixed(void **state)
{
    struct br_planner *planner = br_planner_create();
    const struct br_plan_options options = fast();
    struct br_dag *dag[MIXED];
    struct br_cluster *cluster;
    assert_true(random_jobs_make(11, RANDOM_JOB_TASKS, MIXED, dag, &cluster));
    for (uint32_t k = 0; k < MIXED; k++)
        plan_both_ways(planner, dag[k], cluster, &options);
    for (uint32_t k = 0; k < MIXED; k++)
        assert_int_equal(plan_both_ways(planner, dag[k * 7 % MIXED], cluster, &options), 0);
    br_planner_destroy(planner);
    for (uint32_t k = 0; k < MIXED; k++)
        br_dag_destroy(dag[k]);
    br_cluster_destroy(cluster);
}

/* Other methods and efforts plan in the same memory. */
static void test_methods(void **state)
{
    struct br_planner *planner = br_planner_create();
    const char *name;
    for (uint32_t seed = 0; seed < 6; seed++) {
        struct random_job job;
        struct br_plan_options options = fast();
        assert_true(random_job_make(seed, 20, 0, &job));
        for (uint32_t k = 0; (name = br_method_name(k)); k++) {
            options.method = name;
            plan_both_ways(planner, job.dag, job.cluster, &options);
            assert_int_equal(plan_both_ways(planner, job.dag, job.cluster, &options), 0);
        }
        options.method = NULL;
        options.effort = seed % 2 ? BR_EFFORT_DEFAULT : BR_EFFORT_MAX;
        options.placements = 20000;
        plan_both_ways(planner, job.dag, job.cluster, &options);
        random_job_finish(&job);
    }
    br_planner_destroy(planner);
}

/* Calls back into the library from the middle of a plan, and keeps what it gets. */
static void on_found(void *context, const struct br_incumbent *incumbent)
{
    struct br_dag **last = context;
    br_dag_destroy(*last);
    *last = make_query(5, 1, 1);
}

/* Calls with threads, callbacks and limits stand among the others; their memory is their own. */
static void test_interrupted(void **state)
{
    struct br_planner *planner = br_planner_create();
    struct br_cluster *cluster = make_machines(3);
    struct br_dag *found = NULL;
    for (uint32_t k = 0; k < 8; k++) {
        struct br_dag *dag = make_query(OPERATORS, k, k);
        struct br_plan_options options = fast();
        plan_both_ways(planner, dag, cluster, &options);
        options.threads = 2;
        assert_true(plan_both_ways(planner, dag, cluster, &options) > 50);
        options = fast();
        options.found = on_found;
        options.found_context = &found;
        options.time_limit_ns = INT64_C(600000000000);
        assert_true(plan_both_ways(planner, dag, cluster, &options) > 50);
        options = fast();
        assert_int_equal(plan_both_ways(planner, dag, cluster, &options), 0);
        const struct br_plan *plan;
        assert_int_equal(br_planner_plan(planner, dag, cluster, NULL, &plan, NULL), BR_OK);
        br_dag_destroy(dag);
    }
    assert_non_null(found);
    br_dag_destroy(found);
    br_planner_destroy(planner);
    br_cluster_destroy(cluster);
}

static void test_errors(void **state)
{
    struct br_planner *planner = br_planner_create();
    struct br_cluster *cluster = make_machines(2);
    struct br_dag *dag = make_query(OPERATORS, 3, 3), *wide = br_dag_create("wide");
    struct br_plan_options options = fast();
    const struct br_plan *plan = NULL;
    struct br_diag diag = {0};
    assert_int_equal(br_dag_add_stage(wide, "a", 1, 1, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(wide, 0, "cpu", "101", NULL), BR_OK);
    assert_int_equal(br_dag_finish(wide, NULL), BR_OK);
    for (uint32_t k = 0; k < 3; k++) {
        plan_both_ways(planner, dag, cluster, &options);
        assert_int_equal(br_planner_plan(planner, wide, cluster, &options, &plan, &diag),
                         BR_BAD_INPUT);
        assert_null(plan);
        assert_non_null(strstr(diag.what, "demands 101 of cpu"));
        options.method = "none such";
        assert_int_equal(br_planner_plan(planner, dag, cluster, &options, &plan, &diag), BR_USAGE);
        assert_null(plan);
        options.method = NULL;
    }
    br_planner_destroy(planner);
    br_planner_destroy(NULL);
    br_dag_destroy(wide);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* Each allocation fails in turn, while the planner grows from a small job to a large one; the next
 * call goes well. */
static void test_memory_out(void **state)
{
    struct br_cluster *cluster = make_machines(4);
    struct br_dag *small = make_query(5, 1, 1), *large = make_query(6 * OPERATORS, 2, 2);
    struct br_plan_options options = fast();
    const struct br_plan *plan;
    bool more = true;
    uint32_t failed = 0;
    for (uint32_t n = 0; more; n++) {
        struct br_diag diag = {0};
        taken = 0;
        refuse = n;
        struct br_planner *planner = br_planner_create();
        enum br_status first = BR_SYSTEM, second = BR_SYSTEM;
        if (planner) {
            first = br_planner_plan(planner, small, cluster, &options, &plan, &diag);
            assert_int_equal(first == BR_OK, plan != NULL);
            second = br_planner_plan(planner, large, cluster, &options, &plan, &diag);
            assert_int_equal(second == BR_OK, plan != NULL);
        }
        more = taken > n;
        refuse = UINT32_MAX;
        failed += first != BR_OK || second != BR_OK;
        if (planner && (first || second))
            assert_non_null(strstr(diag.what, "memory"));
        if (planner)
            plan_both_ways(planner, large, cluster, &options);
        br_planner_destroy(planner);
    }
    assert_uint_in_range(failed, 3, 10); /* the planner, its first memory, and more of it */
    br_dag_destroy(small);
    br_dag_destroy(large);
    br_cluster_destroy(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machines), cmocka_unit_test(test_one_machine),
        cmocka_unit_test(test_reset),    cmocka_unit_test(test_reset_any_time),
        cmocka_unit_test(test_larger),   cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_methods),  cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_errors),   cmocka_unit_test(test_memory_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
