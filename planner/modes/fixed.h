/* The job of a plan's choice: no alternatives, classes, speeds and budgets are left, so that rooms
 * which do not know them can run it, draw it or hand it on. Its tasks have the ids of the given
 * ones; each task runs by its alternative and on machines of the classes and speed that the plan
 * chose for it. */
#ifndef BR_PLANNER_MODES_FIXED_H
#define BR_PLANNER_MODES_FIXED_H

#include "planner/instance/plan.h"
#include "planner/modes/selected.h"

/* All owned. Machines have their numbers. Tasks of a stage by several ways are stages of
 * their own. */
struct br_fixed {
    struct br_dag *dag;
    struct br_cluster *cluster;
    struct br_plan *plan;
    uint32_t *origin; /* by task of the job: the task of the given one; UINT32_MAX: of none, a task
                       * without duration that joins others */
};

/* Fills *fixed for a valid plan of the job on the cluster, to be run or drawn. BR_BAD_INPUT if a
 * task runs where its alternative does not go, if a command has no text for its alternative, or if
 * tasks of a stage run in several ways and the job has outputs or times, which belong to stages. To
 * be finished, also on failure. */
enum br_status br_fixed_make(const struct br_dag *dag, const struct br_cluster *cluster,
                             const struct br_plan *plan, enum br_selected_use use,
                             struct br_fixed *fixed, struct br_diag *diag);
void br_fixed_finish(struct br_fixed *fixed);

#endif
