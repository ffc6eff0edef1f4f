/* Large-neighbourhood search over whole schedules, for stage jobs on any number of machines.
 *
 * The tasks' order in the best schedule is disturbed in one place or one respect, the schedule is
 * generated anew by serial generation in that order and justified, and what is hardly worse is
 * taken on [Shaw98] [Palpant04]. Effort is counted in placements. */
#ifndef BR_PLANNER_SEARCH_IMPROVE_H
#define BR_PLANNER_SEARCH_IMPROVE_H

#include "planner/schedule/run.h"

/* The moves, as bits of br_improve_options.moves. */
enum br_move {
    BR_MOVE_WINDOW,   /* a window of time is placed anew in several orders; see window.h */
    BR_MOVE_SHIFT,    /* some stages are taken earlier or later */
    BR_MOVE_CHAIN,    /* a task is taken before one that it waits for on the critical chain */
    BR_MOVE_STAGES,   /* some stages are taken as early or as late as they can be */
    BR_MOVE_EJECT,    /* a troublesome task goes before what shares its machine, or the reverse */
    BR_MOVE_NOISE,    /* every stage's place in the order is blurred */
    BR_MOVE_PARALLEL, /* parallel instead of serial generation, by blurred tails */
    BR_MOVE_KINDS,
    BR_MOVE_MACHINES = BR_MOVE_KINDS, /* together with any other: best fit weighs the resources
                                         otherwise, so that tasks go to other machines */
};
#define BR_MOVES_ALL ((1u << (BR_MOVE_MACHINES + 1)) - 1)
const char *br_move_name(enum br_move move);

struct br_improve_report {
    uint64_t rounds, trials, restarts;
    uint64_t tried[BR_MOVE_KINDS], gained[BR_MOVE_KINDS]; /* trials, and better schedules found */
};

/* One run by the moves given as bits; run->elite must not be empty. A round that might exceed
 * run->placements is not begun; 0 is no limit. What it finds joins the elite as "improved". The
 * same for any number of threads. report may be NULL. False when memory is out. */
bool br_improve(struct br_run *run, uint32_t moves, struct br_improve_report *report);

#endif
