/* Steps grow while makespans are refuted, then a bisection closes in. [Klein99] All proofs stand
 * for themselves, so that a limit reached, or a solver that fails, leaves the bound proven so far.
 */
#include "lp/solver/destructive.h"

#include <assert.h>

#include "lp/solver/cases.h"
#include "lp/solver/lines.h"
#include "lp/solver/master.h"
#include "planner/bounds/bounds.h"
#include "planner/bounds/certify.h"
#include "planner/bounds/covers.h"
#include "planner/bounds/rounds.h"

/* Lifted covers that are kept, and those of them that narrow windows. */
enum { COVERS_MOST = 16, COVERS_IN_WINDOWS = 3 };
/* The budget left, divided by this, is for how long groups take. */
enum { SHARE_OF_GROUPS = 4 };

struct attempt {
    struct lp_attempt one; /* with windows for every makespan */
    struct lp_groups groups;
    struct br_arena *arena;
    struct br_proof *proof; /* of `proven` */
    int64_t *head, *tail;   /* by stage of the part: scratch */
    struct br_measures covers;
    volatile int64_t proven; /* survives the jump out of a solver that gives up */
    volatile enum lp_end end;
};

static enum lp_answer refute(struct attempt *a, int64_t makespan)
{
    struct br_arena own = {0};
    struct br_proof proof;
    enum lp_answer answer = lp_cases_refute(&a->one, &a->groups, &own, makespan, &proof);
    if (answer == LP_REFUTED) {
        br_arena_join(a->arena, &own);
        *a->proof = proof;
    }
    br_arena_finish(&own);
    return answer;
}

/* Bounds by covers of the windows as they are, before any program is solved; the strongest covers
 * serve the windows of every makespan. False when memory is out. */
static bool bound_by_covers(struct attempt *a, const struct br_packing *packing)
{
    struct lp_attempt *one = &a->one;
    const struct lp_problem *p = one->problem;
    struct br_energy found[2];
    struct br_windows windows = {.stage_head = a->head, .stage_tail = a->tail};
    if (!br_covers_init(&a->covers, packing, one->packers->packer[0], COVERS_MOST))
        return false;
    for (uint32_t v = 0; v < p->count; v++) {
        a->head[p->stage[v]] = p->head[v];
        a->tail[p->stage[v]] = p->tail[v];
    }
    int64_t energy =
        br_windows_energy(&windows, one->part, &a->covers, a->proven, INT64_MAX, &found[0]);
    int64_t ticks = br_windows_rounds(&windows, one->part, &a->covers, energy, &found[1]);
    if (energy < 0 || ticks < 0)
        return false;
    if (ticks > a->proven) {
        const struct br_energy *best = &found[ticks > energy];
        struct br_proof proof = one->windows;
        if (!br_proof_add_measure(a->arena, one->whole, one->part, best->measure, &proof))
            return false;
        proof.kind = ticks > energy ? BR_PROOF_ROUNDS : BR_PROOF_ENERGY;
        proof.bound = ticks;
        proof.from = best->head;
        proof.to = ticks - 1 - best->tail;
        *a->proof = proof;
        a->proven = ticks;
    }
    a->proven = lp_lines_bound(one->whole, one->part, &a->covers, a->proven, one->budget, a->arena,
                               a->proof);
    for (uint32_t m = 0; m < a->covers.count && m < COVERS_IN_WINDOWS; m++)
        if (!br_proof_add_measure(a->arena, one->whole, one->part, &a->covers.measure[m],
                                  &one->windows))
            return false;
    return true;
}

/* Makespans up to `proven` - 1 are refuted. */
static void destructive_search(void *context)
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
        assert(tried >= a->proven && tried < allowed);
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
    a->end = a->one.budget->doubt ? LP_END_SPENT : LP_END_DONE;
}

static int64_t destructive_bound(const struct br_instance *whole, const struct br_instance *part,
                                 int64_t proven, bool cases, struct lp_budget *budget,
                                 struct br_arena *arena, struct br_proof *proof, enum lp_end *end);

/* How long the group takes by itself. Its proof stays NULL when memory is out. */
static void bound_group(struct attempt *a, struct lp_group *g, struct lp_budget *share)
{
    uint32_t stage[64], count = 0;
    enum lp_end end;
    for (uint32_t s = 0; s < a->one.part->stages; s++)
        if (g->members >> s & 1)
            stage[count++] =
                a->one.whole->task_stage[a->one.part->task_origin[a->one.part->stage_first[s]]];
    assert(count > 0);
    struct br_instance *in = br_instance_part(a->one.whole, stage, count);
    struct br_proof *proof = br_arena_alloc(a->arena, sizeof *proof);
    const struct br_bounds_effort all = {.enough = INT64_MAX, .unrounded = true};
    if (in && proof &&
        br_certify_part_by(a->arena, a->one.whole, in, br_bounds_by(in, &all).ticks, &all, proof) &&
        destructive_bound(a->one.whole, in, proof->bound, false, share, a->arena, proof, &end) >= 0)
        g->proof = proof;
    br_instance_destroy(in);
}

/* A share of the budget for how long the groups take. False when memory is out. */
static bool list_groups(struct attempt *a)
{
    struct lp_budget *budget = a->one.budget;
    if (!lp_groups_list(&a->groups, a->one.part, a->proven))
        return false;
    for (uint32_t k = 0; k < a->groups.count; k++) {
        int64_t parts = SHARE_OF_GROUPS * (int64_t)(a->groups.count - k);
        struct lp_budget share = *budget;
        share.rounds = budget->rounds / parts + 1;
        share.nodes = budget->nodes / parts + 1;
        if (budget->deadline > 0)
            share.deadline = lp_now() + (budget->deadline - lp_now()) / (double)parts;
        const struct lp_budget before = share;
        bound_group(a, &a->groups.group[k], &share);
        budget->rounds -= before.rounds - share.rounds;
        budget->nodes -= before.nodes - share.nodes;
    }
    lp_groups_sort(&a->groups);
    return true;
}

static int64_t destructive_bound(const struct br_instance *whole, const struct br_instance *part,
                                 int64_t proven, bool cases, struct lp_budget *budget,
                                 struct br_arena *arena, struct br_proof *proof, enum lp_end *end)
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
    struct br_proof found = {0};
    struct lp_packers packers;
    struct attempt attempt = {.one = {.whole = whole,
                                      .part = part,
                                      .problem = &problem,
                                      .patterns = &patterns,
                                      .packers = &packers,
                                      .budget = budget},
                              .arena = arena,
                              .proof = &found,
                              .head = br_arena_array(arena, part->stages, sizeof(int64_t)),
                              .tail = br_arena_array(arena, part->stages, sizeof(int64_t)),
                              .proven = proven > problem.least ? proven : problem.least,
                              .end = LP_END_FAULT};
    bool ready = lp_packers_init(&packers, &packing, budget->threads) && attempt.head &&
                 attempt.tail && br_proof_set_part(arena, whole, part, &attempt.one.windows) &&
                 br_certify_windows(arena, whole, part, &attempt.one.windows) &&
                 bound_by_covers(&attempt, &packing);
    if (ready && !lp_guarded(destructive_search, &attempt))
        attempt.end = LP_END_FAULT;
    if (ready && cases && attempt.end == LP_END_DONE && list_groups(&attempt) &&
        attempt.groups.count > 0 && !lp_guarded(destructive_search, &attempt))
        attempt.end = LP_END_FAULT;
    *end = ready ? attempt.end : LP_END_SPENT;
    int64_t most = proven;
    if (found.bound > proven) {
        br_proof_drop_measures(&found);
        *proof = found;
        most = found.bound;
    }
    br_measures_finish(&attempt.covers);
    lp_packers_finish(&packers);
    lp_patterns_finish(&patterns);
    lp_problem_finish(&problem);
    return most;
}

int64_t lp_destructive_bound(const struct br_instance *whole, const struct br_instance *part,
                             int64_t proven, struct lp_budget *budget, struct br_arena *arena,
                             struct br_proof *proof, enum lp_end *end)
{
    return destructive_bound(whole, part, proven, true, budget, arena, proof, end);
}
