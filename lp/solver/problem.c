/* Windows come from the core's heads and tails, which hold for every plan; a tried makespan only
 * moves the ends of the windows. */
#include "lp/solver/problem.h"

#include <assert.h>
#include <stdlib.h>

#include "planner/bounds/closure.h"
#include "planner/bounds/energy.h"

static void solver_problem_find_ahead(struct lp_problem *p, const struct br_closure *closure)
{
    for (uint32_t u = 0; u < p->count; u++)
        for (uint32_t v = 0; v < p->count; v++)
            p->ahead[(size_t)u * p->count + v] =
                br_closure_bit(closure->before, closure->words, p->stage[v], p->stage[u]);
}

enum br_status lp_problem_init(struct lp_problem *p, const struct br_instance *in,
                               struct br_diag *diag)
{
    struct br_measures measures = {0};
    struct br_windows windows = {0};
    struct br_closure closure = {0};
    *p = (struct lp_problem){.in = in};
    bool ok = br_measures_init(&measures, in, false);
    for (uint32_t s = 0; ok && s < in->stages; s++)
        p->count += measures.work[s] > 0;
    if (ok && (p->count > LP_STAGES || in->stages > BR_CLOSURE_STAGES))
        p->count = 0;
    if (!ok || p->count == 0) {
        br_measures_finish(&measures);
        return ok ? BR_OK : br_fail_memory(diag);
    }
    struct br_arena *arena = &p->arena;
    p->stage = br_arena_array(arena, p->count, sizeof *p->stage);
    p->work = br_arena_array(arena, p->count, sizeof *p->work);
    p->head = br_arena_array(arena, p->count, sizeof *p->head);
    p->tail = br_arena_array(arena, p->count, sizeof *p->tail);
    p->tasks = br_arena_array(arena, p->count, sizeof *p->tasks);
    p->slots = br_arena_array(arena, p->count, sizeof *p->slots);
    p->ahead = br_arena_array(arena, (size_t)p->count * p->count, sizeof *p->ahead);
    ok = p->stage && p->work && p->head && p->tail && p->tasks && p->slots && p->ahead &&
         br_closure_init(&closure, in) && br_windows_init(&windows, in, BR_LENGTH_WAVES, &measures);
    for (uint32_t k = 0, v = 0; ok && k < in->stages; k++) {
        uint32_t s = in->topological[k];
        if (measures.work[s] == 0)
            continue;
        assert(v < p->count);
        p->stage[v] = s;
        p->work[v] = measures.work[s];
        p->head[v] = windows.stage_head[s];
        p->tail[v] = windows.stage_tail[s];
        p->tasks[v] = in->stage_first[s + 1] - in->stage_first[s];
        p->slots[v] = (uint32_t)br_stage_slots(in, s, p->tasks[v]);
        assert(p->tasks[v] > 0 && p->slots[v] > 0);
        v++;
    }
    if (ok) {
        solver_problem_find_ahead(p, &closure);
        p->least = br_windows_energy(&windows, in, &measures, windows.ticks, INT64_MAX, NULL);
        ok = p->least >= 0;
    }
    br_closure_finish(&closure);
    br_windows_finish(&windows);
    br_measures_finish(&measures);
    if (ok)
        return BR_OK;
    lp_problem_finish(p);
    return br_fail_memory(diag);
}

void lp_problem_finish(struct lp_problem *p)
{
    br_arena_finish(&p->arena);
    *p = (struct lp_problem){0};
}

struct br_packing lp_problem_packing(const struct lp_problem *p)
{
    return (struct br_packing){p->in, p->count, p->stage, p->ahead};
}

static int solver_problem_upwards(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t index_of(const struct lp_intervals *i, int64_t time)
{
    const int64_t *at =
        bsearch(&time, i->point, i->count + 1, sizeof *i->point, solver_problem_upwards);
    assert(at);
    return (uint32_t)(at - i->point);
}

bool lp_intervals_init(struct lp_intervals *i, const struct lp_problem *p, int64_t makespan)
{
    *i = (struct lp_intervals){0};
    i->point = malloc(2 * (size_t)p->count * sizeof *i->point);
    i->first = malloc(p->count * sizeof *i->first);
    i->last = malloc(p->count * sizeof *i->last);
    if (!i->point || !i->first || !i->last) {
        lp_intervals_finish(i);
        return false;
    }
    uint32_t points = 0;
    for (uint32_t v = 0; v < p->count; v++) {
        i->point[2 * v] = p->head[v];
        i->point[2 * v + 1] = makespan - p->tail[v];
    }
    qsort(i->point, 2 * (size_t)p->count, sizeof *i->point, solver_problem_upwards);
    for (uint32_t k = 0; k < 2 * p->count; k++)
        if (points == 0 || i->point[points - 1] != i->point[k])
            i->point[points++] = i->point[k];
    i->count = points - 1;
    for (uint32_t v = 0; v < p->count; v++) {
        i->first[v] = index_of(i, p->head[v]);
        i->last[v] = index_of(i, makespan - p->tail[v]);
        assert(i->first[v] < i->last[v]);
    }
    return true;
}

void lp_intervals_finish(struct lp_intervals *i)
{
    free(i->point);
    free(i->first);
    free(i->last);
    *i = (struct lp_intervals){0};
}
