/* Literals: statements that a bound has reached a value.
 *
 * A variable has two bounds, kept alike. Side 2v of variable v counts its lower bound and side 2v +
 * 1 its negated upper bound, so both only rise while the search goes down, and fall on the way
 * back. A literal is a side and the value that its bound has reached. All literals exist without
 * being stored. */
#ifndef BR_PLANNER_EXACT_PROPAGATE_LITERAL_H
#define BR_PLANNER_EXACT_PROPAGATE_LITERAL_H

#include <stdbool.h>
#include <stdint.h>

#define BR_LCG_NONE UINT32_MAX

struct br_lcg_literal {
    uint32_t side;
    int32_t bound; /* true if the side has reached it */
};

static inline struct br_lcg_literal br_lcg_negation(struct br_lcg_literal l)
{
    return (struct br_lcg_literal){l.side ^ 1, 1 - l.bound};
}
/* Is a true wherever b is? Yes for the same side and no higher bound. */
static inline bool br_lcg_follows(struct br_lcg_literal a, struct br_lcg_literal b)
{
    return a.side == b.side && a.bound <= b.bound;
}

/* A list that grows; its owner frees `item`. */
struct br_lcg_literals {
    struct br_lcg_literal *item;
    uint32_t count, room;
};

#endif
