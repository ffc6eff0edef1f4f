/* The solver: propagation engine, branching, analysis and proof put together, and the search that
 * drives them by decisions, restarts and reductions of the store. */
#ifndef BR_PLANNER_EXACT_SEARCH_H
#define BR_PLANNER_EXACT_SEARCH_H

#include "base/process/stop.h"
#include "planner/exact/analysis.h"

struct br_lcg {
    struct br_lcg_engine engine;
    struct br_lcg_branching branching;
    struct br_lcg_analysis analysis;
    struct br_lcg_proof *proof; /* NULL: nothing is recorded */
    uint64_t restarts, reductions;
    uint64_t restart_at, reduce_at; /* numbers of conflicts */
    uint64_t decisions_most;        /* this many in all end a search, too */
    int32_t supposed;               /* makespan to suppose at level 1, or INT32_MAX */
    /* Decided first, one after another; the owner's. */
    const struct br_lcg_literal *assumed;
    uint32_t assumptions;
};

/* Borrows the problem, in which every task has some start. NULL when memory is out. */
struct br_lcg *br_lcg_create(const struct br_lcg_problem *problem, bool record_proof);
void br_lcg_destroy(struct br_lcg *s);

enum br_lcg_end {
    BR_LCG_BUDGET,     /* conflicts or decisions are spent, the flag is set, or memory is out */
    BR_LCG_SOLUTION,   /* all starts are fixed; still at the solution's level */
    BR_LCG_INFEASIBLE, /* nothing is feasible under the bounds at the root */
    BR_LCG_REFUTED,    /* nothing is feasible under what is assumed */
    BR_LCG_RAISED,     /* the makespan's bound at the root has risen above the supposed makespan */
};
/* Goes on for this many more conflicts, or until *stop (may be NULL) is set. */
enum br_lcg_end br_lcg_search(struct br_lcg *s, uint64_t conflicts, const struct br_stop *stop);
/* Goes back to the root, and allows only schedules shorter than `upper`. False if there are none;
 * then the record, if any, is complete. */
bool br_lcg_limit(struct br_lcg *s, int32_t upper);

#endif
