/* Parallel schedule generation: time goes forward, and whatever is ready and fits starts now.
 *
 * [Kolisch96]; work-conserving, as a cluster scheduler is that never leaves a machine idle which
 * some ready task fits. (A task of duration 0 takes its turn in its stage, though it needs no
 * room.) */
#ifndef BR_PLANNER_SCHEDULE_DISPATCH_H
#define BR_PLANNER_SCHEDULE_DISPATCH_H

#include "base/process/stop.h"
#include "planner/schedule/order.h"
#include "planner/schedule/schedule.h"

enum br_dispatch_rule {
    BR_DISPATCH_ORDER,   /* ready tasks in the given order, each on the machine that it fits best:
                            the least dot product of demand and free capacity */
    BR_DISPATCH_PACKING, /* the pair of ready task and machine with the largest dot product first,
                            as in Tetris [Grandl14]; the order breaks ties */
};

/* Fills the schedule. False when memory is out or *stop became non-zero (stop may be NULL). A
 * search over all machines a task, or a run of equal tasks; the packing rule also searches all
 * ready stages. */
bool br_dispatch(struct br_schedule *schedule, const struct br_instance *instance,
                 const struct br_order *order, enum br_dispatch_rule rule,
                 const struct br_stop *stop);
/* The schedule of an instance of a single task, which every order gives. */
void br_dispatch_single(struct br_schedule *schedule, const struct br_instance *in);

#endif
