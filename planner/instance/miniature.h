/* A job with a fraction of the tasks and machines, in which one task stands for several of the same
 * stage. Making a schedule costs that fraction, too, and an order that suits the miniature mostly
 * suits the job. Its schedules are not schedules of the job, and bounds do not carry over. */
#ifndef BR_PLANNER_INSTANCE_MINIATURE_H
#define BR_PLANNER_INSTANCE_MINIATURE_H

#include "planner/instance/instance.h"

struct br_miniature {
    struct br_instance in; /* borrows from the whole; its task_origin means nothing */
    uint32_t *twin;        /* by task of the whole: the task that stands for it */
    struct br_arena arena;
};

/* Of about so many tasks, at least one a stage, and as much fewer machines, at least one a class.
 * The work of a stage is that of the whole, by machine, but for rounding. The whole must live
 * longer. False when memory is out (finish is still fine). O(n log n + arcs). */
bool br_miniature_init(struct br_miniature *miniature, const struct br_instance *whole,
                       uint32_t tasks);
void br_miniature_finish(struct br_miniature *miniature);

#endif
