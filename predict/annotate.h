/* A job with the durations and demands that its history knows. */
#ifndef BR_PREDICT_ANNOTATE_H
#define BR_PREDICT_ANNOTATE_H

#include "planner/model/cluster.h"
#include "planner/model/dag.h"
#include "predict/beliefs.h"
#include "predict/history/history.h"

/* Released by br_annotate_report_finish. */
struct br_annotate_report {
    struct br_arena arena;
    uint32_t known, stages; /* stages that the history knows, of all */
    /* By stage: by the history, or what the job declares where that knows nothing (known = false).
     */
    struct br_task_belief *belief;
    /* By how much the mean durations of stages may be off, with BR_BELIEF_INTERVAL: that of the
     * stage in the middle of those known; 1 where none is. */
    double factor;
};
void br_annotate_report_finish(struct br_annotate_report *report);

/* Demands of a task by the estimate: whole cores that it keeps busy, at least 1, and the most
 * memory that one held, rounded up to MiB. -1 where it is not known. */
int64_t br_history_cores(const struct br_history_estimate *estimate);
int64_t br_history_mem(const struct br_history_estimate *estimate);
/* A duration as a whole number, at most about a hundred years. */
int64_t br_whole_ns(double ns);

/* Where the history has no run under the job's name, goes over to a job that is the same but for
 * its name: all its stages are stages of this one, and they are at least half of these. Of several
 * the one that ran last. *alike is then its name, the caller's to free; else NULL. */
enum br_status br_history_find(struct br_history *history, const struct br_dag *dag, char **alike,
                               struct br_diag *diag);

/* Makes a copy of the finished job in which the stages that the history knows have the mean
 * duration that is believed of them, and demands for "cpu" and "mem" as above. Both resources only
 * where the cluster's first class offers them, or no cluster is given (NULL). Durations of single
 * tasks stay, and those by hand. With a quantile above 0 and below 1, durations are what a task
 * does not exceed with that probability: by the history, or where that knows nothing (NULL: there
 * is none) by the spread that the job declares. *result is the caller's; it keeps no reference to
 * the job. The report is filled in, and to be finished, also after a failure. */
enum br_status br_history_annotate(struct br_history *history, const struct br_dag *dag,
                                   const struct br_cluster *cluster, double quantile,
                                   struct br_dag **result, struct br_annotate_report *report,
                                   struct br_diag *diag);

#endif
