/* Energetic reasoning: the work that tasks have to do in a span of time, wherever they are put, may
 * exceed what a resource has there.
 *
 * A task that starts by u and ends at e or later runs for at least min(duration, e - from, to - u,
 * to - from) of the ticks from .. to. The time-table looks at single ticks. Of tasks that may run
 * outside of a span, [SchuttFeydyStuckey13] and [Vilim11] count only the part in the time-table;
 * here all the work that they have to do counts. It only finds conflicts: raising bounds by it as
 * well cost as much time as it gained (bench/notes/exact.md). */
#ifndef BR_PLANNER_EXACT_PROPAGATE_ENERGY_H
#define BR_PLANNER_EXACT_PROPAGATE_ENERGY_H

#include "planner/exact/propagate/trail.h"

/* An amount of each of some resources side by side. */
enum { BR_LCG_LANES = 4 };
struct br_lcg_lanes {
    int32_t of[BR_LCG_LANES];
};

struct br_lcg_energy {
    const struct br_lcg_problem *p; /* borrowed; NULL if the problem has no spans */
    struct br_lcg_trail *trail;     /* borrowed */
    uint32_t groups;             /* resources, as many as there are lanes; 0: it looks at nothing */
    struct br_lcg_lanes *demand; /* [group * holdings + place in holding] */
    struct br_lcg_lanes *capacity; /* by group */
    /* Looks that found nothing since the last that did, or since pauses grew; the calls left out
     * after a look, and those of them still to come. */
    uint32_t idle, pause, wait;
    struct br_lcg_lanes *change; /* by tick, scratch: zero between calls */
    bool *begins;                /* by tick, scratch: false between calls */
    struct br_lcg_share *share;  /* scratch of explanations */
};

/* All memory is the arena's. False when memory is out. */
bool br_lcg_energy_init(struct br_lcg_energy *c, const struct br_lcg_problem *p,
                        struct br_lcg_trail *trail, struct br_arena *arena);
/* Looks at all spans that begin at the earliest start of some task, unless it is idle: looks that
 * find nothing become rare. False in a conflict. O(tasks x (tasks + horizon) x groups). */
bool br_lcg_energy_propagate(struct br_lcg_energy *c);
/* Appends the explanation of the conflict with that reason and place to the list. False when memory
 * is out. */
bool br_lcg_energy_explain(struct br_lcg_energy *c, uint32_t reason, int32_t at,
                           struct br_lcg_literals *list);
/* The span of a reason of this kind. */
struct br_lcg_span {
    int32_t from, to;
};
struct br_lcg_span br_lcg_energy_span(uint32_t reason, int32_t at);
/* Notes the conflict that tasks have too much to do with the resource in the span. */
void br_lcg_energy_conflict(struct br_lcg_trail *trail, uint32_t resource, struct br_lcg_span span);

#endif
