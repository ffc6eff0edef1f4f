#include "lp/solver/attempt.h"

#include <assert.h>
#include <string.h>

/* The least of the tasks of each stage of the program. */
static void set_windows(struct lp_problem *p, const struct br_task_windows *windows)
{
    const struct br_instance *in = p->in;
    for (uint32_t v = 0; v < p->count; v++) {
        uint32_t s = p->stage[v];
        p->head[v] = p->tail[v] = INT64_MAX;
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++) {
            p->head[v] = windows->head[t] < p->head[v] ? windows->head[t] : p->head[v];
            p->tail[v] = windows->tail[t] < p->tail[v] ? windows->tail[t] : p->tail[v];
        }
        assert(p->head[v] != INT64_MAX && p->tail[v] != INT64_MAX);
    }
}

/* The measures, in an array of their own. False when memory is out. */
static bool copy_measures(struct br_arena *arena, struct br_proof *proof)
{
    struct br_proof_measure *own = br_arena_array(arena, proof->measures, sizeof *own);
    if (own && proof->measures)
        memcpy(own, proof->measure, proof->measures * sizeof *own);
    proof->measure = own;
    return own != NULL;
}

struct lp_outcome lp_attempt(struct lp_attempt *a, struct br_arena *arena, int64_t makespan,
                             const struct br_task_windows *known)
{
    struct lp_outcome out = {.answer = LP_SPENT, .proof = a->windows};
    struct lp_proof prices = {.arena = arena, .whole = a->whole};
    bool overfull;
    out.windows.head = br_arena_array(arena, a->part->tasks, sizeof *out.windows.head);
    out.windows.tail = br_arena_array(arena, a->part->tasks, sizeof *out.windows.tail);
    if (known)
        out.proof.passes = 0;
    if (!out.windows.head || !out.windows.tail || !copy_measures(arena, &out.proof) ||
        !br_proof_tighten(arena, a->whole, a->part, makespan, known, &out.proof, &out.windows,
                          &overfull))
        return out;
    out.proof.kind = BR_PROOF_WINDOW;
    out.proof.bound = makespan + 1;
    if (overfull) {
        out.answer = LP_REFUTED;
        return out;
    }
    set_windows(a->problem, &out.windows);
    out.answer = lp_refute(a->problem, makespan, a->patterns, a->packers, a->budget, &prices);
    if (out.answer == LP_REFUTED) {
        out.proof.kind = BR_PROOF_PRICES;
        out.proof.prices = prices.proof.prices;
        out.proof.price = prices.proof.price;
        out.proof.chains = prices.proof.chains;
        out.proof.chain = prices.proof.chain;
    }
    return out;
}
