/* True schedules from those of a job with rounded durations, and the other way round. */
#ifndef BR_PLANNER_SEARCH_BOUND_RETIME_H
#define BR_PLANNER_SEARCH_BOUND_RETIME_H

#include "planner/schedule/order.h"
#include "planner/schedule/schedule.h"

/* Makes a schedule of the true durations from one of rounded ones, whose starts are in ticks of the
 * instance: its order of starts on its machines, moved to the left and justified. False when memory
 * is out. A few searches of the space for each task. */
bool br_retime(const struct br_instance *instance, const struct br_reach *reach,
               struct br_schedule *schedule);

/* Fills *to, a schedule of br_instance_round, from one of the true durations: all starts are
 * rounded down, and so are all ends, at least. O(tasks). */
void br_retime_round(const struct br_schedule *from, const struct br_instance *rounded,
                     int64_t rounding, struct br_schedule *to);

#endif
