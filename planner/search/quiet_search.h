/* The search on durations without their noise. A job whose durations differ by noise only from
 * multiples of a long tick is planned as the job of these multiples would be, with the same
 * searches in the same order: so its plan is longer by the noise of one path at most, and its bound
 * is that job's. */
#ifndef BR_PLANNER_SEARCH_QUIET_SEARCH_H
#define BR_PLANNER_SEARCH_QUIET_SEARCH_H

#include "planner/search/search_state.h"

/* The job without noise, and its search, which a proof may need. All 0 before. */
struct br_quiet {
    struct br_instance *in;
    struct br_instance few; /* it, with fewer machines, which the search plans on */
    struct br_search search;
    int64_t *trial;
};

/* Does a part that quick methods left open suit this? Only by counts of work, not by the clock. */
bool br_quiet_suits(const struct br_search *search);
/* Plans the part without its noise by method best, and makes true schedules of what that ends with.
 * If it is closed and the noise leaves more than the tolerance, the exact solvers go on with finer
 * ticks. False when memory is out (finish is still fine). */
bool br_quiet_search(struct br_quiet *quiet, struct br_search *search);
/* The bound that such a search proves for the part, in its ticks. */
int64_t br_quiet_bound(const struct br_search *search, const struct br_search *quiet);
void br_quiet_finish(struct br_quiet *quiet);

#endif
