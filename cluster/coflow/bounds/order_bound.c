#include "cluster/coflow/bounds/order_bound.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct sums {
    const struct br_coflow_parts *in;
    double *order; /* [i * coflows + j]: what d(i,j) = 1 costs */
    double *of;    /* by coflow: the sum of its weights */
    double *at;    /* by coflow: its part at the port at hand; 0: none */
};

void br_order_proof_finish(struct br_order_proof *proof)
{
    free(proof->row);
    free(proof->cycle);
    *proof = (struct br_order_proof){0};
}

static bool is_weight(double weight)
{
    return weight >= 0 && weight < 1e9;
}

static enum br_status order_bound_check(const struct br_coflow_parts *in,
                                        const struct br_order_proof *proof, struct br_diag *diag)
{
    for (uint32_t k = 0; k < proof->rows; k++) {
        const struct br_order_row *row = &proof->row[k];
        if (row->coflow >= in->coflows || row->since >= in->coflows || row->port >= in->ports ||
            !is_weight(row->weight) || in->release_ms[row->since] > in->release_ms[row->coflow])
            return br_fail(diag, BR_BAD_INPUT, NULL, "row %u of the order's proof is not valid",
                           k + 1);
    }
    for (uint32_t k = 0; k < proof->cycles; k++) {
        const struct br_order_cycle *cycle = &proof->cycle[k];
        const uint32_t *c = cycle->coflow;
        if (c[0] >= in->coflows || c[1] >= in->coflows || c[2] >= in->coflows || c[0] == c[1] ||
            c[1] == c[2] || c[2] == c[0] || !is_weight(cycle->weight))
            return br_fail(diag, BR_BAD_INPUT, NULL, "cycle %u of the order's proof is not valid",
                           k + 1);
    }
    return BR_OK;
}

/* Adds the row; answers with what it has beside the order. */
static double order_bound_add_row(struct sums *s, const struct br_order_row *row)
{
    const struct br_coflow_parts *in = s->in;
    double weight = row->weight / fmax(1, s->of[row->coflow]);
    assert(s->of[row->coflow] >= row->weight);
    double since_ms = in->release_ms[row->since];
    for (uint32_t i = 0; i < in->coflows; i++)
        if (i != row->coflow && s->at[i] > 0 && in->release_ms[i] >= since_ms)
            s->order[(size_t)i * in->coflows + row->coflow] += weight * s->at[i];
    return weight * (since_ms + s->at[row->coflow]);
}

/* Sets what every coflow has at the port. */
static void order_bound_look_at(struct sums *s, uint32_t port)
{
    for (uint32_t c = 0; c < s->in->coflows; c++) {
        s->at[c] = 0;
        for (uint64_t k = s->in->first[c]; k < s->in->first[c + 1]; k++)
            if (s->in->part[k].port == port)
                s->at[c] = s->in->part[k].ms;
    }
}

static double add_rows(struct sums *s, const struct br_order_proof *proof)
{
    double sum = 0;
    uint32_t port = UINT32_MAX;
    for (uint32_t k = 0; k < proof->rows; k++)
        s->of[proof->row[k].coflow] += proof->row[k].weight;
    for (uint32_t k = 0; k < proof->rows; k++) {
        if (proof->row[k].port != port)
            order_bound_look_at(s, port = proof->row[k].port);
        sum += order_bound_add_row(s, &proof->row[k]);
    }
    return sum;
}

/* Sums the cheaper order of every pair. */
static double order_bound_pairs(const struct sums *s)
{
    uint32_t n = s->in->coflows;
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            sum += fmin(s->order[(size_t)i * n + j], s->order[(size_t)j * n + i]);
    return sum;
}

static double order_bound_total(struct sums *s, const struct br_order_proof *proof)
{
    uint32_t n = s->in->coflows;
    double sum = add_rows(s, proof);
    for (uint32_t k = 0; k < proof->cycles; k++) {
        const struct br_order_cycle *cycle = &proof->cycle[k];
        for (int a = 0; a < 3; a++)
            s->order[(size_t)cycle->coflow[a] * n + cycle->coflow[(a + 1) % 3]] += cycle->weight;
        sum -= 2 * cycle->weight;
    }
    /* The rest of a coflow's weight counts at the time when it could complete alone. */
    for (uint32_t c = 0; c < n; c++)
        if (s->in->busiest_ms[c] > 0)
            sum += fmax(0, 1 - s->of[c]) * (s->in->release_ms[c] + s->in->busiest_ms[c]);
    return sum + order_bound_pairs(s);
}

enum br_status br_coflow_order_bound(const struct br_coflow_parts *parts,
                                     const struct br_order_proof *proof, double *average_cct_s,
                                     struct br_diag *diag)
{
    size_t n = parts->coflows;
    struct sums s = {.in = parts};
    enum br_status status = order_bound_check(parts, proof, diag);
    if (!status && n > BR_ORDER_COFLOWS)
        status = br_fail(diag, BR_BAD_INPUT, NULL, "the order has more than %d coflows",
                         BR_ORDER_COFLOWS);
    if (status)
        return status;
    s.order = calloc(n * n + 1, sizeof *s.order);
    s.of = calloc(n + 1, sizeof *s.of);
    s.at = calloc(n + 1, sizeof *s.at);
    if (s.order && s.of && s.at)
        *average_cct_s =
            (order_bound_total(&s, proof) * (1 - 1e-10) - parts->releases_ms) / (double)n / 1000;
    else
        status = br_fail_memory(diag);
    free(s.order);
    free(s.of);
    free(s.at);
    return status;
}
