/* Planning one part between cuts by the method asked for: a baseline, the published method, or the
 * best of all with searches that go on from it. */
#ifndef BR_PLANNER_SEARCH_SEARCH_H
#define BR_PLANNER_SEARCH_SEARCH_H

#include "planner/search/search_state.h"

/* Number of rows in the table of heuristics: the length of `trial`. */
uint32_t br_search_rows(void);

/* Is the part large? Then method "best" runs its quick methods in the order of what they bring. */
bool br_search_is_large(const struct br_instance *part);
/* Plans the part. There is a schedule whatever the limits are. False when memory is out (finish is
 * still fine). */
bool br_search_part(struct br_search *search);
/* One more cycle of search on a part that br_search_part has planned by method "best", longer with
 * every number of the cycle, from 1; by the clock from 0. False when memory is out. */
bool br_search_on(struct br_search *search, uint32_t cycle);
/* Moves the tasks of the best schedule of method "best" to their earliest starts; once, when no
 * search goes on from it. Schedules of other methods stay as these are described. Reports a shorter
 * schedule. False when memory is out. */
bool br_search_settle(struct br_search *search);
/* Adds the search's counters to the sums; once, at the end. */
void br_search_count(const struct br_search *search, struct br_counters *sums);
void br_search_finish(struct br_search *search);

#endif
