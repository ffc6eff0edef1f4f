/* Large-neighbourhood search over whole schedules, for stage jobs on any number of machines.
 *
 * The tasks' order in the best schedule is disturbed in one place or one respect, the schedule is
 * generated anew by serial generation in that order and justified, and a hardly worse schedule is
 * accepted, too [Shaw98] [Palpant04]. Effort is counted in placements. */
#ifndef BR_PLANNER_IMPROVE_IMPROVE_H
#define BR_PLANNER_IMPROVE_IMPROVE_H

#include "planner/schedule/run.h"
#include "planner/improve/disturb.h"

struct br_improve_report {
    uint64_t rounds, trials, restarts;
    uint64_t tried[BR_MOVE_KINDS], gained[BR_MOVE_KINDS]; /* trials, and better schedules found */
};

/* One run by the moves given as bits; run->elite must not be empty. A round that might exceed
 * run->placements is not begun; 0 is no limit. Schedules found join the elite as "improved". The
 * result is the same for any number of threads. report may be NULL. False when memory is out. */
bool br_improve(struct br_run *run, uint32_t moves, struct br_improve_report *report);

#endif
