/* Plans by the baselines of planner/modes/baselines.h, also of jobs that leave no choice of ways;
 * and by a given order of the tasks. */
#ifndef BR_PLANNER_PLANNING_BASELINE_PLAN_H
#define BR_PLANNER_PLANNING_BASELINE_PLAN_H

#include <bigrocks/planner.h>

/* br_plan_make by row `k` of br_baselines. The bound is that of the least way, without clauses.
 * BR_BAD_INPUT for outputs, deadlines, lags, streams and machines that are away, and for budgets
 * for which no choice of ways was found; BR_USAGE for an objective other than the makespan. */
enum br_status br_baseline_plan(const struct br_dag *dag, const struct br_cluster *cluster,
                                const struct br_plan_options *options, uint32_t k,
                                struct br_plan **plan, struct br_diag *diag);
/* The same by options->order: task after task as it says, each by the way and on the machine by
 * which it ends first, as far as budgets allow. */
enum br_status br_baseline_plan_order(const struct br_dag *dag, const struct br_cluster *cluster,
                                      const struct br_plan_options *options, struct br_plan **plan,
                                      struct br_diag *diag);

#endif
