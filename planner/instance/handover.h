/* Room for outputs that passes from task to task: a plan as a partial order that keeps the limits
 * of what is held, for any durations. For those who start tasks by what these wait for, and do not
 * count outputs. */
#ifndef BR_PLANNER_INSTANCE_HANDOVER_H
#define BR_PLANNER_INSTANCE_HANDOVER_H

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "planner/instance/plan.h"

/* By task, the tasks that have to have ended before it starts, beside its parents. */
struct br_handovers {
    uint32_t *first;  /* by task, then one more: its run in `before` */
    uint32_t *before; /* each has a smaller rank; each once, ascending */
};

/* Hands each unit of room on: from those whose end frees it in the plan (the task that demanded it,
 * or all readers of an output) to a task that takes it. Counted are demands and outputs of
 * resources that some task has an output of. As long as every task waits for its parents and for
 * these, no such resource is exceeded, whenever tasks start and however long they take, and none
 * waits for ever. Empty for a job without outputs.
 *
 * BR_BAD_INPUT, with `who` ("a run by Slurm's jobs") in words: the resource is one of several
 * machines, which such tasks do not keep to; an output is held from its task's end only, and the
 * room is not free at the start; or the lists are too long. O(places in the lists x log tasks). */
enum br_status br_handover_init(struct br_handovers *handover, const struct br_dag *dag,
                                const struct br_cluster *cluster, const struct br_plan *plan,
                                const char *who, struct br_diag *diag);
void br_handover_finish(struct br_handovers *handover);

#endif
