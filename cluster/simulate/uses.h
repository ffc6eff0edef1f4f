/* What tasks use of each resource on average, which may be less or more than what they demand. */
#ifndef BR_CLUSTER_SIMULATE_USES_H
#define BR_CLUSTER_SIMULATE_USES_H

#include "base/collections/arena.h"
#include "cluster/workload/workload.h"
#include "cluster/workload/world.h"

struct br_scale;

struct br_task_uses {
    uint32_t resources;
    double **share; /* by dag: what tasks use over what they demand, [stage * resources] */
    int64_t *use;   /* scratch, of one task */
};

/* Do tasks use other than what they demand? */
bool br_task_uses_differ(const struct br_workload *workload, const struct br_world *world);
/* From the averages of the world and the true demands of the dags. All memory is the arena's. The
 * scale names the resources of machines. BR_USAGE for a resource that no machine has; BR_SYSTEM. */
enum br_status br_task_uses_make(struct br_task_uses *uses, struct br_arena *arena,
                                 const struct br_workload *workload, const struct br_world *world,
                                 const struct br_scale *scale, struct br_diag *diag);
/* What a task of the dag's stage uses of each resource; lasts until the next call. */
const int64_t *br_task_uses_of(struct br_task_uses *uses, uint32_t dag, uint32_t stage,
                               const int64_t *demand);

#endif
