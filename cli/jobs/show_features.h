/* What `show` says of outputs, times, shared resources and windows. */
#ifndef BR_CLI_JOBS_SHOW_FEATURES_H
#define BR_CLI_JOBS_SHOW_FEATURES_H

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* Prints what tasks leave behind, and the times of tasks and edges; nothing if there is none. */
enum br_status cli_show_features(const struct br_dag *dag, struct br_diag *diag);
/* Prints what machines share, and when they offer other amounts; nothing if there is none. */
void cli_show_shared(const struct br_dag *dag, const struct br_cluster *cluster);
/* br_bound; for a job with features a bound of the job without what it leaves out. */
enum br_status cli_show_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                              int64_t *bound_ns, const char **method, struct br_diag *diag);

/* Adds the work of the stage, which has alternatives, by resource: amount x seconds, the least and
 * the most of each task's alternatives at speed 1. */
void cli_show_work_of_ways(const struct br_dag *dag, uint32_t stage, double *work, double *most);

#endif
