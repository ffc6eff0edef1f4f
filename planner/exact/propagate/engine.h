/* The propagation engine: domains and trail, all propagators, and the store of clauses, which is
 * one of them. It knows what follows, and why; the layers above decide what to try next. */
#ifndef BR_PLANNER_EXACT_PROPAGATE_ENGINE_H
#define BR_PLANNER_EXACT_PROPAGATE_ENGINE_H

#include "planner/exact/propagate/clauses.h"
#include "planner/exact/propagate/energy.h"
#include "planner/exact/propagate/machines.h"
#include "planner/exact/propagate/order.h"
#include "planner/exact/propagate/precedence.h"
#include "planner/exact/propagate/timetable.h"
#include "planner/exact/propagate/unary.h"
#include "planner/exact/propagate/ways.h"

struct br_lcg_engine {
    struct br_arena arena; /* arrays that never grow */
    struct br_lcg_trail trail;
    struct br_lcg_precedence precedence;
    struct br_lcg_order order;         /* one machine */
    struct br_lcg_timetable timetable; /* one machine, too */
    struct br_lcg_energy energy;       /* one machine, too */
    struct br_lcg_unary unary;         /* one machine, and all resources unary */
    struct br_lcg_machines machines;   /* several machines */
    struct br_lcg_ways ways;           /* tasks that run in one of several ways */
    struct br_lcg_atoms atoms;
    struct br_lcg_clauses clauses;
    struct br_lcg_literals explanation; /* the latest */
    uint64_t propagations;              /* bounds propagated */
};

/* Borrows the problem, in which every task has some start; the engine stays where it is. False when
 * memory is out; finish is fine in any case. */
bool br_lcg_engine_init(struct br_lcg_engine *e, const struct br_lcg_problem *problem);
void br_lcg_engine_finish(struct br_lcg_engine *e);

/* Raises all bounds that follow; only some of them if the trail's flag is raised. False in a
 * conflict, noted in the trail, or when memory is out. */
bool br_lcg_propagate(struct br_lcg_engine *e);
/* Puts into e->explanation the literals, true before the entry, that imply l for the given reason.
 * False when memory is out. */
bool br_lcg_explain(struct br_lcg_engine *e, struct br_lcg_literal l, uint32_t reason, int32_t at,
                    uint32_t entry);
/* As br_lcg_explain for the conflict: puts there the literals that cannot all be true. */
bool br_lcg_explain_conflict(struct br_lcg_engine *e);
/* Closes the levels above the given one, whose entries have been taken back. */
void br_lcg_engine_close_levels(struct br_lcg_engine *e, uint32_t level);

#endif
