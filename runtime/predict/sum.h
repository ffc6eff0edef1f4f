/* The work of a job from estimates of its stages. Internal to this room. */
#ifndef BR_RUNTIME_PREDICT_SUM_H
#define BR_RUNTIME_PREDICT_SUM_H

#include "runtime/predict/predictor.h"

struct br_sum {
    double work, below, above; /* squares of the distances to the ends of the intervals */
    bool known;
};

struct br_sum br_sum_begin(void);
/* Adds a stage, given the estimate for one of its tasks. Errors of stages count as independent. */
void br_sum_add(struct br_sum *sum, const struct br_predict_stage *stage,
                const struct br_stage_estimate *estimate, bool known);
/* If everything is guessed, nothing is known. */
struct br_estimate br_sum_end(const struct br_sum *sum);
/* If nothing is known: a minute, and no interval. */
struct br_stage_estimate br_sum_guess(void);

#endif
