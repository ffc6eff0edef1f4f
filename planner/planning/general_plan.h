/* Plans of jobs with features: outputs that are held, shared resources, times. */
#ifndef BR_PLANNER_PLANNING_GENERAL_PLAN_H
#define BR_PLANNER_PLANNING_GENERAL_PLAN_H

#include <bigrocks/planner.h>

#include "planner/general/reserve.h"

/* br_plan_make for a job that has features. If these only pass time, or are shared by a single
 * machine, the job is planned as one without (planner/instance/relax.h). Else a plan of the relaxed
 * job gives the bound and an order to begin with, and planner/general makes the plan. BR_NO if no
 * plan keeps a deadline or has room for what is held, as far as is known; the diagnostic says
 * which. */
enum br_status br_general_plan(const struct br_dag *dag, const struct br_cluster *cluster,
                               const struct br_plan_options *options, struct br_plan **plan,
                               struct br_diag *diag);
/* The same with an order in which the tasks fit the cluster one after another (NULL: none).
 * Borrowed.
 */
enum br_status br_general_plan_by(const struct br_dag *dag, const struct br_cluster *cluster,
                                  const struct br_plan_options *options,
                                  const struct br_witness *known, struct br_plan **plan,
                                  struct br_diag *diag);

/* br_plan_verify of a plan just made. A plan that fails is a fault of the planner, so that is
 * BR_SYSTEM. */
enum br_status br_plan_verify_made(const struct br_plan *plan, const struct br_dag *dag,
                                   const struct br_cluster *cluster, struct br_diag *diag);

#endif
