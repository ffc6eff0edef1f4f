/* Lower bounds for a whole workload on a cluster, which no schedule can beat: what a policy's
 * completion times and makespan are held against. */
#ifndef BR_CLUSTER_SIMULATE_BOUNDS_REGRET_H
#define BR_CLUSTER_SIMULATE_BOUNDS_REGRET_H

#include "base/process/stop.h"
#include "planner/model/cluster/cluster.h"
#include "cluster/workload/workload.h"

/* All in seconds. Completion times run from a job's arrival, the makespan from the first arrival.
 */
struct br_workload_bounds {
    double *job_s; /* by job: no schedule of the job alone on the empty cluster is shorter */
    double mean_jct_s;
    double weighted_jct_s; /* of the sum of weight x completion time over the sum of weights */
    double makespan_s;
    const char *mean_method, *makespan_method; /* static storage */
    struct br_arena arena;
};

/* The bounds hold for every schedule, also one that knows all ahead and may do anything but break
 * precedence and capacity.
 *
 * true_ns: by job (as the finished workload numbers them), what the first attempts at its tasks
 * last when undisturbed; NULL: as recorded in the workload, else as declared. The bounds stay valid
 * if attempts fail, straggle, or lose their machine: the attempt that ends well lasts at least as
 * long, and capacity only goes away.
 *
 * overbooked: whether tasks may share fungible resources beyond capacity, slowed in proportion.
 * Arguments that count whole tasks in a machine are then left out; see regret.c.
 *
 * A raised stop (may be NULL) leaves arguments out: the bounds are valid and weaker. Release by
 * br_workload_bounds_finish, also after a failure. BR_BAD_INPUT (a job that no machine holds),
 * BR_SYSTEM. */
enum br_status br_workload_bounds_make(const struct br_workload *workload,
                                       const struct br_cluster *cluster,
                                       const int64_t *const *true_ns, bool overbooked,
                                       const struct br_stop *stop,
                                       struct br_workload_bounds *bounds, struct br_diag *diag);
void br_workload_bounds_finish(struct br_workload_bounds *bounds);

#endif
