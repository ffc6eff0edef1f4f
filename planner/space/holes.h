/* Where the tasks of one stage may still go: an index over the holes of a space that answers a
 * series of searches without looking at all machines and all intervals again.
 *
 * Within a series nothing is taken out of the space, so holes only shrink. What is kept of them are
 * spans outside of which no task of the series fits: at first one a machine, all of the time. A
 * search takes the first span that is long enough, looks what is left of it, and cuts it where the
 * demand does not fit. Where holes are too short for every task of the series, they are
 * forgotten. So a search costs O(log spans) and a look at the intervals that have changed, and
 * finds what br_space_earliest or br_space_latest finds. */
#ifndef BR_PLANNER_SPACE_HOLES_H
#define BR_PLANNER_SPACE_HOLES_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/space/space.h"

struct br_holes;

/* Borrows the space. NULL when memory is out. O(machines). */
struct br_holes *br_holes_create(const struct br_space *space);
void br_holes_destroy(struct br_holes *holes);

/* Begins a series: tasks of the stage, none shorter than `shortest` (at least 1), none to start
 * before `least` where forward, else none to end after it. Ends with the first undo. O(machines x
 * log machines). False when memory is out. */
bool br_holes_begin(struct br_holes *holes, bool forward, uint32_t stage, int64_t least,
                    int64_t shortest);
/* The earliest or the latest fit, as the space is now; the bound is a start where forward and else
 * an end. False when memory is out. */
bool br_holes_find(struct br_holes *holes, int64_t duration, int64_t bound, struct br_fit *fit);

#endif
