#include "cluster/coflow/coflow_outcome.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

void br_coflow_outcome_finish(struct br_coflow_outcome *outcome)
{
    free(outcome->start_ms);
    free(outcome->end_ms);
    free(outcome->guess);
    free(outcome->span);
    *outcome = (struct br_coflow_outcome){0};
}

static int coflow_outcome_by_value(const void *one, const void *two)
{
    double a = *(const double *)one, b = *(const double *)two;
    return (a > b) - (a < b);
}

/* The least value that at least that share of them does not exceed. */
static double coflow_outcome_percentile(const double *sorted, uint32_t count, uint32_t percent)
{
    uint64_t at = ((uint64_t)count * percent + 99) / 100;
    assert(count > 0 && at <= count);
    return sorted[at ? at - 1 : 0];
}

enum br_status br_coflow_figures_make(const struct br_coflows *trace,
                                      const struct br_coflow_outcome *outcome, double port_rate,
                                      struct br_coflow_figures *figures, struct br_diag *diag)
{
    double *cct = malloc(((size_t)outcome->coflows + 1) * sizeof *cct);
    double sum = 0, slowdown = 0, end = 0, moved = 0;
    uint32_t slowed = 0;
    *figures = (struct br_coflow_figures){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (!cct)
        return br_fail_memory(diag);
    for (uint32_t c = 0; c < outcome->coflows; c++) {
        if (isnan(outcome->end_ms[c]))
            continue;
        double alone = br_coflow_bottleneck(trace, &trace->coflow[c]) / port_rate;
        double took = outcome->end_ms[c] - outcome->start_ms[c];
        assert(took >= 0);
        cct[figures->finished++] = took / 1000;
        sum += took / 1000;
        end = outcome->end_ms[c] > end ? outcome->end_ms[c] : end;
        if (alone > 0) {
            slowdown += took / alone;
            slowed++;
        }
    }
    for (uint32_t k = 0; k < outcome->spans; k++)
        moved += outcome->span[k].bytes;
    assert(figures->finished == outcome->finished);
    if (figures->finished) {
        qsort(cct, figures->finished, sizeof *cct, coflow_outcome_by_value);
        figures->average_cct_s = sum / figures->finished;
        figures->p50_cct_s = coflow_outcome_percentile(cct, figures->finished, 50);
        figures->p90_cct_s = coflow_outcome_percentile(cct, figures->finished, 90);
        figures->p99_cct_s = coflow_outcome_percentile(cct, figures->finished, 99);
        assert(figures->p50_cct_s <= figures->p90_cct_s &&
               figures->p90_cct_s <= figures->p99_cct_s);
        figures->makespan_s = end / 1000;
        figures->slowdown = slowed ? slowdown / slowed : NAN;
        figures->utilisation = end > 0 ? moved / (end * port_rate * trace->ports) : NAN;
    }
    free(cct);
    return BR_OK;
}
