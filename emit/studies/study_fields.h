/* What every output of a study tells of a run: the figures by name, and their means over the seeds
 * of a policy. */
#ifndef BR_EMIT_STUDIES_STUDY_FIELDS_H
#define BR_EMIT_STUDIES_STUDY_FIELDS_H

#include "emit/studies/study.h"

/* A figure of a run; NAN: not known. */
struct br_study_field {
    const char *name; /* the key in JSON and the column in CSV */
    double (*of)(const struct br_study_run *run);
    bool times; /* of the computer: only where study->times says so */
};
/* The fields, in the order in which they are written. */
extern const struct br_study_field br_study_field[];
/* Their number in this study: the last ones are for those with a network. */
uint32_t br_study_fields(const struct br_study *study);
/* The figure of the run as it is to be written: also NAN where it is of the computer and the study
 * is not to tell it. */
double br_study_value(const struct br_study *study, const struct br_study_run *run,
                      const struct br_study_field *field);
/* The field of that name, which is there. */
const struct br_study_field *br_study_find_field(const char *name);

/* The runs of one policy. */
struct br_study_policy {
    const char *name;
    uint32_t first_run, runs;
};
/* Sets *policies policies, a row for each series of runs that name the same one. The array is the
 * caller's. NULL when memory is out. */
struct br_study_policy *br_study_policies(const struct br_study *study, uint32_t *policies);
/* The mean over those of the policy's runs that have the figure, NAN where none has; and their
 * standard deviation (of a sample), NAN for fewer than two. */
double br_study_mean(const struct br_study *study, const struct br_study_policy *policy,
                     const struct br_study_field *field);
double br_study_deviation(const struct br_study *study, const struct br_study_policy *policy,
                          const struct br_study_field *field);
/* How much lower the policy's mean completion time is than that of another: 0.25 for a quarter,
 * below 0 where it is higher. NAN where a run of either did not finish all jobs, since the others
 * are no fair sample. */
double br_study_gain(const struct br_study *study, const struct br_study_policy *policy,
                     const struct br_study_policy *other);

#endif
