/* A schedule for large jobs, in which a stage has many more tasks than run at once: by the longest
 * way to the end if each stage takes as long as its work keeps the whole cluster busy. */
#ifndef BR_PLANNER_SCHEDULE_WORK_PATH_H
#define BR_PLANNER_SCHEDULE_WORK_PATH_H

#include "base/process/stop.h"
#include "planner/schedule/schedule.h"

/* Parallel generation in that order; within a stage the longest task first. False when memory is
 * out or *stop became non-zero (stop may be NULL). O(n log n) and what parallel generation costs.
 */
bool br_work_path(struct br_schedule *schedule, const struct br_instance *instance,
                  const struct br_stop *stop);

#endif
