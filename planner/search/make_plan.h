/* Plans of jobs without features. */
#ifndef BR_PLANNER_SEARCH_MAKE_PLAN_H
#define BR_PLANNER_SEARCH_MAKE_PLAN_H

#include <bigrocks/planner.h>

/* br_plan_make for a job that has no features (planner/eligibility/features.h). */
enum br_status br_make_plan(const struct br_dag *dag, const struct br_cluster *cluster,
                            const struct br_plan_options *options, struct br_plan **plan,
                            struct br_diag *diag);

#endif
