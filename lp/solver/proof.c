/* Prices from dual values. A stage pays its dual value, more when a cut demands that it runs, less
 * when a cut limits it; chains become shares. When a stage cannot run, its price does not matter
 * and stays what it was, which makes for fewer steps. That the prices refute the makespan follows:
 * the cuts hold for every task wherever it starts, so that they give no more than the least that it
 * pays. */
#include "lp/solver/proof.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int64_t solver_proof_divisor(int64_t a, int64_t b)
{
    for (b = b < 0 ? -b : b; b != 0;) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint32_t solver_proof_origin(const struct lp_proof *out, const struct lp_problem *p,
                                    uint32_t v)
{
    const struct br_instance *in = p->in;
    return out->whole->task_stage[in->task_origin[in->stage_first[p->stage[v]]]];
}

/* By stage and interval, without the chains. */
static int64_t *solver_proof_weigh(const struct lp_problem *p, const struct lp_intervals *in,
                                   const int64_t *dual, const struct lp_cuts *cuts,
                                   uint32_t cut_count, const int64_t *cut_dual)
{
    int64_t *weight = malloc((size_t)in->count * p->count * sizeof *weight);
    for (uint32_t k = 0; weight && k < in->count; k++)
        memcpy(weight + (size_t)k * p->count, dual, p->count * sizeof *weight);
    for (uint32_t k = 0; weight && k < cut_count; k++)
        for (uint32_t i = cuts->cut[k].first; i < cuts->cut[k].last && cut_dual[k] > 0; i++)
            if (cuts->cut[k].kind != LP_CUT_CHAIN)
                lp_cut_apply(&cuts->cut[k], p, cut_dual[k], weight + (size_t)i * p->count);
    return weight;
}

static bool write_price(struct lp_proof *out, const struct lp_problem *p,
                        const struct lp_intervals *in, const int64_t *weight, uint32_t v,
                        struct br_proof_price *price)
{
    price->stage = solver_proof_origin(out, p, v);
    for (int write = 0; write < 2; write++) {
        int64_t last = weight[(size_t)in->first[v] * p->count + v];
        price->steps = 0;
        for (uint32_t k = in->first[v]; k < in->last[v]; k++) {
            int64_t value = weight[(size_t)k * p->count + v];
            if (k > in->first[v] && value == last)
                continue;
            if (write)
                price->step[price->steps] =
                    (struct br_proof_step){k > in->first[v] ? in->point[k] : 0, value};
            price->steps++;
            last = value;
        }
        assert(price->steps > 0);
        if (!write)
            price->step = br_arena_array(out->arena, price->steps, sizeof *price->step);
        if (!price->step)
            return false;
    }
    return true;
}

static bool write_chains(struct lp_proof *out, const struct lp_problem *p,
                         const struct lp_intervals *in, const struct lp_cuts *cuts,
                         uint32_t cut_count, const int64_t *cut_dual)
{
    struct br_proof *proof = &out->proof;
    uint32_t count = 0;
    for (uint32_t k = 0; k < cut_count; k++)
        count += cuts->cut[k].kind == LP_CUT_CHAIN && cut_dual[k] > 0;
    proof->chain = br_arena_array(out->arena, count, sizeof *proof->chain);
    for (uint32_t k = 0; proof->chain && k < cut_count; k++) {
        const struct lp_cut *cut = &cuts->cut[k];
        if (cut->kind != LP_CUT_CHAIN || cut_dual[k] <= 0)
            continue;
        struct br_proof_chain *chain = &proof->chain[proof->chains++];
        chain->from = in->point[cut->first];
        chain->to = in->point[cut->last];
        chain->stages = cut->count;
        chain->stage = br_arena_array(out->arena, cut->count, sizeof *chain->stage);
        chain->share = br_arena_array(out->arena, cut->count, sizeof *chain->share);
        if (!chain->stage || !chain->share)
            return false;
        for (uint32_t i = 0; i < cut->count; i++) {
            chain->stage[i] = solver_proof_origin(out, p, cut->stage[i]);
            chain->share[i] = cut_dual[k] / p->slots[cut->stage[i]];
        }
    }
    assert(!proof->chain || proof->chains == count);
    return proof->chain != NULL;
}

/* Drops prices that are 0 throughout, and divides the others and the shares by what they have in
 * common. */
static void solver_proof_reduce(struct br_proof *proof)
{
    uint32_t kept = 0;
    int64_t common = 0;
    for (uint32_t v = 0; v < proof->prices; v++)
        if (proof->price[v].steps > 1 || proof->price[v].step[0].price != 0)
            proof->price[kept++] = proof->price[v];
    proof->prices = kept;
    for (uint32_t v = 0; v < proof->prices; v++)
        for (uint32_t k = 0; k < proof->price[v].steps; k++)
            common = solver_proof_divisor(common, proof->price[v].step[k].price);
    for (uint32_t c = 0; c < proof->chains; c++)
        for (uint32_t k = 0; k < proof->chain[c].stages; k++)
            common = solver_proof_divisor(common, proof->chain[c].share[k]);
    for (uint32_t v = 0; v < proof->prices && common > 0; v++)
        for (uint32_t k = 0; k < proof->price[v].steps; k++)
            proof->price[v].step[k].price /= common;
    for (uint32_t c = 0; c < proof->chains && common > 0; c++)
        for (uint32_t k = 0; k < proof->chain[c].stages; k++)
            proof->chain[c].share[k] /= common;
}

bool lp_proof_write(struct lp_proof *out, const struct lp_problem *p,
                    const struct lp_intervals *intervals, int64_t makespan, const int64_t *dual,
                    const struct lp_cuts *cuts, uint32_t cut_count, const int64_t *cut_dual)
{
    struct br_proof *proof = &out->proof;
    int64_t *weight = solver_proof_weigh(p, intervals, dual, cuts, cut_count, cut_dual);
    *proof = (struct br_proof){.bound = makespan + 1, .kind = BR_PROOF_PRICES};
    proof->price = br_arena_array(out->arena, p->count, sizeof *proof->price);
    bool ok = weight && proof->price;
    for (uint32_t v = 0; ok && v < p->count; v++)
        ok = write_price(out, p, intervals, weight, v, &proof->price[v]);
    free(weight);
    proof->prices = ok ? p->count : 0;
    ok = ok && write_chains(out, p, intervals, cuts, cut_count, cut_dual);
    if (ok)
        solver_proof_reduce(proof);
    return ok;
}
