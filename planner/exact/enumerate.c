/* Depth-first search over partial schedules in the order of starts, the precedence tree of
 * [Patterson89] with the cutset rule of [Demeulemeester92] on several machines.
 *
 * A node is a set of started tasks; no other task starts before `now`, the last start. A child
 * starts one task more, as early as it fits on a machine. A node is left if - a bound on all its
 * completions is no less than the best makespan; - another task could end before the start of the
 * child's task, since it can then be put there
 *   (what is left is left-shifted);
 * - a node of the same set was searched that leaves as much: it is no later, its starts have no
 *   greater sum, and all that still runs in it runs at least as long here.
 *
 * The rules together keep an optimum: take, of all optimal schedules, those with the least sum of
 * starts. The second rule leaves none of them, since it would make the sum less. The third rule
 * replaces one of them by another, whose node was searched before. So one of them is found. */
#include "planner/exact/enumerate.h"

#include <assert.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/numbers/wide.h"

enum { TASKS = BR_ENUMERATE_TASKS, MACHINES = BR_ENUMERATE_MACHINES, LOOK = 256 };

struct running {
    int64_t end;
    uint32_t task, machine;
};

/* A set of started tasks, and the tasks left. */
struct node {
    uint32_t set;
    int64_t now; /* time of the last start */
    br_wide sum; /* of all starts */
    int64_t end[TASKS];
    uint32_t count; /* tasks that run beyond `now` */
    struct running run[TASKS];
};

/* A node that was searched; the nodes of one set form a list. */
struct known {
    int64_t now;
    br_wide sum;
    uint32_t next, first, count; /* in the pool */
};

struct child {
    uint32_t task, machine;
    int64_t start;
    bool late; /* another task could end before it */
};

struct tree {
    struct br_enumerate *e;
    const struct br_instance *in;
    uint32_t tasks;
    uint32_t before[TASKS]; /* by task: the tasks that end before it starts, in bits */
    uint32_t equal[TASKS];  /* the task of its kind that starts no later, or itself */
    uint32_t order[TASKS];  /* parents first */
    int64_t tail[TASKS];    /* the longest path behind it */
    bool holds[TASKS];      /* it takes time, and demands something */
    uint32_t cls[MACHINES];
    int64_t start[TASKS]; /* of the present node, by depth first */
    uint32_t machine[TASKS];

    struct child *child; /* [depth * tasks * machines]: of the node at that depth */
    uint32_t *list;      /* by set: 1 + the known node that was added last, or 0 */
    struct known *known;
    struct running *pool;
    uint32_t knowns, known_room, pooled, pool_room;
};

static int64_t enumerate_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static const int64_t *enumerate_demand_of(const struct tree *t, uint32_t task)
{
    return t->in->demand + (size_t)t->in->task_stage[task] * t->in->resources;
}

/* --- the instance ------------------------------------------------------------------------------
 */

static void enumerate_link_parents(struct tree *t, uint32_t task)
{
    const struct br_instance *in = t->in;
    uint32_t stage = in->task_stage[task];
    for (uint32_t a = in->parent_first[stage]; a < in->parent_first[stage + 1]; a++) {
        uint32_t from = in->stage_first[in->parent[a].stage],
                 end = in->stage_first[in->parent[a].stage + 1];
        if (in->parent[a].one_to_one) {
            from += task - in->stage_first[stage];
            end = from + 1;
        }
        for (; from < end; from++)
            t->before[task] |= UINT32_C(1) << from;
    }
}

/* Do tasks of the stage with equal durations differ by name only? */
static bool is_alike(const struct br_instance *in, uint32_t stage)
{
    bool alike = true;
    for (uint32_t a = in->parent_first[stage]; a < in->parent_first[stage + 1]; a++)
        alike &= !in->parent[a].one_to_one;
    for (uint32_t a = in->child_first[stage]; a < in->child_first[stage + 1]; a++)
        alike &= !in->child[a].one_to_one;
    return alike;
}

static void enumerate_link_equal(struct tree *t, uint32_t task)
{
    const struct br_instance *in = t->in;
    uint32_t stage = in->task_stage[task];
    t->equal[task] = task;
    for (uint32_t u = in->stage_first[stage]; u < task && is_alike(in, stage); u++)
        if (in->duration[u] == in->duration[task])
            t->equal[task] = u;
}

static void read_instance(struct tree *t)
{
    const struct br_instance *in = t->in;
    uint32_t count = 0;
    for (uint32_t k = 0; k < in->tasks; k++) {
        enumerate_link_parents(t, k);
        enumerate_link_equal(t, k);
        for (uint32_t r = 0; r < in->resources; r++)
            t->holds[k] |= enumerate_demand_of(t, k)[r] > 0 && in->duration[k] > 0;
    }
    for (uint32_t m = 0; m < in->machines; m++)
        t->cls[m] = br_instance_machine_class(in, m);
    for (uint32_t k = 0; k < in->stages; k++) {
        uint32_t s = in->topological[k];
        for (uint32_t task = in->stage_first[s]; task < in->stage_first[s + 1]; task++)
            t->order[count++] = task;
    }
    for (uint32_t k = count; k-- > 0;)
        for (uint32_t u = 0; u < in->tasks; u++)
            if (t->before[t->order[k]] >> u & 1)
                t->tail[u] =
                    enumerate_larger(t->tail[u], in->duration[t->order[k]] + t->tail[t->order[k]]);
}

/* --- when a task fits --------------------------------------------------------------------------
 */

/* Does the task fit on the machine at a time from the node's now on? *next is the time at which
 * more of it is free. Nothing starts later, so a task that fits then fits for good. */
static bool enumerate_fits_at(const struct tree *t, const struct node *n, uint32_t task,
                              uint32_t machine, int64_t at, int64_t *next)
{
    const struct br_instance *in = t->in;
    const int64_t *capacity = in->capacity + (size_t)t->cls[machine] * in->resources;
    bool fits = true;
    *next = INT64_MAX;
    for (uint32_t r = 0; r < in->resources && fits; r++) {
        int64_t left = capacity[r] - enumerate_demand_of(t, task)[r];
        for (uint32_t k = 0; k < n->count; k++)
            if (n->run[k].machine == machine && n->run[k].end > at)
                left -= enumerate_demand_of(t, n->run[k].task)[r];
        fits = left >= 0 || enumerate_demand_of(t, task)[r] == 0;
    }
    for (uint32_t k = 0; k < n->count && !fits; k++)
        if (n->run[k].machine == machine && n->run[k].end > at && n->run[k].end < *next)
            *next = n->run[k].end;
    return fits;
}

/* The earliest start from `from` on; INT64_MAX if the machine never holds the task. */
static int64_t enumerate_earliest_on(const struct tree *t, const struct node *n, uint32_t task,
                                     uint32_t machine, int64_t from)
{
    int64_t next;
    while (from < INT64_MAX && !enumerate_fits_at(t, n, task, machine, from, &next))
        from = next;
    return from;
}

/* Are this machine and an equal one before it both idle? Then the earlier one will do. */
static bool is_spare(const struct tree *t, const struct node *n, uint32_t machine)
{
    uint32_t busy = 0, before = 0;
    for (uint32_t k = 0; k < n->count; k++) {
        uint32_t m = n->run[k].machine;
        busy += m == machine;
        if (m < machine && t->cls[m] == t->cls[machine]) {
            bool again = false;
            for (uint32_t j = 0; j < k; j++)
                again |= n->run[j].machine == m;
            before += !again;
        }
    }
    return busy == 0 && before < machine - t->in->class_first[t->cls[machine]];
}

/* --- bounds ------------------------------------------------------------------------------------
 */

/* The work on a resource that must be done from `from` on by tasks with a tail of `tail` or more. A
 * task that has not started counts if it starts no earlier than that. */
static br_wide work_within(const struct tree *t, const struct node *n, const int64_t *earliest,
                           uint32_t r, int64_t from, int64_t tail)
{
    br_wide work = 0;
    for (uint32_t k = 0; k < t->tasks; k++)
        if (!(n->set >> k & 1) && earliest[k] >= from && t->tail[k] >= tail)
            work += (br_wide)t->in->duration[k] * enumerate_demand_of(t, k)[r];
    for (uint32_t k = 0; k < n->count; k++)
        if (n->run[k].end > from && t->tail[n->run[k].task] >= tail)
            work += (br_wide)(n->run[k].end - from) * enumerate_demand_of(t, n->run[k].task)[r];
    return work;
}

/* Does the work in spans from an earliest start, or now, to the end less a tail exclude every
 * makespan below the best? */
static bool is_overfull(const struct tree *t, const struct node *n, const int64_t *earliest)
{
    for (uint32_t i = 0; i <= t->tasks; i++) {
        if (i < t->tasks && (n->set >> i & 1))
            continue;
        int64_t from = i < t->tasks ? earliest[i] : n->now;
        for (uint32_t j = 0; j < t->tasks; j++) {
            if (n->set >> j & 1 && n->end[j] <= n->now)
                continue;
            int64_t span = t->e->upper - 1 - t->tail[j] - from;
            for (uint32_t r = 0; r < t->in->resources; r++)
                if (work_within(t, n, earliest, r, from, t->tail[j]) >
                    (br_wide)enumerate_larger(span, 0) * t->in->total[r])
                    return true;
        }
    }
    return false;
}

/* Computes the earliest starts of the tasks left. Do they allow a makespan below the best? */
static bool enumerate_is_open(const struct tree *t, const struct node *n, int64_t *earliest)
{
    for (uint32_t i = 0; i < t->tasks; i++) {
        uint32_t k = t->order[i];
        if (n->set >> k & 1) {
            earliest[k] = n->end[k] - t->in->duration[k];
            if (n->end[k] + t->tail[k] >= t->e->upper)
                return false;
            continue;
        }
        int64_t from = n->now, first = INT64_MAX;
        for (uint32_t u = 0; u < t->tasks; u++)
            if (t->before[k] >> u & 1)
                from = enumerate_larger(from, earliest[u] + t->in->duration[u]);
        for (uint32_t m = 0; m < t->in->machines && first > from && t->holds[k]; m++) {
            int64_t at = is_spare(t, n, m) ? INT64_MAX : enumerate_earliest_on(t, n, k, m, from);
            first = at < first ? at : first;
        }
        earliest[k] = t->holds[k] ? first : from;
        if (earliest[k] + t->in->duration[k] + t->tail[k] >= t->e->upper)
            return false;
    }
    return !is_overfull(t, n, earliest);
}

/* --- nodes that are known ----------------------------------------------------------------------
 */

/* Does the known node leave room for all completions of this one? Equal machines may change
 * places. */
static bool leaves_as_much(const struct tree *t, const struct known *a, const struct node *n)
{
    uint32_t image[MACHINES], origin[MACHINES];
    if (a->now > n->now || a->sum > n->sum)
        return false;
    memset(image, 0xff, sizeof image);
    memset(origin, 0xff, sizeof origin);
    for (uint32_t k = 0; k < a->count; k++) {
        const struct running *run = &t->pool[a->first + k];
        if (run->end <= n->now)
            continue;
        if (run->end > n->end[run->task])
            return false;
        if (!t->holds[run->task])
            continue;
        uint32_t here = UINT32_MAX;
        for (uint32_t j = 0; j < n->count; j++)
            if (n->run[j].task == run->task)
                here = n->run[j].machine;
        if (here == UINT32_MAX || t->cls[here] != t->cls[run->machine] ||
            (image[run->machine] != UINT32_MAX && image[run->machine] != here) ||
            (origin[here] != UINT32_MAX && origin[here] != run->machine))
            return false;
        image[run->machine] = here;
        origin[here] = run->machine;
    }
    return true;
}

static bool is_known(const struct tree *t, const struct node *n)
{
    for (uint32_t k = t->list[n->set]; k; k = t->known[k - 1].next)
        if (leaves_as_much(t, &t->known[k - 1], n))
            return true;
    return false;
}

static bool enumerate_remember(struct tree *t, const struct node *n)
{
    if (!br_grow(&t->known, t->knowns, &t->known_room, sizeof *t->known))
        return false;
    while (t->pooled + n->count > t->pool_room)
        if (!br_grow(&t->pool, t->pool_room, &t->pool_room, sizeof *t->pool))
            return false;
    if (n->count) /* otherwise nothing runs, and there may be no pool yet */
        memcpy(t->pool + t->pooled, n->run, n->count * sizeof *n->run);
    t->known[t->knowns++] = (struct known){.now = n->now,
                                           .sum = n->sum,
                                           .next = t->list[n->set],
                                           .first = t->pooled,
                                           .count = n->count};
    t->list[n->set] = t->knowns;
    t->pooled += n->count;
    return true;
}

/* --- the search --------------------------------------------------------------------------------
 */

/* Children with the earliest start come first, ties by the longest path behind them. */
static bool enumerate_is_before(const struct tree *t, const struct child *a, const struct child *b)
{
    int64_t left = t->in->duration[a->task] + t->tail[a->task],
            right = t->in->duration[b->task] + t->tail[b->task];
    return a->start != b->start ? a->start < b->start : left > right;
}

/* Writes the children of the node, sorted, without those that the second rule excludes. */
static uint32_t list_children(const struct tree *t, const struct node *n, struct child *child)
{
    uint32_t count = 0, kept = 0;
    for (uint32_t k = 0; k < t->tasks; k++) {
        uint32_t ahead = t->before[k] | (t->equal[k] == k ? 0 : UINT32_C(1) << t->equal[k]);
        if (n->set >> k & 1 || (ahead & ~n->set))
            continue;
        int64_t from = n->now;
        for (uint32_t u = 0; u < t->tasks; u++)
            if (t->before[k] >> u & 1)
                from = enumerate_larger(from, n->end[u]);
        for (uint32_t m = 0; m < t->in->machines; m++) {
            int64_t at = from, holds = br_instance_holds(t->in, t->cls[m], t->in->task_stage[k], 1);
            if (holds < 1 || (t->holds[k] && is_spare(t, n, m)))
                continue;
            if (t->holds[k])
                at = enumerate_earliest_on(t, n, k, m, from);
            child[count++] = (struct child){k, m, at, false};
            if (!t->holds[k]) /* any machine will do */
                break;
        }
    }
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t j = 0; j < count && !child[k].late; j++)
            child[k].late = child[j].start < child[k].start &&
                            child[j].start + t->in->duration[child[j].task] <= child[k].start;
    for (uint32_t k = 0; k < count; k++) {
        struct child c = child[k];
        uint32_t to = kept;
        if (c.late)
            continue;
        for (kept++; to > 0 && enumerate_is_before(t, &c, &child[to - 1]); to--)
            child[to] = child[to - 1];
        child[to] = c;
    }
    return kept;
}

static void enumerate_start_task(const struct tree *t, const struct node *n, const struct child *c,
                                 struct node *to)
{
    to->set = n->set | UINT32_C(1) << c->task;
    to->now = c->start;
    to->sum = n->sum + c->start;
    memcpy(to->end, n->end, sizeof to->end);
    to->end[c->task] = c->start + t->in->duration[c->task];
    to->count = 0;
    for (uint32_t k = 0; k < n->count; k++)
        if (n->run[k].end > to->now)
            to->run[to->count++] = n->run[k];
    if (to->end[c->task] > to->now)
        to->run[to->count++] = (struct running){to->end[c->task], c->task, c->machine};
}

static void keep_schedule(struct tree *t, const struct node *n)
{
    int64_t makespan = 0;
    for (uint32_t k = 0; k < t->tasks; k++)
        makespan = enumerate_larger(makespan, n->end[k]);
    if (makespan >= t->e->upper)
        return;
    t->e->upper = makespan;
    t->e->found = true;
    memcpy(t->e->start, t->start, t->tasks * sizeof *t->start);
    memcpy(t->e->machine, t->machine, t->tasks * sizeof *t->machine);
}

/* False if something ends the search before everything is tried. */
static bool search_below(struct tree *t, const struct node *n, uint32_t depth)
{
    struct br_enumerate *e = t->e;
    struct child *child = t->child + (size_t)depth * t->tasks * t->in->machines;
    struct node next;
    int64_t earliest[TASKS] = {0};
    if (n->set == (UINT32_C(1) << t->tasks) - 1) {
        keep_schedule(t, n);
        return true;
    }
    if (++e->nodes > e->nodes_max || (e->nodes % LOOK == 0 && br_stopped(e->stop)))
        return false;
    if (!enumerate_is_open(t, n, earliest) || is_known(t, n))
        return true;
    bool ok = enumerate_remember(t, n);
    e->memory_out |= !ok;
    uint32_t count = ok ? list_children(t, n, child) : 0;
    for (uint32_t k = 0; ok && k < count && e->upper > e->lower; k++) {
        enumerate_start_task(t, n, &child[k], &next);
        t->start[child[k].task] = child[k].start;
        t->machine[child[k].task] = child[k].machine;
        ok = search_below(t, &next, depth + 1);
    }
    return ok;
}

void br_enumerate_run(struct br_enumerate *e)
{
    assert(e->in->tasks <= TASKS && e->in->machines <= MACHINES);
    struct tree *t = br_calloc(1, sizeof *t);
    e->found = e->complete = e->memory_out = false;
    e->nodes = 0;
    if (t) {
        *t = (struct tree){.e = e, .in = e->in, .tasks = e->in->tasks};
        t->list = br_calloc((size_t)1 << t->tasks, sizeof *t->list);
        t->child = br_calloc((size_t)t->tasks * t->tasks * t->in->machines, sizeof *t->child);
    }
    e->memory_out = !t || !t->list || !t->child;
    if (!e->memory_out) {
        const struct node root = {0};
        read_instance(t);
        e->complete = search_below(t, &root, 0);
    }
    if (t) {
        br_free(t->child);
        br_free(t->list);
        br_free(t->known);
        br_free(t->pool);
    }
    br_free(t);
}
