/* Plans for the jobs of a workload, each made once a dag when its first job arrives. The plan
 * depends on the dag, the cluster and the options alone, so several simulations share them. */
#ifndef BR_SIMULATE_POLICIES_PLANS_H
#define BR_SIMULATE_POLICIES_PLANS_H

#include <bigrocks/planner.h>
#include <pthread.h>

#include "simulate/policy.h"

struct br_plans {
    const struct br_workload *workload;
    const struct br_cluster *cluster;
    struct br_plan_options options;
    pthread_mutex_t lock;
    struct br_plan **plan; /* by dag; NULL: not made yet */
    double seconds;        /* of making them */
    uint32_t made;
};

/* All borrowed. BR_SYSTEM. */
enum br_status br_plans_init(struct br_plans *plans, const struct br_workload *workload,
                             const struct br_cluster *cluster,
                             const struct br_plan_options *options, struct br_diag *diag);
void br_plans_finish(struct br_plans *plans);

/* For br_policy_setup.plan; the context is the struct. Several threads may ask at once: one plans,
 * the others wait. */
const struct br_plan *br_plans_get(void *plans, const struct br_arrival *arrival,
                                   struct br_diag *diag);

#endif
