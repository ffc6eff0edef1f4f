/* Workloads on Spark-like executors that belong to jobs, instead of on a cluster of machines. */
#ifndef BR_CLUSTER_EXECUTORS_POLICY_WORKLOAD_RUN_H
#define BR_CLUSTER_EXECUTORS_POLICY_WORKLOAD_RUN_H

#include "base/process/stop.h"
#include "planner/model/cluster/cluster.h"
#include "cluster/executors/policy.h"
#include "cluster/workload/outcome.h"
#include "cluster/workload/workload.h"

/* One machine of one core for each executor, by their classes. BR_SYSTEM (memory). */
enum br_status br_executors_cluster(const struct br_executors_options *options,
                                    struct br_cluster **cluster, struct br_diag *diag);
/* The row of "NAME" or "NAME=NUMBER", and the number (NAN: none given). BR_USAGE, with the known
 * rows, if there is no such row or it takes no number. */
enum br_status br_executors_find(const char *text, const struct br_executors_row **row,
                                 double *number, struct br_diag *diag);

struct br_executors_request {
    struct br_executors_options options; /* executors 0: not this mode */
    const void *model;                   /* for rows that ask for one */
    bool draw_requests;                  /* for stages that demand no memory */
    uint32_t threads;                    /* for rows that search */
};
/* Runs the workload under the row; a tuned row with each of its numbers, of which the best is kept.
 * Release the outcome by br_outcome_finish, also after a failure. */
enum br_status br_executors_simulate(const struct br_executors_request *request,
                                     const struct br_workload *workload,
                                     const struct br_executors_row *row, double number,
                                     uint64_t seed, const struct br_stop *stop,
                                     struct br_outcome *outcome, struct br_diag *diag);
/* The least duration of every task with that seed, job by job. BR_SYSTEM (memory). */
enum br_status br_executors_least_of(const struct br_executors_request *request,
                                     const struct br_workload *workload, uint64_t seed,
                                     int64_t *const *least_ns, struct br_diag *diag);

#endif
