/* The upper limit of a predictor: the true sum of the durations. */
#include <stdlib.h>

#include "runtime/predict/experts.h"
#include "runtime/predict/rows.h"
#include "runtime/predict/sum.h"

static enum br_status oracle_create(const struct br_predictor_row *row,
                                    const struct br_predict_setup *setup, void **result,
                                    struct br_diag *diag)
{
    *result = calloc(1, 1);
    return *result ? BR_OK : br_fail_memory(diag);
}

static enum br_status oracle_learn(void *of, const struct br_predict_job *job,
                                   double normalised_jct, struct br_diag *diag)
{
    return BR_OK;
}

static void oracle_predict(void *of, const struct br_predict_job *job, struct br_estimate *estimate,
                           struct br_stage_estimate *stage)
{
    struct br_sum sum = br_sum_begin();
    for (uint32_t s = 0; s < job->stages; s++) {
        double mean = 1e9 * br_stage_mean_s(&job->stage[s]);
        struct br_stage_estimate own = {mean, mean, mean};
        br_sum_add(&sum, &job->stage[s], &own, true);
        if (stage)
            stage[s] = own;
    }
    *estimate = br_sum_end(&sum);
}

const struct br_predictor_row br_predictor_oracle = {
    .named = {"oracle", "knows the durations ahead: the most that could be gained"},
    .clairvoyant = true,
    .create = oracle_create,
    .destroy = free,
    .learn = oracle_learn,
    .predict = oracle_predict,
};
