#include "cluster/simulate/report/study_sample.h"

#include <math.h>
#include <stdlib.h>

static int study_sample_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

enum br_status br_sample_make(const struct br_study *study, const struct br_study_policy *policy,
                              struct br_sample *sample, struct br_diag *diag)
{
    size_t all = 0, known = 0;
    for (uint32_t r = policy->first_run; r < policy->first_run + policy->runs; r++)
        all += study->run[r].metrics->jobs;
    double *jct = malloc((all + 1) * sizeof *jct);
    if (!jct)
        return br_fail_memory(diag);
    for (uint32_t r = policy->first_run; r < policy->first_run + policy->runs; r++)
        for (uint32_t j = 0; j < study->run[r].metrics->jobs; j++)
            if (!isnan(study->run[r].metrics->job[j].jct_s))
                jct[known++] = study->run[r].metrics->job[j].jct_s;
    qsort(jct, known, sizeof *jct, study_sample_by_value);
    sample->all = (uint32_t)all;
    sample->points = known < BR_SAMPLE_MOST ? (uint32_t)known : BR_SAMPLE_MOST;
    for (uint32_t k = 0; k < sample->points; k++) {
        size_t done = known * (k + 1) / sample->points;
        sample->jct_s[k] = jct[done - 1];
        sample->share[k] = (double)done / (double)all;
    }
    free(jct);
    return BR_OK;
}
