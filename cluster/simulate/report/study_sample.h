/* The completion times of a policy over all its seeds, sorted and thinned for curves. */
#ifndef BR_CLUSTER_SIMULATE_REPORT_STUDY_SAMPLE_H
#define BR_CLUSTER_SIMULATE_REPORT_STUDY_SAMPLE_H

#include "cluster/simulate/report/study_fields.h"

enum { BR_SAMPLE_MOST = 400 }; /* points of a curve */

struct br_sample {
    uint32_t all;                 /* jobs of all runs, finished or not */
    uint32_t points;              /* 0: none finished */
    double jct_s[BR_SAMPLE_MOST]; /* rising; the last one is the longest */
    double share[BR_SAMPLE_MOST]; /* of all jobs, that were done within that time */
};

/* BR_SYSTEM (memory). O(jobs x seeds, sorted). */
enum br_status br_sample_make(const struct br_study *study, const struct br_study_policy *policy,
                              struct br_sample *sample, struct br_diag *diag);

#endif
