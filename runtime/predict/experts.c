/* Each value of a feature has four experts: the mean, the median, a mean that forgets, and the mean
 * of the last few. Their errors are sums of |error| over sums of truths. The smallest error rates
 * the value; the value passes on its distribution. */
#include "runtime/predict/experts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/collections/grow.h"

enum { MEAN, MEDIAN, FORGETTING, RECENT, KINDS, LAST = 20 };
#define FORGET 0.6 /* weight of the new value */

struct br_expert {
    struct br_histogram histogram;
    double sum, forgetting;
    double last[LAST];
    uint32_t seen;
    double error[KINDS], truth; /* sums, once there was something to predict from */
};

double br_stage_mean_s(const struct br_predict_stage *stage)
{
    double sum = 0;
    for (uint32_t k = 0; k < stage->measured; k++)
        sum += (double)stage->duration_ns[k];
    return stage->measured ? sum / stage->measured / 1e9 : NAN;
}

static void predict_all(const struct br_expert *expert, double prediction[KINDS])
{
    assert(expert->seen > 0);
    uint32_t last = expert->seen < LAST ? expert->seen : LAST;
    double sum = 0;
    for (uint32_t k = 0; k < last; k++)
        sum += expert->last[k];
    prediction[MEAN] = expert->sum / expert->seen;
    prediction[MEDIAN] = br_histogram_quantile(&expert->histogram, 0.5);
    prediction[FORGETTING] = expert->forgetting;
    prediction[RECENT] = sum / last;
}

static bool experts_learn(struct br_expert *expert, double truth)
{
    double prediction[KINDS];
    if (expert->seen) {
        predict_all(expert, prediction);
        for (int k = 0; k < KINDS; k++)
            expert->error[k] += fabs(prediction[k] - truth);
        expert->truth += truth;
    }
    expert->forgetting = expert->seen ? FORGET * truth + (1 - FORGET) * expert->forgetting : truth;
    expert->last[expert->seen % LAST] = truth;
    expert->sum += truth;
    expert->seen++;
    return br_histogram_add(&expert->histogram, truth);
}

static struct br_expert *experts_meet(struct br_experts *experts, uint64_t key)
{
    bool fresh;
    uint32_t number = br_values_add(&experts->values, key, &fresh);
    if (number == BR_NO_VALUE)
        return NULL;
    if (fresh) {
        assert(number + 1 == experts->values.count);
        if (!br_grow(&experts->expert, number, &experts->room, sizeof *experts->expert))
            return NULL;
        experts->expert[number] = (struct br_expert){0};
    }
    return &experts->expert[number];
}

enum br_status br_experts_learn(struct br_experts *experts, const struct br_predict_job *job,
                                struct br_diag *diag)
{
    for (uint32_t s = 0; s < job->stages; s++) {
        double truth = br_stage_mean_s(&job->stage[s]);
        if (isnan(truth))
            continue;
        for (uint32_t f = 0; f <= experts->features; f++) {
            uint64_t value = f < experts->features ? job->feature[f] : 1;
            if (value == BR_NO_FEATURE)
                continue;
            struct br_expert *expert =
                experts_meet(experts, br_value_key(f, value, job->stage[s].key));
            if (!expert || !experts_learn(expert, truth))
                return br_fail_memory(diag);
        }
    }
    return BR_OK;
}

/* The least error of its experts; those without a prediction so far come last. */
static double experts_error_of(const struct br_expert *expert)
{
    double least = INFINITY;
    for (int k = 0; k < KINDS && expert->truth > 0; k++)
        if (expert->error[k] / expert->truth < least)
            least = expert->error[k] / expert->truth;
    return least;
}

const struct br_histogram *br_experts_choose(const struct br_experts *experts,
                                             const struct br_predict_job *job, uint32_t stage)
{
    const struct br_expert *best = NULL;
    double least = INFINITY;
    for (uint32_t f = 0; f <= experts->features; f++) {
        uint64_t value = f < experts->features ? job->feature[f] : 1;
        if (value == BR_NO_FEATURE || (f == experts->features && best))
            continue;
        uint32_t number =
            br_values_find(&experts->values, br_value_key(f, value, job->stage[stage].key));
        if (number == BR_NO_VALUE)
            continue;
        assert(number < experts->room);
        const struct br_expert *expert = &experts->expert[number];
        double error = experts_error_of(expert);
        if (!best || error < least) {
            best = expert;
            least = error;
        }
    }
    return best ? &best->histogram : NULL;
}

void br_experts_finish(struct br_experts *experts)
{
    for (uint32_t k = 0; k < experts->values.count && k < experts->room; k++)
        br_histogram_finish(&experts->expert[k].histogram);
    free(experts->expert);
    br_values_finish(&experts->values);
    *experts = (struct br_experts){0};
}

double br_experts_utility_s(const struct br_histogram *histogram)
{
    double utility = 0;
    for (uint32_t k = 0; k < histogram->bins; k++) {
        double at = histogram->bin[k].at;
        if (at <= 0)
            return 0;
        utility += histogram->bin[k].weight / (at * at);
    }
    assert(utility > 0);
    return sqrt(histogram->weight / utility);
}
