/* Orders of all tasks of a job: the one by longest paths, and those that a list of some tasks
 * demands (br_dag_complete_order in bigrocks/dag.h). */
#ifndef BR_PLANNER_MODEL_TASK_ORDER_H
#define BR_PLANNER_MODEL_TASK_ORDER_H

#include "planner/model/dag.h"

/* Fills order[tasks] of the finished job: the task with the longest path from its start to the end
 * of the job first, ties by topological position. So parents come before their children.
 * O(tasks + edges). False when memory is out. */
bool br_dag_order_by_paths(const struct br_dag *dag, uint32_t *order);

/* BR_USAGE unless the order has every task of the finished job once, parents before their children.
 * O(tasks log tasks + edges). */
enum br_status br_dag_check_order(const struct br_dag *dag, const uint32_t *order,
                                  struct br_diag *diag);
/* The place of every task in the order, by task; the caller's. NULL when memory is out. */
uint32_t *br_dag_places(const struct br_dag *dag, const uint32_t *order);

#endif
