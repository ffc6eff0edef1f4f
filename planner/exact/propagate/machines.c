/* The table is made anew for each round and each explanation, since tasks are few. An explanation
 * goes from obstacle to obstacle, at most the task's length apart. Of each it names the tasks
 * without which there would be none. */
#include "planner/exact/propagate/machines.h"

#include "base/collections/sort.h"
#include "base/invariant.h"

#define ANY BR_LCG_NONE /* in place of a machine: an obstacle wherever the task is */

bool br_lcg_machines_init(struct br_lcg_machines *c, const struct br_lcg_problem *p,
                          struct br_lcg_trail *trail, struct br_arena *arena)
{
    *c = (struct br_lcg_machines){0};
    if (p->machines == 1)
        return true;
    c->p = p;
    c->trail = trail;
    c->moved = true;
    return br_lcg_packing_init(&c->packing, p, arena) && BR_ARRAY(arena, p->tasks, c->lower) &&
           BR_ARRAY(arena, p->tasks, c->upper) && BR_ARRAY(arena, p->machines, c->on) &&
           BR_ARRAY(arena, p->machines, c->off) &&
           BR_ARRAY(arena, 2 * (size_t)p->tasks + 1, c->stretch) &&
           BR_ARRAY(arena, 2 * (size_t)p->tasks + 1, c->time) &&
           BR_ARRAY(arena, 2 * (size_t)p->tasks + 1, c->obstacle);
}

/* --- the table ------------------------------------------------------------------------------- */

static int propagate_machines_by_time(const void *x, const void *y)
{
    const int32_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

static int32_t propagate_machines_value(const struct br_lcg_machines *c, uint32_t side,
                                        uint32_t entry)
{
    return entry == c->trail->count ? c->trail->now[side]
                                    : br_lcg_value_before(c->trail, side, entry);
}

/* The tasks that run when in every case, and their machines, by the bounds before the entry. */
static void propagate_machines_make_table(struct br_lcg_machines *c, uint32_t entry)
{
    const struct br_lcg_problem *p = c->p;
    uint32_t times = 0;
    uint64_t parts = 0;
    for (uint32_t m = 0; m < p->machines; m++)
        c->on[m] = c->off[m] = 0;
    for (uint32_t t = 0; t < p->tasks; t++) {
        if (!(p->assigned >> t & 1))
            continue;
        c->lower[t] = propagate_machines_value(c, 2 * t, entry);
        c->upper[t] = -propagate_machines_value(c, 2 * t + 1, entry);
        for (uint32_t m = 0; m < p->machines; m++) {
            uint32_t side = 2 * br_lcg_on(p, t, m);
            c->on[m] |= (uint64_t)(propagate_machines_value(c, side, entry) > 0) << t;
            c->off[m] |= (uint64_t)(propagate_machines_value(c, side + 1, entry) == 0) << t;
        }
        if (c->upper[t] < c->lower[t] + p->duration[t]) {
            c->time[times++] = c->upper[t];
            c->time[times++] = c->lower[t] + p->duration[t];
            parts |= UINT64_C(1) << t;
        }
    }
    br_sort_by(c->time, times, sizeof *c->time, propagate_machines_by_time);
    c->stretches = 0;
    for (uint32_t k = 0; k + 1 < times; k++) {
        struct br_lcg_stretch s = {c->time[k], c->time[k + 1], 0};
        if (s.from == s.to)
            continue;
        for (uint64_t left = parts; left; left &= left - 1) {
            uint32_t t = (uint32_t)__builtin_ctzll(left);
            if (c->upper[t] <= s.from && s.to <= c->lower[t] + p->duration[t])
                s.running |= UINT64_C(1) << t;
        }
        if (s.running)
            c->stretch[c->stretches++] = s;
    }
}

/* Do the tasks of the set exceed the machine's room? If so, *resource says which one. */
static bool propagate_machines_overfull(const struct br_lcg_problem *p, uint32_t machine,
                                        uint64_t set, uint32_t *resource)
{
    for (uint32_t r = 0; r < p->amounts; r++) {
        int64_t left = p->room[(size_t)machine * p->amounts + r];
        for (uint64_t tasks = set; tasks && left >= 0; tasks &= tasks - 1)
            left -= p->amount[(size_t)__builtin_ctzll(tasks) * p->amounts + r];
        if (left < 0) {
            *resource = r;
            return true;
        }
    }
    return false;
}

/* Does the task not fit the machine in the stretch? */
static bool blocked(struct br_lcg_machines *c, uint32_t task, uint32_t machine,
                    const struct br_lcg_stretch *s)
{
    uint64_t self = UINT64_C(1) << task;
    uint32_t r;
    if (!br_lcg_packs(&c->packing, s->running | self))
        return true;
    return machine != ANY &&
           propagate_machines_overfull(c->p, machine, (s->running & c->on[machine]) | self, &r);
}

/* The task's earliest start on the machine, from `at` on; ends after the task's window. */
static int32_t earliest(struct br_lcg_machines *c, uint32_t task, uint32_t machine)
{
    int32_t at = c->lower[task], duration = c->p->duration[task];
    for (uint32_t k = 0; k < c->stretches && at <= c->upper[task]; k++) {
        const struct br_lcg_stretch *s = &c->stretch[k];
        if (s->from >= at + duration)
            break;
        if (s->to > at && blocked(c, task, machine, s))
            at = s->to;
    }
    return at;
}

static int32_t propagate_machines_latest(struct br_lcg_machines *c, uint32_t task, uint32_t machine)
{
    int32_t at = c->upper[task], duration = c->p->duration[task];
    for (uint32_t k = c->stretches; k-- > 0 && at >= c->lower[task];) {
        const struct br_lcg_stretch *s = &c->stretch[k];
        if (s->to <= at)
            break;
        if (s->from < at + duration && blocked(c, task, machine, s))
            at = s->from - duration;
    }
    return at;
}

static bool propagate_machines_push_task(struct br_lcg_machines *c, uint32_t task)
{
    const struct br_lcg_problem *p = c->p;
    uint32_t reason = br_lcg_reason(BR_LCG_MACHINES, 0);
    int32_t from = INT32_MAX, to = INT32_MIN;
    for (uint32_t m = 0; m < p->machines; m++) {
        if (c->off[m] >> task & 1)
            continue;
        int32_t first = earliest(c, task, m);
        if (first > c->upper[task]) {
            if (!br_lcg_push(c->trail, 2 * br_lcg_on(p, task, m) + 1, 0, reason, 0))
                return false;
            continue;
        }
        int32_t last = propagate_machines_latest(c, task, m);
        from = first < from ? first : from;
        to = last > to ? last : to;
    }
    if (from == INT32_MAX)
        return true; /* the task is on no machine, which a clause forbids */
    return br_lcg_push(c->trail, 2 * task, from, reason, 0) &&
           br_lcg_push(c->trail, 2 * task + 1, -to, reason, 0);
}

bool br_lcg_machines_propagate(struct br_lcg_machines *c)
{
    c->moved = false;
    propagate_machines_make_table(c, c->trail->count);
    for (uint32_t t = 0; t < c->p->tasks; t++)
        if ((c->p->assigned >> t & 1) && !propagate_machines_push_task(c, t))
            return false;
    return true;
}

/* --- explanations ---------------------------------------------------------------------------- */

/* Obstacles on the machine that leave no start from the task's earliest up to `bound` - 1. */
static bool chain_right(struct br_lcg_machines *c, uint32_t task, uint32_t machine, int32_t bound)
{
    int32_t at = c->lower[task], duration = c->p->duration[task];
    c->obstacles = 0;
    while (at < bound) {
        bool found = false;
        for (uint32_t k = c->stretches; k-- > 0 && !found;) {
            const struct br_lcg_stretch *s = &c->stretch[k];
            if (s->to <= at)
                break;
            if (s->from >= at + duration || !blocked(c, task, machine, s))
                continue;
            int32_t from = s->to < at + duration ? s->to - 1 : at + duration - 1;
            int32_t to = s->to < bound ? s->to - 1 : bound - 1;
            /* The tick before the bound is enough, and so is one beyond it. */
            if (from >= bound - 1)
                from = s->from > bound - 1 ? s->from : bound - 1;
            to = to < from ? from : to;
            c->obstacle[c->obstacles++] = (struct br_lcg_obstacle){k, from, to};
            at = to + 1;
            found = true;
        }
        if (!found)
            return false;
    }
    return true;
}

/* As chain_right, for starts from `bound` + 1 up to the task's latest. */
static bool chain_left(struct br_lcg_machines *c, uint32_t task, uint32_t machine, int32_t bound)
{
    int32_t at = c->upper[task], duration = c->p->duration[task];
    c->obstacles = 0;
    while (at > bound) {
        bool found = false;
        for (uint32_t k = 0; k < c->stretches && !found; k++) {
            const struct br_lcg_stretch *s = &c->stretch[k];
            if (s->from >= at + duration)
                break;
            if (s->to <= at || !blocked(c, task, machine, s))
                continue;
            int32_t to = s->from > at ? s->from : at;
            int32_t from = s->from > bound + duration ? s->from : bound + duration;
            if (to <= bound + duration)
                to = s->to <= bound + duration ? s->to - 1 : bound + duration;
            from = from > to ? to : from;
            c->obstacle[c->obstacles++] = (struct br_lcg_obstacle){k, from, to};
            at = from - duration;
            found = true;
        }
        if (!found)
            return false;
    }
    return true;
}

/* How recently the literal came true; 0 at the root. */
static uint32_t propagate_machines_age(const struct br_lcg_machines *c, struct br_lcg_literal l)
{
    uint32_t e = br_lcg_true_at_root(c->trail, l) ? BR_LCG_NONE : br_lcg_entry_of(c->trail, l);
    return e == BR_LCG_NONE ? 0 : e + 1;
}

/* The literals that say that the task runs through the obstacle, and is on the machine. */
struct presence {
    struct br_lcg_literal literal[3];
    uint32_t count;
};

static struct presence presence(const struct br_lcg_machines *c, uint32_t task, uint32_t machine,
                                const struct br_lcg_obstacle *o)
{
    struct presence n = {.count = machine == ANY ? 2 : 3};
    n.literal[0] = (struct br_lcg_literal){2 * task + 1, -o->from};
    n.literal[1] = (struct br_lcg_literal){2 * task, o->to + 1 - c->p->duration[task]};
    n.literal[2] =
        (struct br_lcg_literal){2 * br_lcg_on(c->p, task, machine == ANY ? 0 : machine), 1};
    return n;
}

/* Keeps of the tasks in the obstacle only those without which there would be none. Those that have
 * been there for the shortest time are left out first. */
static uint64_t needed(struct br_lcg_machines *c, uint32_t task, uint32_t machine,
                       const struct br_lcg_obstacle *o, uint64_t set)
{
    uint64_t self = UINT64_C(1) << task, open = set;
    uint32_t r;
    while (open) {
        uint32_t latest_age = 0, next = (uint32_t)__builtin_ctzll(open);
        for (uint64_t left = open; left; left &= left - 1) {
            uint32_t t = (uint32_t)__builtin_ctzll(left), most = 0;
            struct presence n = presence(c, t, machine, o);
            for (uint32_t k = 0; k < n.count; k++)
                most = propagate_machines_age(c, n.literal[k]) > most
                           ? propagate_machines_age(c, n.literal[k])
                           : most;
            if (most > latest_age) {
                latest_age = most;
                next = t;
            }
        }
        uint64_t rest = set & ~(UINT64_C(1) << next);
        open &= ~(UINT64_C(1) << next);
        if (machine == ANY ? !br_lcg_packs(&c->packing, rest | self)
                           : propagate_machines_overfull(c->p, machine, rest | self, &r))
            set = rest;
    }
    return set;
}

/* Appends why the task does not fit the machine in the obstacle. */
static bool explain_obstacle(struct br_lcg_machines *c, uint32_t task, uint32_t machine,
                             const struct br_lcg_obstacle *o, struct br_lcg_literals *list)
{
    uint64_t self = UINT64_C(1) << task, set = c->stretch[o->stretch].running;
    if (!br_lcg_packs(&c->packing, set | self))
        machine = ANY;
    else
        set &= c->on[machine];
    for (set = needed(c, task, machine, o, set & ~self); set; set &= set - 1) {
        struct presence n = presence(c, (uint32_t)__builtin_ctzll(set), machine, o);
        for (uint32_t k = 0; k < n.count; k++)
            if (!br_lcg_append(c->trail, list, n.literal[k]))
                return false;
    }
    return true;
}

static bool explain_chain(struct br_lcg_machines *c, uint32_t task, uint32_t machine,
                          struct br_lcg_literals *list)
{
    for (uint32_t k = 0; k < c->obstacles; k++)
        if (!explain_obstacle(c, task, machine, &c->obstacle[k], list))
            return false;
    return true;
}

/* The bound at which the chain goes on. */
static struct br_lcg_literal chain_begin(const struct br_lcg_machines *c, uint32_t task, bool left)
{
    const struct br_lcg_obstacle *first = &c->obstacle[0];
    return left ? (struct br_lcg_literal){2 * task + 1, -first->to}
                : (struct br_lcg_literal){2 * task, first->from + 1 - c->p->duration[task]};
}

static bool propagate_machines_chain(struct br_lcg_machines *c, uint32_t task, uint32_t machine,
                                     bool left, int32_t bound)
{
    return left ? chain_left(c, task, machine, bound) : chain_right(c, task, machine, bound);
}

/* No explanation was found: a search for a packing that was short before took too long. The solver
 * is useless from then on, and stops as when memory is out. */
static bool propagate_machines_give_up(struct br_lcg_machines *c)
{
    c->trail->memory_out = c->trail->lost = true;
    return false;
}

/* Why the task starts no earlier, or later, than the bound. */
static bool explain_start(struct br_lcg_machines *c, struct br_lcg_literal l,
                          struct br_lcg_literals *list)
{
    const struct br_lcg_problem *p = c->p;
    uint32_t task = l.side / 2, only = ANY;
    bool left = l.side & 1;
    int32_t bound = left ? -l.bound : l.bound;
    if (propagate_machines_chain(c, task, ANY, left, bound))
        return br_lcg_append(c->trail, list, chain_begin(c, task, left)) &&
               explain_chain(c, task, ANY, list);
    for (uint32_t m = 0; m < p->machines; m++)
        if (c->on[m] >> task & 1)
            only = m;
    struct br_lcg_literal begin = {l.side, INT32_MIN};
    for (uint32_t m = 0; m < p->machines; m++) {
        if (only != ANY && m != only)
            continue;
        if (only == ANY && (c->off[m] >> task & 1)) {
            struct br_lcg_literal off = {2 * br_lcg_on(p, task, m) + 1, 0};
            if (!br_lcg_append(c->trail, list, off))
                return false;
            continue;
        }
        if (!propagate_machines_chain(c, task, m, left, bound))
            return propagate_machines_give_up(c);
        struct br_lcg_literal from = chain_begin(c, task, left);
        begin.bound = from.bound > begin.bound ? from.bound : begin.bound;
        if (!explain_chain(c, task, m, list))
            return false;
    }
    if (only != ANY) {
        struct br_lcg_literal on = {2 * br_lcg_on(p, task, only), 1};
        if (!br_lcg_append(c->trail, list, on))
            return false;
    }
    assert(begin.bound > INT32_MIN);
    return br_lcg_append(c->trail, list, begin);
}

bool br_lcg_machines_explain(struct br_lcg_machines *c, struct br_lcg_literal l, uint32_t entry,
                             struct br_lcg_literals *list)
{
    const struct br_lcg_problem *p = c->p;
    propagate_machines_make_table(c, entry);
    if (l.side / 2 < p->tasks)
        return explain_start(c, l, list);
    uint32_t number = l.side / 2 - br_lcg_on(p, 0, 0), task = number / p->machines,
             machine = number % p->machines;
    assert(l.side & 1);
    if (!chain_right(c, task, machine, c->upper[task] + 1))
        return propagate_machines_give_up(c);
    struct br_lcg_literal ends = {2 * task + 1, -c->obstacle[c->obstacles - 1].to};
    return br_lcg_append(c->trail, list, chain_begin(c, task, false)) &&
           br_lcg_append(c->trail, list, ends) && explain_chain(c, task, machine, list);
}
