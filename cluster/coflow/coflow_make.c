#include "cluster/coflow/coflow_make.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"

enum br_status br_coflows_filter(struct br_coflows *trace, uint64_t width, double skew,
                                 struct br_diag *diag)
{
    uint32_t kept = 0;
    for (uint32_t c = 0; c < trace->coflows; c++) {
        const struct br_coflow *coflow = &trace->coflow[c];
        if ((!width || br_coflow_width(trace, coflow) > width) &&
            (skew <= 0 || br_coflow_skew(trace, coflow) > skew))
            trace->coflow[kept++] = *coflow;
    }
    trace->coflows = kept;
    return kept ? BR_OK
                : br_fail(diag, BR_BAD_INPUT, "ask for less", "no coflow of the trace is left");
}

void br_coflows_scale(struct br_coflows *trace, double time, double bytes)
{
    for (uint32_t c = 0; c < trace->coflows; c++)
        trace->coflow[c].arrival_ms = br_real_whole((double)trace->coflow[c].arrival_ms * time);
    for (uint64_t f = 0; f < trace->flows; f++)
        trace->bytes[f] *= bytes;
}

enum br_status br_coflows_repeat(struct br_coflows *trace, uint32_t times, struct br_diag *diag)
{
    uint64_t flows = trace->flows, coflows = trace->coflows;
    assert(coflows > 0);
    int64_t period = trace->coflow[coflows - 1].arrival_ms;
    period += period / (int64_t)coflows + 1;
    assert(period > trace->coflow[coflows - 1].arrival_ms);
    if (flows * times > BR_COFLOW_FLOWS_MOST || coflows * times > BR_COFLOWS_MOST)
        return br_fail(diag, BR_USAGE, "ask for less", "there would be too many flows");
    struct br_coflow *coflow = realloc(trace->coflow, coflows * times * sizeof *coflow);
    if (coflow) {
        trace->coflow = coflow;
        trace->room = (uint32_t)(coflows * times);
    }
    double *bytes = realloc(trace->bytes, (flows * times + 1) * sizeof *bytes);
    if (bytes) {
        trace->bytes = bytes;
        trace->flow_room = flows * times + 1;
    }
    if (!coflow || !bytes)
        return br_fail_memory(diag);
    for (uint32_t k = 1; k < times; k++) {
        memcpy(bytes + flows * k, bytes, flows * sizeof *bytes);
        for (uint64_t c = 0; c < coflows; c++) {
            struct br_coflow *copy = &coflow[coflows * k + c];
            *copy = coflow[c];
            copy->first += flows * k;
            copy->arrival_ms += period * k;
        }
    }
    trace->flows = flows * times;
    trace->coflows = (uint32_t)(coflows * times);
    return BR_OK;
}

/* Weights of senders, normal in their logarithm, with that deviation. */
static void coflow_make_spread(struct br_coflows *trace, const struct br_coflow *coflow,
                               double deviation, struct br_rng *rng)
{
    double *bytes = trace->bytes + coflow->first;
    double weights = 0;
    uint64_t seed = br_rng_next(rng);
    struct br_rng again = br_rng_seed(seed);
    for (uint32_t s = 0; s < coflow->senders; s++)
        weights += br_real_exp(deviation * br_real_normal(&again));
    assert(coflow->senders > 0 && weights > 0);
    for (uint32_t r = 0; r < coflow->receivers; r++) {
        double *row = bytes + (uint64_t)r * coflow->senders;
        double sum = 0;
        again = br_rng_seed(seed);
        for (uint32_t s = 0; s < coflow->senders; s++)
            sum += row[s];
        for (uint32_t s = 0; s < coflow->senders; s++)
            row[s] = sum * br_real_exp(deviation * br_real_normal(&again)) / weights;
    }
}

/* A coflow's deviation is itself drawn: its logarithm is normal, so that coefficients of variation
 * have the two percentiles over coflows with enough senders. */
void br_coflows_mantri(struct br_coflows *trace, uint64_t seed)
{
    struct br_rng rng = br_rng_seed(seed);
    for (uint32_t c = 0; c < trace->coflows; c++) {
        double deviation = 0.33 * br_real_exp(1.2 * br_real_normal(&rng));
        coflow_make_spread(trace, &trace->coflow[c], deviation < 3 ? deviation : 3, &rng);
    }
}
