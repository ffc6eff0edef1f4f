/* Branching: which literal to decide next, and the way back.
 *
 * Atoms that took part in conflicts are active; the most active that is still open is decided
 * first, in the phase that it had last. On several machines a task with a start is put on one of
 * them. If no atom is open, or while conflicts are few, the task that can start earliest gets its
 * earliest start, as in schedule generation [Schutt11]. Activities grow by a step that itself
 * grows, so old merits fade [Een03]. */
#ifndef BR_PLANNER_EXACT_BRANCHING_H
#define BR_PLANNER_EXACT_BRANCHING_H

#include "planner/exact/propagate/engine.h"

struct br_lcg_merit {
    double activity;
    uint32_t heap_place; /* or NONE */
    bool phase;          /* the value that the atom had last */
};

struct br_lcg_branching {
    struct br_lcg_engine *engine; /* borrowed */
    struct br_lcg_merit *merit;   /* by atom */
    uint32_t count, room;
    uint32_t *heap, heap_count, heap_room; /* atoms that may be open, the most active first */
    double step;                           /* added to an activity */
    int32_t *hint; /* by variable, if tasks have ways: a schedule that decisions keep to */
    uint64_t decisions;
};

/* False when memory is out; finish is fine in any case. */
bool br_lcg_branching_init(struct br_lcg_branching *b, struct br_lcg_engine *engine);
void br_lcg_branching_finish(struct br_lcg_branching *b);

/* The literal to decide; false if all starts are fixed. O(tasks), or O(log atoms) if it is an
 * atom's. */
bool br_lcg_branching_choose(struct br_lcg_branching *b, bool by_activity,
                             struct br_lcg_literal *l);
/* Opens a level and makes the literal, which is open, true in it. False when memory is out. */
bool br_lcg_decide(struct br_lcg_branching *b, struct br_lcg_literal l);
/* Takes the latest entry of the trail back. */
void br_lcg_undo(struct br_lcg_branching *b);
/* Goes back to the level; does nothing if the solver is there or below. */
void br_lcg_backtrack(struct br_lcg_branching *b, uint32_t level);

/* Makes the literal's atom, if there is none, and its activity larger. False when memory is out. */
bool br_lcg_branching_admit(struct br_lcg_branching *b, struct br_lcg_literal l);
/* Makes the activity of the literal's atom larger, if it has one. */
void br_lcg_branching_bump(struct br_lcg_branching *b, struct br_lcg_literal l);
/* Stores the clauses that put every task on one machine, and that order the use of equal machines;
 * before anything else. False when memory is out. */
bool br_lcg_branching_assign(struct br_lcg_branching *b);
/* Notes that a conflict has passed. */
void br_lcg_branching_decay(struct br_lcg_branching *b);

#endif
