/* Lower bounds on the makespan of a workload whose jobs arrive over time. */
#ifndef BR_CLUSTER_SIMULATE_BOUNDS_LATEST_H
#define BR_CLUSTER_SIMULATE_BOUNDS_LATEST_H

#include "cluster/simulate/bounds/load.h"

struct br_latest {
    double makespan_s;  /* from the first arrival to the last end */
    const char *method; /* static storage */
};

/* The latest of: each job's arrival and its own bound; and on every resource the largest
 * a + b + (work that starts at a or later, at least b before the end of all), a and b from heads
 * and tails of the stages. Of many different tails only some are tried, which costs strength and
 * not validity. False when memory is out. O(stages x resources x log). */
bool br_latest_bound(const struct br_load *load, struct br_latest *latest);

/* The planner's bound of all jobs as one, each behind a task that lasts until its arrival. Only for
 * workloads of up to some thousand stages; 0 for larger ones. Not for overbooked resources.
 * true_ns: as br_workload_bounds_make. BR_SYSTEM. */
enum br_status br_latest_of_union(const struct br_workload *workload,
                                  const struct br_cluster *cluster, const int64_t *const *true_ns,
                                  struct br_latest *latest, struct br_diag *diag);

#endif
