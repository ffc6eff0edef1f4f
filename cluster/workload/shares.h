/* The part of a cluster that each task of a workload holds while it runs: its demands as integers,
 * and its dominant share. [Ghodsi11] */
#ifndef BR_CLUSTER_WORKLOAD_SHARES_H
#define BR_CLUSTER_WORKLOAD_SHARES_H

#include "planner/model/cluster/cluster.h"
#include "cluster/workload/workload.h"

/* The unit of dominant shares: this many are the whole cluster. Sums of them are exact. */
#define BR_SHARE_ALL (INT64_C(1) << 48)

/* The shares of one dag; arrays by demand are as dag->demand is. */
struct br_dag_shares {
    uint32_t *resource; /* by demand: of the cluster; BR_NO_RESOURCE: it has none of it */
    int64_t *amount;    /* by demand, in the unit of the resource's capacity */
    int64_t *dominant;  /* by stage: the largest share of a resource that one task holds */
};
#define BR_NO_RESOURCE UINT32_MAX

struct br_shares {
    struct br_arena arena;
    uint32_t resources;
    const char **resource; /* in the order in which the cluster names them; borrowed from it */
    int64_t *capacity;     /* of all machines together; > 0, at most 2^52 */
    struct br_dag_shares *dag;
};

/* Amounts are brought onto integers by a power of ten for each resource; what that cannot hold is
 * rounded. Release by br_shares_finish, also after a failure. BR_SYSTEM (memory).
 * O(demands x resources). */
enum br_status br_shares_make(const struct br_workload *workload, const struct br_cluster *cluster,
                              struct br_shares *shares, struct br_diag *diag);
void br_shares_finish(struct br_shares *shares);

#endif
