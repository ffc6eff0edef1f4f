/* The time-table of several machines: the tasks that run in every case, and so the machines and
 * times that another task cannot have.
 *
 * At a tick a task does not fit a machine if it and the tasks that run then in every case cannot be
 * packed on all machines together, or if those of them on this machine leave too little. A task is
 * not on a machine that it does not fit within its window. It starts at a time at which it fits one
 * of the machines that are left for it. */
#ifndef BR_PLANNER_EXACT_PROPAGATE_MACHINES_H
#define BR_PLANNER_EXACT_PROPAGATE_MACHINES_H

#include "planner/exact/propagate/packing.h"
#include "planner/exact/propagate/trail.h"

/* From `from` up to `to` these tasks run in every case. */
struct br_lcg_stretch {
    int32_t from, to;
    uint64_t running;
};

/* A stretch of a chain of those at which a task does not fit: from the tick `from` to `to`, both
 * included. */
struct br_lcg_obstacle {
    uint32_t stretch;
    int32_t from, to;
};

struct br_lcg_machines {
    const struct br_lcg_problem *p; /* borrowed; NULL if there is one machine */
    struct br_lcg_trail *trail;     /* borrowed */
    struct br_lcg_packing packing;
    bool moved; /* a bound has risen since the last round */
    /* The table, of the bounds now or before an entry. */
    int32_t *lower, *upper; /* start, by task */
    uint64_t *on, *off;     /* by machine: tasks that are on it, tasks that are not */
    struct br_lcg_stretch *stretch;
    uint32_t stretches;
    int32_t *time; /* scratch */
    struct br_lcg_obstacle *obstacle;
    uint32_t obstacles;
};

/* All memory is the arena's. False when memory is out. */
bool br_lcg_machines_init(struct br_lcg_machines *c, const struct br_lcg_problem *p,
                          struct br_lcg_trail *trail, struct br_arena *arena);
/* One round; bounds that rise are on the trail afterwards. False in a conflict, or when memory is
 * out. */
bool br_lcg_machines_propagate(struct br_lcg_machines *c);
/* Appends to the list why l holds, from the bounds as they were before the entry. False when memory
 * is out. */
bool br_lcg_machines_explain(struct br_lcg_machines *c, struct br_lcg_literal l, uint32_t entry,
                             struct br_lcg_literals *list);

#endif
