/* A growing array with an index over it. */
#include "lp/solver/patterns.h"

#include <assert.h>
#include <stdlib.h>

#include "base/collections/grow.h"
#include "base/numbers/rng.h"

void lp_patterns_init(struct lp_patterns *patterns, const struct lp_problem *problem)
{
    *patterns = (struct lp_patterns){.problem = problem};
}

void lp_patterns_finish(struct lp_patterns *patterns)
{
    br_arena_finish(&patterns->arena);
    free(patterns->pattern);
    br_index_finish(&patterns->by_tasks);
    *patterns = (struct lp_patterns){0};
}

static void patterns_place(struct lp_pattern *pattern, const struct lp_intervals *intervals)
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

void lp_patterns_place(struct lp_patterns *patterns, const struct lp_intervals *intervals)
{
    for (uint32_t k = 0; k < patterns->count; k++)
        patterns_place(&patterns->pattern[k], intervals);
}

static uint64_t hash_pattern(const void *patterns, uint32_t number)
{
    return ((const struct lp_patterns *)patterns)->pattern[number].hash;
}

/* The tasks of a set by stage, as lp_patterns_add has them. */
struct wanted {
    uint32_t cls, members;
    const uint32_t *tasks;
};

static bool is_pattern(const void *patterns, uint32_t number, const void *key)
{
    const struct lp_pattern *pattern = &((const struct lp_patterns *)patterns)->pattern[number];
    const struct wanted *wanted = key;
    bool equal = pattern->cls == wanted->cls && pattern->members == wanted->members;
    for (uint32_t k = 0; equal && k < pattern->members; k++)
        equal = wanted->tasks[pattern->stage[k]] == pattern->tasks[k];
    return equal;
}

static const struct br_index_keys pattern_keys = {hash_pattern, is_pattern};

uint32_t lp_patterns_add(struct lp_patterns *patterns, uint32_t cls, const uint32_t *tasks,
                         const struct lp_intervals *intervals)
{
    uint32_t members = 0;
    struct br_rng mix = br_rng_seed(cls);
    for (uint32_t v = 0; v < patterns->problem->count; v++)
        if (tasks[v] > 0) {
            members++;
            mix.state ^= (uint64_t)v << 32 | tasks[v];
            mix.state = br_rng_next(&mix);
        }
    const struct wanted wanted = {cls, members, tasks};
    uint64_t hash = mix.state;
    uint32_t known = br_index_find(&patterns->by_tasks, &pattern_keys, patterns, &wanted, hash);
    if (known != UINT32_MAX)
        return known;
    if (!br_grow(&patterns->pattern, patterns->count, &patterns->room, sizeof *patterns->pattern))
        return UINT32_MAX;
    struct lp_pattern *pattern = &patterns->pattern[patterns->count];
    *pattern = (struct lp_pattern){.cls = cls, .members = 0, .hash = hash};
    pattern->stage = br_arena_array(&patterns->arena, members, sizeof *pattern->stage);
    pattern->tasks = br_arena_array(&patterns->arena, members, sizeof *pattern->tasks);
    if (!pattern->stage || !pattern->tasks)
        return UINT32_MAX;
    for (uint32_t v = 0; v < patterns->problem->count; v++)
        if (tasks[v] > 0) {
            pattern->stage[pattern->members] = v;
            pattern->tasks[pattern->members++] = tasks[v];
        }
    assert(pattern->members == members);
    patterns_place(pattern, intervals);
    if (!br_index_add(&patterns->by_tasks, &pattern_keys, patterns, patterns->count))
        return UINT32_MAX;
    return patterns->count++;
}
