/* Steps grow while makespans are refuted, then a bisection closes in. [Klein99] All proofs stand
 * for themselves, so that a limit reached, or a solver that fails, leaves the bound proven so far.
 */
#include "lp/destructive.h"

#include "lp/master.h"

struct attempt {
    const struct lp_problem *problem;
    struct lp_pool *pool;
    struct br_packer *packer;
    struct lp_budget *budget;
    struct lp_proof *proof;
    volatile int64_t proven; /* survives the jump out of a solver that gives up */
    volatile enum lp_end end;
};

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
        enum lp_answer answer =
            lp_refute(a->problem, tried, a->pool, a->packer, a->budget, a->proof);
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
    struct lp_pool pool;
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
    lp_pool_init(&pool, &problem);
    struct lp_proof found = {.arena = arena, .whole = whole};
    struct attempt attempt = {.problem = &problem,
                              .pool = &pool,
                              .packer = br_packer_create(&packing),
                              .budget = budget,
                              .proof = &found,
                              .proven = proven > problem.least ? proven : problem.least,
                              .end = LP_END_FAULT};
    if (attempt.packer && !lp_guarded(search, &attempt))
        attempt.end = LP_END_FAULT;
    *end = attempt.packer ? attempt.end : LP_END_SPENT;
    int64_t bound = proven;
    if (found.proof.prices > 0 && found.proof.bound > proven &&
        br_proof_set_part(arena, whole, part, &found.proof) &&
        br_certify_windows(arena, whole, part, &found.proof)) {
        *proof = found.proof;
        bound = found.proof.bound;
    }
    br_packer_destroy(attempt.packer);
    lp_pool_finish(&pool);
    lp_problem_finish(&problem);
    return bound;
}
