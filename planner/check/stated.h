/* The check of what a plan's file states beyond the plan itself. */
#ifndef BR_PLANNER_CHECK_STATED_H
#define BR_PLANNER_CHECK_STATED_H

#include "planner/instance/plan.h"

/* Are the figures of plan->stated those that follow from the plan; do subsets, parts, trials and
 * bounds contradict nothing? `dag` and `cluster` are those of the file, and the plan holds for them
 * (br_plan_verify). Calls `fault` for each that is wrong. BR_OK also then; BR_SYSTEM (memory).
 * O(tasks log tasks + edges), as br_plan_slack. */
enum br_status br_plan_check_stated(const struct br_plan *plan, const struct br_dag *dag,
                                    const struct br_cluster *cluster,
                                    void (*fault)(void *context, const char *text), void *context,
                                    struct br_diag *diag);

#endif
