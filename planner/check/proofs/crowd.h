/* Consequences for tasks on several machines when clauses are checked: which task is on which
 * machine, and when. */
#ifndef BR_PLANNER_CHECK_PROOFS_CROWD_H
#define BR_PLANNER_CHECK_PROOFS_CROWD_H

#include "planner/instance/instance.h"

/* The most that a proof by clauses may have. */
enum { BR_CROWD_TASKS = 64, BR_CROWD_MACHINES = 16 };

/* The bounds of all variables, and what came of the last call. Variables are the starts of the
 * tasks, the end of the job, and for task t and machine m, 0 or 1, number tasks + 1 + t x machines
 * + m. */
struct br_crowd_bounds {
    int64_t *least, *most; /* borrowed */
    bool moved, contradiction;
};

struct br_crowd;

/* The instance has several machines, and no more tasks and machines than the most (asserted). NULL
 * when memory is out. */
struct br_crowd *br_crowd_create(const struct br_instance *in);
void br_crowd_destroy(struct br_crowd *crowd);
/* One round of all rules but the edges and the equal tasks. Sets moved or contradiction, and never
 * clears them. */
void br_crowd_follow(struct br_crowd *crowd, struct br_crowd_bounds *bounds);

#endif
