/* Can tasks run at the same time? Packings of vectors on the machines, with remembered answers. */
#ifndef BR_PLANNER_EXACT_PROPAGATE_PACKING_H
#define BR_PLANNER_EXACT_PROPAGATE_PACKING_H

#include "planner/exact/propagate/problem.h"

struct br_lcg_packing {
    const struct br_lcg_problem *p; /* borrowed */
    uint32_t *order;                /* tasks, those that need much of a machine first */
    /* Answers by sets of tasks, in bits; a later one replaces an earlier one. */
    uint64_t *set;
    bool *packs;
    /* Scratch of the search. */
    uint32_t *task;
    int64_t *all;  /* by resource: of all machines */
    int64_t *left; /* [machine * amounts + resource] */
    bool *used;    /* by machine */
    uint32_t nodes;
};

/* All memory is the arena's. False when memory is out. */
bool br_lcg_packing_init(struct br_lcg_packing *k, const struct br_lcg_problem *p,
                         struct br_arena *arena);
/* Do the machines hold all tasks of the set at once, each on one of them? Also true if the search
 * for a packing takes too long. */
bool br_lcg_packs(struct br_lcg_packing *k, uint64_t set);

#endif
