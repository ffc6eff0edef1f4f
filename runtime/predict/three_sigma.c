/* Predictors from history alone: 3Sigma [Park18], and a point estimate from the same experts
 * [Jajoo22, 5.1.3]. */
#include <math.h>
#include <stdlib.h>

#include "runtime/predict/experts.h"
#include "runtime/predict/rows.h"
#include "runtime/predict/sum.h"

struct predictor {
    struct br_experts experts;
    struct br_predict_setup setup;
    double (*estimate)(const struct br_histogram *histogram);
};

static double three_sigma_median(const struct br_histogram *histogram)
{
    return br_histogram_quantile(histogram, 0.5);
}

static enum br_status three_sigma_create(const struct br_predictor_row *row,
                                         const struct br_predict_setup *setup, void **result,
                                         struct br_diag *diag)
{
    struct predictor *predictor = calloc(1, sizeof *predictor);
    *result = predictor;
    if (!predictor)
        return br_fail_memory(diag);
    predictor->setup = *setup;
    predictor->experts.features = setup->features;
    predictor->estimate = row == &br_predictor_point ? three_sigma_median : br_experts_utility_s;
    return BR_OK;
}

static void three_sigma_destroy(void *of)
{
    struct predictor *predictor = of;
    if (predictor)
        br_experts_finish(&predictor->experts);
    free(predictor);
}

static enum br_status three_sigma_learn(void *of, const struct br_predict_job *job,
                                        double normalised_jct, struct br_diag *diag)
{
    struct predictor *predictor = of;
    return br_experts_learn(&predictor->experts, job, diag);
}

static void three_sigma_predict(void *of, const struct br_predict_job *job,
                                struct br_estimate *estimate, struct br_stage_estimate *stage)
{
    struct predictor *predictor = of;
    double outside = (1 - predictor->setup.interval) / 2;
    struct br_sum sum = br_sum_begin();
    for (uint32_t s = 0; s < job->stages; s++) {
        const struct br_histogram *histogram = br_experts_choose(&predictor->experts, job, s);
        struct br_stage_estimate own = br_sum_guess();
        if (histogram)
            own = (struct br_stage_estimate){1e9 * predictor->estimate(histogram),
                                             1e9 * br_histogram_quantile(histogram, outside),
                                             1e9 * br_histogram_quantile(histogram, 1 - outside)};
        br_sum_add(&sum, &job->stage[s], &own, histogram != NULL);
        if (stage)
            stage[s] = own;
    }
    *estimate = br_sum_end(&sum);
}

const struct br_predictor_row br_predictor_point = {
    .named = {"point", "the median of the history of the feature that erred least"},
    .create = three_sigma_create,
    .destroy = three_sigma_destroy,
    .learn = three_sigma_learn,
    .predict = three_sigma_predict,
};

const struct br_predictor_row br_predictor_3sigma = {
    .named = {"3sigma", "3Sigma: distributions by feature, the one whose experts erred least"},
    .create = three_sigma_create,
    .destroy = three_sigma_destroy,
    .learn = three_sigma_learn,
    .predict = three_sigma_predict,
};

const struct br_predictor_row br_predictor_3sigma_tl = {
    .named = {"3sigma-tl", "3sigma, jobs of few tasks first"},
    .thin_first = true,
    .create = three_sigma_create,
    .destroy = three_sigma_destroy,
    .learn = three_sigma_learn,
    .predict = three_sigma_predict,
};
