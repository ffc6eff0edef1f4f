/* Plans of jobs whose tasks run by alternatives, on machines of some classes or of several speeds,
 * or that consume shared resources. Ways are chosen first (planner/modes/search.h); then the job of
 * this choice is planned as any other. The bound is that of the least way. */
#ifndef BR_PLANNER_PLANNING_MODES_PLAN_H
#define BR_PLANNER_PLANNING_MODES_PLAN_H

#include <bigrocks/planner.h>

/* br_plan_make for a job with one of BR_FEATURES_MODES. BR_BAD_INPUT also for an objective other
 * than the makespan, a given order, and budgets for which no choice of ways was found. */
enum br_status br_modes_plan(const struct br_dag *dag, const struct br_cluster *cluster,
                             const struct br_plan_options *options, struct br_plan **plan,
                             struct br_diag *diag);

#endif
