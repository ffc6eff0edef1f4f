/* A job with the durations and demands from its history. */
#ifndef BR_RUNTIME_PREDICT_ANNOTATE_H
#define BR_RUNTIME_PREDICT_ANNOTATE_H

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "runtime/predict/beliefs.h"
#include "runtime/predict/measured.h"
#include "store/history/history.h"

/* Released by br_annotate_report_finish. */
struct br_annotate_report {
    struct br_arena arena;
    uint32_t known, stages; /* stages that the history knows, of all */
    /* By stage: from the history, or the job's own if the history has none (known = false). */
    struct br_task_belief *belief;
    /* The same by alternative (br_alternatives.alternative), known if tasks have run by it; of a
     * stage with alternatives the belief above is that of the one which is known by most tasks.
     * NULL: the job has none. */
    struct br_task_belief *way_belief;
    /* The possible error of the mean durations of stages, as a ratio, with BR_BELIEF_INTERVAL: that
     * of the median stage among the known ones; 1 if none is known. */
    double factor;
};
void br_annotate_report_finish(struct br_annotate_report *report);

/* If the history has no run under the job's name, switches to a job that differs only in its name:
 * all its stages are stages of this one, and they are at least half of these. Among several, the
 * one that ran last. *alike is then its name, the caller's to free; else NULL. */
enum br_status br_history_find(struct br_history *history, const struct br_dag *dag, char **alike,
                               struct br_diag *diag);

/* Makes a copy of the finished job in which the stages known to the history have the believed mean
 * duration, and demands for "cpu" and "mem" as above. Both resources only if the cluster's first
 * class offers them, or no cluster is given (NULL). Durations of single tasks stay, and those given
 * by hand. With a quantile above 0 and below 1, durations are those that a task does not exceed
 * with that probability: by the history, or if that knows nothing (NULL: there is none) by the
 * spread that the job declares.
 *
 * If tasks run in several ways or machines have several speeds, durations are those on a machine of
 * speed 1, and demands for "cpu" and "mem" change only where there are some already, those for
 * "cpu" not in alternatives, which differ by them. An alternative by which no task has run lasts as
 * many times its declared duration as those do by which tasks have run, in the geometric mean.
 * *result is the caller's; it keeps no reference to the job. The
 * report is filled in, and to be finished, also after a failure. */
enum br_status br_history_annotate(struct br_history *history, const struct br_dag *dag,
                                   const struct br_cluster *cluster, double quantile,
                                   struct br_dag **result, struct br_annotate_report *report,
                                   struct br_diag *diag);

#endif
