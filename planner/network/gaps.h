/* What a machine has left over time: rows of a time and, from then on, what is free of each
 * resource. */
#ifndef BR_PLANNER_NETWORK_GAPS_H
#define BR_PLANNER_NETWORK_GAPS_H

#include <stdbool.h>
#include <stdint.h>

struct br_gaps {
    int64_t *row; /* [row * (resources + 1)]: the time, and what is free from then on */
    uint32_t rows, room, resources;
};

/* All of the capacity is free. False when memory is out; finish releases all, also then. */
bool br_gaps_init(struct br_gaps *u, uint32_t resources, const int64_t *capacity);
void br_gaps_finish(struct br_gaps *u);
/* The first time from `ready` on at which the demand fits for so long; the capacity holds it. What
 * takes no time fits at once. O(rows x resources). */
int64_t br_gaps_fits(const struct br_gaps *u, const int64_t *demand, int64_t lasts, int64_t ready);
/* Takes the demand from start to end. False when memory is out. O(rows x resources). */
bool br_gaps_take(struct br_gaps *u, const int64_t *demand, int64_t start, int64_t end);

#endif
