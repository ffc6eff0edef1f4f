/* All is looked at anew in each round, since tasks, ways and ticks are few. */
#include "planner/exact/propagate/ways.h"

#include <string.h>

static bool table_init(struct br_lcg_ways_table *table, const struct br_lcg_problem *p,
                       struct br_arena *arena)
{
    const size_t resources = p->choices->resources;
    return BR_ARRAY(arena, p->tasks, table->common) &&
           BR_ARRAY(arena, p->tasks * resources, table->demand) &&
           BR_ARRAY(arena, ((size_t)p->horizon + 1) * resources, table->held);
}

bool br_lcg_ways_init(struct br_lcg_ways *c, const struct br_lcg_problem *p,
                      struct br_lcg_trail *trail, struct br_arena *arena)
{
    *c = (struct br_lcg_ways){0};
    if (!p->choices)
        return true;
    c->p = p->choices;
    c->trail = trail;
    c->tasks = p->tasks;
    c->horizon = p->horizon;
    c->moved = c->way_moved = c->makespan_moved = c->back = true;
    return BR_ARRAY(arena, p->tasks, c->touched) &&
           BR_ARRAY(arena, ((size_t)p->horizon + 1) * p->choices->resources, c->held) &&
           table_init(&c->now, p, arena) && table_init(&c->then, p, arena) &&
           BR_ARRAY(arena, p->tasks, c->least) && BR_ARRAY(arena, p->tasks, c->running);
}

static uint32_t ways_reason(enum br_lcg_ways_why why, uint32_t number)
{
    return br_lcg_reason(BR_LCG_WAYS, (uint32_t)why << BR_LCG_WAYS_SHIFT | number);
}

static bool ways_take_away(struct br_lcg_ways *c, uint32_t way, enum br_lcg_ways_why why,
                           uint32_t number)
{
    const struct br_lcg_literal out = br_lcg_ways_out(c, way);
    return br_lcg_push(c->trail, out.side, out.bound, ways_reason(why, number), 0);
}

static int32_t ways_value(const struct br_lcg_ways *c, uint32_t side, uint32_t entry)
{
    return entry == c->trail->count ? c->trail->now[side]
                                    : br_lcg_value_before(c->trail, side, entry);
}

bool br_lcg_ways_is_left(const struct br_lcg_ways *c, uint32_t way, uint32_t entry)
{
    return ways_value(c, 2 * br_lcg_ways_variable(c, way) + 1, entry) < 0;
}

/* ---- The table ---- */

static void look_at_task(const struct br_lcg_ways *c, struct br_lcg_ways_table *table,
                         uint32_t task, uint32_t entry)
{
    const struct br_lcg_choices *p = c->p;
    struct br_lcg_common *common = &table->common[task];
    int64_t *demand = table->demand + (size_t)task * p->resources;
    common->earliest = ways_value(c, 2 * task, entry);
    common->latest = -ways_value(c, 2 * task + 1, entry);
    common->duration = common->longest = 0;
    common->left = 0;
    for (uint32_t r = 0; r < p->resources; r++)
        demand[r] = 0;
    for (uint32_t way = p->first[task]; way < p->first[task + 1]; way++) {
        if (!br_lcg_ways_is_left(c, way, entry))
            continue;
        const int64_t *by = p->demand + (size_t)way * p->resources;
        const bool first = !common->left++;
        if (first || p->duration[way] < common->duration)
            common->duration = p->duration[way];
        if (p->duration[way] > common->longest)
            common->longest = p->duration[way];
        for (uint32_t r = 0; r < p->resources; r++)
            if (first || by[r] < demand[r])
                demand[r] = by[r];
    }
}

int32_t br_lcg_ways_look(const struct br_lcg_ways *c, struct br_lcg_ways_table *table,
                         uint32_t entry)
{
    const uint32_t resources = c->p->resources;
    int32_t over = -1;
    memset(table->held, 0, (size_t)c->horizon * resources * sizeof *table->held);
    for (uint32_t t = 0; t < c->tasks; t++) {
        look_at_task(c, table, t, entry);
        const struct br_lcg_common *common = &table->common[t];
        const int64_t *demand = table->demand + (size_t)t * resources;
        int32_t end = common->earliest + common->duration;
        end = end < c->horizon ? end : c->horizon;
        for (int32_t at = common->latest; at < end; at++)
            for (uint32_t r = 0; r < resources; r++) {
                int64_t *held = &table->held[(size_t)at * resources + r];
                *held += demand[r];
                if (*held > c->p->capacity[r])
                    over = at;
            }
    }
    return over;
}

uint32_t br_lcg_ways_misses(const struct br_lcg_ways *c, const struct br_lcg_ways_table *table,
                            uint32_t way, int32_t at)
{
    const uint32_t resources = c->p->resources, task = c->p->task[way];
    const struct br_lcg_common *own = &table->common[task];
    const int64_t *demand = c->p->demand + (size_t)way * resources;
    const int64_t *held = table->held + (size_t)at * resources;
    const bool part = own->latest <= at && at < own->earliest + own->duration;
    for (uint32_t r = 0; r < resources; r++) {
        const int64_t itself = part ? table->demand[(size_t)task * resources + r] : 0;
        if (demand[r] > 0 && held[r] - itself + demand[r] > c->p->capacity[r])
            return r;
    }
    return BR_LCG_NONE;
}

/* ---- One way for each task ---- */

static bool settle_ways(struct br_lcg_ways *c, uint32_t task)
{
    const struct br_lcg_choices *p = c->p;
    uint32_t left = 0, last = p->first[task], taken = BR_LCG_NONE;
    for (uint32_t way = p->first[task]; way < p->first[task + 1]; way++) {
        const uint32_t variable = br_lcg_ways_variable(c, way);
        if (br_lcg_upper(c->trail, variable) == 0)
            continue;
        left++;
        last = way;
        if (br_lcg_lower(c->trail, variable) > 0)
            taken = way;
    }
    if (left <= 1)
        return br_lcg_push(c->trail, 2 * br_lcg_ways_variable(c, last), 1,
                           ways_reason(BR_LCG_WAYS_LAST, 0), 0);
    for (uint32_t way = p->first[task]; way < p->first[task + 1] && taken != BR_LCG_NONE; way++)
        if (way != taken && !ways_take_away(c, way, BR_LCG_WAYS_OTHER, taken))
            return false;
    return true;
}

/* ---- Sums ---- */

/* What there is of the sum until the latest makespan. */
static int64_t ways_limit(const struct br_lcg_ways *c, uint32_t sum)
{
    return c->p->limit[sum] + c->p->pace[sum] * br_lcg_upper(c->trail, c->trail->makespan);
}

static bool check_sum(struct br_lcg_ways *c, uint32_t sum)
{
    const struct br_lcg_choices *p = c->p;
    const int64_t limit = ways_limit(c, sum);
    int64_t total = 0;
    for (uint32_t t = 0; t < c->tasks; t++) {
        int64_t least = INT64_MAX;
        for (uint32_t way = p->first[t]; way < p->first[t + 1]; way++) {
            const int64_t spend = p->spend[(size_t)way * p->sums + sum];
            if (spend < least && br_lcg_upper(c->trail, br_lcg_ways_variable(c, way)) > 0)
                least = spend;
        }
        c->least[t] = least < INT64_MAX ? least : 0;
        total += c->least[t];
    }
    if (total > limit) {
        c->trail->conflict =
            (struct br_lcg_conflict){{.side = BR_LCG_NONE}, ways_reason(BR_LCG_WAYS_SUM, sum), 0};
        return false;
    }
    const int64_t pace = p->pace[sum], beyond = total - p->limit[sum];
    if (pace > 0 && beyond > 0 &&
        !br_lcg_push(c->trail, 2 * c->trail->makespan, (int32_t)((beyond - 1) / pace + 1),
                     ways_reason(BR_LCG_WAYS_SUM, sum), 0))
        return false;
    for (uint32_t way = 0; way < p->ways; way++) {
        const int64_t spend = p->spend[(size_t)way * p->sums + sum];
        if (spend > limit - (total - c->least[p->task[way]]) &&
            !ways_take_away(c, way, BR_LCG_WAYS_SUM, sum))
            return false;
    }
    return true;
}

/* ---- Arcs ---- */

static bool follow_arc(struct br_lcg_ways *c, uint32_t arc)
{
    const struct br_lcg_choices *p = c->p;
    const struct br_lcg_problem_arc *a = &p->arc[arc];
    const struct br_lcg_common *from = &c->now.common[a->from];
    const int32_t lag = from->duration + a->lag;
    if (!br_lcg_push(c->trail, 2 * a->to, br_lcg_lower(c->trail, a->from) + lag,
                     ways_reason(BR_LCG_WAYS_ARC, arc), 0) ||
        !br_lcg_push(c->trail, 2 * a->from + 1, lag - br_lcg_upper(c->trail, a->to),
                     ways_reason(BR_LCG_WAYS_ARC, arc), 0))
        return false;
    const int32_t room = br_lcg_upper(c->trail, a->to) - br_lcg_lower(c->trail, a->from) - a->lag;
    for (uint32_t way = p->first[a->from]; from->left > 1 && way < p->first[a->from + 1]; way++)
        if (p->duration[way] > room && !ways_take_away(c, way, BR_LCG_WAYS_LONG, arc))
            return false;
    return true;
}

/* Arcs of which one end has moved, one after another. */
static bool follow_arcs(struct br_lcg_ways *c)
{
    const struct br_lcg_choices *p = c->p;
    for (uint32_t arc = 0; arc < p->arcs; arc++) {
        const uint32_t from = p->arc[arc].from, to = p->arc[arc].to;
        const bool moved = c->touched[from] || (to < c->tasks ? c->touched[to] : c->makespan_moved);
        if ((moved || c->back) && !follow_arc(c, arc))
            return false;
    }
    return true;
}

/* ---- The time-table ---- */

/* The last tick of the way's run from `start` at which it does not fit, or -1. */
static int32_t last_miss(const struct br_lcg_ways *c, uint32_t way, int32_t start)
{
    int32_t at = start + c->p->duration[way];
    at = at < c->horizon ? at : c->horizon;
    while (at-- > start)
        if (br_lcg_ways_misses(c, &c->now, way, at) != BR_LCG_NONE)
            return at;
    return -1;
}

static int32_t first_miss(const struct br_lcg_ways *c, uint32_t way, int32_t start)
{
    int32_t end = start + c->p->duration[way];
    end = end < c->horizon ? end : c->horizon;
    for (int32_t at = start; at < end; at++)
        if (br_lcg_ways_misses(c, &c->now, way, at) != BR_LCG_NONE)
            return at;
    return -1;
}

/* Pushes the start as long as none of the ways left fits there. */
static bool ways_push_right(struct br_lcg_ways *c, uint32_t task)
{
    const struct br_lcg_choices *p = c->p;
    for (;;) {
        const int32_t start = br_lcg_lower(c->trail, task);
        int32_t next = INT32_MAX;
        for (uint32_t way = p->first[task]; way < p->first[task + 1]; way++) {
            if (br_lcg_upper(c->trail, br_lcg_ways_variable(c, way)) == 0)
                continue;
            const int32_t at = last_miss(c, way, start);
            if (at < 0)
                return true;
            next = at + 1 < next ? at + 1 : next;
        }
        if (next == INT32_MAX)
            return true;
        if (!br_lcg_push(c->trail, 2 * task, next, ways_reason(BR_LCG_WAYS_TICK, 0), 0))
            return false;
    }
}

static bool ways_push_left(struct br_lcg_ways *c, uint32_t task)
{
    const struct br_lcg_choices *p = c->p;
    for (;;) {
        const int32_t start = br_lcg_upper(c->trail, task);
        int32_t next = INT32_MIN;
        for (uint32_t way = p->first[task]; way < p->first[task + 1]; way++) {
            if (br_lcg_upper(c->trail, br_lcg_ways_variable(c, way)) == 0)
                continue;
            const int32_t at = first_miss(c, way, start);
            if (at < 0)
                return true;
            next = at - p->duration[way] > next ? at - p->duration[way] : next;
        }
        if (next == INT32_MIN)
            return true;
        if (!br_lcg_push(c->trail, 2 * task + 1, -next, ways_reason(BR_LCG_WAYS_TICK, 0), 0))
            return false;
    }
}

/* Takes the way away if it fits nowhere between the bounds of the start. */
static bool try_way(struct br_lcg_ways *c, uint32_t way)
{
    const uint32_t task = c->p->task[way];
    const int32_t latest = br_lcg_upper(c->trail, task);
    int32_t start = br_lcg_lower(c->trail, task);
    for (int32_t at; start <= latest; start = at + 1)
        if ((at = last_miss(c, way, start)) < 0)
            return true;
    return ways_take_away(c, way, BR_LCG_WAYS_NOWHERE, 0);
}

static bool ways_place(struct br_lcg_ways *c, uint32_t task)
{
    const struct br_lcg_choices *p = c->p;
    const uint32_t left = c->now.common[task].left;
    if (br_lcg_lower(c->trail, task) == br_lcg_upper(c->trail, task) && left <= 1)
        return true;
    if (!ways_push_right(c, task) || !ways_push_left(c, task))
        return false;
    for (uint32_t way = p->first[task]; way < p->first[task + 1] && left > 1; way++)
        if (br_lcg_upper(c->trail, br_lcg_ways_variable(c, way)) > 0 && !try_way(c, way))
            return false;
    return true;
}

/* The ticks in which another amount is held than in the round before. */
static void find_changes(struct br_lcg_ways *c, int32_t *from, int32_t *to)
{
    const uint32_t resources = c->p->resources;
    const size_t row = resources * sizeof *c->held;
    *from = 0;
    *to = c->horizon;
    if (!c->back) {
        while (*from < *to && memcmp(c->held + (size_t)*from * resources,
                                     c->now.held + (size_t)*from * resources, row) == 0)
            ++*from;
        while (*from < *to && memcmp(c->held + (size_t)(*to - 1) * resources,
                                     c->now.held + (size_t)(*to - 1) * resources, row) == 0)
            --*to;
    }
    memcpy(c->held, c->now.held, (size_t)c->horizon * row);
}

static bool place_tasks(struct br_lcg_ways *c)
{
    int32_t from, to;
    find_changes(c, &from, &to);
    for (uint32_t t = 0; t < c->tasks; t++) {
        const struct br_lcg_common *common = &c->now.common[t];
        const bool meets = common->earliest < to && from < common->latest + common->longest;
        if ((c->back || c->touched[t] || meets) && !ways_place(c, t))
            return false;
    }
    return true;
}

bool br_lcg_ways_propagate(struct br_lcg_ways *c)
{
    const struct br_lcg_choices *p = c->p;
    const bool ways = c->way_moved || c->back, work = ways || c->makespan_moved;
    for (uint32_t t = 0; t < c->tasks && ways; t++)
        if (!settle_ways(c, t))
            return false;
    for (uint32_t sum = 0; sum < p->sums && work; sum++)
        if ((ways || p->pace[sum] > 0) && !check_sum(c, sum))
            return false;
    const int32_t over = br_lcg_ways_look(c, &c->now, c->trail->count);
    if (!follow_arcs(c))
        return false;
    if (over >= 0) {
        c->trail->conflict =
            (struct br_lcg_conflict){{.side = BR_LCG_NONE}, ways_reason(BR_LCG_WAYS_TICK, 0), over};
        return false;
    }
    if (!place_tasks(c))
        return false;
    c->moved = c->way_moved = c->makespan_moved = c->back = false;
    memset(c->touched, 0, c->tasks * sizeof *c->touched);
    return true;
}
