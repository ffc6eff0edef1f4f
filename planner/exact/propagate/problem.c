/* Makes the problem of an instance: arcs between tasks, earliest and latest starts, lanes. */
#include "planner/exact/propagate/problem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY(arena, count, pointer) ((pointer) = br_arena_array(arena, count, sizeof *(pointer)))

enum { HORIZON_MAX = 1 << 22, ARCS_MAX = 1000000, PROFILE_CELLS_MAX = 1 << 24 };

struct builder {
    struct br_lcg_problem *p;
    const struct br_instance *in;
    uint32_t *resource; /* of the instance, by resource of the problem */
    int64_t *unit;
};

/* Goes through the tasks ahead of the given one: counts the arcs, and writes them where `write`. */
static void link_parents(struct builder *b, uint32_t task, bool write)
{
    const struct br_instance *in = b->in;
    uint32_t stage = in->task_stage[task];
    for (uint32_t a = in->parent_first[stage]; a < in->parent_first[stage + 1]; a++) {
        uint32_t other = in->parent[a].stage, t = in->stage_first[other],
                 end = in->stage_first[other + 1];
        if (in->parent[a].one_to_one) {
            t += task - in->stage_first[stage];
            end = t + 1;
        }
        for (; t < end && b->p->arcs <= ARCS_MAX; t++) {
            if (write)
                b->p->arc[b->p->arcs] =
                    (struct br_lcg_problem_arc){t, task, (int32_t)in->duration[t]};
            b->p->arcs++;
        }
    }
}

/* Durations, and starts as far as the horizon limits them; counts the arcs. False where the numbers
 * are too large. */
static bool set_times(struct builder *b, int64_t upper)
{
    struct br_lcg_problem *p = b->p;
    for (uint32_t t = 0; t < p->tasks; t++)
        link_parents(b, t, false);
    if (upper > HORIZON_MAX || p->arcs > ARCS_MAX)
        return false;
    p->horizon = (int32_t)upper;
    for (uint32_t t = 0; t < p->tasks; t++) {
        if (b->in->duration[t] > HORIZON_MAX)
            return false;
        p->duration[t] = (int32_t)b->in->duration[t];
        p->latest[t] = p->duration[t] > p->horizon ? -1 : p->horizon - p->duration[t];
    }
    return true;
}

/* Tightens earliest and latest starts along the arcs until nothing moves: few rounds, since stages
 * are numbered as they were added, mostly parents first. */
static void tighten(struct br_lcg_problem *p)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t a = 0; a < p->arcs; a++) {
            const struct br_lcg_problem_arc *arc = &p->arc[a];
            int32_t from = p->earliest[arc->from] + arc->lag;
            if (from > p->horizon + 1) /* none left, and sums along a path stay small */
                from = p->horizon + 1;
            if (p->earliest[arc->to] < from) {
                p->earliest[arc->to] = from;
                moved = true;
            }
        }
        for (uint32_t a = p->arcs; a-- > 0;) {
            const struct br_lcg_problem_arc *arc = &p->arc[a];
            int32_t latest = p->latest[arc->to] - arc->lag;
            if (latest < -1)
                latest = -1;
            if (p->latest[arc->from] > latest) {
                p->latest[arc->from] = latest;
                moved = true;
            }
        }
    }
}

/* Resources that can run short, in units of the greatest common divisor of the demands. */
static void choose_resources(struct builder *b)
{
    for (uint32_t r = 0; r < b->in->resources; r++) {
        int64_t unit = br_instance_scarce_unit(b->in, r);
        if (unit == 0)
            continue;
        b->resource[b->p->resources] = r;
        b->unit[b->p->resources++] = unit;
    }
}

static bool take_demands(struct builder *b)
{
    struct br_lcg_problem *p = b->p;
    const struct br_instance *in = b->in;
    bool ok = ARRAY(&p->arena, (size_t)p->tasks * p->resources, p->demand) &&
              ARRAY(&p->arena, p->resources, p->capacity) && ARRAY(&p->arena, p->tasks, p->holding);
    for (uint32_t r = 0; ok && r < p->resources; r++) {
        assert(b->unit[r] > 0); /* the resource can run short, so some demand is not 0 */
        p->capacity[r] = in->capacity[b->resource[r]] / b->unit[r];
    }
    for (uint32_t k = 0; ok && k < p->tasks; k++) {
        const int64_t *demand = in->demand + (size_t)in->task_stage[k] * in->resources;
        bool holds = false;
        for (uint32_t r = 0; r < p->resources && p->duration[k] > 0; r++) {
            p->demand[(size_t)k * p->resources + r] = demand[b->resource[r]] / b->unit[r];
            holds |= demand[b->resource[r]] > 0;
        }
        if (holds)
            p->holding[p->holdings++] = k;
    }
    return ok;
}

static bool pack_lanes(struct br_lcg_problem *p)
{
    uint32_t *word = calloc((size_t)p->resources + 1, sizeof *word);
    uint32_t *shift = calloc((size_t)p->resources + 1, sizeof *shift);
    uint32_t used = 64;
    bool ok = word && shift && ARRAY(&p->arena, p->resources, p->guard);
    for (uint32_t r = 0; ok && r < p->resources; r++) {
        uint32_t bits = 1;
        while (p->capacity[r] >> bits)
            bits++;
        if (used + bits + 1 > 64) {
            p->words++;
            used = 0;
        }
        word[r] = p->words - 1;
        shift[r] = used;
        used += bits + 1;
        p->guard[word[r]] |= UINT64_C(1) << (used - 1);
    }
    ok = ok && (size_t)p->horizon * p->words <= PROFILE_CELLS_MAX &&
         ARRAY(&p->arena, (size_t)p->tasks * p->words, p->lane) &&
         ARRAY(&p->arena, (size_t)p->horizon * p->words, p->free);
    for (uint32_t k = 0; ok && k < p->tasks; k++)
        for (uint32_t r = 0; r < p->resources; r++)
            p->lane[(size_t)k * p->words + word[r]] |= (uint64_t)br_lcg_demand(p, k, r) << shift[r];
    for (int32_t at = 0; ok && at < p->horizon; at++) {
        uint64_t *free_words = p->free + (size_t)at * p->words;
        for (uint32_t w = 0; w < p->words; w++)
            free_words[w] = p->guard[w];
        for (uint32_t r = 0; r < p->resources; r++)
            free_words[word[r]] |= (uint64_t)p->capacity[r] << shift[r];
    }
    free(word);
    free(shift);
    return ok;
}

static bool build(struct builder *b, int64_t upper)
{
    struct br_lcg_problem *p = b->p;
    if (!ARRAY(&p->arena, p->tasks, p->duration) || !ARRAY(&p->arena, p->tasks, p->earliest) ||
        !ARRAY(&p->arena, p->tasks, p->latest) || !set_times(b, upper) ||
        !ARRAY(&p->arena, p->arcs, p->arc))
        return false;
    p->arcs = 0;
    for (uint32_t t = 0; t < p->tasks; t++)
        link_parents(b, t, true);
    tighten(p);
    choose_resources(b);
    return (int64_t)p->horizon * p->resources <= PROFILE_CELLS_MAX && take_demands(b) &&
           pack_lanes(p);
}

struct br_lcg_problem *br_lcg_problem_create(const struct br_instance *in, int64_t upper)
{
    if (in->machines != 1 || in->tasks == 0 || upper < 0)
        return NULL;
    struct br_lcg_problem *p = calloc(1, sizeof *p);
    struct builder b = {.p = p, .in = in};
    b.resource = calloc((size_t)in->resources + 1, sizeof *b.resource);
    b.unit = calloc((size_t)in->resources + 1, sizeof *b.unit);
    bool ok = p && b.resource && b.unit;
    if (ok) {
        p->tasks = in->tasks;
        ok = build(&b, upper);
    }
    free(b.resource);
    free(b.unit);
    if (ok)
        return p;
    br_lcg_problem_destroy(p);
    return NULL;
}

void br_lcg_problem_destroy(struct br_lcg_problem *p)
{
    if (p)
        br_arena_finish(&p->arena);
    free(p);
}
