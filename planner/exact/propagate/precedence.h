/* Precedence: a task starts after the ends of the tasks for which it waits, and the makespan is no
 * earlier than any end. */
#ifndef BR_PLANNER_EXACT_PROPAGATE_PRECEDENCE_H
#define BR_PLANNER_EXACT_PROPAGATE_PRECEDENCE_H

#include "planner/exact/propagate/trail.h"

/* An arc as a side sees it: when `from` reaches b, `to` reaches b + lag. */
struct br_lcg_arc {
    uint32_t from, to;
    int32_t lag;
};

struct br_lcg_precedence {
    struct br_lcg_trail *trail; /* borrowed */
    uint32_t *first;            /* by side: its arcs */
    struct br_lcg_arc *arc;
};

/* All memory is the arena's. False when memory is out. */
bool br_lcg_precedence_init(struct br_lcg_precedence *c, const struct br_lcg_problem *p,
                            struct br_lcg_trail *trail, struct br_arena *arena);

/* Raises the bounds that follow from the side's. False in a conflict, or when memory is out. */
static inline bool br_lcg_precedence_propagate(struct br_lcg_precedence *c, uint32_t side)
{
    int32_t now = c->trail->now[side];
    for (uint32_t a = c->first[side]; a < c->first[side + 1]; a++)
        if (!br_lcg_push(c->trail, c->arc[a].to, now + c->arc[a].lag, br_lcg_reason(BR_LCG_ARC, a),
                         0))
            return false;
    return true;
}
/* The literal that implies l by the arc. */
static inline struct br_lcg_literal br_lcg_precedence_explain(const struct br_lcg_precedence *c,
                                                              struct br_lcg_literal l, uint32_t arc)
{
    assert(c->arc[arc].to == l.side);
    return (struct br_lcg_literal){c->arc[arc].from, l.bound - c->arc[arc].lag};
}

#endif
