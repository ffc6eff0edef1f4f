/* Each task has a list of its rivals. When a bound of its start rises, decided orders push the
 * rival, as an arc does; an order is decided now if only one of the two is still possible. The
 * reason is kept as a tick, the last one at which the later task runs if it starts as early as it
 * can: the other has to start by then. Of all ticks that would do, this one asks least of the
 * other. The first one, its latest start, made clauses hold for one tick each, so that eight tasks
 * of 100,000 ticks took more than 50,000 conflicts instead of 500. */
#include "planner/exact/propagate/order.h"

#include "base/collections/csr.h"

/* The side has reached its end, which decides the order this way. */
static inline struct br_lcg_literal decided(uint32_t side)
{
    return (struct br_lcg_literal){side, side & 1 ? 0 : 1};
}

/* The rival that the side puts first, and the other one. */
static void put_in_order(const struct br_lcg_problem *p, uint32_t side, uint32_t *before,
                         uint32_t *after)
{
    const struct br_lcg_rivals *pair = &p->rivals[side / 2 - br_lcg_order_of(p, 0)];
    *before = side & 1 ? pair->second : pair->first;
    *after = side & 1 ? pair->first : pair->second;
}

static bool push_after(struct br_lcg_order *c, uint32_t before, uint32_t after, uint32_t side)
{
    int32_t end = c->trail->now[2 * before] + c->p->duration[before];
    return br_lcg_push(c->trail, 2 * after, end, br_lcg_reason(BR_LCG_ORDER, side), 0);
}

static bool push_before(struct br_lcg_order *c, uint32_t before, uint32_t after, uint32_t side)
{
    int32_t bound = c->trail->now[2 * after + 1] + c->p->duration[before];
    return br_lcg_push(c->trail, 2 * before + 1, bound, br_lcg_reason(BR_LCG_ORDER, side), 0);
}

/* Decides the order by the side if the other order is not possible any more. */
static bool propagate_order_decide(struct br_lcg_order *c, uint32_t before, uint32_t after,
                                   uint32_t side)
{
    int32_t last = br_lcg_lower(c->trail, after) + c->p->duration[after] - 1;
    if (last < br_lcg_upper(c->trail, before))
        return true;
    struct br_lcg_literal l = decided(side);
    return br_lcg_push(c->trail, l.side, l.bound, br_lcg_reason(BR_LCG_ORDER, side), last);
}

bool br_lcg_order_init(struct br_lcg_order *c, const struct br_lcg_problem *p,
                       struct br_lcg_trail *trail, struct br_arena *arena)
{
    *c = (struct br_lcg_order){.p = p, .trail = trail};
    bool ok = BR_ARRAY(arena, br_csr_room(p->tasks), c->first) &&
              BR_ARRAY(arena, 2 * (size_t)p->pairs, c->rival);
    for (uint32_t k = 0; ok && k < p->pairs; k++) {
        br_csr_count(c->first, p->rivals[k].first);
        br_csr_count(c->first, p->rivals[k].second);
    }
    if (ok)
        br_csr_sum(c->first, p->tasks);
    for (uint32_t k = 0; ok && k < p->pairs; k++) {
        uint32_t a = p->rivals[k].first, b = p->rivals[k].second, side = 2 * br_lcg_order_of(p, k);
        c->rival[br_csr_place(c->first, a)] = (struct br_lcg_rival){b, side};
        c->rival[br_csr_place(c->first, b)] = (struct br_lcg_rival){a, side + 1};
    }
    /* If neither order is possible, following the decided one finds that. */
    for (uint32_t k = 0; ok && k < p->pairs; k++) {
        uint32_t a = p->rivals[k].first, b = p->rivals[k].second, side = 2 * br_lcg_order_of(p, k);
        ok = (propagate_order_decide(c, a, b, side) && propagate_order_decide(c, b, a, side + 1)) ||
             !trail->memory_out;
    }
    return ok;
}

static bool push_rivals(struct br_lcg_order *c, uint32_t task, bool upper)
{
    for (uint32_t k = c->first[task]; k < c->first[task + 1]; k++) {
        uint32_t other = c->rival[k].task, ahead = c->rival[k].side, behind = ahead ^ 1;
        bool ok;
        if (upper)
            ok = br_lcg_true(c->trail, decided(behind))
                     ? push_before(c, other, task, behind)
                     : propagate_order_decide(c, task, other, ahead);
        else
            ok = br_lcg_true(c->trail, decided(ahead))
                     ? push_after(c, task, other, ahead)
                     : propagate_order_decide(c, other, task, behind);
        if (!ok)
            return false;
    }
    return true;
}

bool br_lcg_order_propagate(struct br_lcg_order *c, uint32_t side)
{
    const struct br_lcg_problem *p = c->p;
    uint32_t variable = side / 2, before, after;
    if (p->pairs == 0 || variable == c->trail->makespan)
        return true;
    if (variable < p->tasks)
        return push_rivals(c, variable, side & 1);
    put_in_order(p, side, &before, &after);
    return push_after(c, before, after, side) && push_before(c, before, after, side);
}

bool br_lcg_order_explain(struct br_lcg_order *c, struct br_lcg_literal l, uint32_t side,
                          int32_t at, struct br_lcg_literals *list)
{
    uint32_t before, after;
    put_in_order(c->p, side, &before, &after);
    int32_t duration = c->p->duration[before];
    if (l.side == side) {
        struct br_lcg_literal starts_by = {2 * before + 1, -at};
        struct br_lcg_literal ends_after = {2 * after, at + 1 - c->p->duration[after]};
        return br_lcg_append(c->trail, list, ends_after) &&
               br_lcg_append(c->trail, list, starts_by);
    }
    assert(l.side == 2 * after || l.side == 2 * before + 1);
    struct br_lcg_literal bound = {l.side == 2 * after ? 2 * before : 2 * after + 1,
                                   l.bound - duration};
    return br_lcg_append(c->trail, list, decided(side)) && br_lcg_append(c->trail, list, bound);
}
