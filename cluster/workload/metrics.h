/* The metrics of a simulation: completion times, makespan, fairness, use. */
#ifndef BR_CLUSTER_WORKLOAD_METRICS_H
#define BR_CLUSTER_WORKLOAD_METRICS_H

#include "planner/model/cluster/cluster.h"
#include "cluster/workload/allotted.h"
#include "cluster/workload/outcome.h"

enum { BR_JAIN_WINDOWS = 3 };
extern const double br_jain_window_s[BR_JAIN_WINDOWS]; /* 10, 60 and 240 s */

/* One job. Times in seconds; NAN if there is no value. */
struct br_job_metrics {
    double jct_s;       /* completion time, from the arrival; NAN if it did not finish */
    double wait_s;      /* until its first start; NAN if nothing of it started */
    double slowdown;    /* completion time over the job's own lower bound on this cluster */
    double tardiness_s; /* how late after its deadline; 0 if met, NAN if it has none or did not
                           finish */
    double work_s;      /* dominant share of the cluster x time, of all that ran of it */
    double wasted_s;    /* of that, in attempts that came to nothing: that failed, or lost their
                           machine */
    uint32_t failures;  /* number of those */
    double lateness_s;  /* end less deadline, below 0 if early; NAN as for the tardiness */
    /* The allotments of its control loop, and its last deadline (allotted.h). */
    struct br_allotted allotted;
};

/* Means and percentiles are over the jobs that finished; NAN if none did. Figures that follow from
 * spans are NAN if the outcome kept none. */
struct br_metrics {
    uint32_t jobs, finished;
    double mean_jct_s, p25_jct_s, p50_jct_s, p75_jct_s, p90_jct_s, p99_jct_s, max_jct_s;
    double weighted_jct_s; /* sum of weight x completion time over sum of weights */
    double mean_slowdown, p90_slowdown;
    double makespan_s; /* from the first arrival to the last end */
    /* Jain's index of the groups' use over their weights, mean over the windows in which two groups
     * or more have jobs; 1 if there is no such window. See fairness.h. */
    double jain[BR_JAIN_WINDOWS];
    /* Jobs with a deadline; of those, the jobs that ended after it, or did not finish though it had
     * passed by the last end, or never will. */
    uint32_t deadlines, missed;
    double lateness_s;    /* mean over the jobs with a deadline that finished */
    double token_minutes; /* of all jobs with allotments; NAN if there is none */
    double above_oracle;  /* of those, the share above the oracle's allocations; NAN so too */
    double wasted_share;  /* of the work */
    uint64_t failures;
    uint32_t resources;
    const char **resource; /* the cluster's, borrowed from it */
    /* By resource: demands of all that ran x time, over capacity x makespan; and the largest sum of
     * demands at one time over the capacity, which what is overbooked takes above 1. */
    double *use, *peak_use;
    struct br_job_metrics *job; /* by job */
    struct br_arena arena;
};

/* bound_s: by job, its own lower bound on this cluster, for slowdowns; may be NULL. Release by
 * br_metrics_finish, also after a failure. BR_SYSTEM (memory). O(spans x demands + moments x log
 * groups), two moments for each span and job; it does not depend on the makespan. */
enum br_status br_metrics_make(const struct br_workload *workload, const struct br_cluster *cluster,
                               const struct br_outcome *outcome, const double *bound_s,
                               struct br_metrics *metrics, struct br_diag *diag);
void br_metrics_finish(struct br_metrics *metrics);

/* The value below which this share (0..1) of the sorted values lies, by linear interpolation
 * between the nearest ranks, as most statistics programs do it. NAN for none. */
double br_percentile(const double *sorted, uint32_t count, double share);

#endif
