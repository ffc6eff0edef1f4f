/* Ninja counts commands, and a command has one pool. So commands that take much share one pool,
 * ours. Its depth is what the machine allows when the largest other commands take all other places.
 * A pool of the build itself keeps its commands, or all of them move into ours, which is then no
 * deeper than that pool was. Commands of the pool "console" stay there. */
#include "emit/engines/ninja/pool.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BORDERS = 500 }; /* borders to try at most, besides 0 */

struct choice {
    int64_t light_bytes; /* commands that take more than this, or several cores, are in our pool */
    uint32_t jobs, depth;
    double lasts; /* lower bounds on any schedule: work by place, in our pool and in all */
};

/* ---- The build's own pools ---- */

static uint32_t depth_of(const char *head, const char *name)
{
    char line[300];
    uint32_t depth = 0;
    if (strcmp(name, "console") == 0)
        return 1;
    snprintf(line, sizeof line, "pool %.250s\n", name);
    const char *at = head ? strstr(head, line) : NULL;
    if (at && sscanf(at + strlen(line), " depth = %" SCNu32, &depth) != 1)
        depth = 0;
    return depth;
}

static enum br_status add_own(struct br_ninja_pooling *to, uint32_t stage, const char *name,
                              const char *head, struct br_diag *diag)
{
    uint32_t p = 0, depth;
    while (p < to->owns && strcmp(to->own[p].name, name) != 0)
        p++;
    if (p == to->owns) {
        depth = depth_of(head, name);
        if (depth == 0)
            return BR_OK; /* a pool without a limit does not count */
        struct br_ninja_own_pool *more = realloc(to->own, (to->owns + 1) * sizeof *more);
        if (!more)
            return br_fail_memory(diag);
        to->own = more;
        to->own[p] = (struct br_ninja_own_pool){.name = strdup(name), .depth = depth};
        if (!to->own[p].name)
            return br_fail_memory(diag);
        to->owns++;
    }
    assert(p < to->owns);
    to->own_of[stage] = p;
    return BR_OK;
}

/* ---- Choosing ---- */

static bool is_heavy(const struct br_engine_need *need, int64_t light_bytes)
{
    return need->mem_bytes > light_bytes || need->cpus > 1;
}

/* The most that `jobs` commands take: from every group as many as it lets run, the largest
 * first. */
struct group {
    int64_t amount;
    uint32_t most;
};

static int by_amount(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    return x->amount > y->amount ? -1 : x->amount < y->amount;
}

static int64_t worst(struct group *group, uint32_t groups, uint32_t jobs)
{
    int64_t sum = 0;
    qsort(group, groups, sizeof *group, by_amount);
    for (uint32_t g = 0; g < groups && jobs; g++) {
        uint32_t n = group[g].most < jobs ? group[g].most : jobs;
        int64_t more;
        if (__builtin_mul_overflow(group[g].amount, (int64_t)n, &more) ||
            __builtin_add_overflow(sum, more, &sum))
            return INT64_MAX;
        jobs -= n;
    }
    return sum;
}

/* The largest needs in our pool and outside of all pools. */
struct sides {
    struct br_engine_need ours, free;
    bool any;         /* is anything in ours? */
    uint32_t depth;   /* the most commands in our pool, by the pools that came into it */
    double work, all; /* the most commands in our pool, and altogether */
};

static void widen(struct br_engine_need *most, const struct br_engine_need *need)
{
    most->mem_bytes = need->mem_bytes > most->mem_bytes ? need->mem_bytes : most->mem_bytes;
    most->cpus = need->cpus > most->cpus ? need->cpus : most->cpus;
}

static double work_of(const struct br_dag *dag, uint32_t s)
{
    double sum = 0;
    for (uint32_t i = 0; i < dag->stage[s].tasks; i++)
        sum += (double)dag->duration_ns[dag->stage[s].first_task + i];
    return sum;
}

static struct sides divide(struct br_ninja_pooling *to, const struct br_engine *engine,
                           int64_t light_bytes)
{
    const struct br_dag *dag = engine->dag;
    struct sides sides = {.depth = UINT32_MAX};
    for (uint32_t p = 0; p < to->owns; p++) {
        const struct br_ninja_own_pool *own = &to->own[p];
        const struct br_engine_need need = {own->cpus, own->mem_bytes};
        to->own[p].merged = strcmp(own->name, "console") != 0 && is_heavy(&need, light_bytes);
        if (own->merged && own->depth < sides.depth)
            sides.depth = own->depth;
    }
    for (uint32_t s = 0; s < dag->stages; s++) {
        uint32_t p = to->own_of[s];
        assert(p == UINT32_MAX || p < to->owns);
        to->in[s] = p == UINT32_MAX ? is_heavy(&engine->need[s], light_bytes) : to->own[p].merged;
        sides.all += work_of(dag, s);
        sides.any |= to->in[s];
        if (to->in[s]) {
            widen(&sides.ours, &engine->need[s]);
            sides.work += work_of(dag, s);
        } else if (p == UINT32_MAX) {
            widen(&sides.free, &engine->need[s]);
        }
    }
    return sides;
}

static bool ninja_pool_fits(const struct br_ninja_pooling *to, const struct br_engine *engine,
                            const struct sides *sides, uint32_t jobs, uint32_t depth,
                            struct group *group)
{
    for (int what = 0; what < 2; what++) {
        bool mem = what == 0;
        int64_t limit = mem ? engine->mem_bytes : (int64_t)engine->cpus;
        uint32_t groups = 0;
        if (limit == 0)
            continue; /* unknown */
        group[groups++] =
            (struct group){mem ? sides->ours.mem_bytes : (int64_t)sides->ours.cpus, depth};
        group[groups++] =
            (struct group){mem ? sides->free.mem_bytes : (int64_t)sides->free.cpus, jobs};
        for (uint32_t p = 0; p < to->owns; p++)
            if (!to->own[p].merged)
                group[groups++] = (struct group){
                    mem ? to->own[p].mem_bytes : (int64_t)to->own[p].cpus, to->own[p].depth};
        if (worst(group, groups, jobs) > limit)
            return false;
    }
    return true;
}

/* The largest depth of our pool with this border; 0 if none is possible. */
static uint32_t deepest(const struct br_ninja_pooling *to, const struct br_engine *engine,
                        const struct sides *sides, uint32_t jobs, struct group *group)
{
    uint32_t low = 0, high = sides->depth < jobs ? sides->depth : jobs;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (ninja_pool_fits(to, engine, sides, jobs, middle, group))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void try_border(struct br_ninja_pooling *to, const struct br_engine *engine,
                       int64_t light_bytes, struct choice *best, struct group *group)
{
    struct sides sides = divide(to, engine, light_bytes);
    for (uint32_t jobs = to->jobs; jobs; jobs--) {
        uint32_t depth = sides.any ? deepest(to, engine, &sides, jobs, group) : 0;
        if (sides.any ? !depth : !ninja_pool_fits(to, engine, &sides, jobs, 0, group))
            continue;
        double lasts = sides.all / jobs;
        if (depth && sides.work / depth > lasts)
            lasts = sides.work / depth;
        assert(depth <= jobs && sides.work <= sides.all);
        if (!best->jobs || lasts < best->lasts)
            *best = (struct choice){light_bytes, jobs, depth, lasts};
        if (depth == sides.depth || depth == jobs || !depth)
            break; /* with fewer jobs it is only worse */
    }
}

static int by_bytes(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static enum br_status choose(struct br_ninja_pooling *to, const struct br_engine *engine,
                             struct br_diag *diag)
{
    uint32_t stages = engine->dag->stages;
    struct choice best = {0};
    int64_t *bytes = calloc((size_t)stages + 1, sizeof *bytes);
    struct group *group = calloc((size_t)to->owns + 2, sizeof *group);
    if (bytes && group) {
        for (uint32_t s = 0; s < stages; s++)
            bytes[s] = engine->need[s].mem_bytes;
        qsort(bytes, (size_t)stages + 1, sizeof *bytes, by_bytes);
        uint32_t borders = 1; /* the first is 0 */
        for (uint32_t k = 1; k <= stages; k++)
            if (bytes[k] != bytes[borders - 1])
                bytes[borders++] = bytes[k];
        assert(borders <= stages + 1);
        uint32_t step = borders / BORDERS + 1;
        for (uint32_t k = (borders - 1) / step * step;; k -= step) {
            try_border(to, engine, bytes[k], &best, group);
            if (k == 0)
                break;
        }
        if (!best.jobs) /* one after another always fits, or nothing does */
            best = (struct choice){.light_bytes = INT64_MAX, .jobs = 1};
        assert(best.depth <= best.jobs);
        to->jobs = best.jobs;
        divide(to, engine, best.light_bytes);
        to->depth = best.depth;
    }
    bool good = bytes && group;
    free(bytes);
    free(group);
    return good ? BR_OK : br_fail_memory(diag);
}

enum br_status br_ninja_pooling_init(struct br_ninja_pooling *pooling,
                                     const struct br_engine *engine,
                                     const char *(*pool_of)(void *context, uint32_t stage),
                                     void *context, const char *head, struct br_diag *diag)
{
    uint32_t stages = engine->dag->stages;
    enum br_status status = BR_OK;
    *pooling =
        (struct br_ninja_pooling){.jobs = engine->cpus ? engine->cpus : engine->most_at_once};
    pooling->in = calloc((size_t)stages + 1, sizeof *pooling->in);
    pooling->own_of = calloc((size_t)stages + 1, sizeof *pooling->own_of);
    if (!pooling->in || !pooling->own_of)
        return br_fail_memory(diag); /* the caller finishes it */
    for (uint32_t s = 0; s < stages && !status; s++) {
        const char *name = pool_of(context, s);
        pooling->own_of[s] = UINT32_MAX;
        if (name)
            status = add_own(pooling, s, name, head, diag);
    }
    for (uint32_t s = 0; s < stages && !status; s++) {
        uint32_t p = pooling->own_of[s];
        if (p == UINT32_MAX)
            continue;
        struct br_engine_need most = {pooling->own[p].cpus, pooling->own[p].mem_bytes};
        widen(&most, &engine->need[s]);
        pooling->own[p].cpus = most.cpus;
        pooling->own[p].mem_bytes = most.mem_bytes;
    }
    return status ? status : choose(pooling, engine, diag);
}

void br_ninja_pooling_finish(struct br_ninja_pooling *pooling)
{
    for (uint32_t p = 0; p < pooling->owns; p++)
        free(pooling->own[p].name);
    free(pooling->own);
    free(pooling->in);
    free(pooling->own_of);
    *pooling = (struct br_ninja_pooling){0};
}
