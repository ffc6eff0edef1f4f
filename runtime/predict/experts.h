/* The history of a stage, by the features of its job, as in 3Sigma [Park18, 4.1]: for each value of
 * each feature a distribution of past values, and the error of predictions by it. The value with
 * the least past error is used. Internal to this room. */
#ifndef BR_RUNTIME_PREDICT_EXPERTS_H
#define BR_RUNTIME_PREDICT_EXPERTS_H

#include "runtime/predict/histogram.h"
#include "runtime/predict/values.h"

struct br_expert;

struct br_experts {
    uint32_t features;
    struct br_values values;
    struct br_expert *expert; /* by number of the value */
    uint32_t room;
};

/* Learns the mean durations of the stages of a finished job. BR_SYSTEM (memory). For each feature
 * O(bins). */
enum br_status br_experts_learn(struct br_experts *experts, const struct br_predict_job *job,
                                struct br_diag *diag);
/* The distribution of the mean duration of a task of the stage, in seconds: that of the expert with
 * the least past error. If no value of a feature was ever seen at this stage, that of all jobs;
 * NULL if there is none either. O(features) expected. */
const struct br_histogram *br_experts_choose(const struct br_experts *experts,
                                             const struct br_predict_job *job, uint32_t stage);
void br_experts_finish(struct br_experts *experts);

/* The mean of the stage's measured tasks, in seconds; NAN for none. */
double br_stage_mean_s(const struct br_predict_stage *stage);
/* The duration with which 3Sigma plans: its utility 1 / t^2 is the mean utility. */
double br_experts_utility_s(const struct br_histogram *histogram);

#endif
