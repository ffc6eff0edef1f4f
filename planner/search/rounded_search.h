/* The population search on a job whose durations are noise around multiples of a long tick. */
#ifndef BR_PLANNER_SEARCH_ROUNDED_SEARCH_H
#define BR_PLANNER_SEARCH_ROUNDED_SEARCH_H

#include "planner/schedule/run.h"
#include "planner/search/search_state.h"

/* Searches on the durations rounded down to multiples of search->noise ticks, for which profiles
 * are short and few lengths differ, and makes true schedules of what that ends with; then, or if
 * nothing is to be gained there, on the durations as they are, with what is left of the budget. As
 * br_population_search else. */
bool br_rounded_search(struct br_search *search, struct br_run *run);
/* Makes true schedules of those of the rounded job; shorter ones lead the run's elite, and are
 * reported. False when memory is out. */
bool br_rounded_take(const struct br_search *search, const struct br_elite *rounded,
                     struct br_run *run);

#endif
