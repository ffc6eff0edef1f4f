/* The work of a workload by resource, and what it asks of a cluster. */
#ifndef BR_CLUSTER_WORKLOAD_OFFERED_H
#define BR_CLUSTER_WORKLOAD_OFFERED_H

#include "cluster/workload/workload.h"

/* The work that jobs do on a resource is the sum over their tasks of demand x duration, by true
 * durations if they are recorded. */
struct br_offered {
    struct br_arena arena;
    struct br_index names;
    uint32_t resources, room;
    const char **resource; /* in the order in which jobs name them; borrowed from the dags */
    const char **unit;     /* NULL if none is given */
    double *amount_s;      /* by resource: amount x seconds */
    double task_s;         /* seconds of all tasks */
};

/* Sums up the work of all jobs. Release by br_offered_finish, also after a failure. BR_SYSTEM
 * (memory). O(tasks of the dags, of jobs with recorded durations, and jobs x demands). */
enum br_status br_offered_make(const struct br_workload *workload, struct br_offered *offered,
                               struct br_diag *diag);
void br_offered_finish(struct br_offered *offered);

/* Seconds for which the whole cluster is busy with the work on this resource: work / capacity of
 * all machines. INFINITY if there is work and no capacity. */
double br_offered_seconds(const struct br_offered *offered, uint32_t resource,
                          const struct br_cluster *cluster);
/* The most of that over all resources, and which it is (the first of equals; UINT32_MAX if there is
 * no work). BR_BAD_INPUT if the cluster lacks a resource that is worked on.
 *
 * The load of a workload is that per job, over the mean time between arrivals: the share of the
 * most loaded resource that is busy in the long run, if the jobs go on arriving so. */
enum br_status br_offered_most(const struct br_offered *offered, const struct br_cluster *cluster,
                               double *seconds, uint32_t *resource, struct br_diag *diag);

#endif
