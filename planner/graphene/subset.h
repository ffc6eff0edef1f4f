/* The four subsets, and the distinct troublesome sets worth trying. [Grandl16, 4.1] */
#ifndef BR_PLANNER_GRAPHENE_SUBSET_H
#define BR_PLANNER_GRAPHENE_SUBSET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/index.h"
#include "base/process/stop.h"
#include "planner/instance/instance.h"
#include "planner/graphene/score.h"

/* From letter[task] == 'T' for the chosen tasks to the letters of all: T is closed (with two tasks
 * it holds every task on a path between them), P are the other ancestors of T, C the other
 * descendants, S the rest. Barriers are followed once a stage. scratch: 2 x tasks + 2 x stages
 * bytes. O(tasks + arcs). */
void br_subset_divide(const struct br_instance *instance, char *letter, char *scratch);

/* A distinct closed T, as one bit a task, and the first pair of thresholds that gave it. */
struct br_trouble {
    uint64_t *bits;
    uint64_t hash; /* of the bits */
    uint32_t l, f; /* numbers of the thresholds, from 1; 0 is "none" */
};

struct br_troubles {
    uint32_t count, room;
    struct br_trouble *set; /* the empty set first, then in the order of the pairs */
    uint64_t pairs, duplicate, pruned;
    uint32_t words; /* of bits */
    bool cut;       /* the stop flag ended the enumeration */
    struct br_index by_bits;
};

/* All distinct closed sets over the grid of thresholds. Sets that hold more than `share_limit` of
 * the work (duration x dominant share) are pruned and counted. If *stop becomes non-zero (stop may
 * be NULL), the sets found so far remain, at least the empty one. False when memory is out. O(tasks
 * + arcs) a pair. */
bool br_troubles_init(struct br_troubles *troubles, const struct br_instance *instance,
                      const struct br_scores *scores, double share_limit,
                      const struct br_stop *stop);
void br_troubles_finish(struct br_troubles *troubles);
/* Writes the letters of set k; scratch as above. */
void br_troubles_letters(const struct br_troubles *troubles, uint32_t k,
                         const struct br_instance *instance, char *letter, char *scratch);

#endif
