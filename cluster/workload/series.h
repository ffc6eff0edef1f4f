/* A simulation over time, thinned to the columns of a picture: running tasks, by jobs in the order
 * of their arrivals, and use by resource. Its size is bounded for any number of spans, so an
 * outcome can be released once its series is made. */
#ifndef BR_CLUSTER_WORKLOAD_SERIES_H
#define BR_CLUSTER_WORKLOAD_SERIES_H

#include "planner/model/cluster/cluster.h"
#include "cluster/workload/outcome.h"

enum {
    BR_SERIES_COLUMNS = 240, /* over the time from the first arrival to the last end */
    BR_SERIES_BANDS = 24,    /* of jobs, at most */
};

struct br_series {
    int64_t start_ns, span_ns; /* the first arrival; from there to the last end, at least 1 */
    /* Band b holds the jobs from first_job[b] to first_job[b + 1]: a job each if there are few,
     * else neighbours in the order of arrivals, as many in each as in any other to one. */
    uint32_t bands, first_job[BR_SERIES_BANDS + 1];
    double *running; /* by band and column: tasks at once, mean over the column */
    uint32_t resources;
    const char **resource; /* as in the metrics: the cluster's, borrowed from it */
    double *use;           /* by resource and column: share of the capacity held, mean over it */
    struct br_arena arena;
};

/* Release by br_series_finish, also after a failure. BR_SYSTEM (memory). O(spans x demands +
 * columns). */
enum br_status br_series_make(const struct br_workload *workload, const struct br_cluster *cluster,
                              const struct br_outcome *outcome, struct br_series *series,
                              struct br_diag *diag);
void br_series_finish(struct br_series *series);

#endif
