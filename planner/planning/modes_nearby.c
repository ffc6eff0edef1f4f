#include "planner/planning/modes_nearby.h"

#include "base/collections/index.h"
#include "base/collections/memory.h"

/* The first window and the first share of free ways, their least ones, and how they change. */
static const double first_window = 0.3, first_free = 0.2, least_window = 0.05, least_free = 0.02;
static const double grows = 1.05, shrinks = 0.93;
/* All start within this part of the makespan of where they do, if ways are free by chance. */
enum { NEAR = 8 };

bool br_nearby_init(struct br_nearby *n, uint32_t tasks)
{
    *n = (struct br_nearby){.tasks = tasks,
                            .way = br_calloc((size_t)tasks + 1, sizeof *n->way),
                            .from = br_calloc((size_t)tasks + 1, sizeof *n->from),
                            .to = br_calloc((size_t)tasks + 1, sizeof *n->to),
                            .rng = br_rng_seed(br_hash_number(1)),
                            .window = first_window,
                            .free = first_free};
    return n->way && n->from && n->to;
}

void br_nearby_finish(struct br_nearby *n)
{
    br_free(n->way);
    br_free(n->from);
    br_free(n->to);
}

/* Tasks that run at no time within the window keep their ways and starts. */
static void draw_window(struct br_nearby *n, int64_t makespan, const int64_t *start,
                        const int64_t *end)
{
    const int64_t width = (int64_t)(n->window * (double)makespan) + 1;
    const int64_t from =
        (int64_t)br_rng_below(&n->rng, (uint64_t)(makespan + width)) - 3 * width / 4;
    for (uint32_t t = 0; t < n->tasks; t++) {
        const bool behind = start[t] >= from + width;
        n->way[t] = end[t] <= from || behind;
        n->from[t] = n->way[t] ? start[t] - behind : 0;
        n->to[t] = n->way[t] ? start[t] - behind : makespan;
    }
}

static void draw_ways(struct br_nearby *n, int64_t makespan, const int64_t *start)
{
    const int64_t near = makespan / NEAR + 1;
    for (uint32_t t = 0; t < n->tasks; t++) {
        n->way[t] = br_rng_unit(&n->rng) >= n->free;
        n->from[t] = start[t] > near ? start[t] - near : 0;
        n->to[t] = start[t] + near;
    }
}

void br_nearby_draw(struct br_nearby *n, int64_t makespan, const int64_t *start, const int64_t *end)
{
    n->by_time = !n->by_time;
    if (n->by_time)
        draw_window(n, makespan, start, end);
    else
        draw_ways(n, makespan, start);
}

void br_nearby_adapt(struct br_nearby *n, enum br_exact_result result)
{
    double *share = n->by_time ? &n->window : &n->free;
    const double least = n->by_time ? least_window : least_free;
    *share *= result == BR_EXACT_NONE ? grows : result == BR_EXACT_OPEN ? shrinks : 1;
    *share = *share < least ? least : *share > 1 ? 1 : *share;
}
