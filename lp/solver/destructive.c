/* Steps grow while makespans are refuted, then a bisection closes in. [Klein99] All proofs stand
 * for themselves, so that a limit reached, or a solver that fails, leaves the bound proven so far.
 */
#include "lp/solver/destructive.h"

#include "lp/solver/master.h"
#include "planner/bounds/certify.h"
#include "planner/bounds/tighten.h"

struct attempt {
    const struct br_instance *whole, *part;
    struct br_arena *arena;
    struct br_proof windows; /* with the part's stages, and its windows for every makespan */
    int64_t *head, *tail;    /* by stage of the part, for one makespan */
    struct lp_problem *problem;
    struct lp_patterns *patterns;
    struct br_packer *packer;
    struct lp_budget *budget;
    struct lp_proof *proof;
    volatile int64_t proven; /* survives the jump out of a solver that gives up */
    volatile enum lp_end end;
};

/* With the windows narrowed for this makespan; where that alone refutes it, without the LP. */
static enum lp_answer refute(struct attempt *a, int64_t makespan)
{
    struct lp_problem *p = a->problem;
    struct br_proof proof = a->windows;
    bool overfull;
    if (!br_proof_tighten(a->arena, a->whole, a->part, makespan, &proof, a->head, a->tail,
                          &overfull))
        return LP_SPENT;
    if (overfull) {
        proof.kind = BR_PROOF_WINDOW;
        proof.bound = makespan + 1;
        a->proof->proof = proof;
        return LP_REFUTED;
    }
    for (uint32_t v = 0; v < p->count; v++) {
        p->head[v] = a->head[p->stage[v]];
        p->tail[v] = a->tail[p->stage[v]];
    }
    enum lp_answer answer = lp_refute(p, makespan, a->patterns, a->packer, a->budget, a->proof);
    if (answer == LP_REFUTED) {
        struct br_proof *found = &a->proof->proof;
        found->stages = proof.stages;
        found->stage = proof.stage;
        found->measures = proof.measures;
        found->measure = proof.measure;
        found->passes = proof.passes;
        found->pass = proof.pass;
    }
    return answer;
}

/* Makespans up to `proven` - 1 are refuted. */
static void search(void *context)
{
    struct attempt *a = context;
    /* First steps of about a four-hundredth: most bounds move by less than a twentieth. */
    int64_t step = a->proven / 400 + 1, allowed = INT64_MAX;
    a->end = LP_END_SPENT;
    while (a->proven < allowed) {
        int64_t tried = a->proven + step - 1;
        if (tried >= allowed)
            tried = a->proven + (allowed - a->proven) / 2;
        if (tried > BR_TICKS_MAX)
            return;
        enum lp_answer answer = refute(a, tried);
        if (answer == LP_SPENT)
            return;
        if (answer == LP_REFUTED) {
            a->proven = tried + 1;
            step *= 2;
        } else {
            allowed = tried;
        }
    }
    a->end = a->budget->doubt ? LP_END_SPENT : LP_END_DONE;
}

int64_t lp_destructive_bound(const struct br_instance *whole, const struct br_instance *part,
                             int64_t proven, struct lp_budget *budget, struct br_arena *arena,
                             struct br_proof *proof, enum lp_end *end)
{
    struct lp_problem problem;
    struct lp_patterns patterns;
    *end = LP_END_SPENT;
    if (lp_problem_init(&problem, part, NULL))
        return proven;
    if (problem.count == 0) {
        *end = part->stages > 1 && proven > 0 ? LP_END_LARGE : LP_END_DONE;
        return proven;
    }
    if (problem.count == 1) { /* its rounds are as exact as the relaxation */
        lp_problem_finish(&problem);
        *end = LP_END_DONE;
        return proven;
    }
    struct br_packing packing = lp_problem_packing(&problem);
    lp_patterns_init(&patterns, &problem);
    struct lp_proof found = {.arena = arena, .whole = whole};
    struct attempt attempt = {.whole = whole,
                              .part = part,
                              .arena = arena,
                              .head = br_arena_array(arena, part->stages, sizeof(int64_t)),
                              .tail = br_arena_array(arena, part->stages, sizeof(int64_t)),
                              .problem = &problem,
                              .patterns = &patterns,
                              .packer = br_packer_create(&packing),
                              .budget = budget,
                              .proof = &found,
                              .proven = proven > problem.least ? proven : problem.least,
                              .end = LP_END_FAULT};
    bool ready = attempt.packer && attempt.head && attempt.tail &&
                 br_proof_set_part(arena, whole, part, &attempt.windows) &&
                 br_certify_windows(arena, whole, part, &attempt.windows);
    if (ready && !lp_guarded(search, &attempt))
        attempt.end = LP_END_FAULT;
    *end = ready ? attempt.end : LP_END_SPENT;
    int64_t bound = proven;
    if (found.proof.bound > proven) {
        *proof = found.proof;
        bound = found.proof.bound;
    }
    br_packer_destroy(attempt.packer);
    lp_patterns_finish(&patterns);
    lp_problem_finish(&problem);
    return bound;
}
