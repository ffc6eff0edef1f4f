/* The indicators that look for the stage that is furthest behind keep the stages' values in a tree
 * of minima; that of cp is turned round, so that its longest path left is a least value as well. */
#include "runtime/deadline/trials/meter.h"

#include <assert.h>
#include <stdlib.h>

#define OVER 1e300 /* of a stage that has finished */

static bool is_sum(enum br_indicator indicator)
{
    return indicator <= BR_VERTEXFRAC;
}

static double meter_value(const struct br_meter *meter, uint32_t s)
{
    const struct br_progress_weight *weight = &meter->weight[s];
    double share = (double)meter->done[s] / (double)meter->tasks[s];
    if (meter->done[s] >= meter->tasks[s])
        return OVER;
    if (meter->indicator == BR_CP)
        return -((1 - share) * weight->span + weight->begin);
    return weight->begin + share * weight->span;
}

bool br_meter_init(struct br_meter *meter, enum br_indicator indicator,
                   const struct br_progress_weight *weight, const uint32_t *tasks, uint32_t stages)
{
    *meter = (struct br_meter){
        .indicator = indicator, .weight = weight, .tasks = tasks, .stages = stages, .leaves = 1};
    while (meter->leaves < stages)
        meter->leaves *= 2;
    meter->done = calloc(stages, sizeof *meter->done);
    if (!is_sum(indicator))
        meter->lowest = malloc(2 * (size_t)meter->leaves * sizeof *meter->lowest);
    br_meter_reset(meter);
    return meter->done && (is_sum(indicator) || meter->lowest);
}

void br_meter_finish(struct br_meter *meter)
{
    free(meter->done);
    free(meter->lowest);
    *meter = (struct br_meter){0};
}

static double meter_least(double a, double b)
{
    return a < b ? a : b;
}

void br_meter_reset(struct br_meter *meter)
{
    if (!meter->done)
        return;
    for (uint32_t s = 0; s < meter->stages; s++)
        meter->done[s] = 0;
    meter->open = meter->stages;
    meter->sum = 0;
    if (!meter->lowest)
        return;
    for (uint32_t k = 0; k < meter->leaves; k++)
        meter->lowest[meter->leaves + k] = k < meter->stages ? meter_value(meter, k) : OVER;
    for (uint32_t k = meter->leaves; --k > 0;)
        meter->lowest[k] = meter_least(meter->lowest[2 * k], meter->lowest[2 * k + 1]);
}

double br_meter_add(struct br_meter *meter, uint32_t stage)
{
    double progress;
    assert(meter->done[stage] < meter->tasks[stage]);
    meter->open -= ++meter->done[stage] == meter->tasks[stage];
    assert(meter->open <= meter->stages);
    if (is_sum(meter->indicator)) {
        progress = meter->sum += meter->weight[stage].span / (double)meter->tasks[stage];
    } else {
        uint32_t k = meter->leaves + stage;
        meter->lowest[k] = meter_value(meter, stage);
        while ((k /= 2) > 0)
            meter->lowest[k] = meter_least(meter->lowest[2 * k], meter->lowest[2 * k + 1]);
        progress = meter->indicator == BR_CP ? 1 + meter->lowest[1] : meter->lowest[1];
    }
    if (meter->open == 0)
        return 1;
    return progress > 0 ? progress < 1 ? progress : 1 : 0;
}
