/* A job with the durations and demands that its history knows. */
#ifndef BR_PREDICT_ANNOTATE_H
#define BR_PREDICT_ANNOTATE_H

#include "predict/history.h"
#include "planner/model/cluster.h"
#include "planner/model/dag.h"

struct br_annotate_report {
    uint32_t known, stages; /* stages that the history knows, of all */
};

/* Demands of a task by the estimate: whole cores that it keeps busy, at least 1, and the most
 * memory that one held, rounded up to MiB. -1 where it is not known. */
int64_t br_history_cores(const struct br_history_estimate *estimate);
int64_t br_history_mem(const struct br_history_estimate *estimate);

/* Makes a copy of the finished job in which the stages that the history knows have the median
 * duration, and demands for "cpu" and "mem" as above. Both resources only
 * where the cluster's first class offers them, or no cluster is given (NULL). Durations of single
 * tasks stay. *result is the caller's; it keeps no reference to the job. */
enum br_status br_history_annotate(struct br_history *history, const struct br_dag *dag,
                                   const struct br_cluster *cluster, struct br_dag **result,
                                   struct br_annotate_report *report, struct br_diag *diag);

#endif
