/* Tasks that run in one of several ways: each way has a duration, demands, and what it consumes of
 * budgets. A variable of 0 or 1 for each way says whether its task takes it.
 *
 * Follows what the ways that are left to a task have in common: it lasts at least the shortest of
 * them, demands and consumes at least the least of them. So it pushes starts along arcs and past
 * ticks at which the compulsory parts of other tasks leave too little, and takes away ways that are
 * too long, that fit nowhere between the bounds of the start, or for which a budget or the work
 * that there is until the makespan does not suffice [Szeredi16]. Explanations are made from the
 * bounds as they were, when the analysis asks for them. */
#ifndef BR_PLANNER_EXACT_PROPAGATE_WAYS_H
#define BR_PLANNER_EXACT_PROPAGATE_WAYS_H

#include "planner/exact/propagate/trail.h"

/* Of a task, by the bounds before an entry of the trail. */
struct br_lcg_common {
    int32_t earliest, latest;  /* start */
    int32_t duration, longest; /* of the ways that are left: the shortest duration, the longest */
    uint32_t left;             /* so many */
};

/* The compulsory parts of all tasks by the bounds before an entry. */
struct br_lcg_ways_table {
    struct br_lcg_common *common; /* by task */
    int64_t *demand;              /* [task * resources + resource]: the least of the ways left */
    int64_t *held;                /* [tick * resources + resource] */
};

struct br_lcg_ways {
    const struct br_lcg_choices *p; /* borrowed; NULL: every task has one way */
    struct br_lcg_trail *trail;     /* borrowed */
    uint32_t tasks;
    int32_t horizon;
    /* Since the last round: has a bound risen, that of a way, that of the makespan; by task: has
     * one of its bounds; has the search gone back, so that the round before does not count? */
    bool moved, way_moved, makespan_moved, *touched, back;
    int64_t *held;                 /* as in the table, in the round before */
    struct br_lcg_ways_table now;  /* of the present round */
    struct br_lcg_ways_table then; /* of the latest explanation */
    int64_t *least;                /* by task: what it spends at least of a sum; scratch */
    uint32_t *running;             /* scratch of explanations */
};

/* What raised the bound: the upper bits of the number of a reason, and what is in those below. */
enum br_lcg_ways_why {
    BR_LCG_WAYS_LAST,   /* no other way is left */
    BR_LCG_WAYS_OTHER,  /* the task takes another way: that one */
    BR_LCG_WAYS_ARC,    /* a start, by an arc: its number */
    BR_LCG_WAYS_LONG,   /* the way is too long for an arc: its number */
    BR_LCG_WAYS_SUM,    /* the sum: its number */
    BR_LCG_WAYS_TICK,   /* a start: at ticks each way that is left does not fit */
    BR_LCG_WAYS_NOWHERE /* the way does not fit between the bounds of the start */
};
enum { BR_LCG_WAYS_SHIFT = 24 };

/* All memory is the arena's. False when memory is out. */
bool br_lcg_ways_init(struct br_lcg_ways *c, const struct br_lcg_problem *p,
                      struct br_lcg_trail *trail, struct br_arena *arena);
/* Notes that a bound of the variable has risen. */
static inline void br_lcg_ways_note(struct br_lcg_ways *c, uint32_t variable)
{
    c->moved = true;
    if (variable < c->tasks) {
        c->touched[variable] = true;
    } else if (variable > c->tasks) {
        c->touched[c->p->task[variable - c->tasks - 1]] = true;
        c->way_moved = true;
    } else {
        c->makespan_moved = true;
    }
}
/* Notes that the search has gone back to where all was propagated. */
static inline void br_lcg_ways_backtrack(struct br_lcg_ways *c)
{
    c->moved = c->way_moved = c->makespan_moved = false;
    c->back = true;
}
/* One round over all tasks; bounds that rise are on the trail afterwards. False in a conflict, or
 * when memory is out. O(arcs + tasks x ways x (sums + resources x duration)). */
bool br_lcg_ways_propagate(struct br_lcg_ways *c);
/* Appends the literals, true before the entry, that imply l for the reason; of side NONE: those
 * that cannot all be true. False when memory is out. */
bool br_lcg_ways_explain(struct br_lcg_ways *c, struct br_lcg_literal l, uint32_t reason,
                         int32_t at, uint32_t entry, struct br_lcg_literals *list);

/* Used by both files of it. */

/* The variable that says whether the way is taken. */
static inline uint32_t br_lcg_ways_variable(const struct br_lcg_ways *c, uint32_t way)
{
    return c->tasks + 1 + way;
}
/* The literal that it is not taken. */
static inline struct br_lcg_literal br_lcg_ways_out(const struct br_lcg_ways *c, uint32_t way)
{
    return (struct br_lcg_literal){2 * br_lcg_ways_variable(c, way) + 1, 0};
}
/* Is the way left by the bounds before the entry? */
bool br_lcg_ways_is_left(const struct br_lcg_ways *c, uint32_t way, uint32_t entry);
/* Fills the table by the bounds before the entry. Returns a tick at which more is held than there
 * is, or -1. */
int32_t br_lcg_ways_look(const struct br_lcg_ways *c, struct br_lcg_ways_table *table,
                         uint32_t entry);
/* A resource of which the task by the way finds too little at the tick by the table, its own part
 * left out; NONE if it fits. */
uint32_t br_lcg_ways_misses(const struct br_lcg_ways *c, const struct br_lcg_ways_table *table,
                            uint32_t way, int32_t at);

#endif
