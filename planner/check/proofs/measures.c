/* The measures that a proof names, worked out from the job: weights of the stages, and how much the
 * cluster holds at any time. */
#include <assert.h>

#include "base/numbers/wide.h"
#include "planner/check/proofs/heavy.h"
#include "planner/check/proofs/proof.h"

/* Nodes of the searches for the heaviest sets of one measure: what they leave open counts as
 * heavier. */
#define NODES_MOST INT64_C(4000000)
/* The weights of all tasks stay below this in all. */
#define WEIGHT_MOST (INT64_C(1) << 53)

/* Can a task of s never run while one of u does on the same machine? */
static bool measures_exclude(const struct br_proof_check *c, uint32_t s, uint32_t u)
{
    const struct br_instance *in = c->in;
    const int64_t *a = in->demand + (size_t)s * in->resources;
    const int64_t *b = in->demand + (size_t)u * in->resources;
    bool fit = false;
    for (uint32_t k = 0; k < in->classes && !fit; k++) {
        fit = true;
        for (uint32_t r = 0; r < in->resources && fit; r++)
            fit = a[r] <= in->capacity[(size_t)k * in->resources + r] - b[r];
    }
    if (!fit)
        return true;
    return in->machines == 1 && s != u && c->ahead.behind &&
           (br_is_ahead(&c->ahead, s, u) || br_is_ahead(&c->ahead, u, s));
}

static enum br_status load_clique(struct br_proof_check *c, const struct br_proof_measure *m,
                                  struct br_checked_measure *out)
{
    for (uint32_t i = 0; i < m->stages; i++) {
        uint32_t s = br_proof_stage(c, m->stage[i]);
        if (s == UINT32_MAX || out->weight[s])
            return br_proof_fails(c, "a clique has a stage twice, or one that is not in the part");
        out->weight[s] = 1;
        if (c->in->stage_first[s + 1] - c->in->stage_first[s] > 1 && !measures_exclude(c, s, s))
            return br_proof_fails(c, "two tasks of '%s' can run together",
                                  br_proof_stage_name(c, s));
        for (uint32_t k = 0; k < i; k++) {
            uint32_t u = br_proof_stage(c, m->stage[k]);
            if (!measures_exclude(c, s, u))
                return br_proof_fails(c, "'%s' and '%s' can run together",
                                      br_proof_stage_name(c, s), br_proof_stage_name(c, u));
        }
    }
    out->capacity = c->in->machines;
    return BR_OK;
}

/* The tasks that run on a machine at a time are a set that fits it with no stage wholly ahead of
 * another. So they weigh no more than the heaviest such set. */
static enum br_status load_weights(struct br_proof_check *c, const struct br_proof_measure *m,
                                   struct br_checked_measure *out)
{
    const struct br_instance *in = c->in;
    br_wide sum = 0;
    if (m->stages == 0 || m->stages > BR_HEAVY_STAGES || !c->ahead.behind)
        return br_proof_fails(c, "there are no weights, or too many, or the part has many stages");
    uint32_t *stage = br_arena_array(&c->arena, m->stages, sizeof *stage);
    if (!stage)
        return br_fail_memory(c->diag);
    for (uint32_t i = 0; i < m->stages; i++) {
        uint32_t s = stage[i] = br_proof_stage(c, m->stage[i]);
        if (s == UINT32_MAX || out->weight[s] || m->weight[i] < 1 || m->weight[i] > BR_PRICE_MAX)
            return br_proof_fails(c, "a weight is not from 1 to 2^32, or of no stage of its own");
        out->weight[s] = m->weight[i];
        sum += (br_wide)m->weight[i] * (in->stage_first[s + 1] - in->stage_first[s]);
    }
    if (sum > WEIGHT_MOST)
        return br_proof_fails(c, "the weights are too large for so many tasks");
    struct br_heavy *heavy = br_heavy_create(in, &c->ahead, stage, m->stages);
    int64_t nodes = NODES_MOST;
    br_wide held = 0;
    for (uint32_t k = 0; heavy && k < in->classes; k++)
        held += (br_wide)br_heaviest(heavy, k, m->weight, &nodes) *
                (in->class_first[k + 1] - in->class_first[k]);
    br_heavy_destroy(heavy);
    if (!heavy)
        return br_fail_memory(c->diag);
    if (held > INT64_MAX)
        return br_proof_fails(c, "the weights are too large for so many machines");
    out->capacity = (int64_t)held;
    return BR_OK;
}

/* The number of whole units in an amount that is given in 10^-digits. False if there is no such
 * unit, or the number is too large. */
static bool whole_units(int64_t amount, int32_t digits, struct br_decimal unit, int64_t *units)
{
    enum { DIGITS_MOST = 18 }; /* of a number of 63 bits */
    int32_t shift = unit.exponent + digits;
    br_wide held = amount, size = unit.mantissa;
    if (size <= 0 || shift < -DIGITS_MOST)
        return false;
    for (int32_t k = 0; k < shift && size <= held; k++)
        size *= 10;
    for (int32_t k = 0; k > shift; k--)
        held *= 10;
    *units = (int64_t)(held / size);
    return held / size <= INT64_MAX;
}

static enum br_status load_resource(struct br_proof_check *c, const struct br_proof_measure *m,
                                    struct br_checked_measure *out)
{
    const struct br_instance *in = c->in;
    uint32_t r = 0;
    while (r < in->resources && in->resource_origin[r] != m->resource)
        r++;
    if (r == in->resources)
        return BR_OK; /* nobody demands it: all weights are 0 */
    bool fits = true;
    for (uint32_t s = 0; s < in->stages && fits; s++) {
        int64_t demand = in->demand[(size_t)s * in->resources + r];
        out->weight[s] = demand;
        if (m->unit.mantissa)
            fits = whole_units(demand, in->resource_digits[r], m->unit, &out->weight[s]);
    }
    out->capacity = m->unit.mantissa ? 0 : in->total[r];
    for (uint32_t k = 0; k < in->classes && m->unit.mantissa && fits; k++) {
        int64_t units, count = in->class_first[k + 1] - in->class_first[k];
        fits = whole_units(in->capacity[(size_t)k * in->resources + r], in->resource_digits[r],
                           m->unit, &units) &&
               !__builtin_mul_overflow(units, count, &units) &&
               !__builtin_add_overflow(out->capacity, units, &out->capacity);
    }
    if (!fits)
        return br_proof_fails(c, "a unit is no amount above 0, or too small for its resource");
    return BR_OK;
}

enum br_status br_proof_measures(struct br_proof_check *c)
{
    const struct br_proof *proof = c->proof;
    c->measure = br_arena_array(&c->arena, proof->measures, sizeof *c->measure);
    enum br_status status = c->measure ? BR_OK : br_fail_memory(c->diag);
    for (uint32_t m = 0; m < proof->measures && !status; m++) {
        struct br_checked_measure *out = &c->measure[m];
        out->weight = br_arena_array(&c->arena, c->in->stages, sizeof *out->weight);
        if (!out->weight)
            return br_fail_memory(c->diag);
        switch (proof->measure[m].kind) {
        case BR_MEASURE_CLIQUE:
            status = load_clique(c, &proof->measure[m], out);
            break;
        case BR_MEASURE_WEIGHTS:
            status = load_weights(c, &proof->measure[m], out);
            break;
        default:
            status = load_resource(c, &proof->measure[m], out);
        }
        for (uint32_t s = 0; !status && s < c->in->stages; s++)
            assert(0 <= out->weight[s] && out->weight[s] <= out->capacity);
    }
    return status;
}
