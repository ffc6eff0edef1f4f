/* The jobs of a workload as cases for predictors. Internal to this room. */
#ifndef BR_CLI_MANY_SIMULATE_PREDICT_H
#define BR_CLI_MANY_SIMULATE_PREDICT_H

#include "predict/evaluate.h"
#include "workload/workload.h"

/* The features of jobs in use: columns of the workload, or facts derived from a job. */
struct cli_feature {
    const char *name;
    uint32_t column; /* UINT32_MAX: none */
    enum {
        CLI_FEATURE_COLUMN,
        CLI_FEATURE_GROUP,
        CLI_FEATURE_JOB,
        CLI_FEATURE_HOUR,
        CLI_FEATURE_SIZE
    } kind;
};

struct cli_cases {
    struct br_arena arena;
    uint32_t features;
    struct cli_feature feature[BR_FEATURES_MOST];
    uint32_t count, history;      /* the first ones belong to the history */
    struct br_predict_case *item; /* in the order of arrivals */
};

/* The jobs that count. */
struct cli_cases_options {
    const char *features; /* names with commas; NULL: those that the jobs carry */
    uint32_t least_tasks, most_tasks;
    int64_t from_ns;
};

/* Makes cases of the jobs of the workload, behind those of the history (may be NULL), all of which
 * end before the first of the workload arrives. Release by cli_cases_finish, also after a failure.
 * BR_USAGE for an unknown feature. O(tasks). */
enum br_status cli_cases_make(const struct br_workload *workload, const struct br_workload *history,
                              const struct cli_cases_options *options, struct cli_cases *cases,
                              struct br_diag *diag);
void cli_cases_finish(struct cli_cases *cases);

#endif
