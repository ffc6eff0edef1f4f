/* A stage is wholly ahead of another if a path with at least one barrier leads from it there: each
 * task on the way has a child and a parent along each arc, and the barrier joins all to all.
 *
 * Rows are filled from the last stage to the first. A barrier leads to the child itself and to all
 * that any path from the child reaches; a one-to-one arc leads only to what the child is wholly
 * ahead of. */
#include "planner/check/proofs/ahead.h"

static void ahead_add_row(uint64_t *row, const uint64_t *other, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        row[w] |= other[w];
}

bool br_ahead_init(struct br_ahead *ahead, struct br_arena *arena, const struct br_instance *in)
{
    uint32_t n = in->stages, words = (n + 63) / 64;
    *ahead = (struct br_ahead){.words = words};
    if (n > BR_AHEAD_STAGES)
        return true;
    uint64_t *reached = br_arena_array(arena, (size_t)n * words, sizeof *reached);
    ahead->behind = br_arena_array(arena, (size_t)n * words, sizeof *ahead->behind);
    if (!reached || !ahead->behind)
        return false;
    for (uint32_t k = n; k-- > 0;) {
        uint32_t s = in->topological[k];
        uint64_t *any = reached + (size_t)s * words, *all = ahead->behind + (size_t)s * words;
        for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++) {
            uint32_t child = in->child[a].stage;
            const uint64_t *beyond = reached + (size_t)child * words;
            ahead_add_row(any, beyond, words);
            any[child / 64] |= UINT64_C(1) << (child % 64);
            if (in->child[a].one_to_one) {
                ahead_add_row(all, ahead->behind + (size_t)child * words, words);
            } else {
                ahead_add_row(all, beyond, words);
                all[child / 64] |= UINT64_C(1) << (child % 64);
            }
        }
    }
    return true;
}
