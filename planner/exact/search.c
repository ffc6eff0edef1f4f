/* The search: decide, propagate, learn, restart. */
#include "planner/exact/search.h"

#include "base/collections/memory.h"
#include "base/invariant.h"

/* Conflicts before branching by activity; of the first restart; before the first reduction of the
 * store, and how many more before each next one. */
enum { WARM_UP = 256, RESTART_UNIT = 128, REDUCE_FIRST = 3000, REDUCE_STEP = 500 };

struct br_lcg *br_lcg_create(const struct br_lcg_problem *problem, bool record_proof)
{
    struct br_lcg *s = br_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->supposed = INT32_MAX;
    s->decisions_most = UINT64_MAX;
    bool ok = br_lcg_engine_init(&s->engine, problem);
    ok = br_lcg_branching_init(&s->branching, &s->engine) && ok;
    s->proof = ok && record_proof ? br_lcg_proof_create(&s->engine) : NULL;
    ok = ok && (s->proof || !record_proof) &&
         br_lcg_analysis_init(&s->analysis, &s->engine, &s->branching, s->proof) &&
         br_lcg_branching_assign(&s->branching);
    if (ok)
        return s;
    br_lcg_destroy(s);
    return NULL;
}

void br_lcg_destroy(struct br_lcg *s)
{
    if (!s)
        return;
    br_lcg_analysis_finish(&s->analysis);
    br_lcg_proof_destroy(s->proof);
    br_lcg_branching_finish(&s->branching);
    br_lcg_engine_finish(&s->engine);
    br_free(s);
}

/* [Luby93]: 1 1 2 1 1 2 4 ... */
static uint64_t luby(uint64_t k)
{
    uint64_t size = 1, power = 0;
    while (size < k + 1) {
        size = 2 * size + 1;
        power++;
    }
    while (size - 1 != k) {
        size = (size - 1) / 2;
        assert(size > 0); /* k is below it, so at 1 it is found */
        power--;
        k %= size;
    }
    return UINT64_C(1) << power;
}

static bool propagate(struct br_lcg *s)
{
    bool ok = br_lcg_propagate(&s->engine);
    if (s->engine.trail.level == 0)
        br_lcg_proof_record_root(s->proof);
    return ok;
}

/* Propagates, and learns from each conflict, until there is none, or the flag is raised. False if
 * nothing is feasible, or when memory is out. */
static bool exact_search_settle(struct br_lcg *s)
{
    while (!propagate(s))
        if (s->engine.trail.memory_out || !br_lcg_learn(&s->analysis))
            return false;
    return true;
}

static void restart(struct br_lcg *s)
{
    uint64_t conflicts = s->analysis.conflicts;
    br_costly_assert(br_lcg_clauses_hold(&s->engine.clauses));
    br_lcg_backtrack(&s->branching, 0);
    s->restart_at = conflicts + RESTART_UNIT * luby(s->restarts++);
    if (conflicts >= s->reduce_at) {
        br_lcg_clauses_reduce(&s->engine.clauses);
        s->reduce_at = conflicts + REDUCE_FIRST + REDUCE_STEP * ++s->reductions;
    }
}

/* At the root: is the makespan to suppose still undecided? Then *l is the literal for it. */
static bool exact_search_suppose(struct br_lcg *s, struct br_lcg_literal *l)
{
    const struct br_lcg_trail *trail = &s->engine.trail;
    if (trail->level > 0 || s->supposed == INT32_MAX)
        return false;
    *l = (struct br_lcg_literal){2 * trail->makespan + 1, -s->supposed};
    if (!br_lcg_true(trail, *l))
        return true;
    s->supposed = INT32_MAX;
    return false;
}

/* The first assumption that is not true yet; false if all are. */
static bool exact_search_assume(const struct br_lcg *s, struct br_lcg_literal *l)
{
    for (uint32_t k = 0; k < s->assumptions; k++)
        if (!br_lcg_true(&s->engine.trail, s->assumed[k])) {
            *l = s->assumed[k];
            return true;
        }
    return false;
}

enum br_lcg_end br_lcg_search(struct br_lcg *s, uint64_t conflicts, const struct br_stop *stop)
{
    const struct br_lcg_trail *trail = &s->engine.trail;
    uint64_t *spent = &s->analysis.conflicts, end = *spent + conflicts;
    s->engine.trail.stop = stop;
    br_lcg_backtrack(&s->branching, 0);
    for (;;) {
        if (!exact_search_settle(s))
            return trail->memory_out ? BR_LCG_BUDGET : BR_LCG_INFEASIBLE;
        if (*spent >= end || s->branching.decisions >= s->decisions_most || br_stopped(stop))
            return BR_LCG_BUDGET;
        if (*spent >= s->restart_at && trail->level > 0) {
            restart(s);
            continue;
        }
        struct br_lcg_literal l;
        if (exact_search_assume(s, &l)) {
            if (br_lcg_false(trail, l))
                return BR_LCG_REFUTED;
        } else if (exact_search_suppose(s, &l)) {
            if (br_lcg_false(trail, l))
                return BR_LCG_RAISED;
        } else if (!br_lcg_branching_choose(&s->branching, *spent >= WARM_UP, &l)) {
            return BR_LCG_SOLUTION;
        }
        if (!br_lcg_decide(&s->branching, l))
            return BR_LCG_BUDGET;
    }
}

bool br_lcg_limit(struct br_lcg *s, int32_t upper)
{
    struct br_lcg_trail *trail = &s->engine.trail;
    br_lcg_backtrack(&s->branching, 0);
    if (br_lcg_push(trail, 2 * trail->makespan + 1, 1 - upper, br_lcg_reason(BR_LCG_ROOT, 0), 0) ||
        trail->memory_out)
        return true;
    br_lcg_proof_record_end(s->proof);
    return false;
}
