/* Barriers between stages of ten thousand tasks, in a memory that does not hold the pairs that they
 * stand for: closing troublesome sets, cuts, bounds, placement and the check of the plan all have
 * to reason on stages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "planner/instance/instance.h"
#include "planner/instance/part.h"
#include "planner/instance/plan.h"
#include "planner/graphene/subset.h"
#include <bigrocks/bigrocks.h>

enum { TASKS = 10000, STAGES = 5, MACHINES = 50, LIMIT_MIB = 400 };

/* a, then b and c, then d, which e does not wait for; in all five barriers of 10^8 pairs. */
static void make_job(struct br_dag **dag, struct br_cluster **cluster)
{
    static const char *const id[STAGES] = {"a", "b", "c", "d", "e"};
    static const int64_t seconds[STAGES] = {1, 9, 2, 3, 4};
    static const uint32_t edge[][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {0, 4}};
    *dag = br_dag_create("barriers");
    *cluster = br_cluster_create(NULL);
    for (uint32_t s = 0; s < STAGES; s++) {
        assert_int_equal(br_dag_add_stage(*dag, id[s], TASKS, seconds[s] * 1000000000, NULL, NULL),
                         BR_OK);
        assert_int_equal(br_dag_add_demand(*dag, s, "cpu", s == 1 ? "9" : "1", NULL), BR_OK);
    }
    for (size_t e = 0; e < sizeof edge / sizeof edge[0]; e++)
        assert_int_equal(br_dag_add_edge(*dag, edge[e][0], edge[e][1], BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_finish(*dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(*cluster, "m", MACHINES, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(*cluster, 0, "cpu", "16", NULL), BR_OK);
}

static void test_closure_and_cuts(void **state)
{
    struct br_dag *dag;
    struct br_cluster *cluster;
    struct br_instance *in;
    struct br_parts parts;
    make_job(&dag, &cluster);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    char *letter = malloc(in->tasks), *scratch = malloc(2 * ((size_t)in->tasks + in->stages));
    memset(letter, 'S', in->tasks);
    letter[TASKS - 1] = letter[3 * TASKS] = 'T'; /* the last of a, the first of d */
    br_subset_divide(in, letter, scratch);
    static const char want[STAGES] = {'P', 'T', 'T', 'C', 'C'};
    for (uint32_t t = 0; t < in->tasks; t++)
        if (t != TASKS - 1 && t != 3 * TASKS)
            assert_int_equal(letter[t], want[t / TASKS]);
    assert_int_equal(br_parts_create(in, &parts, NULL), BR_OK);
    assert_int_equal(parts.count, 2); /* a, and what waits for all of it */
    assert_int_equal(parts.part[0]->tasks, TASKS);
    br_parts_finish(&parts);
    free(letter);
    free(scratch);
    br_instance_destroy(in);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

static void test_plans(void **state)
{
    static const char *const method[] = {"cp", "graphene", "best"};
    for (size_t k = 0; k < sizeof method / sizeof method[0]; k++) {
        struct br_plan_options options = br_plan_options_default();
        struct br_dag *dag;
        struct br_cluster *cluster;
        struct br_plan *plan;
        make_job(&dag, &cluster);
        options.method = method[k];
        options.effort = BR_EFFORT_FAST;
        options.threads = 1;
        assert_int_equal(br_plan_make(dag, cluster, &options, &plan, NULL), BR_OK);
        assert_int_equal(plan->parts, 2);
        /* 800 tasks of a at once; of b one a machine, in 200 rounds of 9 seconds. */
        assert_true(br_plan_makespan_ns(plan) >= (13 + 1800) * INT64_C(1000000000));
        assert_true(br_plan_lower_bound_ns(plan) >= (13 + 1800) * INT64_C(1000000000));
        br_plan_destroy(plan);
        br_cluster_destroy(cluster);
        br_dag_destroy(dag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closure_and_cuts),
        cmocka_unit_test(test_plans),
    };
#ifndef BR_ADDRESS_SANITIZER /* which reserves more than any limit */
    struct rlimit limit = {(rlim_t)LIMIT_MIB << 20, (rlim_t)LIMIT_MIB << 20};
    setrlimit(RLIMIT_AS, &limit);
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
