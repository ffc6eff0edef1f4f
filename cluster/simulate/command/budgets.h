/* What the jobs of a workload consume of what their cluster shares. */
#ifndef BR_CLUSTER_SIMULATE_COMMAND_BUDGETS_H
#define BR_CLUSTER_SIMULATE_COMMAND_BUDGETS_H

#include "planner/instance/plan.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* Does the job consume anything? */
bool br_budgets_count(const struct br_dag *dag);
/* Takes what the plan of the job consumes from the cluster's shared amounts. False if one of them
 * does not suffice, and then nothing is taken. Amounts beyond 18 digits are never used up.
 * O(tasks x what each consumes x shared). */
bool br_budgets_take(const struct br_dag *dag, const struct br_plan *plan,
                     struct br_cluster *cluster);

#endif
