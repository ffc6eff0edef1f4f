/* Plans for the jobs of a workload, each made once a dag: ahead, on several threads, or when the
 * dag's first job arrives. The plan depends on the dag, the cluster and the options alone, so
 * several simulations share them, and it makes no difference when they are made.
 *
 * options.placements is what planning a job may take. It limits the search of method "best", whose
 * other methods together place every task about BR_PLANS_PASSES times. A job that is too large for
 * that is planned by its critical path alone, which places every task once. */
#ifndef BR_CLUSTER_SIMULATE_POLICIES_PLANS_H
#define BR_CLUSTER_SIMULATE_POLICIES_PLANS_H

#include <bigrocks/network.h>
#include <pthread.h>

#include "cluster/simulate/policy.h"

enum { BR_PLANS_PASSES = 20 };

struct br_plans {
    const struct br_workload *workload;
    const struct br_cluster *cluster;
    struct br_plan_options options;
    pthread_mutex_t lock;
    struct br_plan **plan;    /* by dag; NULL: not made yet */
    struct br_plan **network; /* the same, of plans that account for transfers */
    double seconds;           /* of making them */
    uint32_t made, by_path;   /* by_path: of them, by the critical path alone */
};

/* All borrowed. BR_SYSTEM. */
enum br_status br_plans_init(struct br_plans *plans, const struct br_workload *workload,
                             const struct br_cluster *cluster,
                             const struct br_plan_options *options, struct br_diag *diag);
void br_plans_finish(struct br_plans *plans);

/* Is the dag too large to plan, so that its critical path decides? */
bool br_plans_by_path(const struct br_plans *plans, uint32_t dag_number);

/* Makes all plans that are not made yet, on that many threads, the largest jobs first. A job that
 * cannot be planned is left to br_plans_get, which says why. Ends early if stop is raised, without
 * a plan that was cut short. BR_SYSTEM. */
enum br_status br_plans_prepare(struct br_plans *plans, uint32_t threads,
                                const struct br_stop *stop, struct br_diag *diag);

/* For br_policy_setup.plan; the context is the struct. Several threads may ask at once: one plans,
 * the others wait. */
const struct br_plan *br_plans_get(void *plans, const struct br_arrival *arrival,
                                   struct br_diag *diag);
/* For br_policy_setup.network_plan: made of the other, when it is first asked for. */
const struct br_plan *br_plans_get_network(void *plans, const struct br_arrival *arrival,
                                           struct br_diag *diag);

#endif
