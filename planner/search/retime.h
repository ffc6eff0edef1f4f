/* True schedules from those of a job with rounded durations. */
#ifndef BR_PLANNER_SEARCH_RETIME_H
#define BR_PLANNER_SEARCH_RETIME_H

#include "planner/exact/exact.h"
#include "planner/schedule/order.h"
#include "planner/schedule/schedule.h"

/* Makes *schedule (initialized) from the best one that the solver found: as it is if the solver
 * counts the ticks of the instance, else its order of starts on its machines, with the true
 * durations, moved to the left and justified. *made says whether the solver had found one. False
 * when memory is out. A few searches of the space for each task. */
bool br_retime(const struct br_exact *exact, const struct br_instance *instance,
               const struct br_reach *reach, struct br_schedule *schedule, bool *made);

#endif
