/* A schedule of a whole workload by one who knows all jobs ahead: how good a policy might be. What
 * it comes to is an example and no limit, in either direction: the optimum lies between the lower
 * bounds (regret.h) and this. */
#ifndef BR_CLUSTER_SIMULATE_BOUNDS_CLAIRVOYANT_H
#define BR_CLUSTER_SIMULATE_BOUNDS_CLAIRVOYANT_H

#include "base/process/stop.h"
#include "planner/model/cluster/cluster.h"
#include "cluster/simulate/bounds/trial.h"
#include "cluster/workload/workload.h"

struct br_clairvoyant_options {
    uint64_t seed;
    uint64_t evaluations; /* orders that are tried; each costs a run of the jobs it can concern */
    bool weighted;        /* minimise the weighted sum of completion times, not the plain one */
    /* When the jobs end in a schedule that is at hand, such as the best policy's; may be NULL. The
     * order of these ends is one to begin with, and what is found is never worse. */
    const int64_t *begin_ns;
    const struct br_stop *stop; /* may be NULL; raised, it ends the search with the best so far */
};

/* In seconds, as in struct br_workload_bounds. */
struct br_clairvoyant {
    double mean_jct_s, weighted_jct_s, makespan_s;
    double first_mean_jct_s; /* where the search began: the job with the least work left first */
    double *jct_s;           /* by job */
    /* By task, jobs one after another; NULL if the schedule at hand was the best. */
    const struct br_trial_span *span;
    uint64_t evaluations, improvements;
    struct br_arena arena;
};

/* Searches. True durations as for br_workload_bounds_make. Equal seeds and counts give equal
 * results. Release by br_clairvoyant_finish, also after a failure. BR_BAD_INPUT (a job that no
 * machine holds), BR_SYSTEM. */
enum br_status br_clairvoyant_search(const struct br_workload *workload,
                                     const struct br_cluster *cluster,
                                     const int64_t *const *true_ns,
                                     const struct br_clairvoyant_options *options,
                                     struct br_clairvoyant *result, struct br_diag *diag);
void br_clairvoyant_finish(struct br_clairvoyant *result);

#endif
