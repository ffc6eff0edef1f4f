/* Reading the alternatives of a finished job (planner/model/alternatives.h), and holding them
 * against a cluster. */
#ifndef BR_PLANNER_MODEL_WAYS_H
#define BR_PLANNER_MODEL_WAYS_H

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* How many alternatives the stage has by name; 0: none. O(1). */
uint32_t br_alternatives_of(const struct br_dag *dag, uint32_t stage);
/* The alternative of the stage with that id, counted within the stage; UINT32_MAX if there is none.
 * In a finished job. O(alternatives of the stage). */
uint32_t br_alternative_find(const struct br_dag *dag, uint32_t stage, const char *id);
/* What the task lasts by the alternative (a number in br_alternatives.alternative) on a machine of
 * speed 1. O(1). */
int64_t br_alternative_duration(const struct br_dag *dag, uint32_t alternative, uint32_t task);
/* Gives task `index` of the stage this duration by all its alternatives, in a finished job. */
void br_alternatives_replace_duration(struct br_dag *dag, uint32_t stage, uint32_t index,
                                      int64_t duration_ns);
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
