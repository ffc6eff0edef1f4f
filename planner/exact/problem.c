/* Cuts the problem out of an instance: arcs between tasks, windows of starts, lanes, and what the
 * tasks outside hold. */
#include "planner/exact/problem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"

#define ARRAY(arena, count, pointer) ((pointer) = br_arena_array(arena, count, sizeof *(pointer)))
#define OUTSIDE UINT32_MAX

enum { HORIZON_MAX = 1 << 22, ARCS_MAX = 1000000, PROFILE_CELLS_MAX = 1 << 24 };

struct builder {
    struct br_exact_problem *p;
    const struct br_instance *in;
    const struct br_exact_window *window;
    uint32_t *number;   /* by task of the instance: in the problem, or OUTSIDE */
    int64_t *from, *to; /* by task of the problem: where it may start and must have ended */
    uint32_t *resource; /* of the instance, by resource of the problem */
    int64_t *unit;
};

static uint32_t task_of(const struct builder *b, uint32_t k)
{
    return b->window ? b->window->task[k] : k;
}

/* Goes through the tasks ahead of task k of the problem: those inside become arcs, counted always
 * and written where `write`; those outside bound its start. */
static void link_parents(struct builder *b, uint32_t k, bool write)
{
    const struct br_instance *in = b->in;
    uint32_t task = task_of(b, k), stage = in->task_stage[task];
    for (uint32_t a = in->parent_first[stage]; a < in->parent_first[stage + 1]; a++) {
        uint32_t other = in->parent[a].stage, t = in->stage_first[other],
                 end = in->stage_first[other + 1];
        if (in->parent[a].one_to_one) {
            t += task - in->stage_first[stage];
            end = t + 1;
        }
        for (; t < end && b->p->arcs <= ARCS_MAX; t++) {
            if (b->number[t] == OUTSIDE) {
                assert(b->window); /* without one all tasks are inside */
                if (b->window->start[t] + in->duration[t] > b->from[k])
                    b->from[k] = b->window->start[t] + in->duration[t];
                continue;
            }
            if (write)
                b->p->arc[b->p->arcs] =
                    (struct br_exact_arc){b->number[t], k, (int32_t)in->duration[t]};
            b->p->arcs++;
        }
    }
}

/* Tasks outside that wait for task k of the problem bound its end. */
static void heed_children(struct builder *b, uint32_t k)
{
    const struct br_instance *in = b->in;
    uint32_t task = task_of(b, k), stage = in->task_stage[task];
    for (uint32_t a = in->child_first[stage]; a < in->child_first[stage + 1]; a++) {
        uint32_t other = in->child[a].stage, t = in->stage_first[other],
                 end = in->stage_first[other + 1];
        if (in->child[a].one_to_one) {
            t += task - in->stage_first[stage];
            end = t + 1;
        }
        for (; t < end; t++)
            if (b->number[t] == OUTSIDE && b->window->start[t] < b->to[k])
                b->to[k] = b->window->start[t];
    }
}

/* Finds what may start and must end when, from outside, and counts the arcs inside. The origin is
 * the earliest start. False where the numbers are too large. */
static bool place_window(struct builder *b, int64_t upper)
{
    struct br_exact_problem *p = b->p;
    const struct br_exact_window *w = b->window;
    p->origin = upper;
    for (uint32_t k = 0; k < p->tasks; k++) {
        uint32_t t = task_of(b, k);
        int64_t tail = w && w->tail ? w->tail[t] : 0;
        b->from[k] = w && w->release ? w->release[t] : 0;
        b->to[k] = upper - tail;
        if (w && w->deadline && w->deadline[t] < b->to[k])
            b->to[k] = w->deadline[t];
        link_parents(b, k, false);
        if (w)
            heed_children(b, k);
        if (b->from[k] < p->origin)
            p->origin = b->from[k];
    }
    if (upper - p->origin > HORIZON_MAX || p->arcs > ARCS_MAX)
        return false;
    p->horizon = (int32_t)(upper - p->origin);
    for (uint32_t k = 0; k < p->tasks; k++) {
        uint32_t t = task_of(b, k);
        int64_t tail = w && w->tail ? w->tail[t] : 0, start = b->to[k] - b->in->duration[t];
        if (b->in->duration[t] > HORIZON_MAX || tail > HORIZON_MAX || tail < 0)
            return false;
        p->duration[k] = (int32_t)b->in->duration[t];
        p->tail[k] = (int32_t)tail;
        p->earliest[k] = (int32_t)(b->from[k] - p->origin);
        p->latest[k] = start < p->origin ? -1 : (int32_t)(start - p->origin);
    }
    return true;
}

/* Tightens the windows along the arcs until nothing moves: few rounds, since stages are numbered
 * as they were added, mostly parents first. */
static void tighten(struct br_exact_problem *p)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t a = 0; a < p->arcs; a++) {
            const struct br_exact_arc *arc = &p->arc[a];
            int32_t from = p->earliest[arc->from] + arc->lag;
            if (from > p->horizon + 1) /* none left, and sums along a path stay small */
                from = p->horizon + 1;
            if (p->earliest[arc->to] < from) {
                p->earliest[arc->to] = from;
                moved = true;
            }
        }
        for (uint32_t a = p->arcs; a-- > 0;) {
            const struct br_exact_arc *arc = &p->arc[a];
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

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t c = a % b;
        a = b;
        b = c;
    }
    return a;
}

/* Resources that can run short in the time of the problem, in units of the greatest common divisor
 * of the demands. What tasks outside hold counts, too. */
static void choose_resources(struct builder *b)
{
    const struct br_instance *in = b->in;
    for (uint32_t r = 0; r < in->resources; r++) {
        int64_t unit = 0;
        br_wide sum = 0;
        bool inside = false;
        for (uint32_t t = 0; t < in->tasks; t++) {
            int64_t demand = in->demand[(size_t)in->task_stage[t] * in->resources + r];
            if (in->duration[t] == 0 || demand == 0)
                continue;
            unit = gcd(demand, unit);
            sum += demand;
            inside |= b->number[t] != OUTSIDE;
        }
        if (!inside || sum <= in->capacity[r])
            continue;
        b->resource[b->p->resources] = r;
        b->unit[b->p->resources++] = unit;
    }
}

static bool take_demands(struct builder *b)
{
    struct br_exact_problem *p = b->p;
    const struct br_instance *in = b->in;
    bool ok = ARRAY(&p->arena, (size_t)p->tasks * p->resources, p->demand) &&
              ARRAY(&p->arena, p->resources, p->capacity) && ARRAY(&p->arena, p->tasks, p->holding);
    for (uint32_t r = 0; ok && r < p->resources; r++)
        p->capacity[r] = in->capacity[b->resource[r]] / b->unit[r];
    for (uint32_t k = 0; ok && k < p->tasks; k++) {
        const int64_t *demand = in->demand + (size_t)in->task_stage[task_of(b, k)] * in->resources;
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

/* What the tasks outside hold, tick by tick. */
static bool take_outside(struct builder *b)
{
    struct br_exact_problem *p = b->p;
    const struct br_instance *in = b->in;
    if (!b->window || p->tasks == in->tasks)
        return true;
    if (!ARRAY(&p->arena, (size_t)p->horizon * p->resources, p->taken))
        return false;
    for (uint32_t t = 0; t < in->tasks; t++) {
        int64_t from = b->window->start[t] - p->origin, to = from + in->duration[t];
        if (b->number[t] != OUTSIDE || to <= 0 || from >= p->horizon)
            continue;
        from = from < 0 ? 0 : from;
        to = to > p->horizon ? p->horizon : to;
        const int64_t *demand = in->demand + (size_t)in->task_stage[t] * in->resources;
        for (uint32_t r = 0; r < p->resources; r++)
            if (demand[b->resource[r]] > 0)
                for (int64_t at = from; at < to; at++)
                    p->taken[(size_t)at * p->resources + r] += demand[b->resource[r]] / b->unit[r];
    }
    return true;
}

static bool pack_lanes(struct br_exact_problem *p)
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
            p->lane[(size_t)k * p->words + word[r]] |= (uint64_t)br_exact_demand(p, k, r)
                                                       << shift[r];
    for (int32_t at = 0; ok && at < p->horizon; at++) {
        uint64_t *free_words = p->free + (size_t)at * p->words;
        for (uint32_t w = 0; w < p->words; w++)
            free_words[w] = p->guard[w];
        for (uint32_t r = 0; r < p->resources; r++) {
            int64_t taken = p->taken ? p->taken[(size_t)at * p->resources + r] : 0;
            free_words[word[r]] |= (uint64_t)(p->capacity[r] - taken) << shift[r];
        }
    }
    free(word);
    free(shift);
    return ok;
}

static bool build(struct builder *b, int64_t upper)
{
    struct br_exact_problem *p = b->p;
    const struct br_instance *in = b->in;
    for (uint32_t t = 0; t < in->tasks; t++)
        b->number[t] = b->window ? OUTSIDE : t;
    for (uint32_t k = 0; b->window && k < p->tasks; k++)
        b->number[b->window->task[k]] = k;
    if (!ARRAY(&p->arena, p->tasks, p->duration) || !ARRAY(&p->arena, p->tasks, p->earliest) ||
        !ARRAY(&p->arena, p->tasks, p->latest) || !ARRAY(&p->arena, p->tasks, p->origin_task) ||
        !ARRAY(&p->arena, p->tasks, p->tail) || !place_window(b, upper) ||
        !ARRAY(&p->arena, p->arcs, p->arc))
        return false;
    p->arcs = 0;
    for (uint32_t k = 0; k < p->tasks; k++) {
        p->origin_task[k] = task_of(b, k);
        link_parents(b, k, true);
    }
    tighten(p);
    choose_resources(b);
    return (int64_t)p->horizon * p->resources <= PROFILE_CELLS_MAX && take_demands(b) &&
           take_outside(b) && pack_lanes(p);
}

struct br_exact_problem *br_exact_problem_create(const struct br_instance *in, int64_t upper,
                                                 const struct br_exact_window *window)
{
    uint32_t tasks = window ? window->tasks : in->tasks;
    struct br_exact_problem *p = calloc(1, sizeof *p);
    struct builder b = {.p = p, .in = in, .window = window};
    b.number = malloc(((size_t)in->tasks + 1) * sizeof *b.number);
    b.from = malloc(((size_t)tasks + 1) * sizeof *b.from);
    b.to = malloc(((size_t)tasks + 1) * sizeof *b.to);
    b.resource = malloc(((size_t)in->resources + 1) * sizeof *b.resource);
    b.unit = malloc(((size_t)in->resources + 1) * sizeof *b.unit);
    bool ok = p && b.number && b.from && b.to && b.resource && b.unit && in->machines == 1 &&
              tasks > 0 && upper >= 0;
    if (ok) {
        p->tasks = tasks;
        p->in = in;
        ok = build(&b, upper);
    }
    free(b.number);
    free(b.from);
    free(b.to);
    free(b.resource);
    free(b.unit);
    if (ok)
        return p;
    br_exact_problem_destroy(p);
    return NULL;
}

void br_exact_problem_destroy(struct br_exact_problem *p)
{
    if (p)
        br_arena_finish(&p->arena);
    free(p);
}
