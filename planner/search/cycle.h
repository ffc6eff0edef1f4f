/* One cycle of searches that go on from the best schedules of a part, and the placements granted to
 * it. */
#ifndef BR_PLANNER_SEARCH_CYCLE_H
#define BR_PLANNER_SEARCH_CYCLE_H

#include "planner/search/search_state.h"

/* The placements that the default effort grants the searches on the instance, without the exact
 * solvers'. */
uint64_t br_cycle_placements(const struct br_instance *in);
/* Runs the cycle of this number, from 0; each is granted twice as much as the one before. False
 * when memory is out. */
bool br_search_cycle(struct br_search *search, uint32_t cycle);
/* Closes a part that is closed but for its noise, if it suits the exact solvers: a short search,
 * then these, with what is left of the grant of cycle 0. False when memory is out. */
bool br_cycle_close(struct br_search *search);

#endif
