/* Steps grow while makespans are refuted, then a bisection closes in. [Klein99] All proofs stand
 * for themselves, so that a limit reached, or a solver that fails, leaves the bound proven so far.
 */
#include "lp/solver/destructive.h"

#include "lp/solver/lines.h"
#include "lp/solver/master.h"
#include "planner/bounds/certify.h"
#include "planner/bounds/covers.h"
#include "planner/bounds/rounds.h"
#include "planner/bounds/tighten.h"

/* Lifted covers that are kept, and those of them that narrow windows. */
enum { COVERS_MOST = 16, COVERS_IN_WINDOWS = 3 };

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
    struct br_measures covers;
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

/* What the covers say of the windows as they are, before any program is solved; those that say most
 * serve the windows of every makespan. False when memory is out. */
static bool bound_by_covers(struct attempt *a, const struct br_packing *packing)
{
    const struct lp_problem *p = a->problem;
    struct br_energy found[2];
    struct br_windows windows = {.stage_head = a->head, .stage_tail = a->tail};
    if (!br_covers_init(&a->covers, packing, a->packer, COVERS_MOST))
        return false;
    for (uint32_t v = 0; v < p->count; v++) {
        a->head[p->stage[v]] = p->head[v];
        a->tail[p->stage[v]] = p->tail[v];
    }
    int64_t energy = br_windows_energy(&windows, a->part, &a->covers, a->proven, &found[0]);
    int64_t ticks = br_windows_rounds(&windows, a->part, &a->covers, energy, &found[1]);
    if (energy < 0 || ticks < 0)
        return false;
    if (ticks > a->proven) {
        const struct br_energy *best = &found[ticks > energy];
        struct br_proof proof = a->windows;
        if (!br_proof_add_measure(a->arena, a->whole, a->part, best->measure, &proof))
            return false;
        proof.kind = ticks > energy ? BR_PROOF_ROUNDS : BR_PROOF_ENERGY;
        proof.bound = ticks;
        proof.from = best->head;
        proof.to = ticks - 1 - best->tail;
        a->proof->proof = proof;
        a->proven = ticks;
    }
    a->proven = lp_lines_bound(a->whole, a->part, &a->covers, a->proven, a->budget, a->arena,
                               &a->proof->proof);
    for (uint32_t m = 0; m < a->covers.count && m < COVERS_IN_WINDOWS; m++)
        if (!br_proof_add_measure(a->arena, a->whole, a->part, &a->covers.measure[m], &a->windows))
            return false;
    return true;
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
                 br_certify_windows(arena, whole, part, &attempt.windows) &&
                 bound_by_covers(&attempt, &packing);
    if (ready && !lp_guarded(search, &attempt))
        attempt.end = LP_END_FAULT;
    *end = ready ? attempt.end : LP_END_SPENT;
    int64_t bound = proven;
    if (found.proof.bound > proven) {
        br_proof_drop_measures(&found.proof);
        *proof = found.proof;
        bound = found.proof.bound;
    }
    br_measures_finish(&attempt.covers);
    br_packer_destroy(attempt.packer);
    lp_patterns_finish(&patterns);
    lp_problem_finish(&problem);
    return bound;
}
