/* Strip partitioning: levels of independent tasks, packed one after another. */
#ifndef BR_PLANNER_SCHEDULE_STRIP_H
#define BR_PLANNER_SCHEDULE_STRIP_H

#include "base/process/stop.h"
#include "planner/schedule/order.h"
#include "planner/schedule/schedule.h"

/* [Augustine06, algorithm DC]: of the schedule without resource limits, the tasks that run across
 * the middle of the time are independent; they form a strip, and the tasks before and after it are
 * divided likewise. Each strip is packed by decreasing duration and begins when the one before has
 * ended, so this is not work-conserving. Differs: heads are computed once, not again in every
 * half, and strips are packed by earliest fit on machines. False when memory is out or *stop became
 * non-zero. O(n log(critical path)) and a fit a task. */
bool br_strip_partition(struct br_schedule *schedule, const struct br_instance *instance,
                        const struct br_reach *reach, const struct br_stop *stop);

#endif
