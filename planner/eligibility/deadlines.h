/* Deadlines of a job on a cluster: tasks last less long on faster machines and by other
 * alternatives, so whether a task alone is in time depends on both. */
#ifndef BR_PLANNER_ELIGIBILITY_DEADLINES_H
#define BR_PLANNER_ELIGIBILITY_DEADLINES_H

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* Does each task of the stage, alone, keep its deadline by the alternative (a number in
 * br_alternatives.alternative; UINT32_MAX: the job has none) on machines of the class? O(tasks of
 * the stage). */
bool br_deadlines_kept(const struct br_dag *dag, uint32_t stage, uint32_t alternative,
                       const struct br_class *cls);
/* BR_BAD_INPUT if a stage of the finished job keeps its deadlines by no alternative on no machines
 * that have room for it. BR_OK at once for a job without deadlines; a stage that fits nowhere is no
 * matter of this. O(tasks x alternatives x classes). */
enum br_status br_deadlines_check(const struct br_dag *dag, const struct br_cluster *cluster,
                                  struct br_diag *diag);

#endif
