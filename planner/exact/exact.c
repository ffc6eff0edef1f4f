/* Both directions over one solver, and the translation of its times. */
#include "planner/exact/exact.h"

#include <stdlib.h>
#include <string.h>

#include "planner/exact/lcg.h"

struct br_exact {
    struct br_exact_problem *p;
    struct br_lcg *lcg;
    int32_t upper, lower; /* from the origin; lower may be believed */
    int32_t proven;
    bool none;      /* nothing is feasible below upper */
    bool has_found; /* found is a schedule */
    int32_t *found; /* starts, by task */
};

struct br_exact *br_exact_create(const struct br_instance *in, int64_t upper,
                                 const struct br_exact_window *window,
                                 const struct br_exact_options *options)
{
    struct br_exact *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->p = br_exact_problem_create(in, upper, window);
    if (!x->p)
        goto failed;
    for (uint32_t t = 0; t < x->p->tasks; t++)
        if (x->p->earliest[t] > x->p->latest[t])
            x->none = true;
    x->upper = x->p->horizon;
    x->found = calloc(x->p->tasks, sizeof *x->found);
    x->lcg = x->none ? NULL : br_lcg_create(x->p, options ? options->seed : 0);
    if (!x->found || (!x->none && !x->lcg))
        goto failed;
    if (options && options->proof && !window && x->lcg && !br_lcg_record_begin(x->lcg))
        goto failed;
    if (x->none)
        x->lower = x->proven = x->upper;
    else
        x->lower = x->proven = x->lcg->root[2 * x->lcg->makespan];
    return x;
failed:
    br_exact_destroy(x);
    return NULL;
}

void br_exact_destroy(struct br_exact *x)
{
    if (!x)
        return;
    br_lcg_destroy(x->lcg);
    br_exact_problem_destroy(x->p);
    free(x->found);
    free(x);
}

/* No schedule as long as the best is looked for. */
static void limit(struct br_exact *x)
{
    struct br_lcg *s = x->lcg;
    br_lcg_backtrack(s, 0);
    if (!br_lcg_push(s, 2 * s->makespan + 1, 1 - x->upper, br_lcg_why(BR_LCG_ROOT, 0), 0) &&
        !s->failed) {
        br_lcg_record_end(s);
        x->none = true;
    }
}

static void note_bounds(struct br_exact *x)
{
    const struct br_lcg *s = x->lcg;
    int32_t root = s->root[2 * s->makespan];
    if (x->none)
        root = x->upper;
    if (root > x->proven)
        x->proven = root;
    if (x->proven > x->lower)
        x->lower = x->proven;
}

static void keep_solution(struct br_exact *x)
{
    const struct br_lcg *s = x->lcg;
    for (uint32_t t = 0; t < s->tasks; t++)
        x->found[t] = br_lcg_lower(s, t);
    x->has_found = true;
    x->upper = br_lcg_lower(s, s->makespan);
}

enum br_exact_result br_exact_solve(struct br_exact *x, enum br_exact_goal goal, uint64_t conflicts,
                                    const struct br_stop *stop)
{
    struct br_lcg *s = x->lcg;
    if (x->none || x->lower >= x->upper)
        return BR_EXACT_OPTIMAL;
    if (s->failed)
        return BR_EXACT_MEMORY;
    limit(x);
    s->supposed = goal == BR_EXACT_BOUND ? x->lower : INT32_MAX;
    enum br_lcg_end end = x->none ? BR_LCG_INFEASIBLE : br_lcg_search(s, conflicts, stop);
    if (end == BR_LCG_SOLUTION)
        keep_solution(x);
    x->none |= end == BR_LCG_INFEASIBLE;
    br_lcg_backtrack(s, 0);
    int32_t before = x->lower;
    note_bounds(x);
    if (s->failed)
        return BR_EXACT_MEMORY;
    if (x->none || x->lower >= x->upper)
        return BR_EXACT_OPTIMAL;
    if (end == BR_LCG_SOLUTION)
        return BR_EXACT_FOUND;
    return x->lower > before ? BR_EXACT_RAISED : BR_EXACT_OPEN;
}

void br_exact_set_upper(struct br_exact *x, int64_t upper)
{
    int64_t ticks = upper - x->p->origin;
    if (ticks < x->upper)
        x->upper = ticks < 0 ? 0 : (int32_t)ticks;
}

void br_exact_set_lower(struct br_exact *x, int64_t lower)
{
    int64_t ticks = lower - x->p->origin;
    if (ticks > x->lower)
        x->lower = ticks > x->upper ? x->upper : (int32_t)ticks;
}

int64_t br_exact_upper(const struct br_exact *x)
{
    return x->upper + x->p->origin;
}

int64_t br_exact_lower(const struct br_exact *x)
{
    return x->lower + x->p->origin;
}

int64_t br_exact_proven(const struct br_exact *x)
{
    return x->proven + x->p->origin;
}

bool br_exact_schedule(const struct br_exact *x, int64_t *start)
{
    for (uint32_t t = 0; t < x->p->tasks && x->has_found; t++)
        start[x->p->origin_task[t]] = x->found[t] + x->p->origin;
    return x->has_found;
}

struct br_exact_counts br_exact_counts(const struct br_exact *x)
{
    const struct br_lcg *s = x->lcg;
    if (!s)
        return (struct br_exact_counts){0};
    return (struct br_exact_counts){s->conflicts, s->decisions, s->propagations, s->restarts,
                                    s->literals};
}

bool br_exact_proof(struct br_exact *x, struct br_arena *arena, struct br_proof_clause **clause,
                    uint32_t *clauses)
{
    *clause = NULL;
    *clauses = 0;
    if (!x->lcg) /* the edges and the horizon say it all */
        return x->p->tasks == x->p->in->tasks;
    return br_lcg_trim(x->lcg, x->proven, arena, clause, clauses);
}
