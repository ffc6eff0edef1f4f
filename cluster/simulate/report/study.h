/* Writing the results of `bigrocks simulate`: one workload under some policies and seeds. */
#ifndef BR_CLUSTER_SIMULATE_REPORT_STUDY_H
#define BR_CLUSTER_SIMULATE_REPORT_STUDY_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text/named.h"
#include "cluster/workload/metrics.h"
#include "cluster/workload/outcome.h"
#include "cluster/workload/series.h"

/* One policy with one seed. All borrowed. */
struct br_study_run {
    const char *policy; /* as the user named it, such as "weighted-fair=-1" */
    uint64_t seed;
    const struct br_metrics *metrics;
    const struct br_series *series;         /* NULL: no curves over time for this run */
    const struct br_allotments *allotments; /* of control loops; NULL: none, or not kept */
    uint64_t spans; /* attempts at tasks, in the order of their ends; 0: not kept */
    const struct br_span *span;
    /* For this workload and seed, in seconds: a bound on every policy, and the mean completion time
     * of a plan that knew everything ahead. NAN: unknown. */
    double mean_jct_bound_s, makespan_bound_s, clairvoyant_mean_jct_s;
    uint64_t events;
    struct br_moved_sums moved;
    bool cut;         /* stopped before its end */
    const char *note; /* why jobs are not finished; NULL if all are */
    /* Times of the computer that simulated; written only if study->times is set. */
    double seconds, planning_seconds;
};

struct br_study {
    const struct br_workload *workload;
    const struct br_cluster *cluster;
    uint32_t runs;
    const struct br_study_run *run; /* the runs of a policy are adjacent, in the order of seeds */
    /* Also write figures that differ between runs of the program: seconds, and events a second.
     * Without them equal studies give equal bytes. */
    bool times;
    bool network; /* bytes move: also write how many */
};

/* The formats. */
extern const struct br_names br_study_formats;
/* Does the format draw the series? If not, callers need not make them. */
bool br_study_draws(const char *format);
/* Does it list the tasks? If not, callers need not keep the spans. */
bool br_study_lists_tasks(const char *format);

/* Writes the study. BR_USAGE for an unknown format, with the known ones in the hint; BR_SYSTEM if
 * writing fails or memory is out. */
enum br_status br_emit_study(const char *format, const struct br_study *study, FILE *out,
                             struct br_diag *diag);

#endif
