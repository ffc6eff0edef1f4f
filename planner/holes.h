/* Where the tasks of one stage may still go: an index over the holes of a space that answers a
 * series of searches without looking at all machines and all intervals again.
 *
 * Within a series nothing is taken out of the space, so holes only shrink: what a search has learnt
 * remains a limit for all that follow, and is checked where a search would use it. By machine, the
 * first hole that may hold the task is a leaf of a tournament over (time, slack, machine). A hole
 * too short for one task waits, sorted by length, until a task comes that is no longer than it;
 * holes too short for every task of the series are forgotten. So a search costs O(log machines +
 * log holes) and a look at the intervals that have changed, and finds what br_space_earliest or
 * br_space_latest finds. */
#ifndef BR_PLANNER_HOLES_H
#define BR_PLANNER_HOLES_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/space.h"

struct br_holes;

/* Borrows the space. NULL when memory is out. O(machines). */
struct br_holes *br_holes_create(const struct br_space *space);
void br_holes_destroy(struct br_holes *holes);

/* Begins a series: tasks of the stage, none shorter than `shortest` (at least 1), all with one
 * bound, a start where forward and else an end. Ends with the first undo. O(machines). */
void br_holes_begin(struct br_holes *holes, bool forward, uint32_t stage, int64_t bound,
                    int64_t shortest);
/* The earliest or the latest fit, as the space is now. False when memory is out. */
bool br_holes_find(struct br_holes *holes, int64_t duration, struct br_fit *fit);

#endif
