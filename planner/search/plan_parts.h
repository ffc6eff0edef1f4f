/* The parts of a job between cuts, planned one after another or side by side, as one plan. */
#ifndef BR_PLANNER_SEARCH_PLAN_PARTS_H
#define BR_PLANNER_SEARCH_PLAN_PARTS_H

#include <bigrocks/planner.h>

#include "planner/instance/part.h"
#include "planner/search/method.h"
#include "planner/search/proving.h"
#include "planner/search/bound/watch.h"

/* The work spent on parts so far, from which the time for the rest is estimated. */
struct br_plan_spent {
    uint64_t placements, heuristic_ns; /* the schedules by simple orders, made in that time */
    uint64_t proven_ns;                /* on bounds, and a quarter of what was on clauses */
};

/* One call of br_plan_make, shared between the planning thread and the supervisor. */
struct br_plan_making {
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    struct br_plan_options options;
    struct br_method method;
    uint32_t *place; /* in the order that is given; else NULL */
    struct br_plan *plan;
    struct br_diag diag;
    enum br_status status;
    struct br_watch watch;
    enum br_effort effort; /* the objective asked for; if it is not the makespan, the search for
                              makespans gets less */

    /* Used by the planning thread alone. */
    struct br_proving proving;
    uint32_t parts;
    uint32_t tasks, left; /* tasks of the job, and those in parts that have no schedule yet */
    struct br_plan_spent planned; /* on the parts that have one */
};

/* Keeps back from the time limit the time for the work that must still be done. */
void br_plan_parts_keep_back(struct br_plan_making *making);
/* Makes the plan of all parts, with its bound. False when memory is out. */
bool br_plan_parts_make(struct br_plan_making *making, const struct br_parts *parts);

#endif
