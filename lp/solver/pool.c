/* A growing array with a hash table over it. */
#include "lp/solver/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

void lp_pool_init(struct lp_pool *pool, const struct lp_problem *problem)
{
    *pool = (struct lp_pool){.problem = problem};
}

void lp_pool_finish(struct lp_pool *pool)
{
    br_arena_finish(&pool->arena);
    free(pool->pattern);
    free(pool->slot);
    *pool = (struct lp_pool){0};
}

static void place(struct lp_pattern *pattern, const struct lp_intervals *intervals)
{
    pattern->first = 0;
    pattern->last = intervals->count;
    for (uint32_t k = 0; k < pattern->members; k++) {
        uint32_t v = pattern->stage[k];
        if (intervals->first[v] > pattern->first)
            pattern->first = intervals->first[v];
        if (intervals->last[v] < pattern->last)
            pattern->last = intervals->last[v];
    }
}

void lp_pool_place(struct lp_pool *pool, const struct lp_intervals *intervals)
{
    for (uint32_t k = 0; k < pool->count; k++)
        place(&pool->pattern[k], intervals);
}

static void enter(struct lp_pool *pool, uint32_t number)
{
    uint32_t mask = 2 * pool->room - 1;
    uint32_t at = (uint32_t)pool->pattern[number].hash & mask;
    while (pool->slot[at])
        at = (at + 1) & mask;
    pool->slot[at] = number + 1;
}

static bool grow(struct lp_pool *pool)
{
    uint32_t room = pool->room ? 2 * pool->room : 256;
    struct lp_pattern *pattern = realloc(pool->pattern, room * sizeof *pattern);
    if (pattern)
        pool->pattern = pattern;
    uint32_t *slot = calloc(2 * (size_t)room, sizeof *slot);
    if (!pattern || !slot) {
        free(slot);
        return false;
    }
    free(pool->slot);
    pool->slot = slot;
    pool->room = room;
    for (uint32_t k = 0; k < pool->count; k++)
        enter(pool, k);
    return true;
}

static bool same(const struct lp_pattern *pattern, uint32_t cls, const uint32_t *tasks)
{
    bool equal = pattern->cls == cls;
    for (uint32_t k = 0; equal && k < pattern->members; k++)
        equal = tasks[pattern->stage[k]] == pattern->tasks[k];
    return equal;
}

uint32_t lp_pool_add(struct lp_pool *pool, uint32_t cls, const uint32_t *tasks,
                     const struct lp_intervals *intervals)
{
    uint32_t members = 0;
    struct br_rng mix = br_rng_seed(cls);
    for (uint32_t v = 0; v < pool->problem->count; v++)
        if (tasks[v] > 0) {
            members++;
            mix.state ^= (uint64_t)v << 32 | tasks[v];
            mix.state = br_rng_next(&mix);
        }
    uint64_t hash = mix.state;
    if (pool->count == pool->room && !grow(pool))
        return UINT32_MAX;
    uint32_t mask = 2 * pool->room - 1;
    for (uint32_t at = (uint32_t)hash & mask; pool->slot[at]; at = (at + 1) & mask) {
        const struct lp_pattern *pattern = &pool->pattern[pool->slot[at] - 1];
        if (pattern->hash == hash && pattern->members == members && same(pattern, cls, tasks))
            return pool->slot[at] - 1;
    }
    struct lp_pattern *pattern = &pool->pattern[pool->count];
    *pattern = (struct lp_pattern){.cls = cls, .members = 0, .hash = hash};
    pattern->stage = br_arena_array(&pool->arena, members, sizeof *pattern->stage);
    pattern->tasks = br_arena_array(&pool->arena, members, sizeof *pattern->tasks);
    if (!pattern->stage || !pattern->tasks)
        return UINT32_MAX;
    for (uint32_t v = 0; v < pool->problem->count; v++)
        if (tasks[v] > 0) {
            pattern->stage[pattern->members] = v;
            pattern->tasks[pattern->members++] = tasks[v];
        }
    place(pattern, intervals);
    enter(pool, pool->count);
    return pool->count++;
}
