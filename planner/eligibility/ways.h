/* The alternatives of a finished job (planner/model/alternatives.h) held against a cluster. */
#ifndef BR_PLANNER_ELIGIBILITY_WAYS_H
#define BR_PLANNER_ELIGIBILITY_WAYS_H

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* May tasks run by this alternative on machines of the class? By its name alone. */
bool br_alternative_names(const struct br_dag *dag, uint32_t alternative,
                          const struct br_class *cls);
/* Does the class also have room for one such task, given what the cluster shares? */
bool br_alternative_fits(const struct br_dag *dag, uint32_t alternative,
                         const struct br_cluster *cluster, uint32_t cls);
/* The same, or for UINT32_MAX of a stage of a job without alternatives. O(its demands). */
bool br_way_fits(const struct br_dag *dag, uint32_t stage, uint32_t alternative,
                 const struct br_cluster *cluster, uint32_t cls);
/* BR_BAD_INPUT if an alternative names a class that the cluster does not have (unless
 * br_alternatives.classes_lost), if a stage has no
 * alternative that fits a machine, if something is consumed that is not shared, if consumed
 * resources do not suffice even if each task takes the alternative that consumes the least of it,
 * or if a task would last too long on some machines. BR_OK at once for a job without alternatives
 * on machines of speed 1. O(alternatives x classes x demands + tasks). */
enum br_status br_alternatives_check(const struct br_dag *dag, const struct br_cluster *cluster,
                                     struct br_diag *diag);

#endif
