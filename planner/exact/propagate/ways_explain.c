/* Why bounds rose because of the ways that are left. Of ways that are gone, only those are named
 * that would not have made the bound rise as well. */
#include <assert.h>

#include "planner/exact/propagate/ways.h"

struct explaining {
    struct br_lcg_ways *c;
    uint32_t entry;
    struct br_lcg_literals *list;
};

/* A tick at which a way of the task does not fit: with `free` or more of the resource it would. */
struct obstacle {
    int32_t at;
    uint32_t resource;
    int64_t demand;
};

static bool name(const struct explaining *x, uint32_t side, int32_t bound)
{
    return br_lcg_append(x->c->trail, x->list, (struct br_lcg_literal){side, bound});
}

static bool name_out(const struct explaining *x, uint32_t way)
{
    return br_lcg_append(x->c->trail, x->list, br_lcg_ways_out(x->c, way));
}

static int32_t bound_before(const struct explaining *x, uint32_t side)
{
    return br_lcg_value_before(x->c->trail, side, x->entry);
}

static bool explain_last(const struct explaining *x, uint32_t taken)
{
    const struct br_lcg_choices *p = x->c->p;
    const uint32_t task = p->task[taken];
    for (uint32_t way = p->first[task]; way < p->first[task + 1]; way++)
        if (way != taken && !name_out(x, way))
            return false;
    return true;
}

/* ---- Arcs ---- */

/* Of all ways of the task, the shortest duration that is no less than this one. */
static int32_t shortest_from(const struct br_lcg_choices *p, uint32_t task, int32_t least)
{
    int32_t shortest = INT32_MAX;
    for (uint32_t way = p->first[task]; way < p->first[task + 1]; way++)
        if (p->duration[way] >= least && p->duration[way] < shortest)
            shortest = p->duration[way];
    return shortest;
}

static bool name_shorter(const struct explaining *x, uint32_t task, int32_t duration)
{
    const struct br_lcg_choices *p = x->c->p;
    for (uint32_t way = p->first[task]; way < p->first[task + 1]; way++)
        if (p->duration[way] < duration && !name_out(x, way))
            return false;
    return true;
}

static bool explain_arc(const struct explaining *x, struct br_lcg_literal l, uint32_t arc)
{
    const struct br_lcg_choices *p = x->c->p;
    const struct br_lcg_problem_arc *a = &p->arc[arc];
    const bool right = l.side == 2 * a->to;
    const uint32_t side = right ? 2 * a->from : 2 * a->to + 1;
    /* Both sides: reached + duration + lag >= the bound. */
    const int32_t duration = shortest_from(p, a->from, l.bound - a->lag - bound_before(x, side));
    return name_shorter(x, a->from, duration) && name(x, side, l.bound - a->lag - duration);
}

static bool explain_long(const struct explaining *x, uint32_t way, uint32_t arc)
{
    const struct br_lcg_problem_arc *a = &x->c->p->arc[arc];
    const int32_t earliest = bound_before(x, 2 * a->from);
    return name(x, 2 * a->from, earliest) &&
           name(x, 2 * a->to + 1, 1 - (earliest + x->c->p->duration[way] + a->lag));
}

/* ---- Sums ---- */

/* Names ways of the task that are gone, so that it spends at least `least` by all others. Returns
 * in *least what it spends then. */
static bool name_cheaper(const struct explaining *x, uint32_t task, uint32_t sum, int64_t *least)
{
    const struct br_lcg_choices *p = x->c->p;
    int64_t spent = INT64_MAX;
    for (uint32_t way = p->first[task]; way < p->first[task + 1]; way++) {
        const int64_t spend = p->spend[(size_t)way * p->sums + sum];
        if (spend >= *least)
            spent = spend < spent ? spend : spent;
        else if (!name_out(x, way))
            return false;
    }
    *least = spent;
    return true;
}

/* The tasks other than `task` spend at least `needed`. */
static bool explain_spent(const struct explaining *x, uint32_t task, uint32_t sum, int64_t needed)
{
    const struct br_lcg_choices *p = x->c->p;
    int64_t spare = -needed;
    int64_t *all = x->c->least; /* by task: the least of all ways */
    for (uint32_t t = 0; t < x->c->tasks; t++) {
        int64_t left = INT64_MAX;
        all[t] = INT64_MAX;
        for (uint32_t way = p->first[t]; way < p->first[t + 1]; way++) {
            const int64_t spend = p->spend[(size_t)way * p->sums + sum];
            all[t] = spend < all[t] ? spend : all[t];
            if (spend < left && br_lcg_ways_is_left(x->c, way, x->entry))
                left = spend;
        }
        if (t != task)
            spare += left;
        all[t] = left - all[t]; /* how much rests on ways that are gone */
    }
    assert(spare >= 0);
    for (uint32_t t = 0; t < x->c->tasks; t++) {
        if (t == task || !all[t])
            continue;
        if (all[t] <= spare) {
            spare -= all[t];
            continue;
        }
        int64_t left = INT64_MAX;
        for (uint32_t way = p->first[t]; way < p->first[t + 1]; way++)
            if (p->spend[(size_t)way * p->sums + sum] < left &&
                br_lcg_ways_is_left(x->c, way, x->entry))
                left = p->spend[(size_t)way * p->sums + sum];
        int64_t least = left - spare;
        if (!name_cheaper(x, t, sum, &least))
            return false;
        spare -= left - least;
    }
    return true;
}

static bool explain_sum(const struct explaining *x, struct br_lcg_literal l, uint32_t sum)
{
    const struct br_lcg_ways *c = x->c;
    const struct br_lcg_choices *p = c->p;
    const uint32_t makespan = c->trail->makespan;
    const int64_t pace = p->pace[sum];
    uint32_t task = BR_LCG_NONE;
    int64_t own = 0, latest = 0;
    if (l.side == 2 * makespan)
        return explain_spent(x, task, sum, p->limit[sum] + pace * (l.bound - 1) + 1);
    if (l.side != BR_LCG_NONE) {
        const uint32_t way = l.side / 2 - br_lcg_ways_variable(c, 0);
        task = p->task[way];
        own = p->spend[(size_t)way * p->sums + sum];
    }
    if (pace > 0) {
        latest = -bound_before(x, 2 * makespan + 1);
        if (!name(x, 2 * makespan + 1, (int32_t)-latest))
            return false;
    }
    return explain_spent(x, task, sum, p->limit[sum] + pace * latest - own + 1);
}

/* ---- The time-table ---- */

/* Why the task holds at least `amount` at the tick. */
static bool explain_part(const struct explaining *x, uint32_t task, int32_t at, uint32_t resource,
                         int64_t amount)
{
    const struct br_lcg_choices *p = x->c->p;
    const int32_t least = at + 1 - x->c->then.common[task].earliest;
    int32_t duration = INT32_MAX;
    for (uint32_t way = p->first[task]; way < p->first[task + 1]; way++)
        if (p->demand[(size_t)way * p->resources + resource] >= amount &&
            p->duration[way] >= least && p->duration[way] < duration)
            duration = p->duration[way];
    for (uint32_t way = p->first[task]; way < p->first[task + 1]; way++)
        if ((p->demand[(size_t)way * p->resources + resource] < amount ||
             p->duration[way] < duration) &&
            !name_out(x, way))
            return false;
    return name(x, 2 * task + 1, -at) && name(x, 2 * task, at + 1 - duration);
}

/* Lists the other tasks that hold the resource at the tick, those that hold most first. */
static uint32_t list_running(const struct explaining *x, uint32_t task, int32_t at,
                             uint32_t resource)
{
    const struct br_lcg_ways_table *table = &x->c->then;
    const uint32_t resources = x->c->p->resources;
    uint32_t count = 0, *list = x->c->running;
    for (uint32_t t = 0; t < x->c->tasks; t++) {
        const struct br_lcg_common *common = &table->common[t];
        const int64_t demand = table->demand[(size_t)t * resources + resource];
        if (t == task || !demand || at < common->latest ||
            at >= common->earliest + common->duration)
            continue;
        uint32_t k = count++;
        for (; k > 0 && table->demand[(size_t)list[k - 1] * resources + resource] < demand; k--)
            list[k] = list[k - 1];
        list[k] = t;
    }
    return count;
}

/* Why tasks other than `task` hold so much that `demand` more is not there at the tick. */
static bool explain_held(const struct explaining *x, uint32_t task, int32_t at, uint32_t resource,
                         int64_t demand)
{
    const struct br_lcg_choices *p = x->c->p;
    const int64_t *least = x->c->then.demand;
    const int64_t needed = p->capacity[resource] - demand + 1;
    const uint32_t count = list_running(x, task, at, resource);
    uint32_t named = 0;
    int64_t sum = 0;
    while (sum < needed && named < count)
        sum += least[(size_t)x->c->running[named++] * p->resources + resource];
    assert(sum >= needed);
    for (uint32_t k = 0; k < named; k++) {
        int64_t amount = least[(size_t)x->c->running[k] * p->resources + resource];
        if (k + 1 == named)
            amount -= sum - needed;
        if (!explain_part(x, x->c->running[k], at, resource, amount))
            return false;
    }
    return true;
}

static bool explain_overflow(const struct explaining *x, int32_t at)
{
    const struct br_lcg_choices *p = x->c->p;
    for (uint32_t r = 0; r < p->resources; r++)
        if (x->c->then.held[(size_t)at * p->resources + r] > p->capacity[r])
            return explain_held(x, BR_LCG_NONE, at, r, 0);
    assert(false);
    return true;
}

/* The tick nearest to `from`, towards `to`, at which the way does not fit. */
static struct obstacle find_obstacle(const struct explaining *x, uint32_t way, int32_t from,
                                     int32_t to)
{
    const int32_t step = from <= to ? 1 : -1;
    for (int32_t at = from;; at += step) {
        const uint32_t r = at >= 0 && at < x->c->horizon
                               ? br_lcg_ways_misses(x->c, &x->c->then, way, at)
                               : BR_LCG_NONE;
        if (r != BR_LCG_NONE)
            return (struct obstacle){at, r, x->c->p->demand[(size_t)way * x->c->p->resources + r]};
        if (at == to)
            return (struct obstacle){.resource = BR_LCG_NONE};
    }
}

/* Would a way that is gone have met one of the obstacles, too, with the start from `earliest` to
 * below `bound` (right), or from above -bound to `latest`? */
static bool meets_one(const struct br_lcg_choices *p, uint32_t way, const struct obstacle *obstacle,
                      uint32_t obstacles, int32_t first, int32_t last)
{
    for (uint32_t k = 0; k < obstacles; k++)
        if (p->demand[(size_t)way * p->resources + obstacle[k].resource] >= obstacle[k].demand &&
            obstacle[k].at >= last && obstacle[k].at < first + p->duration[way])
            return true;
    return false;
}

/* Why no way left can start from the bound before the entry up to the bound of l, or on the other
 * side from there down. */
static bool explain_tick(const struct explaining *x, struct br_lcg_literal l)
{
    const struct br_lcg_choices *p = x->c->p;
    const uint32_t task = l.side / 2;
    const bool right = !(l.side & 1);
    const struct br_lcg_common *own = &x->c->then.common[task];
    struct obstacle obstacle[BR_LCG_WAYS_MAX];
    uint32_t obstacles = 0;
    /* The starts that are excluded, as far as they have to be so. */
    int32_t first = right ? INT32_MIN : 1 - l.bound, last = right ? l.bound - 1 : INT32_MAX;
    for (uint32_t way = p->first[task]; way < p->first[task + 1]; way++) {
        if (!br_lcg_ways_is_left(x->c, way, x->entry))
            continue;
        const int32_t duration = p->duration[way];
        const struct obstacle o = right ? find_obstacle(x, way, last, own->earliest + duration - 1)
                                        : find_obstacle(x, way, first + duration - 1, own->latest);
        assert(o.resource != BR_LCG_NONE);
        if (right && o.at - duration + 1 > first)
            first = o.at - duration + 1;
        if (!right && o.at < last)
            last = o.at;
        uint32_t k = 0;
        while (k < obstacles && (obstacle[k].at != o.at || obstacle[k].resource != o.resource))
            k++;
        if (k == obstacles)
            obstacle[obstacles++] = o;
        else if (o.demand < obstacle[k].demand)
            obstacle[k].demand = o.demand;
    }
    for (uint32_t k = 0; k < obstacles; k++)
        if (!explain_held(x, task, obstacle[k].at, obstacle[k].resource, obstacle[k].demand))
            return false;
    for (uint32_t way = p->first[task]; way < p->first[task + 1]; way++)
        if (!br_lcg_ways_is_left(x->c, way, x->entry) &&
            !meets_one(p, way, obstacle, obstacles, first, last) && !name_out(x, way))
            return false;
    return name(x, l.side, right ? first : -last);
}

/* Why the way fits nowhere between the bounds of the start. */
static bool explain_nowhere(const struct explaining *x, uint32_t way)
{
    const struct br_lcg_choices *p = x->c->p;
    const uint32_t task = p->task[way];
    const struct br_lcg_common *own = &x->c->then.common[task];
    const int32_t duration = p->duration[way];
    int32_t start = own->earliest, first = INT32_MAX;
    while (start <= own->latest) {
        const struct obstacle o = find_obstacle(x, way, start + duration - 1, start);
        assert(o.resource != BR_LCG_NONE);
        if (first == INT32_MAX)
            first = o.at - duration + 1;
        if (!explain_held(x, task, o.at, o.resource, o.demand))
            return false;
        start = o.at + 1;
    }
    return name(x, 2 * task, first) && name(x, 2 * task + 1, 1 - start);
}

bool br_lcg_ways_explain(struct br_lcg_ways *c, struct br_lcg_literal l, uint32_t reason,
                         int32_t at, uint32_t entry, struct br_lcg_literals *list)
{
    const struct explaining x = {c, entry, list};
    const uint32_t number = br_lcg_number(reason) & ((1U << BR_LCG_WAYS_SHIFT) - 1);
    const enum br_lcg_ways_why why = br_lcg_number(reason) >> BR_LCG_WAYS_SHIFT;
    const uint32_t way =
        l.side == BR_LCG_NONE ? 0 : l.side / 2 - br_lcg_ways_variable(c, 0); /* if l is of one */
    switch (why) {
    case BR_LCG_WAYS_LAST:
        return explain_last(&x, way);
    case BR_LCG_WAYS_OTHER:
        return name(&x, 2 * br_lcg_ways_variable(c, number), 1);
    case BR_LCG_WAYS_ARC:
        return explain_arc(&x, l, number);
    case BR_LCG_WAYS_LONG:
        return explain_long(&x, way, number);
    case BR_LCG_WAYS_SUM:
        return explain_sum(&x, l, number);
    case BR_LCG_WAYS_TICK:
        br_lcg_ways_look(c, &c->then, entry);
        return l.side == BR_LCG_NONE ? explain_overflow(&x, at) : explain_tick(&x, l);
    case BR_LCG_WAYS_NOWHERE:
        br_lcg_ways_look(c, &c->then, entry);
        return explain_nowhere(&x, way);
    }
    return true;
}
