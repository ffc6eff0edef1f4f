/* Rounds: the time of whole tasks that work by capacity misses.
 *
 * Under a measure with whole weights, a schedule is one on as many lines as the capacity; a task of
 * weight w takes w lines: the intervals of its w copies never need more lines than there is weight
 * at any time. With all copies sorted by duration downwards, of the q x capacity + 1 longest some q
 * + 1 share a line, and take at least the sum of the q + 1 shortest of these. */
#ifndef BR_PLANNER_BOUNDS_ROUNDS_H
#define BR_PLANNER_BOUNDS_ROUNDS_H

#include "planner/bounds/energy.h"

/* Copies of one duration. */
struct br_copies {
    int64_t duration, count;
};

/* The least time that the copies, below 2^62 in all, take on this many lines; sorted by duration
 * downwards, capacity above 0, at most `rounds` rounds looked at. O(groups + rounds). */
int64_t br_rounds(const struct br_copies *group, uint32_t groups, int64_t capacity,
                  uint32_t rounds);

/* The largest a + rounds{stages with head >= a and tail >= b} + b over all measures, in ticks, at
 * least `least`; *best (may be NULL) receives the argument, unless none beats `least`. Stages with
 * different durations count with their shortest task. With many stages only some b are tried.
 * -1 when memory is out. */
int64_t br_windows_rounds(const struct br_windows *windows, const struct br_instance *in,
                          const struct br_measures *measures, int64_t least,
                          struct br_energy *best);

/* Tasks on one line: of this duration, worth this much each, and at most this many. None starts
 * before its head, or ends later than its tail before the line does. */
struct br_line_item {
    int64_t duration, value, count, head, tail;
};
enum { BR_LINE_ITEMS = 64 };

/* The most value that one line holds in a time: a knapsack, exact, whose tasks with heads of at
 * least a and tails of at least b take at most length - a - b together, for all a and b. On a
 * machine that may interrupt tasks and resume them, heads and tails demand no more than that
 * [Carlier82]. Fills taken[k], the number of each item. -1 if it needs more than *nodes nodes,
 * which is counted down, if there are more than BR_LINE_ITEMS items, or if the value could exceed
 * 63 bits. Values are 0 to 2^32, durations above 0, heads and tails not below 0. A node counts for
 * as many as there are pairs of heads and tails, by 16. */
int64_t br_line_best(const struct br_line_item *item, uint32_t items, int64_t length,
                     int64_t *taken, int64_t *nodes);

#endif
