/* Checks clauses one after another: supposes that all literals of a clause are false, and follows
 * what that means for the bounds of all starts, until they contradict each other [Goldberg03].
 *
 * It follows the edges, the order of equal tasks and that of rivals, the clauses named as hints,
 * and the time-table: a task that starts by u and ends at e or later runs from u to e; when others
 * run so in every case and leave too little, a task cannot run; on several machines crowd.h says
 * what that means. On one it looks at the spans that a clause names, too: whether tasks have more
 * to do there than there is. No more is needed, and the code shares nothing with the solver's. */
#include "planner/check/proofs/clauses.h"

#include <assert.h>
#include <string.h>

#include "base/collections/sort.h"
#include "base/invariant.h"
#include "base/numbers/wide.h"
#include "planner/check/proofs/crowd.h"

static const uint32_t none = UINT32_MAX;

struct edge {
    uint32_t parent, child; /* the end is a child, too */
};

/* Two tasks of which one ends before the other starts; `order` is 1 if that is the first. */
struct rivals {
    uint32_t first, second, order;
};

/* From `at` to the next step that much is held in every case. */
struct step {
    int64_t at;
    br_wide held;
};

struct bounds {
    int64_t *least, *most; /* start, by task and for the end; then of what is 0 or 1 */
};

struct checker {
    struct br_arena arena;
    const struct br_instance *in;
    uint32_t tasks, variables; /* starts, the end, orders of rivals or tasks on machines */
    struct br_crowd *crowd;    /* NULL: one machine */
    struct edge *edge;         /* parents in topological order */
    size_t edges;
    struct rivals *rivals;  /* one machine */
    uint32_t pairs, *order; /* by first x tasks + second: the variable, or none */
    uint32_t *next_equal;   /* by task: the next of its stage that differs by name only, or none */
    struct bounds root, now;
    int64_t *rounded;  /* by resource: the capacity, down to whole units of the demands */
    struct step *step; /* scratch */
    bool contradiction;
    bool moved;
    const struct br_clauses_watch *watch; /* NULL: none */
    const struct br_proof_span *overfull; /* that brought the contradiction; NULL: none did */
    uint32_t scarce;                      /* the resource that is short in it */
};

static int64_t check_clauses_duration_of(const struct checker *c, uint32_t task)
{
    return task < c->tasks ? c->in->duration[task] : 0;
}

static void check_clauses_raise_least(struct checker *c, uint32_t task, int64_t time)
{
    if (time <= c->now.least[task])
        return;
    c->now.least[task] = time;
    c->moved = true;
    c->contradiction |= time > c->now.most[task];
}

static void check_clauses_lower_most(struct checker *c, uint32_t task, int64_t time)
{
    if (time >= c->now.most[task])
        return;
    c->now.most[task] = time;
    c->moved = true;
    c->contradiction |= time < c->now.least[task];
}

static void follow_edges(struct checker *c)
{
    for (size_t k = 0; k < c->edges; k++) {
        const struct edge *e = &c->edge[k];
        check_clauses_raise_least(
            c, e->child, c->now.least[e->parent] + check_clauses_duration_of(c, e->parent));
    }
    for (size_t k = c->edges; k-- > 0;) {
        const struct edge *e = &c->edge[k];
        check_clauses_lower_most(c, e->parent,
                                 c->now.most[e->child] - check_clauses_duration_of(c, e->parent));
    }
}

/* Makes each of the tasks that differ by name only start no earlier than the one before: a plan in
 * which two of them change places stays a plan. */
static void follow_equal(struct checker *c)
{
    for (uint32_t t = 0; t < c->tasks; t++)
        if (c->next_equal[t] != none)
            check_clauses_raise_least(c, c->next_equal[t], c->now.least[t]);
    for (uint32_t t = c->tasks; t-- > 0;)
        if (c->next_equal[t] != none)
            check_clauses_lower_most(c, t, c->now.most[c->next_equal[t]]);
}

/* For whoever watches: what follows if `before` starts at `start` or later and ends before `after`
 * starts, or does not. */
static void check_clauses_tell_order(const struct checker *c, uint32_t before, uint32_t after,
                                     int64_t start)
{
    if (c->watch && c->watch->ordered)
        c->watch->ordered(c->watch->context, before, after, start);
}

static void check_clauses_put_before(struct checker *c, uint32_t before, uint32_t after)
{
    const int64_t d = c->in->duration[before];
    if (c->now.least[before] + d > c->now.least[after]) {
        check_clauses_tell_order(c, before, after, c->now.least[before]);
        check_clauses_raise_least(c, after, c->now.least[before] + d);
    }
    if (c->now.most[after] - d < c->now.most[before]) {
        check_clauses_tell_order(c, before, after, c->now.most[after] - d + 1);
        check_clauses_lower_most(c, before, c->now.most[after] - d);
    }
}

/* Can one of two tasks end before the other starts? */
static bool can_be_before(const struct checker *c, uint32_t before, uint32_t after)
{
    if (c->now.least[before] + c->in->duration[before] <= c->now.most[after])
        return true;
    check_clauses_tell_order(c, before, after, c->now.least[before]);
    return false;
}

static void follow_rivals(struct checker *c)
{
    for (uint32_t k = 0; k < c->pairs && !c->contradiction; k++) {
        const struct rivals *r = &c->rivals[k];
        if (!can_be_before(c, r->second, r->first))
            check_clauses_raise_least(c, r->order, 1);
        if (!can_be_before(c, r->first, r->second))
            check_clauses_lower_most(c, r->order, 0);
        if (c->now.least[r->order] == 1)
            check_clauses_put_before(c, r->first, r->second);
        else if (c->now.most[r->order] == 0)
            check_clauses_put_before(c, r->second, r->first);
    }
}

/* --- the time-table -------------------------------------------------------------------------- */

static int check_clauses_by_time(const void *x, const void *y)
{
    const struct step *a = x, *b = y;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* For whoever watches: what is held of the resource at that time is used. */
static void check_clauses_tell_full(const struct checker *c, uint32_t resource, int64_t time)
{
    if (c->watch && c->watch->full)
        c->watch->full(c->watch->context, resource, time);
}

/* Between these times there is no room for the task, which so starts no earlier than `to`: one time
 * after another at which it would run wherever it starts before. */
static void check_clauses_tell_right(const struct checker *c, uint32_t resource, uint32_t task,
                                     int64_t to)
{
    const int64_t d = c->in->duration[task];
    for (int64_t start = c->now.least[task]; start < to && c->watch && c->watch->full;) {
        const int64_t time = start + d < to ? start + d - 1 : to - 1;
        check_clauses_tell_full(c, resource, time);
        start = time + 1;
    }
}

/* The same from the other side: it has ended by `from`. */
static void check_clauses_tell_left(const struct checker *c, uint32_t resource, uint32_t task,
                                    int64_t from)
{
    const int64_t d = c->in->duration[task];
    for (int64_t start = c->now.most[task]; start > from - d && c->watch && c->watch->full;) {
        const int64_t time = start > from ? start : from;
        check_clauses_tell_full(c, resource, time);
        start = time - d;
    }
}

/* The steps of what is held of a resource in every case; their number. */
static uint32_t make_steps(struct checker *c, uint32_t resource)
{
    const struct br_instance *in = c->in;
    struct step *step = c->step;
    uint32_t count = 0, kept = 0;
    br_wide held = 0;
    for (uint32_t t = 0; t < c->tasks; t++) {
        int64_t demand = in->demand[(size_t)in->task_stage[t] * in->resources + resource];
        int64_t from = c->now.most[t], to = c->now.least[t] + in->duration[t];
        if (demand == 0 || from >= to)
            continue;
        step[count++] = (struct step){from, demand};
        step[count++] = (struct step){to, -demand};
    }
    br_sort_by(step, count, sizeof *step, check_clauses_by_time);
    for (uint32_t k = 0; k < count; k++) {
        held += step[k].held;
        if (k + 1 < count && step[k + 1].at == step[k].at)
            continue;
        step[kept++] = (struct step){step[k].at, held};
        if (held > in->capacity[resource]) {
            c->contradiction = true;
            check_clauses_tell_full(c, resource, step[k].at);
        }
    }
    return kept;
}

/* In the span in which the task runs in every case, it is part of what is held; a step begins at
 * each end of the span. */
static void check_clauses_push_task(struct checker *c, uint32_t task, uint32_t resource,
                                    uint32_t steps)
{
    const struct br_instance *in = c->in;
    int64_t demand = in->demand[(size_t)in->task_stage[task] * in->resources + resource];
    int64_t duration = in->duration[task], own_from = c->now.most[task],
            own_to = c->now.least[task] + duration;
    for (uint32_t k = 0; k + 1 < steps; k++) { /* to the right */
        int64_t from = c->step[k].at, to = c->step[k + 1].at;
        if (c->step[k].held + demand <= in->capacity[resource] ||
            (own_from < own_to && from >= own_from && to <= own_to))
            continue;
        if (c->now.least[task] < to && c->now.least[task] + duration > from) {
            check_clauses_tell_right(c, resource, task, to);
            check_clauses_raise_least(c, task, to);
        }
    }
    for (uint32_t k = steps; k-- > 1;) { /* to the left */
        int64_t from = c->step[k - 1].at, to = c->step[k].at;
        if (c->step[k - 1].held + demand <= in->capacity[resource] ||
            (own_from < own_to && from >= own_from && to <= own_to))
            continue;
        if (c->now.most[task] < to && c->now.most[task] + duration > from) {
            check_clauses_tell_left(c, resource, task, from);
            check_clauses_lower_most(c, task, from - duration);
        }
    }
}

static void follow_table(struct checker *c)
{
    const struct br_instance *in = c->in;
    if (c->crowd) {
        struct br_crowd_bounds b = {.least = c->now.least, .most = c->now.most};
        br_crowd_follow(c->crowd, &b);
        c->moved |= b.moved;
        c->contradiction |= b.contradiction;
        return;
    }
    for (uint32_t r = 0; r < in->resources && !c->contradiction; r++) {
        uint32_t steps = make_steps(c, r);
        for (uint32_t t = 0; t < c->tasks && !c->contradiction; t++)
            if (in->duration[t] > 0 && c->now.least[t] < c->now.most[t] &&
                in->demand[(size_t)in->task_stage[t] * in->resources + r] > 0)
                check_clauses_push_task(c, t, r, steps);
    }
}

/* --- spans ----------------------------------------------------------------------------------- */

/* The mandatory part of the task in the span, wherever it starts within its bounds. */
static int64_t check_clauses_mandatory(const struct checker *c, uint32_t task,
                                       const struct br_proof_span *span)
{
    int64_t duration = c->in->duration[task], part = duration;
    int64_t before = c->now.least[task] + duration - span->from;
    int64_t after = span->to - c->now.most[task], all = span->to - span->from;
    part = before < part ? before : part;
    part = after < part ? after : part;
    part = all < part ? all : part;
    return part > 0 ? part : 0;
}

static void look_at_span(struct checker *c, const struct br_proof_span *span)
{
    const struct br_instance *in = c->in;
    for (uint32_t r = 0; r < in->resources && !c->contradiction; r++) {
        br_wide work = 0; /* in units, as what tasks hold at any time is */
        for (uint32_t t = 0; t < c->tasks; t++)
            work += (br_wide)in->demand[(size_t)in->task_stage[t] * in->resources + r] *
                    check_clauses_mandatory(c, t, span);
        c->contradiction = work > (br_wide)c->rounded[r] * (span->to - span->from);
        if (c->contradiction) {
            c->overfull = span;
            c->scarce = r;
        }
    }
}

/* --- clauses --------------------------------------------------------------------------------- */

/* The variable that the literal is about, or none. */
static uint32_t variable_of(const struct checker *c, const struct br_proof_literal *l)
{
    if (l->task <= c->tasks)
        return l->task;
    if (c->crowd)
        return l->task < c->variables ? l->task : none;
    uint64_t number = l->task - c->tasks - UINT64_C(1);
    return c->order && number < (uint64_t)c->tasks * c->tasks ? c->order[number] : none;
}

static bool is_false(const struct checker *c, const struct br_proof_literal *l)
{
    uint32_t v = variable_of(c, l);
    return l->upper ? c->now.least[v] > l->time : c->now.most[v] < l->time;
}

static void check_clauses_set_true(struct checker *c, const struct br_proof_literal *l)
{
    if (l->upper)
        check_clauses_lower_most(c, variable_of(c, l), l->time);
    else
        check_clauses_raise_least(c, variable_of(c, l), l->time);
}

static void set_false(struct checker *c, const struct br_proof_literal *l)
{
    if (l->upper)
        check_clauses_raise_least(c, variable_of(c, l), l->time + 1);
    else
        check_clauses_lower_most(c, variable_of(c, l), l->time - 1);
}

static void follow_clause(struct checker *c, const struct br_proof_clause *clause)
{
    const struct br_proof_literal *open = NULL;
    for (uint32_t k = 0; k < clause->literals; k++) {
        if (is_false(c, &clause->literal[k]))
            continue;
        if (open)
            return;
        open = &clause->literal[k];
    }
    if (open)
        check_clauses_set_true(c, open);
    else
        c->contradiction = true;
}

/* Everything that follows, until nothing moves; the time-table last, since it costs most. Of the
 * clauses those that `from` (NULL: none) names, and then its spans. */
static void check_clauses_follow(struct checker *c, const struct br_proof_clause *clause,
                                 const struct br_proof_clause *from)
{
    do {
        c->moved = false;
        follow_edges(c);
        follow_equal(c);
        follow_rivals(c);
        for (uint32_t k = 0; from && k < from->hints && !c->contradiction; k++)
            follow_clause(c, &clause[from->hint[k]]);
        if (!c->moved && !c->contradiction)
            follow_table(c);
    } while (c->moved && !c->contradiction);
    for (uint32_t k = 0; from && k < from->spans && !c->contradiction; k++)
        look_at_span(c, &from->span[k]);
}

static void copy_bounds(const struct checker *c, struct bounds *to, const struct bounds *from)
{
    memcpy(to->least, from->least, c->variables * sizeof *to->least);
    memcpy(to->most, from->most, c->variables * sizeof *to->most);
}

static bool well_formed(const struct checker *c, const struct br_proof_clause *clause,
                        uint32_t number, int64_t bound)
{
    for (uint32_t k = 0; k < clause[number].literals; k++) {
        const struct br_proof_literal *l = &clause[number].literal[k];
        if (variable_of(c, l) == none || l->time < -1 || l->time > bound)
            return false;
    }
    for (uint32_t k = 0; k < clause[number].hints; k++)
        if (clause[number].hint[k] >= number)
            return false;
    for (uint32_t k = 0; k < clause[number].spans; k++) {
        const struct br_proof_span *span = &clause[number].span[k];
        if (c->crowd || span->from < 0 || span->from >= span->to || span->to > bound)
            return false;
    }
    return true;
}

/* Does every task have a time left to start at, as far as all that holds without suppositions? */
static bool agree(const struct checker *c)
{
    for (uint32_t t = 0; t < c->variables; t++)
        if (c->root.least[t] > c->root.most[t] || c->now.least[t] != c->root.least[t] ||
            c->now.most[t] != c->root.most[t])
            return false;
    return true;
}

static enum br_clauses_answer check_all(struct checker *c, int64_t bound,
                                        const struct br_proof_clause *clause, uint32_t clauses,
                                        uint32_t *where)
{
    check_clauses_follow(c, clause, NULL);
    copy_bounds(c, &c->root, &c->now);
    for (uint32_t k = 0; k < clauses && !c->contradiction; k++) {
        br_costly_assert(agree(c));
        *where = k;
        if (!well_formed(c, clause, k, bound))
            return BR_CLAUSES_MALFORMED;
        for (uint32_t i = 0; i < clause[k].literals; i++)
            set_false(c, &clause[k].literal[i]);
        if (!c->contradiction)
            check_clauses_follow(c, clause, &clause[k]);
        if (!c->contradiction)
            return BR_CLAUSES_GAP;
        if (c->watch)
            c->watch->follows(c->watch->context, k, c->overfull, c->scarce, c->now.least,
                              c->now.most);
        c->overfull = NULL;
        if (clause[k].literals == 0)
            return BR_CLAUSES_PROVE;
        c->contradiction = false;
        copy_bounds(c, &c->now, &c->root);
        if (clause[k].literals == 1) {
            check_clauses_set_true(c, &clause[k].literal[0]);
            check_clauses_follow(c, clause, NULL);
            copy_bounds(c, &c->root, &c->now);
        }
    }
    return c->contradiction ? BR_CLAUSES_PROVE : BR_CLAUSES_SHORT;
}

/* --- the job --------------------------------------------------------------------------------- */

/* Calls for each edge between tasks of stages, parents in topological order; counts if `edge` is
 * NULL. */
static size_t list_edges(const struct br_instance *in, struct edge *edge)
{
    size_t count = 0;
    for (uint32_t p = 0; p < in->stages; p++) {
        uint32_t stage = in->topological[p];
        for (uint32_t t = in->stage_first[stage]; t < in->stage_first[stage + 1]; t++) {
            if (edge)
                edge[count] = (struct edge){t, in->tasks};
            count++;
            for (uint32_t a = in->child_first[stage]; a < in->child_first[stage + 1]; a++) {
                uint32_t first = in->stage_first[in->child[a].stage];
                uint32_t last = in->stage_first[in->child[a].stage + 1];
                if (in->child[a].one_to_one) {
                    first += t - in->stage_first[stage];
                    last = first + 1;
                }
                for (uint32_t u = first; u < last; u++) {
                    if (edge)
                        edge[count] = (struct edge){t, u};
                    count++;
                }
            }
        }
    }
    return count;
}

static bool has_one_to_one(const struct br_instance *in, uint32_t stage)
{
    bool any = false;
    for (uint32_t a = in->parent_first[stage]; a < in->parent_first[stage + 1]; a++)
        any |= in->parent[a].one_to_one;
    for (uint32_t a = in->child_first[stage]; a < in->child_first[stage + 1]; a++)
        any |= in->child[a].one_to_one;
    return any;
}

/* O(tasks log of the durations). False when memory is out. */
static bool find_equal(struct checker *c)
{
    const struct br_instance *in = c->in;
    struct br_sort_item *item, *scratch;
    if (!BR_ARRAY(&c->arena, in->tasks, c->next_equal) || !BR_ARRAY(&c->arena, in->tasks, item) ||
        !BR_ARRAY(&c->arena, in->tasks, scratch))
        return false;
    for (uint32_t t = 0; t < in->tasks; t++)
        c->next_equal[t] = none;
    for (uint32_t s = 0; s < in->stages; s++) {
        uint32_t first = in->stage_first[s], count = in->stage_first[s + 1] - first;
        if (c->watch || has_one_to_one(in, s))
            continue;
        for (uint32_t k = 0; k < count; k++)
            item[k] = (struct br_sort_item){br_sort_key(in->duration[first + k]), first + k};
        br_sort(item, scratch, count);
        for (uint32_t k = 1; k < count; k++)
            if (item[k].key == item[k - 1].key)
                c->next_equal[item[k - 1].item] = item[k].item;
    }
    return true;
}

/* On one machine: tasks hold whole multiples of what divides all demands, so the rest of the
 * capacity is of no use. False when memory is out. */
static bool round_capacities(struct checker *c)
{
    const struct br_instance *in = c->in;
    if (!BR_ARRAY(&c->arena, in->resources, c->rounded))
        return false;
    for (uint32_t r = 0; r < in->resources; r++) {
        int64_t unit = 0;
        for (uint32_t t = 0; t < in->tasks; t++) {
            size_t at = (size_t)in->task_stage[t] * in->resources + r;
            int64_t a = in->duration[t] > 0 ? in->demand[at] : 0;
            while (a > 0) { /* Euclid's algorithm */
                int64_t rest = unit % a;
                unit = a;
                a = rest;
            }
        }
        c->rounded[r] = unit > 0 ? in->capacity[r] / unit * unit : in->capacity[r];
    }
    return true;
}

bool br_clauses_rivals(const struct br_instance *in, uint32_t a, uint32_t b)
{
    const int64_t *one = in->demand + (size_t)in->task_stage[a] * in->resources;
    const int64_t *two = in->demand + (size_t)in->task_stage[b] * in->resources;
    for (uint32_t r = 0; r < in->resources; r++)
        if (one[r] > in->capacity[r] - two[r])
            return in->duration[a] > 0 && in->duration[b] > 0;
    return false;
}

/* Numbers the orders of rivals, first by first. False when memory is out. */
static bool check_clauses_find_rivals(struct checker *c)
{
    size_t most = (size_t)c->tasks * c->tasks;
    if (!BR_ARRAY(&c->arena, most, c->order) || !BR_ARRAY(&c->arena, most / 2, c->rivals))
        return false;
    for (uint32_t a = 0; a < c->tasks; a++)
        for (uint32_t b = 0; b < c->tasks; b++) {
            uint32_t *order = &c->order[(size_t)a * c->tasks + b];
            *order = none;
            if (a >= b || !br_clauses_rivals(c->in, a, b))
                continue;
            *order = c->tasks + 1 + c->pairs;
            c->rivals[c->pairs++] = (struct rivals){a, b, *order};
        }
    return true;
}

/* Does some clause say in which order tasks run, or is the job so small that they always may? */
static bool are_ordered(const struct checker *c, const struct br_proof_clause *clause,
                        uint32_t clauses)
{
    bool any = c->tasks <= BR_CLAUSES_ORDERED;
    for (uint32_t k = 0; k < clauses && !any; k++)
        for (uint32_t i = 0; i < clause[k].literals && !any; i++)
            any = clause[k].literal[i].task > c->tasks;
    return any && c->in->machines == 1 && c->tasks <= BR_CLAUSES_ORDERED_MOST;
}

static bool check_clauses_prepare(struct checker *c, int64_t bound,
                                  const struct br_proof_clause *clause, uint32_t clauses)
{
    size_t nodes = (size_t)c->tasks + 1;
    if (are_ordered(c, clause, clauses)) {
        if (!check_clauses_find_rivals(c))
            return false;
        nodes += c->pairs;
    }
    if (c->in->machines > 1) {
        nodes += (size_t)c->tasks * c->in->machines;
        c->crowd = br_crowd_create(c->in);
        if (!c->crowd)
            return false;
    }
    c->variables = (uint32_t)nodes;
    c->edges = list_edges(c->in, NULL);
    if (!BR_ARRAY(&c->arena, c->edges, c->edge) || !BR_ARRAY(&c->arena, nodes, c->root.least) ||
        !BR_ARRAY(&c->arena, nodes, c->root.most) || !BR_ARRAY(&c->arena, nodes, c->now.least) ||
        !BR_ARRAY(&c->arena, nodes, c->now.most) || !BR_ARRAY(&c->arena, 2 * nodes, c->step) ||
        !find_equal(c) || !round_capacities(c))
        return false;
    list_edges(c->in, c->edge);
    for (uint32_t t = 0; t < c->variables; t++)
        c->now.most[t] = t <= c->tasks ? bound - 1 : 1;
    c->contradiction = bound < 1;
    return true;
}

bool br_clauses_suit(const struct br_instance *in)
{
    return in->machines == 1 || (in->tasks <= BR_CROWD_TASKS && in->machines <= BR_CROWD_MACHINES);
}

static enum br_clauses_answer
check_clauses_run(const struct br_instance *in, int64_t bound, const struct br_proof_clause *clause,
                  uint32_t clauses, const struct br_clauses_watch *watch, uint32_t *where)
{
    struct checker c = {.in = in, .tasks = in->tasks, .watch = watch};
    assert(br_clauses_suit(in));
    *where = 0;
    enum br_clauses_answer answer = check_clauses_prepare(&c, bound, clause, clauses)
                                        ? check_all(&c, bound, clause, clauses, where)
                                        : BR_CLAUSES_MEMORY;
    br_crowd_destroy(c.crowd);
    br_arena_finish(&c.arena);
    return answer;
}

enum br_clauses_answer br_clauses_check(const struct br_instance *in, int64_t bound,
                                        const struct br_proof_clause *clause, uint32_t clauses,
                                        uint32_t *where)
{
    return check_clauses_run(in, bound, clause, clauses, NULL, where);
}

enum br_clauses_answer br_clauses_follow(const struct br_instance *in, int64_t bound,
                                         const struct br_proof_clause *clause, uint32_t clauses,
                                         const struct br_clauses_watch *watch, uint32_t *where)
{
    return check_clauses_run(in, bound, clause, clauses, watch, where);
}
