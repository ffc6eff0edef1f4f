/* Which stages are wholly ahead of which: the transitive closure, in bits, for up to
 * BR_CLOSURE_STAGES stages. */
#ifndef BR_PLANNER_BOUNDS_CLOSURE_H
#define BR_PLANNER_BOUNDS_CLOSURE_H

#include "planner/instance/instance.h"

#define BR_CLOSURE_STAGES 2048u

struct br_closure {
    uint32_t words;   /* of one row */
    uint64_t *before; /* bit u of row s: every task of u is an ancestor of every task of s */
    uint64_t *after;  /* the same with u and s exchanged */
};

/* False when there are too many stages or memory is out, with *closure zeroed.
 * O(stages x arcs / 64). */
bool br_closure_init(struct br_closure *closure, const struct br_instance *in);
void br_closure_finish(struct br_closure *closure);

static inline bool br_closure_bit(const uint64_t *rows, uint32_t words, uint32_t row,
                                  uint32_t column)
{
    return rows[(size_t)row * words + column / 64] >> (column % 64) & 1;
}

#endif
