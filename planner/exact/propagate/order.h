/* Order: of two rivals, tasks that cannot run together, one has ended before the other starts.
 *
 * A variable says which, so that clauses can state it wherever in time the two are. Bounds of
 * starts decide it if they leave only one order; after that it works like an arc. */
#ifndef BR_PLANNER_EXACT_PROPAGATE_ORDER_H
#define BR_PLANNER_EXACT_PROPAGATE_ORDER_H

#include "planner/exact/propagate/trail.h"

/* A pair of rivals as one of them sees it. */
struct br_lcg_rival {
    uint32_t task; /* the other */
    uint32_t side; /* true if this one is before it; the opposite side, if it is after it */
};

struct br_lcg_order {
    const struct br_lcg_problem *p;
    struct br_lcg_trail *trail; /* both borrowed */
    uint32_t *first;            /* by task: its rivals */
    struct br_lcg_rival *rival;
};

/* Decides the orders that the initial bounds decide. All memory is the arena's. False when memory
 * is out. */
bool br_lcg_order_init(struct br_lcg_order *c, const struct br_lcg_problem *p,
                       struct br_lcg_trail *trail, struct br_arena *arena);

/* Raises the bounds that follow from the side's: for a start, the orders that it decides and the
 * bounds of rivals; for an order, the bounds of the two. O(rivals). False in a conflict, or when
 * memory is out. */
bool br_lcg_order_propagate(struct br_lcg_order *c, uint32_t side);

/* Appends the literals that imply l by the order of the side, with `at` as noted in the trail.
 * False when memory is out. */
bool br_lcg_order_explain(struct br_lcg_order *c, struct br_lcg_literal l, uint32_t side,
                          int32_t at, struct br_lcg_literals *list);

#endif
