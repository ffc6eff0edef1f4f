#include "tests/support/equal_machines.h"

#include "planner/model/dag.h"

struct br_instance *on_equal_machines(struct br_dag *dag, uint32_t machines, const char *amount)
{
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in = NULL;
    bool ok =
        !br_dag_finish(dag, NULL) && !br_cluster_add_class(cluster, "m", machines, NULL, NULL);
    for (uint32_t r = 0; ok && r < dag->resources; r++)
        ok = !br_cluster_add_capacity(cluster, 0, dag->resource[r].name, amount, NULL);
    if (ok && br_instance_create(dag, cluster, &in, NULL))
        in = NULL;
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
    return in;
}
