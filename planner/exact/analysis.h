/* Conflict analysis: learns from a conflict the clause of the first unique implication point
 * [Marques99], over bounds. Literals that others imply, by their reasons, the reasons of these, and
 * so on, are left out [Sorensson09]. */
#ifndef BR_PLANNER_EXACT_ANALYSIS_H
#define BR_PLANNER_EXACT_ANALYSIS_H

#include "planner/exact/branching.h"
#include "planner/exact/proof.h"

/* Marks of an entry of the trail: is it known, by the stamp, that the needs imply it or do not? */
struct br_lcg_mark {
    uint32_t implied, open, noted; /* stamps; noted: the proof knows its reasons */
    int32_t bound;                 /* implied: up to here */
};

struct br_lcg_analysis {
    struct br_lcg_engine *engine; /* borrowed, as are the next two */
    struct br_lcg_branching *branching;
    struct br_lcg_proof *proof; /* NULL: nothing is recorded */
    /* A set of literals that cannot all be true: for each side, the bound that it needs. Of two
     * bounds of one side the higher implies the other. */
    int32_t *need;                  /* by side: INT32_MIN if nothing is needed */
    uint32_t *needed, needed_count; /* the sides that are needed */
    bool *implied;                  /* by side: others imply its need */
    struct br_lcg_mark *mark;       /* by entry: do the needs imply it? */
    uint32_t mark_room;
    struct br_lcg_literals reasons; /* of the literals that are looked at, one upon another */
    struct br_lcg_literals lemma;   /* the clause that was learned last */
    uint32_t *stamp;                /* by level: when a literal of the level was last counted */
    uint32_t stamps, stamp_room;
    uint64_t conflicts, literals; /* literals learned */
};

/* Borrows the three; proof may be NULL. False when memory is out; finish is fine in any case. */
bool br_lcg_analysis_init(struct br_lcg_analysis *a, struct br_lcg_engine *engine,
                          struct br_lcg_branching *branching, struct br_lcg_proof *proof);
void br_lcg_analysis_finish(struct br_lcg_analysis *a);

/* Learns from the conflict: goes back to the level at which the learned clause makes a literal
 * true, and makes it true. False if the conflict needs no decision, so that nothing is feasible, or
 * when memory is out. */
bool br_lcg_learn(struct br_lcg_analysis *a);

#endif
