/* Orders of tasks as climbs of what is held, and the merging of them.
 *
 * A climb is a run of tasks that stay together: while it runs, what is held rises by `hill` at
 * most, and at its end it has changed by `net`. Of climbs that do not wait for each other, those
 * that free come first, the lowest hill first; then those that hold more, the one that falls
 * furthest from its hill first. A list of climbs is in this order. Two lists that run one after the
 * other, or beside each other, become one: behind one another climbs out of order are joined into
 * one climb, and beside each other they are merged. Then every list has the least peak, also as a
 * part of a larger one [Liu87, AbdelWahab78, Monma79]. */
#ifndef BR_PLANNER_PEAK_CLIMBS_H
#define BR_PLANNER_PEAK_CLIMBS_H

#include <stdbool.h>
#include <stdint.h>

struct br_climb {
    int64_t hill, net;    /* hill >= 0, hill >= net */
    uint32_t first, last; /* tasks, linked by `next` of the caller */
};

struct br_climbs {
    uint32_t count, room;
    struct br_climb *at;
};

/* The list of one climb. False when memory is out. */
bool br_climbs_one(struct br_climbs *list, struct br_climb climb);
void br_climbs_finish(struct br_climbs *list);
/* Appends the second list, which runs after the first, and empties it. `next` links the tasks.
 * O(climbs of the second), over all calls. False when memory is out. */
bool br_climbs_append(struct br_climbs *list, struct br_climbs *after, uint32_t *next);
/* Merges the second list, which runs beside the first, into it, and empties it. O(climbs). False
 * when memory is out. */
bool br_climbs_merge(struct br_climbs *list, struct br_climbs *beside);
/* The most that is held while the list runs. */
int64_t br_climbs_peak(const struct br_climbs *list);

#endif
