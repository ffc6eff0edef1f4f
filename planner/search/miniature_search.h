/* Orders for a large job from a search on its miniature (planner/instance/miniature.h): it makes
 * many more schedules for the same cost. */
#ifndef BR_PLANNER_SEARCH_MINIATURE_SEARCH_H
#define BR_PLANNER_SEARCH_MINIATURE_SEARCH_H

#include "planner/schedule/run.h"

enum { BR_MINIATURE_ORDERS = 4 };

/* Fills schedules of the run's job, by parallel generation in the orders of the best schedules of
 * its miniature of about `tasks` tasks; on that it spends run->placements, which are not 0. The
 * caller initializes none of the schedules, and releases the first BR_MINIATURE_ORDERS; what was
 * not reached has a makespan of INT64_MAX. Of the run's elite nothing is used. The result is the
 * same for any number of threads. False when memory is out. */
bool br_miniature_search(struct br_run *run, uint32_t tasks, struct br_schedule *schedule);

#endif
