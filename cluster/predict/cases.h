/* The jobs of a workload as cases for predictors. */
#ifndef BR_CLUSTER_PREDICT_CASES_H
#define BR_CLUSTER_PREDICT_CASES_H

#include "runtime/predict/evaluate.h"
#include "cluster/workload/workload.h"

/* The features of jobs in use: columns of the workload, or facts derived from a job. */
struct br_case_feature {
    const char *name;
    uint32_t column; /* UINT32_MAX: none */
    enum {
        BR_CASE_FEATURE_COLUMN,
        BR_CASE_FEATURE_GROUP,
        BR_CASE_FEATURE_JOB,
        BR_CASE_FEATURE_HOUR,
        BR_CASE_FEATURE_SIZE
    } kind;
};

struct br_cases {
    struct br_arena arena;
    uint32_t features;
    struct br_case_feature feature[BR_FEATURES_MOST];
    uint32_t count, history;      /* the first ones belong to the history */
    struct br_predict_case *item; /* in the order of arrivals */
};

/* The jobs that count. */
struct br_cases_options {
    const char *features; /* names with commas; NULL: those that the jobs carry */
    uint32_t least_tasks, most_tasks;
    int64_t from_ns;
};

/* Makes cases of the jobs of the workload, behind those of the history (may be NULL), all of which
 * end before the first of the workload arrives. Release by br_cases_finish, also after a failure.
 * BR_USAGE for an unknown feature. O(tasks). */
enum br_status br_cases_make(const struct br_workload *workload, const struct br_workload *history,
                             const struct br_cases_options *options, struct br_cases *cases,
                             struct br_diag *diag);
void br_cases_finish(struct br_cases *cases);

#endif
