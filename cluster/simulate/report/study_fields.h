/* Figures of a run common to all outputs of a study: by name, and their means over the seeds of a
 * policy. */
#ifndef BR_CLUSTER_SIMULATE_REPORT_STUDY_FIELDS_H
#define BR_CLUSTER_SIMULATE_REPORT_STUDY_FIELDS_H

#include "cluster/simulate/report/study.h"

/* A figure of a run; NAN: unknown. */
struct br_study_field {
    const char *name; /* the key in JSON and the column in CSV */
    double (*of)(const struct br_study_run *run);
    bool times; /* of the computer: only if study->times is set */
};
/* The fields, in the order in which they are written. */
extern const struct br_study_field br_study_field[];
/* Their number in this study: the last ones are for those with a network. */
uint32_t br_study_fields(const struct br_study *study);
/* The figure of the run as written: also NAN if it depends on the computer and the study omits
 * these. */
double br_study_value(const struct br_study *study, const struct br_study_run *run,
                      const struct br_study_field *field);
/* The field of that name, which must exist. */
const struct br_study_field *br_study_find_field(const char *name);

/* The runs of one policy. */
struct br_study_policy {
    const char *name;
    uint32_t first_run, runs;
};
/* Sets *policies policies, one for each series of adjacent runs with one name. The array is the
 * caller's. NULL when memory is out. */
struct br_study_policy *br_study_policies(const struct br_study *study, uint32_t *policies);
/* The mean over those of the policy's runs that have the figure, NAN if none has; and their
 * standard deviation (of a sample), NAN for fewer than two. */
double br_study_mean(const struct br_study *study, const struct br_study_policy *policy,
                     const struct br_study_field *field);
double br_study_deviation(const struct br_study *study, const struct br_study_policy *policy,
                          const struct br_study_field *field);
/* The reduction of the policy's mean completion time relative to another: 0.25 for a quarter, below
 * 0 if it is higher. NAN if a run of either did not finish all jobs, since the finished ones are no
 * fair sample. */
double br_study_gain(const struct br_study *study, const struct br_study_policy *policy,
                     const struct br_study_policy *other);

#endif
