/* Both directions over one solver, whose ticks are the rounding. */
#include "planner/exact/exact.h"

#include <string.h>

#include "base/collections/memory.h"
#include "planner/exact/search.h"
#include "planner/instance/remainder.h"

struct br_exact {
    struct br_lcg_problem *p;
    struct br_lcg *lcg;              /* NULL if the arcs alone leave no schedule below upper */
    int64_t rounding;                /* ticks of the instance in one of the solver's */
    struct br_remainders remainders; /* what that takes off */
    int32_t upper, lower;            /* lower may be believed */
    int32_t proven;
    int32_t step;                /* of the lower bound; 1 without rounding, unless it leaps */
    int32_t aim;                 /* a lower bound that would do; INT32_MAX: none */
    bool none;                   /* nothing is feasible below upper */
    bool has_found;              /* found is a schedule */
    int32_t *found;              /* starts, by task */
    uint32_t *found_machine;     /* or the way */
    struct br_lcg_literal *kept; /* of br_exact_keep */
    uint32_t keeps;
};

static int32_t makespan_at_root(const struct br_exact *x)
{
    const struct br_lcg_trail *trail = &x->lcg->engine.trail;
    return trail->root[2 * trail->makespan];
}

/* Does the lower bound rise in large steps? In shops a makespan far below the best is refuted soon.
 */
static bool exact_leaps(const struct br_exact *x)
{
    return x->p->shop && x->rounding == 1;
}

/* The problem of the instance with durations rounded down. A schedule of `upper` has each start and
 * end rounded down, too, so it is one of upper / rounding there. */
static struct br_lcg_problem *exact_round(const struct br_instance *in, int64_t upper,
                                          int64_t rounding)
{
    struct br_instance *rounded = br_instance_round(in, rounding);
    struct br_lcg_problem *p = rounded ? br_lcg_problem_create(rounded, upper / rounding) : NULL;
    br_instance_destroy(rounded);
    return p;
}

/* Puts the solver together; takes the problem, which may be NULL. */
static struct br_exact *exact_make(struct br_lcg_problem *p, int64_t rounding, bool record_proof)
{
    struct br_exact *x = br_calloc(1, sizeof *x);
    if (!x) {
        br_lcg_problem_destroy(p);
        return NULL;
    }
    x->rounding = rounding;
    x->step = 1;
    x->aim = INT32_MAX;
    x->p = p;
    if (!x->p)
        goto failed;
    for (uint32_t t = 0; t < x->p->tasks; t++)
        if (x->p->earliest[t] > x->p->latest[t])
            x->none = true;
    x->upper = x->p->horizon;
    x->found = br_calloc(x->p->tasks, sizeof *x->found);
    x->found_machine = br_calloc(x->p->tasks, sizeof *x->found_machine);
    x->lcg = x->none ? NULL : br_lcg_create(x->p, record_proof);
    if (!x->found || !x->found_machine || (!x->none && !x->lcg))
        goto failed;
    x->lower = x->proven = x->none ? x->upper : makespan_at_root(x);
    if (exact_leaps(x) && x->upper > x->lower)
        x->step = x->upper - x->lower;
    return x;
failed:
    br_exact_destroy(x);
    return NULL;
}

struct br_exact *br_exact_create(const struct br_instance *in, int64_t upper, int64_t rounding,
                                 bool record_proof)
{
    assert(rounding > 0);
    struct br_exact *x = exact_make(rounding == 1 ? br_lcg_problem_create(in, upper)
                                                  : exact_round(in, upper, rounding),
                                    rounding, record_proof);
    if (x)
        br_remainders_init(&x->remainders, in, rounding);
    return x;
}

struct br_exact *br_exact_create_ways(const struct br_exact_ways *given, int64_t upper)
{
    return exact_make(br_lcg_problem_of_ways(given, upper), 1, false);
}

void br_exact_hint(struct br_exact *x, const int64_t *start, const uint32_t *way)
{
    if (!x->lcg)
        return;
    int32_t *hint = x->lcg->branching.hint;
    for (uint32_t t = 0; t < x->p->tasks; t++) {
        hint[t] = (int32_t)start[t];
        for (uint32_t k = x->p->choices->first[t]; k < x->p->choices->first[t + 1]; k++)
            hint[br_lcg_takes(x->p, k)] = k == way[t];
    }
}

void br_exact_destroy(struct br_exact *x)
{
    if (!x)
        return;
    br_lcg_destroy(x->lcg);
    br_lcg_problem_destroy(x->p);
    br_free(x->found);
    br_free(x->found_machine);
    br_free(x->kept);
    br_remainders_finish(&x->remainders);
    br_free(x);
}

static void note_bounds(struct br_exact *x)
{
    int32_t root = x->none ? x->upper : makespan_at_root(x);
    if (root > x->proven)
        x->proven = root;
    if (x->proven > x->lower)
        x->lower = x->proven;
}

static void keep_solution(struct br_exact *x)
{
    const struct br_lcg_trail *trail = &x->lcg->engine.trail;
    for (uint32_t t = 0; t < trail->tasks; t++)
        x->found[t] = br_lcg_lower(trail, t);
    for (uint32_t t = 0; t < trail->tasks && x->p->machines > 1; t++) {
        x->found_machine[t] = x->p->home[t];
        for (uint32_t m = 0; m < x->p->machines && br_lcg_is_assigned(x->p, t); m++)
            if (br_lcg_lower(trail, br_lcg_on(x->p, t, m)) > 0)
                x->found_machine[t] = m;
    }
    for (uint32_t k = 0; x->p->choices && k < x->p->choices->ways; k++)
        if (br_lcg_lower(trail, br_lcg_takes(x->p, k)) > 0)
            x->found_machine[x->p->choices->task[k]] = k;
    assert(br_lcg_lower(trail, trail->makespan) < x->upper);
    x->has_found = true;
    x->upper = br_lcg_lower(trail, trail->makespan);
}

static enum br_exact_result out_of_use(const struct br_lcg *s)
{
    return s->engine.trail.lost ? BR_EXACT_LOST : BR_EXACT_MEMORY;
}

bool br_exact_keep(struct br_exact *x, const bool *way, const int64_t *from, const int64_t *to)
{
    x->keeps = 0;
    if (!x->lcg)
        return true;
    if (!x->kept && !(x->kept = br_malloc(3 * (size_t)x->p->tasks * sizeof *x->kept)))
        return false;
    const int32_t *hint = x->lcg->branching.hint;
    for (uint32_t t = 0; t < x->p->tasks; t++)
        for (uint32_t k = x->p->choices->first[t]; way[t] && k < x->p->choices->first[t + 1]; k++)
            if (hint[br_lcg_takes(x->p, k)])
                x->kept[x->keeps++] = (struct br_lcg_literal){2 * br_lcg_takes(x->p, k), 1};
    for (uint32_t t = 0; t < x->p->tasks; t++) {
        x->kept[x->keeps++] = (struct br_lcg_literal){2 * t, (int32_t)from[t]};
        x->kept[x->keeps++] = (struct br_lcg_literal){2 * t + 1, -(int32_t)to[t]};
    }
    return true;
}

/* The makespan to suppose: one below the best schedule's and the aim, at most. */
static int32_t exact_suppose(const struct br_exact *x)
{
    int32_t most = (x->aim < x->upper ? x->aim : x->upper) - 1 - x->lower;
    most = most > 0 ? most : 0;
    if (exact_leaps(x)) /* the last tick is left to the other direction */
        most /= 2;
    return x->lower + (x->step - 1 < most ? x->step - 1 : most);
}

/* Rounded durations have many ticks between the bounds, and so have shops: steps of the lower bound
 * that come off grow, others shrink. */
static void exact_adapt_step(struct br_exact *x, bool risen)
{
    if (risen && x->step < (x->upper - x->lower) / 2)
        x->step *= 2;
    else if (!risen)
        x->step = x->step > 4 ? x->step / 4 : 1;
}

enum br_exact_result br_exact_solve(struct br_exact *x, enum br_exact_goal goal, uint64_t conflicts,
                                    const struct br_stop *stop)
{
    struct br_lcg *s = x->lcg;
    if (x->none || x->lower >= x->upper)
        return BR_EXACT_OPTIMAL;
    if (s->engine.trail.memory_out)
        return out_of_use(s);
    /* No schedule as long as the best one is searched for. */
    enum br_lcg_end end = BR_LCG_INFEASIBLE;
    s->supposed = goal == BR_EXACT_BOUND ? exact_suppose(x) : INT32_MAX;
    s->assumed = x->kept;
    s->assumptions = goal == BR_EXACT_NEARBY ? x->keeps : 0;
    if (br_lcg_limit(s, x->upper))
        end = br_lcg_search(s, conflicts, stop);
    if (end == BR_LCG_SOLUTION)
        keep_solution(x);
    x->none |= end == BR_LCG_INFEASIBLE;
    br_lcg_backtrack(&s->branching, 0);
    int32_t before = x->lower;
    note_bounds(x);
    if (s->engine.trail.memory_out)
        return out_of_use(s);
    if (x->none || x->lower >= x->upper)
        return BR_EXACT_OPTIMAL;
    if ((x->rounding > 1 || exact_leaps(x)) && goal == BR_EXACT_BOUND)
        exact_adapt_step(x, x->lower > before);
    if (end == BR_LCG_SOLUTION)
        return BR_EXACT_FOUND;
    if (end == BR_LCG_REFUTED)
        return BR_EXACT_NONE;
    return x->lower > before ? BR_EXACT_RAISED : BR_EXACT_OPEN;
}

void br_exact_limit_decisions(struct br_exact *x, uint64_t most)
{
    if (x->lcg)
        x->lcg->decisions_most = most;
}

void br_exact_set_upper(struct br_exact *x, int64_t upper)
{
    upper = upper < 0 ? 0 : upper / x->rounding;
    if (upper < x->upper)
        x->upper = (int32_t)upper;
}

void br_exact_aim(struct br_exact *x, int64_t lower)
{
    int64_t aim = lower / x->rounding + (lower % x->rounding > 0);
    x->aim = aim < INT32_MAX ? (int32_t)aim : INT32_MAX;
    x->step = aim > x->lower && aim <= x->upper ? (int32_t)aim - x->lower : x->step;
}

void br_exact_set_lower(struct br_exact *x, int64_t lower)
{
    lower /= x->rounding;
    if (lower > x->lower)
        x->lower = lower > x->upper ? x->upper : (int32_t)lower;
}

int64_t br_exact_upper(const struct br_exact *x)
{
    return x->upper * x->rounding;
}

int64_t br_exact_lower(const struct br_exact *x)
{
    const int64_t lower = x->lower * x->rounding, proven = br_exact_proven(x);
    return lower > proven ? lower : proven;
}

int64_t br_exact_proven(const struct br_exact *x)
{
    return x->proven * x->rounding + br_remainders_least(&x->remainders, x->proven);
}

int64_t br_exact_proven_rounded(const struct br_exact *x)
{
    return x->proven;
}

bool br_exact_schedule(const struct br_exact *x, int64_t *start, uint32_t *machine)
{
    for (uint32_t t = 0; t < x->p->tasks && x->has_found; t++) {
        start[t] = x->found[t] * x->rounding;
        if (machine)
            machine[t] = x->found_machine[t];
    }
    return x->has_found;
}

bool br_exact_schedule_ways(const struct br_exact *x, int64_t *start, uint32_t *way)
{
    return br_exact_schedule(x, start, way);
}

int64_t br_exact_rounding(const struct br_exact *x)
{
    return x->rounding;
}

struct br_exact_counts br_exact_counts(const struct br_exact *x)
{
    const struct br_lcg *s = x->lcg;
    if (!s)
        return (struct br_exact_counts){0};
    return (struct br_exact_counts){s->analysis.conflicts, s->branching.decisions,
                                    s->engine.propagations, s->restarts, s->analysis.literals};
}

void br_exact_count(const struct br_exact *x, struct br_counters *counters)
{
    struct br_exact_counts counts = br_exact_counts(x);
    counters->exact_conflicts += counts.conflicts;
    counters->exact_decisions += counts.decisions;
    counters->exact_propagations += counts.propagations;
    counters->exact_restarts += counts.restarts;
    counters->exact_literals += counts.learned_literals;
}

bool br_exact_proof(struct br_exact *x, struct br_arena *arena, struct br_proof *proof)
{
    *proof = (struct br_proof){.kind = BR_PROOF_CLAUSES,
                               .bound = x->proven,
                               .rounding = x->rounding,
                               .rest = br_remainders_least(&x->remainders, x->proven)};
    if (!x->lcg) /* the edges and the horizon suffice */
        return true;
    return br_lcg_proof_trim(x->lcg->proof, x->proven, arena, &proof->clause, &proof->clauses);
}
