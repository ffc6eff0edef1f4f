/* A job whose tasks may run in several ways, on its cluster, in integers. A way is an alternative
 * of a stage on machines of one speed: so it has one duration for each task. Times are nanoseconds;
 * amounts of a resource are scaled by one power of ten. */
#ifndef BR_PLANNER_MODES_JOB_H
#define BR_PLANNER_MODES_JOB_H

#include "base/collections/arena.h"
#include "planner/instance/frontier.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

struct br_way {
    uint32_t stage;
    uint32_t alternative;          /* counted within the stage */
    uint32_t first_class, classes; /* on which it runs: run in br_modes.class_of */
    bool anywhere; /* no other class has room for one such task, so nothing keeps tasks from it */
    uint32_t first_duration; /* in br_modes.duration, by task of the stage */
};

struct br_modes {
    struct br_arena arena;
    const struct br_dag *dag; /* borrowed, as is the cluster */
    const struct br_cluster *cluster;
    uint32_t tasks, stages, resources, budgets;
    uint32_t *task_stage;
    uint32_t *way_first; /* by stage: its ways are way[way_first[s]] .. */
    struct br_way *way;
    uint32_t *class_of;
    int64_t *duration;
    int64_t *demand;          /* [way * resources + resource], on the machine or shared */
    int64_t *consumed;        /* [way * budgets + budget] */
    int64_t *capacity;        /* [class * resources + resource] */
    int64_t *shared_capacity; /* by resource */
    int64_t *budget;
    uint32_t *resource_of, *budget_of;    /* numbers in the job, by resource and by budget */
    int32_t *digits, *budget_digits;      /* amounts are scaled by the power of ten */
    bool *shared;                         /* by resource */
    bool any_shared;                      /* one of them may run short */
    int64_t *release;                     /* by task */
    uint32_t *child_first, *parent_first; /* by stage, as in csr.h */
    struct br_stage_arc *child, *parent;
};

/* BR_BAD_INPUT as br_alternatives_check, and if amounts do not scale; BR_SYSTEM (memory). The job
 * is finished. */
enum br_status br_modes_create(const struct br_dag *dag, const struct br_cluster *cluster,
                               struct br_modes **modes, struct br_diag *diag);
void br_modes_destroy(struct br_modes *modes);

/* What the task lasts by the way, which is one of its stage. */
static inline int64_t br_way_duration(const struct br_modes *modes, uint32_t way, uint32_t task)
{
    const struct br_way *w = &modes->way[way];
    return modes->duration[w->first_duration + task - modes->dag->stage[w->stage].first_task];
}

/* The demands of an alternative of a stage (counted within it) as they are written; a stage without
 * alternatives has one. `each` counts from 0; false if there is no more. */
bool br_mode_demand(const struct br_dag *dag, uint32_t stage, uint32_t alternative, uint32_t each,
                    uint32_t *resource, struct br_decimal *amount);

#endif
