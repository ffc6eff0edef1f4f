/* The experts of a stage's history against what a plain model finds, which keeps all values and
 * computes every error anew: the least of four errors decides which feature speaks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/real.h"
#include "base/numbers/rng.h"
#include "runtime/predict/experts.h"

enum { FEATURES = 4, MOST = 70, STREAMS = 60 };

/* What was seen by one value of one feature. */
struct seen {
    double value[MOST];
    uint32_t count;
};

static double median_of(const struct seen *seen, uint32_t count)
{
    struct br_histogram histogram = {0};
    for (uint32_t k = 0; k < count; k++)
        assert_true(br_histogram_add(&histogram, seen->value[k]));
    double median = br_histogram_quantile(&histogram, 0.5);
    br_histogram_finish(&histogram);
    return median;
}

/* The four predictions of 3Sigma after so many values [Park18, 4.1]: the mean, the median, the mean
 * with a weight of 0.6 for each new value, and the mean of the last twenty. */
static void predict(const struct seen *seen, uint32_t count, double prediction[4])
{
    double all = 0, recent = 0, weighted = seen->value[0];
    uint32_t from = count > 20 ? count - 20 : 0;
    for (uint32_t k = 0; k < count; k++) {
        all += seen->value[k];
        recent += k >= from ? seen->value[k] : 0;
        weighted = k ? 0.6 * seen->value[k] + 0.4 * weighted : weighted;
    }
    prediction[0] = all / count;
    prediction[1] = median_of(seen, count);
    prediction[2] = weighted;
    prediction[3] = recent / (count - from);
}

/* The least error, of what follows on the first value. */
static double least_error(const struct seen *seen)
{
    double error[4] = {0}, truth = 0, least = INFINITY;
    for (uint32_t k = 1; k < seen->count; k++) {
        double prediction[4];
        predict(seen, k, prediction);
        for (int p = 0; p < 4; p++)
            error[p] += fabs(prediction[p] - seen->value[k]);
        truth += seen->value[k];
    }
    for (int p = 0; p < 4 && truth > 0; p++)
        least = fmin(least, error[p] / truth);
    return least;
}

/* Values that each of the four predicts best on some stretch: noise, steps, walks, outliers. */
static double draw(struct br_rng *rng, uint32_t kind, double last)
{
    double noise = (double)br_rng_below(rng, 1000) / 1000;
    if (kind == 0)
        return 50 + 10 * noise;
    if (kind == 1)
        return br_rng_below(rng, 25) ? last + noise : 20 + 80 * noise;
    if (kind == 2)
        return fmax(5, last + 12 * (noise - 0.5));
    return br_rng_below(rng, 6) ? 30 + noise : 30 + 300 * noise;
}

static struct br_predict_job job_of(const uint64_t *feature, struct br_predict_stage *stage,
                                    const int64_t *ns)
{
    *stage =
        (struct br_predict_stage){.key = 7, .tasks = 1, .measured = ns ? 1 : 0, .duration_ns = ns};
    return (struct br_predict_job){.feature = feature, .stages = 1, .stage = stage};
}

static struct br_diag diag;

/* The value of feature f alone is learnt; the others are of this job only. */
static void learn_one(struct br_experts *experts, struct seen *seen, uint32_t f, double value)
{
    uint64_t feature[FEATURES];
    int64_t ns = br_real_whole(value * 1e9);
    struct br_predict_stage stage;
    for (uint32_t k = 0; k < FEATURES; k++)
        feature[k] = k == f ? 1000 + f : BR_NO_FEATURE;
    struct br_predict_job job = job_of(feature, &stage, &ns);
    assert_int_equal(br_experts_learn(experts, &job, &diag), BR_OK);
    seen[f].value[seen[f].count++] = (double)ns / 1e9;
}

static uint32_t chosen(const struct br_experts *experts, const struct seen *seen)
{
    uint64_t feature[FEATURES];
    struct br_predict_stage stage;
    for (uint32_t k = 0; k < FEATURES; k++)
        feature[k] = 1000 + k;
    struct br_predict_job job = job_of(feature, &stage, NULL);
    const struct br_histogram *histogram = br_experts_choose(experts, &job, 0);
    assert_non_null(histogram);
    for (uint32_t f = 0; f < FEATURES; f++)
        if (histogram->weight == seen[f].count) /* no two have as many */
            return f;
    fail_msg("the histogram is of no feature");
    return FEATURES;
}

static void the_least_of_four_errors(void **state)
{
    uint32_t spoke[FEATURES] = {0};
    (void)state;
    for (uint64_t seed = 0; seed < STREAMS; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct br_experts experts = {.features = FEATURES};
        struct seen seen[FEATURES] = {0};
        for (uint32_t k = 0; k < MOST - FEATURES; k++) {
            for (uint32_t f = 0; f < FEATURES; f++)
                for (uint32_t more = k ? 1 : 1 + f; more--;) {
                    double last = seen[f].count ? seen[f].value[seen[f].count - 1] : 40;
                    learn_one(&experts, seen, f, draw(&rng, (f + (uint32_t)seed) % 4, last));
                }
            uint32_t best = 0, found = chosen(&experts, seen);
            for (uint32_t f = 1; f < FEATURES; f++)
                if (least_error(&seen[f]) < least_error(&seen[best]))
                    best = f;
            spoke[best]++;
            if (found != best)
                assert_float_equal(least_error(&seen[found]), least_error(&seen[best]), 1e-9);
        }
        br_experts_finish(&experts);
    }
    for (uint32_t f = 0; f < FEATURES; f++)
        assert_true(spoke[f] > 0);
}

/* A stage of which nothing was measured teaches nothing, and does not keep what follows from being
 * learnt. */
static void stages_without_times(void **state)
{
    struct br_experts experts = {.features = 1};
    const uint64_t feature = 3;
    const int64_t ns = 5000000000;
    struct br_predict_stage stage[] = {{.key = 1, .tasks = 1},
                                       {.key = 2, .tasks = 1, .measured = 1, .duration_ns = &ns}};
    struct br_predict_job job = {.feature = &feature, .stages = 2, .stage = stage};
    (void)state;
    assert_int_equal(br_experts_learn(&experts, &job, &diag), BR_OK);
    assert_null(br_experts_choose(&experts, &job, 0));
    const struct br_histogram *second = br_experts_choose(&experts, &job, 1);
    assert_non_null(second);
    assert_float_equal(br_histogram_quantile(second, 0.5), 5, 1e-12);
    br_experts_finish(&experts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_least_of_four_errors),
                                       cmocka_unit_test(stages_without_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
