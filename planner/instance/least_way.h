/* The job in which every task takes the least of its ways: lasts the shortest of its durations over
 * all alternatives and classes of machines by which it can run, and demands of each resource the
 * least over these alternatives. It has neither alternatives nor classes, and nothing is consumed,
 * so every plan of the given job has its place in it, on machines of speed 1. */
#ifndef BR_PLANNER_INSTANCE_LEAST_WAY_H
#define BR_PLANNER_INSTANCE_LEAST_WAY_H

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* *least is the caller's, also after a failure. Stages, edges and resources keep their numbers.
 * Without a cluster (NULL) all alternatives count, at speed 1. BR_BAD_INPUT if a stage streams into
 * another, since how long the children last is not known; BR_SYSTEM (memory).
 * O(tasks x alternatives x classes + demands). */
enum br_status br_least_way(const struct br_dag *dag, const struct br_cluster *cluster,
                            struct br_dag **least, struct br_diag *diag);

#endif
