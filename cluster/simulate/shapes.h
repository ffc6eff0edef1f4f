/* The form of a dag for the simulator, made once for all jobs that share it: demands in the
 * cluster's integers, and the parents of every stage. */
#ifndef BR_CLUSTER_SIMULATE_SHAPES_H
#define BR_CLUSTER_SIMULATE_SHAPES_H

#include "runtime/enforcer/jobs/capacities.h"
#include "cluster/workload/workload.h"

struct br_shape_parent {
    uint32_t stage;
    bool one_to_one;
};

struct br_job_shape {
    const struct br_dag *dag; /* the workload's */
    uint32_t *task_stage;
    uint32_t *stage_kind;
    int64_t *demand;        /* [kind * resources] */
    uint32_t *parent_first; /* stages + 1 */
    struct br_shape_parent *parent;
};

/* Shapes of all dags of the workload, from the arena. BR_BAD_INPUT if a job demands what no machine
 * holds. O(tasks + edges + stages x classes x resources). */
enum br_status br_shapes_make(struct br_arena *arena, const struct br_workload *workload,
                              const struct br_cluster *cluster,
                              const struct br_capacities *capacities, struct br_job_shape **shapes,
                              struct br_diag *diag);

static inline const int64_t *br_shape_demand(const struct br_job_shape *shape, uint32_t task,
                                             uint32_t resources)
{
    return shape->demand + (size_t)shape->stage_kind[shape->task_stage[task]] * resources;
}

#endif
