/* Sums over the allotments of jobs with deadlines. */
#ifndef BR_CLUSTER_WORKLOAD_ALLOTTED_H
#define BR_CLUSTER_WORKLOAD_ALLOTTED_H

#include "cluster/workload/outcome.h"

/* One job. NAN if it had no allotment, and `above` also if the outcome kept no spans, or allotments
 * are percents of the cluster; then those count in place of tokens. */
struct br_allotted {
    double token_minutes; /* tokens x minutes until its end */
    /* The share of the token minutes that is above the oracle's allocation: the least whole number
     * of tokens that would do the job's work by its last deadline if it could always be shared
     * evenly. [Ferguson12, 5.1] */
    double above;
    double oracle;       /* that allocation; NAN as `above` */
    double median;       /* allotment, over time */
    int64_t deadline_ns; /* its last one */
};
/* Fills one for each job of the workload. False when memory is out. O(rows log rows + spans). */
bool br_allotted_make(const struct br_workload *workload, const struct br_outcome *outcome,
                      struct br_allotted *job);

#endif
