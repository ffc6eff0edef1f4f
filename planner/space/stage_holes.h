/* Indices over holes for many series at once: one a stage that is at work, each made when the stage
 * first needs it. Their number is bounded, so that stages times machines do not fill the memory. */
#ifndef BR_PLANNER_SPACE_STAGE_HOLES_H
#define BR_PLANNER_SPACE_STAGE_HOLES_H

#include "planner/space/holes.h"

#define BR_STAGE_HOLES_NONE UINT32_MAX
enum { BR_STAGE_HOLES_LEAST = 3 }; /* searches that are worth an index */

struct br_stage_holes {
    const struct br_space *space; /* borrowed */
    struct br_holes **holes;      /* by slot, made when first needed */
    uint32_t *slot;               /* by stage: of its index, or that it has none */
    uint32_t *unused, unused_slots, slots;
};

/* No stage has an index. False when memory is out (finish is still fine). O(stages). */
bool br_stage_holes_init(struct br_stage_holes *all, const struct br_space *space);
void br_stage_holes_finish(struct br_stage_holes *all);
/* Ends all series. O(stages). */
void br_stage_holes_clear(struct br_stage_holes *all);

/* Does the stage have an index? */
static inline bool br_stage_holes_runs(const struct br_stage_holes *all, uint32_t stage)
{
    return all->slot[stage] != BR_STAGE_HOLES_NONE;
}
/* Is there room for another one? */
static inline bool br_stage_holes_has_room(const struct br_stage_holes *all)
{
    return all->unused_slots > 0;
}
/* Begins the stage's series as br_holes_begin does, if there is room. False when memory is out. */
bool br_stage_holes_begin(struct br_stage_holes *all, bool forward, uint32_t stage, int64_t least,
                          int64_t shortest);
/* The index of a stage that has one. */
static inline struct br_holes *br_stage_holes_of(const struct br_stage_holes *all, uint32_t stage)
{
    return all->holes[all->slot[stage]];
}
/* Ends the stage's series, if it has one. */
void br_stage_holes_end(struct br_stage_holes *all, uint32_t stage);

#endif
