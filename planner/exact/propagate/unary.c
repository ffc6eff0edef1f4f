/* For each time at which some task can start first, one sweep over the spans that begin there: the
 * work that a task has to do by some end grows with it, from the latest start or the begin of the
 * span on, until all of its work after that is done. So the work of all can exceed the span only
 * where that of a task is done. */
#include "planner/exact/propagate/unary.h"

#include <string.h>

#include "base/collections/csr.h"
#include "planner/exact/propagate/energy.h"

bool br_lcg_unary_init(struct br_lcg_unary *c, const struct br_lcg_problem *p,
                       struct br_lcg_trail *trail, struct br_arena *arena)
{
    *c = (struct br_lcg_unary){.trail = trail};
    if (!p->shop)
        return true;
    const size_t holds = (size_t)p->holdings * p->resources;
    if (!BR_ARRAY(arena, br_csr_room(p->resources), c->first) || !BR_ARRAY(arena, holds, c->task) ||
        !BR_ARRAY(arena, br_csr_room(p->tasks), c->resource_first) ||
        !BR_ARRAY(arena, holds, c->resource) || !BR_ARRAY(arena, p->resources, c->moved) ||
        !BR_ARRAY(arena, p->holdings, c->begin) || !BR_ARRAY(arena, p->holdings, c->end) ||
        !BR_ARRAY(arena, p->holdings, c->due))
        return false;
    for (uint32_t k = 0; k < p->holdings; k++)
        for (uint32_t r = 0; r < p->resources; r++)
            if (br_lcg_demand(p, p->holding[k], r) > 0) {
                br_csr_count(c->first, r);
                br_csr_count(c->resource_first, p->holding[k]);
            }
    br_csr_sum(c->first, p->resources);
    br_csr_sum(c->resource_first, p->tasks);
    for (uint32_t k = 0; k < p->holdings; k++)
        for (uint32_t r = 0; r < p->resources; r++)
            if (br_lcg_demand(p, p->holding[k], r) > 0) {
                c->task[br_csr_place(c->first, r)] = p->holding[k];
                c->resource[br_csr_place(c->resource_first, p->holding[k])] = r;
            }
    for (uint32_t r = 0; r < p->resources; r++)
        c->moved[r] = true;
    c->p = p;
    return true;
}

void br_lcg_unary_backtrack(struct br_lcg_unary *c)
{
    if (c->p)
        memset(c->moved, 0, c->p->resources * sizeof *c->moved);
}

/* Puts the time into the sorted array of so many. */
static inline void unary_insert(int32_t *array, uint32_t count, int32_t time)
{
    uint32_t k = count;
    for (; k > 0 && array[k - 1] > time; k--)
        array[k] = array[k - 1];
    array[k] = time;
}

/* The last end of a span from `from` on in which the tasks of the resource have too much to do; -1
 * if there is none. */
static int32_t unary_sweep(struct br_lcg_unary *c, uint32_t resource, int32_t from)
{
    const int32_t *now = c->trail->now;
    uint32_t count = 0;
    for (uint32_t k = c->first[resource]; k < c->first[resource + 1]; k++) {
        uint32_t task = c->task[k];
        int32_t duration = c->p->duration[task], ticks = now[2 * task] + duration - from;
        int32_t begin = -now[2 * task + 1] > from ? -now[2 * task + 1] : from;
        if (ticks <= 0)
            continue;
        unary_insert(c->begin, count, begin);
        unary_insert(c->end, count++, begin + (ticks < duration ? ticks : duration));
    }
    int32_t found = -1;
    /* The work due by an end: of dues that have begun, the time since, but not beyond their end. */
    int64_t begun = 0, ended = 0;
    uint32_t begins = 0;
    for (uint32_t ends = 0; ends < count; ends++) {
        int32_t at = c->end[ends];
        for (; begins < count && c->begin[begins] < at; begins++)
            begun += c->begin[begins];
        int64_t work = (int64_t)(begins - ends) * at - begun + ended;
        ended += at;
        if (work > at - from)
            found = at;
    }
    return found;
}

static bool unary_look(struct br_lcg_unary *c, uint32_t resource)
{
    for (uint32_t k = c->first[resource]; k < c->first[resource + 1]; k++) {
        int32_t from = c->trail->now[2 * c->task[k]], to = unary_sweep(c, resource, from);
        if (to < 0)
            continue;
        br_lcg_energy_conflict(c->trail, resource, (struct br_lcg_span){from, to});
        return false;
    }
    return true;
}

bool br_lcg_unary_propagate(struct br_lcg_unary *c)
{
    for (uint32_t r = 0; c->p && r < c->p->resources; r++) {
        if (!c->moved[r])
            continue;
        c->moved[r] = false;
        if (!unary_look(c, r))
            return false;
    }
    return true;
}
