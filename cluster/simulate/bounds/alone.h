/* A job alone on the empty cluster: the least time that it takes, and for each of its stages the
 * times that must pass before and after it. What the relaxations of a whole workload know of jobs.
 */
#ifndef BR_CLUSTER_SIMULATE_BOUNDS_ALONE_H
#define BR_CLUSTER_SIMULATE_BOUNDS_ALONE_H

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* The mean busy time of a stage is the mean of the moments at which its work is done: the integral
 * of time x rate over its work. */
struct br_alone_stage {
    double head_s; /* from the job's arrival to the first start of a task, at least */
    double rise_s; /* from then on, its work takes at least this at the highest rate it can have */
    double back_s; /* from its mean busy time to the end of the job, at least */
    double tail_s; /* from the end of its last task to the end of the job, at least */
};

/* Times in seconds. Arrays belong to the arena that br_alone_make was given. */
struct br_alone {
    int64_t bound_ns;
    const char *method; /* static storage */
    uint32_t stages, resources;
    struct br_alone_stage *stage;
    const char **resource; /* that the job demands, the names borrowed from the dag */
    double *share_s; /* [stage * resources + r]: work over the capacity of the whole cluster */
};

/* duration_ns: by task of the dag, none below 0. overbooked: tasks may slow one another if they
 * share a resource beyond capacity; nothing then relies on how many whole tasks fit a machine.
 * BR_BAD_INPUT as br_instance_create, BR_SYSTEM. Cost: as br_bounds_sum. */
enum br_status br_alone_make(const struct br_dag *dag, const int64_t *duration_ns,
                             const struct br_cluster *cluster, bool overbooked,
                             struct br_arena *arena, struct br_alone *alone, struct br_diag *diag);

#endif
