/* How much the durations of tasks vary between similar jobs (over time) and within a job (over
 * space). Where they vary more over time, pilots foresee a job better than its history does.
 * [Jajoo22, 4.2] */
#ifndef BR_CLUSTER_PREDICT_VARIATION_H
#define BR_CLUSTER_PREDICT_VARIATION_H

#include "cluster/predict/cases.h"

/* Coefficients of variation are standard deviations (of all, not of a sample) over means. */
struct br_job_variation {
    uint32_t number; /* of the case */
    uint32_t tasks;
    double space; /* of its tasks about the means of their stages, over the mean of all tasks; NAN:
                   * it has one task, or no work */
    double sampled; /* the same of the mean of 3 % of its tasks: space / sqrt(0.03 tasks) */
    double time;    /* of the mean durations of similar jobs: the least over the features; NAN: no
                     * feature has two of them */
};

/* Of one window of history. */
struct br_variation {
    double window_s; /* similar jobs ended so long before the job arrived; INFINITY: ever before */
    uint32_t count;
    struct br_job_variation *job; /* the cases that count, in the order of arrival */
};

/* Similar jobs are those with the same value of a feature that had ended when the job arrived.
 * Release by br_variation_finish, also after a failure. BR_SYSTEM (memory). For each job and
 * feature O(log n + similar jobs). */
enum br_status br_variation_make(const struct br_cases *cases, double window_s,
                                 struct br_variation *variation, struct br_diag *diag);
void br_variation_finish(struct br_variation *variation);

/* Over the jobs. NAN if there are none. */
struct br_variation_summary {
    uint32_t space_jobs, time_jobs, both_jobs; /* of which these are known */
    double space_p50, space_p90, sampled_p50, sampled_p90, time_p50, time_p90;
    double above;     /* share of the jobs with both that vary more over time than `sampled` */
    double ratio_p70; /* of time / sampled: three jobs in ten have at least this */
};
/* BR_SYSTEM (memory). O(n log n). */
enum br_status br_variation_sum(const struct br_variation *variation,
                                struct br_variation_summary *summary, struct br_diag *diag);

#endif
