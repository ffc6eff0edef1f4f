/* A crowd of tasks in front of several machines. The rules are those of docs/certificates.md, taken
 * in turn. Sets of tasks are words of bits; whether one fits the machines at once is remembered,
 * since clauses ask for the same sets again and again. */
#include "planner/check/proofs/crowd.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/wide.h"

/* Sets are remembered in so many places, a later one in place of an earlier one. A search for a
 * packing that takes more steps is given up, and the set taken for one that fits. */
enum { PLACES = 1 << 14, STEPS_MAX = 100000 };

struct answer {
    uint64_t set; /* 0: none yet */
    bool fits;
};

/* From `from` up to `to` the tasks of the set run in every case. */
struct span {
    int64_t from, to;
    uint64_t set;
};

struct br_crowd {
    struct br_arena arena;
    const struct br_instance *in;
    uint64_t holders;  /* tasks that last some time and demand something */
    uint32_t *class;   /* by machine */
    uint32_t *by_size; /* all tasks, those that need most of some machine first */
    struct answer *answer;
    int64_t *load;    /* [machine * resources + resource]: scratch of packings */
    bool *busy;       /* by machine: the same */
    uint32_t *packed; /* the same: the tasks of the set, by size */
    uint32_t steps;
    int64_t *time; /* scratch */
    struct span *span;
    uint32_t spans;
    uint64_t *on; /* by machine: tasks that are on it */
};

static int64_t crowd_demand_of(const struct br_crowd *c, uint32_t task, uint32_t resource)
{
    return c->in->demand[(size_t)c->in->task_stage[task] * c->in->resources + resource];
}

static int64_t crowd_room_of(const struct br_crowd *c, uint32_t machine, uint32_t resource)
{
    size_t of_class = (size_t)c->in->resources * c->class[machine];
    return c->in->capacity[of_class + resource];
}

static uint32_t variable(const struct br_crowd *c, uint32_t task, uint32_t machine)
{
    return c->in->tasks + 1 + task * c->in->machines + machine;
}

static void note_tasks(struct br_crowd *c)
{
    const struct br_instance *in = c->in;
    for (uint32_t t = 0; t < in->tasks; t++)
        for (uint32_t r = 0; r < in->resources; r++)
            if (in->duration[t] > 0 && crowd_demand_of(c, t, r) > 0)
                c->holders |= UINT64_C(1) << t;
}

/* In thousandths, rounded up, the most that the task takes of what all machines together have. */
static int64_t crowd_size_of(const struct br_crowd *c, uint32_t task)
{
    int64_t size = 0;
    for (uint32_t r = 0; r < c->in->resources; r++) {
        br_wide amount = (br_wide)1000 * crowd_demand_of(c, task, r), all = c->in->total[r];
        int64_t part = all > 0 ? (int64_t)((amount + all - 1) / all) : 0;
        size = part > size ? part : size;
    }
    return size;
}

/* Which order it is does not matter for what is true, only for how long a packing takes. */
static void sort_by_size(struct br_crowd *c)
{
    for (uint32_t k = 0; k < c->in->tasks; k++) {
        uint32_t place = k;
        for (; place > 0 && crowd_size_of(c, c->by_size[place - 1]) < crowd_size_of(c, k); place--)
            c->by_size[place] = c->by_size[place - 1];
        c->by_size[place] = k;
    }
}

struct br_crowd *br_crowd_create(const struct br_instance *in)
{
    assert(in->machines > 1 && in->machines <= BR_CROWD_MACHINES && in->tasks <= BR_CROWD_TASKS);
    struct br_crowd *c = br_calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->in = in;
    size_t cells = (size_t)in->machines * in->resources + 1;
    c->class = br_arena_array(&c->arena, in->machines, sizeof *c->class);
    c->by_size = br_arena_array(&c->arena, in->tasks, sizeof *c->by_size);
    c->packed = br_arena_array(&c->arena, in->tasks, sizeof *c->packed);
    c->answer = br_arena_array(&c->arena, PLACES, sizeof *c->answer);
    c->load = br_arena_array(&c->arena, cells, sizeof *c->load);
    c->busy = br_arena_array(&c->arena, in->machines, sizeof *c->busy);
    c->time = br_arena_array(&c->arena, 2 * (size_t)in->tasks, sizeof *c->time);
    c->span = br_arena_array(&c->arena, 2 * (size_t)in->tasks, sizeof *c->span);
    c->on = br_arena_array(&c->arena, in->machines, sizeof *c->on);
    if (!c->class || !c->by_size || !c->packed || !c->answer || !c->load || !c->busy || !c->time ||
        !c->span || !c->on) {
        br_crowd_destroy(c);
        return NULL;
    }
    for (uint32_t m = 0; m < in->machines; m++)
        c->class[m] = br_instance_machine_class(in, m);
    note_tasks(c);
    sort_by_size(c);
    return c;
}

void br_crowd_destroy(struct br_crowd *c)
{
    if (!c)
        return;
    br_arena_finish(&c->arena);
    br_free(c);
}

/* --- bounds ---------------------------------------------------------------------------------- */

static void crowd_raise_least(struct br_crowd_bounds *b, uint32_t v, int64_t value)
{
    if (value <= b->least[v])
        return;
    b->least[v] = value;
    b->moved = true;
    b->contradiction |= value > b->most[v];
}

static void crowd_lower_most(struct br_crowd_bounds *b, uint32_t v, int64_t value)
{
    if (value >= b->most[v])
        return;
    b->most[v] = value;
    b->moved = true;
    b->contradiction |= value < b->least[v];
}

/* --- machines by name ------------------------------------------------------------------------ */

/* One machine holds: the task is on one, and on no other. */
static void follow_choice(const struct br_crowd *c, struct br_crowd_bounds *b, uint32_t task)
{
    uint32_t machines = c->in->machines, open = 0, last = 0;
    for (uint32_t m = 0; m < machines; m++) {
        bool fits = true;
        for (uint32_t r = 0; r < c->in->resources; r++)
            fits &= crowd_demand_of(c, task, r) <= crowd_room_of(c, m, r);
        if (!fits)
            crowd_lower_most(b, variable(c, task, m), 0);
        if (b->most[variable(c, task, m)] > 0) {
            open++;
            last = m;
        }
        for (uint32_t n = 0; n < machines; n++)
            if (n != m && b->least[variable(c, task, n)] > 0)
                crowd_lower_most(b, variable(c, task, m), 0);
    }
    b->contradiction |= open == 0;
    if (open == 1)
        crowd_raise_least(b, variable(c, task, last), 1);
}

/* Equal machines are numbered by the first task on each: if one is used, a task before is on the
 * one before. */
static void follow_names(const struct br_crowd *c, struct br_crowd_bounds *b, uint32_t task)
{
    for (uint32_t m = 1; m < c->in->machines; m++) {
        if (c->class[m] != c->class[m - 1] || b->most[variable(c, task, m)] == 0)
            continue;
        uint32_t open = 0, last = 0;
        for (uint32_t t = 0; t < task; t++)
            if ((c->holders >> t & 1) && b->most[variable(c, t, m - 1)] > 0) {
                open++;
                last = t;
            }
        if (open == 0)
            crowd_lower_most(b, variable(c, task, m), 0);
        if (open == 1 && b->least[variable(c, task, m)] > 0)
            crowd_raise_least(b, variable(c, last, m - 1), 1);
    }
}

/* --- packings -------------------------------------------------------------------------------- */

/* Puts the tasks on machines from the given one on; `count` are to be packed. */
static bool crowd_pack(struct br_crowd *c, uint32_t next, uint32_t count)
{
    const struct br_instance *in = c->in;
    if (next == count || c->steps++ >= STEPS_MAX)
        return true;
    uint32_t task = c->packed[next];
    for (uint32_t m = 0; m < in->machines; m++) {
        int64_t *load = c->load + (size_t)m * in->resources;
        bool was_busy = c->busy[m], fits = true;
        if (!was_busy && m > 0 && c->class[m] == c->class[m - 1] && !c->busy[m - 1])
            continue; /* it is as the one before it */
        for (uint32_t r = 0; r < in->resources; r++)
            fits &= load[r] + crowd_demand_of(c, task, r) <= crowd_room_of(c, m, r);
        if (!fits)
            continue;
        for (uint32_t r = 0; r < in->resources; r++)
            load[r] += crowd_demand_of(c, task, r);
        c->busy[m] = true;
        bool packed = crowd_pack(c, next + 1, count);
        c->busy[m] = was_busy;
        for (uint32_t r = 0; r < in->resources; r++)
            load[r] -= crowd_demand_of(c, task, r);
        if (packed)
            return true;
    }
    return false;
}

/* Do all machines together have enough of every resource? */
static bool fit_sums(const struct br_crowd *c, uint64_t set)
{
    for (uint32_t r = 0; r < c->in->resources; r++) {
        int64_t left = c->in->total[r];
        for (uint64_t rest = set; rest && left >= 0; rest &= rest - 1)
            left -= crowd_demand_of(c, (uint32_t)__builtin_ctzll(rest), r);
        if (left < 0)
            return false;
    }
    return true;
}

/* Can all tasks of the set be on the machines at once? */
static bool fit_together(struct br_crowd *c, uint64_t set)
{
    struct answer *a = &c->answer[(set * UINT64_C(0x9e3779b97f4a7c15)) >> 50];
    if (a->set == set)
        return a->fits;
    uint32_t count = 0;
    for (uint32_t k = 0; k < c->in->tasks; k++)
        if (set >> c->by_size[k] & 1)
            c->packed[count++] = c->by_size[k];
    memset(c->load, 0, (size_t)c->in->machines * c->in->resources * sizeof *c->load);
    memset(c->busy, 0, c->in->machines * sizeof *c->busy);
    c->steps = 0;
    a->fits = fit_sums(c, set) && crowd_pack(c, 0, count);
    a->set = set;
    return a->fits;
}

/* Do all tasks of the set fit the one machine? */
static bool fit_machine(const struct br_crowd *c, uint32_t machine, uint64_t set)
{
    for (uint32_t r = 0; r < c->in->resources; r++) {
        int64_t left = crowd_room_of(c, machine, r);
        for (uint64_t rest = set; rest && left >= 0; rest &= rest - 1)
            left -= crowd_demand_of(c, (uint32_t)__builtin_ctzll(rest), r);
        if (left < 0)
            return false;
    }
    return true;
}

/* --- the time-table -------------------------------------------------------------------------- */

static int crowd_by_time(const void *x, const void *y)
{
    const int64_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

/* Which task runs when, and on which machine, in every case. */
static void make_spans(struct br_crowd *c, const struct br_crowd_bounds *b)
{
    const struct br_instance *in = c->in;
    uint32_t times = 0;
    memset(c->on, 0, in->machines * sizeof *c->on);
    for (uint32_t t = 0; t < in->tasks; t++) {
        if (!(c->holders >> t & 1))
            continue;
        for (uint32_t m = 0; m < in->machines; m++)
            c->on[m] |= (uint64_t)(b->least[variable(c, t, m)] > 0) << t;
        if (b->most[t] < b->least[t] + in->duration[t]) {
            c->time[times++] = b->most[t];
            c->time[times++] = b->least[t] + in->duration[t];
        }
    }
    br_sort_by(c->time, times, sizeof *c->time, crowd_by_time);
    c->spans = 0;
    for (uint32_t k = 0; k + 1 < times; k++) {
        struct span s = {.from = c->time[k], .to = c->time[k + 1]};
        for (uint32_t t = 0; t < in->tasks; t++)
            if ((c->holders >> t & 1) && b->most[t] <= s.from &&
                s.to <= b->least[t] + in->duration[t])
                s.set |= UINT64_C(1) << t;
        if (s.from < s.to && s.set)
            c->span[c->spans++] = s;
    }
}

/* Is it impossible that the task is on the machine in the span? */
static bool kept_out(struct br_crowd *c, uint32_t task, uint32_t machine, const struct span *s)
{
    uint64_t self = UINT64_C(1) << task;
    return !fit_machine(c, machine, (s->set & c->on[machine]) | self) ||
           !fit_together(c, s->set | self);
}

/* The task starts at times at which it fits a machine that it may be on; it is on no machine that
 * it fits at no time. */
static void follow_task(struct br_crowd *c, struct br_crowd_bounds *b, uint32_t task)
{
    int64_t d = c->in->duration[task], first = INT64_MAX, last = INT64_MIN;
    for (uint32_t m = 0; m < c->in->machines; m++) {
        int64_t least = b->least[task], most = b->most[task];
        if (b->most[variable(c, task, m)] == 0)
            continue;
        for (uint32_t k = 0; k < c->spans && least <= most; k++) {
            const struct span *s = &c->span[k];
            if (s->from < least + d && least < s->to && kept_out(c, task, m, s))
                least = s->to;
        }
        for (uint32_t k = c->spans; k-- > 0 && least <= most;) {
            const struct span *s = &c->span[k];
            if (s->from < most + d && most < s->to && kept_out(c, task, m, s))
                most = s->from - d;
        }
        if (least > most) {
            crowd_lower_most(b, variable(c, task, m), 0);
            continue;
        }
        first = least < first ? least : first;
        last = most > last ? most : last;
    }
    if (first == INT64_MAX) {
        b->contradiction = true; /* no machine is left */
        return;
    }
    crowd_raise_least(b, task, first);
    crowd_lower_most(b, task, last);
}

void br_crowd_follow(struct br_crowd *c, struct br_crowd_bounds *b)
{
    for (uint32_t t = 0; t < c->in->tasks && !b->contradiction; t++)
        if (c->holders >> t & 1) {
            follow_choice(c, b, t);
            follow_names(c, b, t);
        }
    if (b->contradiction || b->moved)
        return;
    make_spans(c, b);
    for (uint32_t t = 0; t < c->in->tasks && !b->contradiction; t++)
        if (c->holders >> t & 1)
            follow_task(c, b, t);
}
