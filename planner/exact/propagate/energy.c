/* For each time at which some task can start first, one sweep over the ends of the spans that begin
 * there: the work that a task has to do by b grows by one tick a tick, from its latest start or the
 * begin of the span on, until all of its work after that is done. */
#include "planner/exact/propagate/energy.h"

/* The lower bits of a reason are the begin of the span, the upper ones the resource. On larger jobs
 * a look takes longer than everything else in a conflict. */
enum { FROM_BITS = 22, RESOURCES_MAX = 64, HORIZON_MAX = 1024, HOLDINGS_MAX = 200 };
/* After this many looks that find nothing, the pauses become longer, up to the most. */
enum { IDLE_MOST = 32, PAUSE_MOST = 15 };

/* The work that a task has to do in a span. */
struct br_lcg_share {
    uint32_t task;
    int64_t demand;
    int32_t ticks, at_root; /* bounds as they are, and as they were at the root */
    uint32_t age;           /* the entry of its latest bound that says so */
};

/* Sums of work stay within 32 bits. */
static bool suits(const struct br_lcg_problem *p)
{
    if (p->machines > 1 || p->holdings == 0 || p->holdings > HOLDINGS_MAX || p->resources == 0 ||
        p->resources > RESOURCES_MAX || p->horizon > HORIZON_MAX)
        return false;
    for (uint32_t r = 0; r < p->resources; r++)
        if (p->capacity[r] > INT32_MAX / 2 / ((int64_t)p->horizon * p->holdings))
            return false;
    return true;
}

bool br_lcg_energy_init(struct br_lcg_energy *c, const struct br_lcg_problem *p,
                        struct br_lcg_trail *trail, struct br_arena *arena)
{
    *c = (struct br_lcg_energy){.trail = trail};
    if (p->shop) { /* unary.h looks at spans */
        c->p = p;
        return BR_ARRAY(arena, p->holdings, c->share);
    }
    if (!suits(p))
        return true;
    c->groups = (p->resources + BR_LCG_LANES - 1) / BR_LCG_LANES;
    if (!BR_ARRAY(arena, (size_t)c->groups * p->holdings, c->demand) ||
        !BR_ARRAY(arena, c->groups, c->capacity) ||
        !BR_ARRAY(arena, (size_t)p->horizon + 1, c->change) ||
        !BR_ARRAY(arena, (size_t)p->horizon + 1, c->begins) ||
        !BR_ARRAY(arena, p->holdings, c->share))
        return false;
    for (uint32_t r = 0; r < p->resources; r++) {
        uint32_t g = r / BR_LCG_LANES, lane = r % BR_LCG_LANES;
        c->capacity[g].of[lane] = (int32_t)p->capacity[r];
        for (uint32_t k = 0; k < p->holdings; k++)
            c->demand[(size_t)g * p->holdings + k].of[lane] =
                (int32_t)br_lcg_demand(p, p->holding[k], r);
    }
    c->p = p;
    return true;
}

static int32_t propagate_energy_least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline void propagate_energy_add(struct br_lcg_lanes *to, const struct br_lcg_lanes *x)
{
    for (uint32_t k = 0; k < BR_LCG_LANES; k++)
        to->of[k] += x->of[k];
}

static inline void propagate_energy_subtract(struct br_lcg_lanes *to, const struct br_lcg_lanes *x)
{
    for (uint32_t k = 0; k < BR_LCG_LANES; k++)
        to->of[k] -= x->of[k];
}

/* Notes for all tasks when the work that they have to do from `from` on begins and ends. */
static void propagate_energy_spread(struct br_lcg_energy *c, uint32_t group, int32_t from)
{
    const struct br_lcg_problem *p = c->p;
    const int32_t *now = c->trail->now;
    const struct br_lcg_lanes *demand = c->demand + (size_t)group * p->holdings;
    for (uint32_t k = 0; k < p->holdings; k++) {
        uint32_t task = p->holding[k];
        int32_t duration = p->duration[task], begin = -now[2 * task + 1];
        int32_t ticks = propagate_energy_least(now[2 * task] + duration - from, duration);
        if (ticks <= 0)
            continue;
        begin = begin > from ? begin : from;
        propagate_energy_add(&c->change[begin], &demand[k]);
        propagate_energy_subtract(&c->change[begin + ticks], &demand[k]);
    }
}

/* The last end, by `end`, of a span from `from` on that has too little of some resource of the
 * group, and its lane in *lane; -1 if there is none. Takes back the notes of spread. */
static int32_t propagate_energy_sweep(struct br_lcg_energy *c, uint32_t group, int32_t from,
                                      int32_t end, uint32_t *lane)
{
    struct br_lcg_lanes slope = {{0}}, excess = {{0}}, zero = {{0}};
    int32_t found = -1;
    propagate_energy_subtract(&slope, &c->capacity[group]);
    for (int32_t at = from; at < end; at++) {
        int32_t over = 0;
        propagate_energy_add(&slope, &c->change[at]);
        propagate_energy_add(&excess, &slope);
        c->change[at] = zero;
        for (uint32_t k = 0; k < BR_LCG_LANES; k++)
            over |= -excess.of[k];
        if (over >= 0)
            continue;
        found = at + 1;
        *lane = 0;
        while (excess.of[*lane] <= 0)
            ++*lane;
    }
    c->change[end] = zero;
    return found;
}

static bool propagate_energy_look(struct br_lcg_energy *c)
{
    const struct br_lcg_problem *p = c->p;
    const int32_t *now = c->trail->now;
    int32_t end = 0;
    for (uint32_t k = 0; k < p->holdings; k++) {
        uint32_t task = p->holding[k];
        int32_t last = p->duration[task] - now[2 * task + 1];
        end = last > end ? last : end;
        c->begins[now[2 * task]] = true;
    }
    bool ok = true;
    for (int32_t from = 0; from < end; from++) {
        bool begins = c->begins[from];
        c->begins[from] = false;
        for (uint32_t g = 0; g < c->groups && begins && ok; g++) {
            uint32_t lane = 0;
            propagate_energy_spread(c, g, from);
            int32_t to = propagate_energy_sweep(c, g, from, end, &lane);
            if (to < 0)
                continue;
            ok = false;
            br_lcg_energy_conflict(c->trail, g * BR_LCG_LANES + lane,
                                   (struct br_lcg_span){from, to});
        }
    }
    return ok;
}

bool br_lcg_energy_propagate(struct br_lcg_energy *c)
{
    if (!c->groups)
        return true;
    if (c->wait > 0) {
        c->wait--;
        return true;
    }
    bool ok = propagate_energy_look(c);
    if (!ok) {
        c->idle = 0;
        c->pause /= 2;
    } else if (++c->idle == IDLE_MOST) {
        c->idle = 0;
        c->pause = c->pause < PAUSE_MOST ? 2 * c->pause + 1 : PAUSE_MOST;
    }
    c->wait = c->pause;
    return ok;
}

/* --- explanations ---------------------------------------------------------------------------- */

struct br_lcg_span br_lcg_energy_span(uint32_t reason, int32_t at)
{
    return (struct br_lcg_span){(int32_t)(br_lcg_number(reason) & ((1 << FROM_BITS) - 1)), at};
}

void br_lcg_energy_conflict(struct br_lcg_trail *trail, uint32_t resource, struct br_lcg_span span)
{
    uint32_t number = resource << FROM_BITS | (uint32_t)span.from;
    trail->conflict = (struct br_lcg_conflict){
        {.side = BR_LCG_NONE}, br_lcg_reason(BR_LCG_ENERGY, number), span.to};
}

/* The work that a task has to do in the span if it starts within the bounds. */
static int32_t ticks_in(struct br_lcg_span span, int32_t lower, int32_t upper, int32_t duration)
{
    int32_t ticks = propagate_energy_least(
        propagate_energy_least(duration, span.to - span.from),
        propagate_energy_least(lower + duration - span.from, span.to - upper));
    return ticks > 0 ? ticks : 0;
}

/* Explains that a task has to do this much: it starts in between. */
static struct br_lcg_literal starts_from(const struct br_lcg_problem *p, struct br_lcg_span span,
                                         uint32_t task, int32_t ticks)
{
    return (struct br_lcg_literal){2 * task, span.from + ticks - p->duration[task]};
}
static struct br_lcg_literal starts_by(struct br_lcg_span span, uint32_t task, int32_t ticks)
{
    return (struct br_lcg_literal){2 * task + 1, ticks - span.to};
}

static uint32_t propagate_energy_age(const struct br_lcg_trail *trail, struct br_lcg_literal l)
{
    uint32_t e = br_lcg_true_at_root(trail, l) ? BR_LCG_NONE : br_lcg_entry_of(trail, l);
    return e == BR_LCG_NONE ? 0 : e + 1;
}

/* The tasks that hold the resource in the span, the most recent ones first; *excess is their work
 * beyond what there is. Returns their number. */
static uint32_t list_shares(struct br_lcg_energy *c, uint32_t resource, struct br_lcg_span span,
                            int64_t *excess)
{
    const struct br_lcg_problem *p = c->p;
    const struct br_lcg_trail *trail = c->trail;
    uint32_t count = 0;
    *excess = -p->capacity[resource] * (span.to - span.from);
    for (uint32_t k = 0; k < p->holdings; k++) {
        uint32_t task = p->holding[k];
        int32_t duration = p->duration[task];
        struct br_lcg_share s = {.task = task, .demand = br_lcg_demand(p, task, resource)};
        s.ticks = ticks_in(span, br_lcg_lower(trail, task), br_lcg_upper(trail, task), duration);
        s.at_root = ticks_in(span, trail->root[2 * task], -trail->root[2 * task + 1], duration);
        if (s.demand == 0 || s.ticks == 0)
            continue;
        *excess += s.ticks * s.demand;
        uint32_t from = propagate_energy_age(trail, starts_from(p, span, task, s.ticks));
        uint32_t by = propagate_energy_age(trail, starts_by(span, task, s.ticks));
        s.age = from > by ? from : by;
        uint32_t j = count++;
        for (; j > 0 && c->share[j - 1].age < s.age; j--)
            c->share[j] = c->share[j - 1];
        c->share[j] = s;
    }
    return count;
}

/* Leaves out what the excess does not need: of the tasks, the latest first, all those that do not
 * follow at the root; and then a part of some. */
static void propagate_energy_relax(struct br_lcg_energy *c, uint32_t count, int64_t spare)
{
    for (uint32_t k = 0; k < count; k++) {
        struct br_lcg_share *s = &c->share[k];
        if ((s->ticks - s->at_root) * s->demand <= spare) {
            spare -= (s->ticks - s->at_root) * s->demand;
            s->ticks = s->at_root;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        struct br_lcg_share *s = &c->share[k];
        int32_t less = s->ticks > s->at_root ? (int32_t)(spare / s->demand) : 0;
        spare -= less * s->demand;
        s->ticks -= less;
    }
}

bool br_lcg_energy_explain(struct br_lcg_energy *c, uint32_t reason, int32_t at,
                           struct br_lcg_literals *list)
{
    struct br_lcg_span span = br_lcg_energy_span(reason, at);
    int64_t excess;
    uint32_t count = list_shares(c, br_lcg_number(reason) >> FROM_BITS, span, &excess);
    assert(excess > 0);
    propagate_energy_relax(c, count, excess - 1);
    for (uint32_t k = 0; k < count; k++) {
        const struct br_lcg_share *s = &c->share[k];
        if (s->ticks > 0 &&
            (!br_lcg_append(c->trail, list, starts_from(c->p, span, s->task, s->ticks)) ||
             !br_lcg_append(c->trail, list, starts_by(span, s->task, s->ticks))))
            return false;
    }
    return true;
}
