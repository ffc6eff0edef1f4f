#include "tests/runtime/by_hand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "planner/model/dag.h"

struct br_dag *wide_job(uint32_t tasks, const char *amount)
{
    struct br_dag *dag = br_dag_create("wide");
    uint32_t stage;
    assert_int_equal(br_dag_add_stage(dag, "s", tasks, 1000, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, stage, "cpu", amount, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

struct br_cluster *one_machine(const char *cpu, const char *net)
{
    struct br_cluster *cluster = br_cluster_create(NULL);
    uint32_t cls;
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, &cls, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, cls, "cpu", cpu, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, cls, "net", net, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, cls, "mem", "8", NULL), BR_OK);
    return cluster;
}

uint32_t add_stage(struct br_dag *dag, const char *id, int64_t duration_ns, const char *resource,
                   const char *amount)
{
    uint32_t stage;
    assert_int_equal(br_dag_add_stage(dag, id, 1, duration_ns, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, stage, resource, amount, NULL), BR_OK);
    return stage;
}
