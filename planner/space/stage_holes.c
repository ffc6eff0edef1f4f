/* A slot is an index and its memory; a stage holds one from the beginning of its series to the end,
 * and the next stage that needs one takes it over. */
#include "planner/space/stage_holes.h"

#include "base/collections/memory.h"
#include "base/invariant.h"
#include "planner/space/space_profile.h"

enum { CELLS = 1 << 21 }; /* room for indices, in machines times stages at work */

bool br_stage_holes_init(struct br_stage_holes *all, const struct br_space *space)
{
    const struct br_instance *in = space->in;
    const uint32_t most = CELLS / in->machines + 1;
    *all = (struct br_stage_holes){.space = space, .slots = most < in->stages ? most : in->stages};
    all->holes = br_calloc(all->slots, sizeof(struct br_holes *));
    all->slot = br_malloc(in->stages * sizeof *all->slot);
    all->unused = br_malloc(all->slots * sizeof *all->unused);
    if (!all->holes || !all->slot || !all->unused)
        return false;
    br_stage_holes_clear(all);
    return true;
}

void br_stage_holes_finish(struct br_stage_holes *all)
{
    for (uint32_t k = 0; all->holes && k < all->slots; k++)
        br_holes_destroy(all->holes[k]);
    br_free(all->holes);
    br_free(all->slot);
    br_free(all->unused);
    *all = (struct br_stage_holes){0};
}

void br_stage_holes_clear(struct br_stage_holes *all)
{
    all->unused_slots = all->slots;
    for (uint32_t k = 0; k < all->slots; k++)
        all->unused[k] = k;
    for (uint32_t s = 0; s < all->space->in->stages; s++)
        all->slot[s] = BR_STAGE_HOLES_NONE;
}

bool br_stage_holes_begin(struct br_stage_holes *all, bool forward, uint32_t stage, int64_t least,
                          int64_t shortest)
{
    assert(!br_stage_holes_runs(all, stage) && all->unused_slots);
    const uint32_t slot = all->slot[stage] = all->unused[--all->unused_slots];
    if (!all->holes[slot] && !(all->holes[slot] = br_holes_create(all->space)))
        return false;
    return br_holes_begin(all->holes[slot], forward, stage, least, shortest);
}

void br_stage_holes_end(struct br_stage_holes *all, uint32_t stage)
{
    if (!br_stage_holes_runs(all, stage))
        return;
    assert(all->unused_slots < all->slots);
    all->unused[all->unused_slots++] = all->slot[stage];
    all->slot[stage] = BR_STAGE_HOLES_NONE;
}
