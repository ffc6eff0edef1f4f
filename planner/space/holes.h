/* An index over the holes of a space: it answers a series of searches for the tasks of one stage
 * without looking at all machines and all intervals again.
 *
 * Within a series nothing is taken out of the space, so holes only shrink. The index keeps spans:
 * outside them no task of the series fits. At first there is one span a machine, all of the time;
 * one machine stands for all that are idle. A search takes the first span that is long enough and
 * looks at its intervals. It cuts the span where the demand does not fit, and forgets pieces that
 * are too short for every task of the series. So a search costs a look at the intervals that have
 * changed, and O(spans / 32) short steps at worst (hole_list.h). It finds the same as
 * br_space_earliest or br_space_latest. */
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
 * before `least` if forward, else none to end after it. Ends with the first undo. O(machines x log
 * machines). False when memory is out. */
bool br_holes_begin(struct br_holes *holes, bool forward, uint32_t stage, int64_t least,
                    int64_t shortest);
/* The earliest or the latest fit, as the space is now; the bound is a start if forward, else an
 * end. False when memory is out. */
bool br_holes_find(struct br_holes *holes, int64_t duration, int64_t bound, struct br_fit *fit);
/* As br_holes_find, forward, for fits that start before the limit: *found tells whether there is
 * one. Looks no further than the limit. */
bool br_holes_find_before(struct br_holes *holes, int64_t duration, int64_t from, int64_t limit,
                          struct br_fit *fit, bool *found);

#endif
