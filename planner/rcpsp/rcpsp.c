/* Workspaces, the direction of time, and justification, over the kernels. A kernel knows one
 * direction: backward generation is forward generation on the reversed job, and its times count
 * from the end. [Valls05] */
#include "planner/rcpsp/model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 10, DIGITS = 1 << DIGIT_BITS };

struct br_pool *br_pool_create(const struct br_pool_model *m)
{
    struct br_pool *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    size_t n = m->tasks, nodes = m->side[BR_FORWARD].nodes, points = 2 * n + 1;
    if (m->side[BR_BACKWARD].nodes > nodes)
        nodes = m->side[BR_BACKWARD].nodes;
    p->model = m;
    p->end = calloc(nodes, sizeof *p->end);
    p->waiting = malloc(nodes * sizeof *p->waiting);
    p->place = malloc(n * sizeof *p->place);
    p->ready = malloc((n + 63) / 64 * sizeof *p->ready);
    p->free = malloc(((size_t)m->words + 1) * sizeof *p->free);
    p->running = malloc(n * sizeof *p->running);
    p->other = malloc(n * sizeof *p->other);
    p->count = malloc((DIGITS + 1) * sizeof *p->count);
    p->key = malloc(n * sizeof *p->key);
    bool ok = p->end && p->waiting && p->place && p->ready && p->free && p->running && p->other &&
              p->count && p->key;
    if (m->profile == BR_POOL_SLICES) {
        size_t cells = (size_t)m->planes * m->groups, words = (size_t)m->horizon / 32 + 1;
        p->slice = aligned_alloc(sizeof *p->slice, words * cells * sizeof *p->slice);
        ok = ok && p->slice;
    } else {
        struct br_pool_events *e = &p->events;
        e->time = malloc(points * sizeof *e->time);
        e->free = malloc((points * m->words + 1) * sizeof *e->free);
        e->next = malloc(points * sizeof *e->next);
        e->point = calloc(nodes, sizeof *e->point);
        ok = ok && e->time && e->free && e->next && e->point;
    }
    if (ok)
        return p;
    br_pool_destroy(p);
    return NULL;
}

void br_pool_destroy(struct br_pool *p)
{
    if (!p)
        return;
    free(p->end);
    free(p->slice);
    free(p->events.time);
    free(p->events.free);
    free(p->events.next);
    free(p->events.point);
    free(p->waiting);
    free(p->place);
    free(p->ready);
    free(p->free);
    free(p->running);
    free(p->other);
    free(p->count);
    free(p->key);
    free(p);
}

/* From ends in the direction's time to starts from 0. */
static void take_starts(const struct br_pool *pool, enum br_direction direction, int64_t makespan,
                        int64_t *start)
{
    const struct br_pool_model *m = pool->model;
    if (direction == BR_FORWARD)
        for (uint32_t t = 0; t < m->tasks; t++)
            start[t] = pool->end[t] - m->in->duration[t];
    else
        for (uint32_t t = 0; t < m->tasks; t++)
            start[t] = makespan - pool->end[t];
}

static int64_t serial(struct br_pool *pool, enum br_direction direction, const uint32_t *list,
                      int64_t limit)
{
    int step = 1;
    if (direction == BR_BACKWARD) {
        list += pool->model->tasks - 1;
        step = -1;
    }
    if (pool->model->profile == BR_POOL_SLICES)
        return br_pool_run_slices(pool, direction, list, step, limit);
    return br_pool_run_events(pool, direction, list, step, limit);
}

int64_t br_pool_serial(struct br_pool *pool, enum br_direction direction, const uint32_t *list,
                       int64_t limit, int64_t *start)
{
    int64_t makespan = serial(pool, direction, list, limit);
    if (makespan != BR_POOL_CUT)
        take_starts(pool, direction, makespan, start);
    return makespan;
}

int64_t br_pool_parallel(struct br_pool *pool, enum br_direction direction,
                         const uint32_t *priority, int64_t limit, int64_t *start)
{
    int64_t makespan = br_pool_run_parallel(pool, direction, priority, limit);
    if (makespan != BR_POOL_CUT)
        take_starts(pool, direction, makespan, start);
    return makespan;
}

/* Stable, by digits from the lowest; keys are 0..most. A horizon of up to a thousand ticks, the
 * usual one, is a single digit. */
static void sort_list(struct br_pool *pool, uint32_t *list, const int64_t *key, int64_t most)
{
    uint32_t tasks = pool->model->tasks, *from = list, *to = pool->other, *count = pool->count;
    for (unsigned shift = 0; shift < 64 && (shift == 0 || most >> shift > 0); shift += DIGIT_BITS) {
        int64_t top = most >> shift;
        uint32_t digits = top < DIGITS ? (uint32_t)top + 1 : DIGITS, sum = 0;
        memset(count, 0, digits * sizeof *count);
        for (uint32_t t = 0; t < tasks; t++)
            count[key[t] >> shift & (DIGITS - 1)]++;
        for (uint32_t d = 0; d < digits; d++) {
            uint32_t here = count[d];
            count[d] = sum;
            sum += here;
        }
        for (uint32_t k = 0; k < tasks; k++)
            to[count[key[from[k]] >> shift & (DIGITS - 1)]++] = from[k];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != list)
        memcpy(list, from, tasks * sizeof *list);
}

void br_pool_sort(struct br_pool *pool, uint32_t *list, const int64_t *start)
{
    int64_t most = 0;
    for (uint32_t t = 0; t < pool->model->tasks; t++)
        most = start[t] > most ? start[t] : most;
    sort_list(pool, list, start, most);
}

/* The list read backward is by decreasing ends: sorted by ends, ties as they were. A parent ends
 * before its child does, or together with a child of duration 0, and then precedes it in the list;
 * the same holds for starts. */
int64_t br_pool_justify(struct br_pool *pool, uint32_t *list, int64_t *start)
{
    const struct br_pool_model *m = pool->model;
    int64_t most = 0;
    for (uint32_t t = 0; t < m->tasks; t++) {
        pool->key[t] = start[t] + m->in->duration[t];
        most = pool->key[t] > most ? pool->key[t] : most;
    }
    sort_list(pool, list, pool->key, most);
    int64_t makespan = serial(pool, BR_BACKWARD, list, BR_POOL_NO_LIMIT);
    assert(makespan <= most);
    take_starts(pool, BR_BACKWARD, makespan, start);
    sort_list(pool, list, start, makespan);
    makespan = serial(pool, BR_FORWARD, list, BR_POOL_NO_LIMIT);
    take_starts(pool, BR_FORWARD, makespan, start);
    sort_list(pool, list, start, makespan);
    return makespan;
}
