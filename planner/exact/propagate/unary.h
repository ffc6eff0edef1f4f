/* Unary resources, which hold one task at a time: the work that tasks have to do in a span of time
 * is no more than the span is long.
 *
 * For jobs in which all scarce resources are unary, in place of the sweep over ticks in energy.h:
 * the same spans, but the cost depends on the tasks of a resource, not on its ticks, so it pays on
 * jobs of any length. Conflicts are those of energy.h, which explains them. */
#ifndef BR_PLANNER_EXACT_PROPAGATE_UNARY_H
#define BR_PLANNER_EXACT_PROPAGATE_UNARY_H

#include "planner/exact/propagate/trail.h"

/* The work that a task has to do from the begin of a span on: from `begin` to `end` in every span
 * that is long enough. */
struct br_lcg_due {
    int32_t begin, end;
};

struct br_lcg_unary {
    const struct br_lcg_problem *p; /* borrowed; NULL if the problem is not for it */
    struct br_lcg_trail *trail;     /* borrowed */
    uint32_t *first;                /* by resource: its tasks */
    uint32_t *task;
    uint32_t *resource_first, *resource; /* by task: its resources */
    bool *moved;                         /* by resource: has a bound of a task risen? */
    int32_t *begin, *end;                /* scratch: times at which dues begin and end, sorted */
    struct br_lcg_due *due;              /* scratch */
};

/* All memory is the arena's. False when memory is out. */
bool br_lcg_unary_init(struct br_lcg_unary *c, const struct br_lcg_problem *p,
                       struct br_lcg_trail *trail, struct br_arena *arena);
/* Notes that a bound of the task has risen. */
static inline void br_lcg_unary_note(struct br_lcg_unary *c, uint32_t task)
{
    for (uint32_t k = c->resource_first[task]; k < c->resource_first[task + 1]; k++)
        c->moved[c->resource[k]] = true;
}
/* Notes that the search has gone back to where all was looked at. */
void br_lcg_unary_backtrack(struct br_lcg_unary *c);
/* Looks at the spans of all resources whose tasks have moved that begin at the earliest start of a
 * task. False in a conflict. O(tasks^2) for each resource of so many, as a rule. */
bool br_lcg_unary_propagate(struct br_lcg_unary *c);

#endif
