/* Which stages are wholly ahead of which: all tasks of the one are ancestors of all tasks of the
 * other. */
#ifndef BR_PLANNER_CHECK_PROOFS_AHEAD_H
#define BR_PLANNER_CHECK_PROOFS_AHEAD_H

#include "planner/instance/instance.h"

/* With more stages than this nothing is known. */
#define BR_AHEAD_STAGES 2048u

struct br_ahead {
    uint32_t words;   /* of one row */
    uint64_t *behind; /* bit s of row u: u is wholly ahead of s; NULL: too many stages */
};

/* All memory is the arena's. False when memory is out. O(stages x arcs / 64). */
bool br_ahead_init(struct br_ahead *ahead, struct br_arena *arena, const struct br_instance *in);

/* Is u wholly ahead of s? */
static inline bool br_is_ahead(const struct br_ahead *ahead, uint32_t u, uint32_t s)
{
    return ahead->behind[(size_t)u * ahead->words + s / 64] >> (s % 64) & 1;
}

#endif
