/* The best bound, for callers that have the job's instance already. */
#ifndef BR_PLANNER_SEARCH_BOUND_BEST_BOUND_H
#define BR_PLANNER_SEARCH_BOUND_BEST_BOUND_H

#include <bigrocks/bound.h>

#include "planner/instance/counters.h"
#include "planner/instance/instance.h"

/* As br_bound_best; `in` is the instance of the whole job on the cluster. Fills the counters of the
 * work. */
enum br_status br_best_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                             const struct br_instance *in, const struct br_bound_options *options,
                             struct br_bound_result *result, struct br_counters *counters,
                             struct br_diag *diag);
/* As br_bound_best; of a job with features the best of its relaxed jobs, by half of the time for
 * each of two, and the certificate says which. If its tasks have a choice of ways, a
 * linear program over these has half of the time. */
enum br_status br_best_bound_of(const struct br_dag *dag, const struct br_cluster *cluster,
                                const struct br_bound_options *options,
                                struct br_bound_result *result, struct br_counters *counters,
                                struct br_diag *diag);
/* The bound by linear arguments alone (as BR_PLAN_BOUND_CHEAP), with its proof. `stop` may be NULL.
 * br_bound_result_finish releases the result. */
enum br_status br_cheap_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                              const struct br_stop *stop, struct br_bound_result *result,
                              struct br_diag *diag);

#endif
