/* The bound by a linear program over all ways, of jobs whose tasks have a choice. */
#ifndef BR_PLANNER_SEARCH_BOUND_WAYS_BOUND_H
#define BR_PLANNER_SEARCH_BOUND_WAYS_BOUND_H

#include <bigrocks/bound.h>

/* Raises the result of the finished job, which is of a relaxed job, to the bound by multipliers
 * (planner/modes/multipliers.h) if that is more and its proof is accepted. Nothing happens
 * for jobs without a choice of ways, and those whose proofs the checks do not know. BR_SYSTEM
 * (memory). */
enum br_status br_ways_bound_raise(const struct br_dag *dag, const struct br_cluster *cluster,
                                   const struct br_bound_options *options,
                                   struct br_bound_result *result, struct br_diag *diag);

#endif
