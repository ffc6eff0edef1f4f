/* Figures of a run common to all outputs of a study: by name, and their means over the seeds of a
 * policy. */
#ifndef BR_CLUSTER_SIMULATE_REPORT_STUDY_FIELDS_H
#define BR_CLUSTER_SIMULATE_REPORT_STUDY_FIELDS_H

#include "cluster/simulate/report/study.h"
#include "emit/write/figures.h"

/* The figures of a run, for a row of these. A study has those of transfers only if it has a
 * network. */
struct br_study_row {
    const struct br_study *study;
    const struct br_study_run *run;
    const struct br_metrics *m; /* the run's */
};
struct br_figures br_study_figures(const struct br_study *study);
struct br_study_row br_study_row(const struct br_study *study, uint32_t run);

/* The runs of one policy. */
struct br_study_policy {
    const struct br_study *study;
    const char *name;
    uint32_t first_run, runs;
};
/* The figures of br_study_row as means over the seeds, for a policy as row. */
struct br_figures br_study_means(const struct br_study *study);
/* Sets *policies policies, one for each series of adjacent runs with one name. The array is the
 * caller's. NULL when memory is out. */
struct br_study_policy *br_study_policies(const struct br_study *study, uint32_t *policies);
/* The mean of the figure of that name over those of the policy's runs that have it, NAN if none has
 * (or the name is NULL); and their standard deviation (of a sample), NAN for fewer than two. */
double br_study_mean(const struct br_study_policy *policy, const char *figure);
double br_study_deviation(const struct br_study_policy *policy, const char *figure);
/* The reduction of the policy's mean completion time relative to another: 0.25 for a quarter, below
 * 0 if it is higher. NAN if a run of either did not finish all jobs, since the finished ones are no
 * fair sample. */
double br_study_gain(const struct br_study_policy *policy, const struct br_study_policy *other);

#endif
