#include "planner/general/generate.h"

#include "planner/general/generate_state.h"

#include <assert.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/heap.h"
#include "base/collections/memory.h"

enum { MACHINES = 24 }; /* of those that hold a task, so many are compared */

static bool event_before(const void *context, const struct event *a, const struct event *b)
{
    (void)context;
    if (a->time != b->time)
        return a->time < b->time;
    return a->kind != b->kind ? a->kind < b->kind : a->task < b->task;
}
BR_HEAP(events, struct event, const void *, event_before, 4)

static bool turn_before(const void *context, const struct turn *a, const struct turn *b)
{
    (void)context;
    return a->rank != b->rank ? a->rank < b->rank : a->task < b->task;
}
BR_HEAP(turns, struct turn, const void *, turn_before, 2)

/* ---- Schedules ---- */

bool br_general_schedule_init(struct br_general_schedule *schedule, const struct br_general *job)
{
    *schedule = (struct br_general_schedule){0};
    schedule->start = br_calloc((size_t)job->tasks + 1, sizeof *schedule->start);
    schedule->machine = br_calloc((size_t)job->tasks + 1, sizeof *schedule->machine);
    return schedule->start && schedule->machine;
}

void br_general_schedule_finish(struct br_general_schedule *schedule)
{
    br_free(schedule->start);
    br_free(schedule->machine);
    *schedule = (struct br_general_schedule){0};
}

void br_general_schedule_copy(const struct br_general *job, struct br_general_schedule *to,
                              const struct br_general_schedule *from)
{
    memcpy(to->start, from->start, job->tasks * sizeof *to->start);
    memcpy(to->machine, from->machine, job->tasks * sizeof *to->machine);
    to->makespan = from->makespan;
    to->late = from->late;
    to->whole = from->whole;
}

bool br_general_schedule_better(const struct br_general_schedule *a,
                                const struct br_general_schedule *b)
{
    if (a->whole != b->whole)
        return a->whole;
    return a->late != b->late ? a->late < b->late : a->makespan < b->makespan;
}

/* ---- The beginning ---- */

struct br_generator *br_generator_create(const struct br_general *job, struct br_reserve *reserve)
{
    struct br_generator *g = br_calloc(1, sizeof *g);
    if (!g)
        return NULL;
    const size_t n = (size_t)job->tasks + 1, s = (size_t)job->stages + 1;
    const size_t places = ((size_t)job->machines + 1) * job->resources + 1;
    g->job = job;
    g->reserve = reserve;
    const bool ok =
        br_fit_tree_init(&g->room, job->machines, job->resources ? job->resources : 1) &&
        (g->waits = br_malloc(s * sizeof *g->waits)) &&
        (g->pairs = br_malloc(n * sizeof *g->pairs)) &&
        (g->left = br_malloc(s * sizeof *g->left)) &&
        (g->running = br_malloc(s * sizeof *g->running)) &&
        (g->stage_from = br_malloc(s * sizeof *g->stage_from)) &&
        (g->stage_end = br_malloc(s * sizeof *g->stage_end)) &&
        (g->from = br_malloc(n * sizeof *g->from)) &&
        (g->last_start = br_malloc(s * sizeof *g->last_start)) &&
        (g->last_end = br_malloc(s * sizeof *g->last_end)) &&
        (g->ready = br_malloc(n * sizeof *g->ready)) &&
        (g->readies = br_malloc(s * sizeof *g->readies)) &&
        (g->open = br_malloc(s * sizeof *g->open)) &&
        (g->open_number = br_malloc(s * sizeof *g->open_number)) &&
        (g->round = br_malloc(s * sizeof *g->round)) &&
        (g->strict = br_malloc(n * sizeof *g->strict)) &&
        (g->used = br_malloc(places * sizeof *g->used)) &&
        (g->readers = br_malloc(((size_t)job->instances + 1) * sizeof *g->readers)) &&
        (g->rises = br_malloc(places * sizeof *g->rises)) && (g->runs = br_malloc(n)) &&
        (g->run = br_malloc(n * sizeof *g->run)) &&
        (g->run_number = br_malloc(n * sizeof *g->run_number)) &&
        (g->vector = br_malloc(((size_t)job->resources + 1) * sizeof *g->vector));
    if (ok)
        return g;
    br_generator_destroy(g);
    return NULL;
}

void br_generator_destroy(struct br_generator *g)
{
    if (!g)
        return;
    br_fit_tree_finish(&g->room);
    br_free(g->event);
    br_free(g->waits);
    br_free(g->pairs);
    br_free(g->left);
    br_free(g->running);
    br_free(g->stage_from);
    br_free(g->stage_end);
    br_free(g->from);
    br_free(g->last_start);
    br_free(g->last_end);
    br_free(g->ready);
    br_free(g->readies);
    br_free(g->open);
    br_free(g->open_number);
    br_free(g->round);
    br_free(g->strict);
    br_free(g->used);
    br_free(g->readers);
    br_free(g->rises);
    br_free(g->runs);
    br_free(g->run);
    br_free(g->run_number);
    br_free(g->vector);
    br_free(g);
}

static void add_event(struct br_generator *g, int64_t time, enum event_kind kind, uint32_t task)
{
    if (!br_grow(&g->event, g->events, &g->event_room, sizeof *g->event)) {
        g->failed = true;
        return;
    }
    events_push(NULL, g->event, &g->events, (struct event){time, kind, task});
}

static void begin_stage(struct br_generator *g, uint32_t s)
{
    const struct br_general *job = g->job;
    const uint32_t first = job->stage_first[s], end = job->stage_first[s + 1];
    g->left[s] = g->running[s] = end - first;
    g->waits[s] = 0;
    g->stage_from[s] = g->stage_end[s] = 0;
    g->last_start[s] = g->last_end[s] = 0;
    g->readies[s] = 0;
    g->open_number[s] = UINT32_MAX;
    uint32_t pairs = 0;
    for (uint32_t a = job->parent_first[s]; a < job->parent_first[s + 1]; a++)
        if (job->parent[a].one_to_one)
            pairs++;
        else
            g->waits[s]++;
    for (uint32_t t = first; t < end; t++) {
        g->pairs[t] = pairs;
        g->from[t] = job->release[t];
        g->runs[t] = false;
    }
}

static void task_waits_no_more(struct br_generator *g, uint32_t task);

static void begin(struct br_generator *g)
{
    const struct br_general *job = g->job;
    const size_t places = ((size_t)job->machines + 1) * job->resources;
    g->now = 0;
    g->events = g->opens = g->run_count = 0;
    g->failed = false;
    memset(g->used, 0, places * sizeof *g->used);
    memset(g->rises, 0, places * sizeof *g->rises);
    for (uint32_t o = 0; o < job->outputs; o++) {
        const uint32_t s = job->output[o].stage;
        for (uint32_t i = 0; i < job->stage_first[s + 1] - job->stage_first[s]; i++)
            g->readers[job->output[o].first + i] = job->reader_first[o + 1] - job->reader_first[o];
    }
    for (uint32_t m = 0; m < job->machines; m++)
        br_generator_show_room(g, m);
    for (uint32_t s = 0; s < job->stages; s++)
        begin_stage(g, s);
    g->marks = job->marks;
    for (uint32_t k = 0; k < job->marks; k++)
        add_event(g, job->mark[k], EVENT_MARK, k);
    if (g->reserve)
        br_reserve_reset(g->reserve);
    for (uint32_t t = 0; t < job->tasks; t++)
        if (!g->waits[job->task_stage[t]] && !g->pairs[t])
            task_waits_no_more(g, t);
}

/* ---- Waiting ---- */

/* All parents of the task have started. */
static void task_waits_no_more(struct br_generator *g, uint32_t task)
{
    const struct br_general *job = g->job;
    const uint32_t stage = job->task_stage[task];
    int64_t from = g->from[task] > g->stage_from[stage] ? g->from[task] : g->stage_from[stage];
    if (g->stage_end[stage] - job->duration[task] > from)
        from = g->stage_end[stage] - job->duration[task];
    add_event(g, from > g->now ? from : g->now, EVENT_READY, task);
}

static void raise_to(int64_t *value, int64_t least)
{
    if (*value < least)
        *value = least;
}

/* Tells the children of a task that it has started; those over barriers with the stage's last. */
static void tell_children(struct br_generator *g, uint32_t task, int64_t end)
{
    const struct br_general *job = g->job;
    const uint32_t stage = job->task_stage[task], index = task - job->stage_first[stage];
    for (uint32_t a = job->child_first[stage]; a < job->child_first[stage + 1]; a++) {
        const struct br_stage_arc *arc = &job->child[a];
        const uint32_t first = job->stage_first[arc->stage];
        if (arc->one_to_one) {
            const uint32_t child = first + index;
            raise_to(&g->from[child], (arc->stream ? g->now : end) + arc->lag);
            if (arc->stream)
                raise_to(&g->from[child], end - job->duration[child]);
            if (--g->pairs[child] == 0 && !g->waits[arc->stage])
                task_waits_no_more(g, child);
        } else if (!g->left[stage]) {
            raise_to(&g->stage_from[arc->stage],
                     (arc->stream ? g->last_start[stage] : g->last_end[stage]) + arc->lag);
            if (arc->stream)
                raise_to(&g->stage_end[arc->stage], g->last_end[stage]);
            if (--g->waits[arc->stage] == 0)
                for (uint32_t t = first; t < job->stage_first[arc->stage + 1]; t++)
                    if (!g->pairs[t])
                        task_waits_no_more(g, t);
        }
    }
}

static void make_ready(struct br_generator *g, uint32_t task)
{
    const uint32_t stage = g->job->task_stage[task];
    turns_push(NULL, g->ready + g->job->stage_first[stage], &g->readies[stage],
               (struct turn){g->rank[task], task});
    if (g->open_number[stage] == UINT32_MAX) {
        g->open_number[stage] = g->opens;
        g->open[g->opens++] = stage;
    }
}

/* ---- Starting ---- */

/* How much is left on the machine, by shares of the capacity, as the task weighs it: the less, the
 * better it fits. */
static double slack_on(const struct br_generator *g, uint32_t machine, uint32_t task)
{
    const struct br_general *job = g->job;
    double sum = 0;
    for (uint32_t r = 0; r < job->resources; r++) {
        const uint32_t place = machine * job->resources + r;
        const int64_t need = br_generator_needs(job, task, r);
        const int64_t capacity =
            job->capacity[(size_t)job->machine_class[machine] * job->resources + r];
        if (!job->shared[r] && need && capacity)
            sum += (double)need / (double)capacity *
                   ((double)br_generator_free(g, place) / (double)capacity);
    }
    return sum;
}

/* The machine that the task fits best now; UINT32_MAX if none holds it. */
static uint32_t find_machine(struct br_generator *g, uint32_t task)
{
    const struct br_general *job = g->job;
    uint32_t best = UINT32_MAX;
    double least = 0;
    if (!br_generator_shared_holds(g, task))
        return best;
    for (uint32_t r = 0; r < job->resources; r++)
        g->vector[r] = job->shared[r] ? 0 : -br_generator_needs(job, task, r);
    if (!job->resources)
        g->vector[0] = 0;
    uint32_t compared = 0;
    for (uint32_t m = br_fit_tree_next(&g->room, 0, g->vector);
         m != BR_FIT_NONE && compared < MACHINES;
         m = br_fit_tree_next(&g->room, m + 1, g->vector)) {
        if (!br_generator_machine_holds(g, m, task))
            continue;
        const double slack = slack_on(g, m, task);
        compared++;
        if (best == UINT32_MAX || slack < least) {
            best = m;
            least = slack;
        }
    }
    return best;
}

/* The stage has one ready task less. */
static void close_if_empty(struct br_generator *g, uint32_t stage)
{
    if (g->readies[stage])
        return;
    const uint32_t moved = g->open[--g->opens];
    g->open[g->open_number[stage]] = moved;
    g->open_number[moved] = g->open_number[stage];
    g->open_number[stage] = UINT32_MAX;
}

static void drop_ready(struct br_generator *g, uint32_t stage)
{
    turns_pop(NULL, g->ready + g->job->stage_first[stage], &g->readies[stage]);
    close_if_empty(g, stage);
}

/* Drops the ready task at that place of its stage's heap. */
static void drop_ready_at(struct br_generator *g, uint32_t stage, uint32_t at)
{
    struct turn *heap = g->ready + g->job->stage_first[stage];
    const uint32_t left = --g->readies[stage];
    uint32_t size = 0;
    heap[at] = heap[left];
    for (uint32_t k = 0; k < left; k++)
        turns_push(NULL, heap, &size, heap[k]);
    close_if_empty(g, stage);
}

static void start_task(struct br_generator *g, uint32_t task, uint32_t machine)
{
    const struct br_general *job = g->job;
    const uint32_t stage = job->task_stage[task];
    const int64_t end = g->now + job->duration[task];
    g->out->start[task] = g->now;
    g->out->machine[task] = machine;
    br_generator_hold(g, task);
    g->left[stage]--;
    raise_to(&g->last_start[stage], g->now);
    raise_to(&g->last_end[stage], end);
    raise_to(&g->out->makespan, end);
    if (job->deadline[task] < end)
        g->out->late += end - job->deadline[task];
    add_event(g, end, EVENT_END, task);
    tell_children(g, task, end);
}

/* Starts the task if it fits now, and leaves a way on: on the machine that it fits best, or on that
 * of the witness. */
static bool try_start(struct br_generator *g, uint32_t task)
{
    uint32_t machine = find_machine(g, task);
    if (machine == UINT32_MAX)
        return false;
    if (g->reserve && !br_reserve_start(g->reserve, task, machine)) {
        const uint32_t other = br_reserve_machine(g->reserve, task);
        if (other == machine || !br_generator_machine_holds(g, other, task) ||
            !br_reserve_start(g->reserve, task, other))
            return false;
        machine = other;
    }
    start_task(g, task, machine);
    return true;
}

/* Lets every ready stage have its turn, the first task of each in the order of turns. Tasks of a
 * stage hold equally much, so if one finds no room, those after it find none. */
static void take_turns(struct br_generator *g)
{
    const struct br_general *job = g->job;
    uint32_t size = 0;
    for (uint32_t k = 0; k < g->opens; k++)
        turns_push(NULL, g->round, &size, g->ready[job->stage_first[g->open[k]]]);
    while (size && !g->failed) {
        const struct turn turn = turns_pop(NULL, g->round, &size);
        const uint32_t stage = job->task_stage[turn.task];
        if (!try_start(g, turn.task))
            continue;
        drop_ready(g, stage);
        if (g->readies[stage])
            turns_push(NULL, g->round, &size, g->ready[job->stage_first[stage]]);
    }
}

/* Nothing runs or becomes ready any more, and no stage's first task leaves a way on: another of its
 * stage does, such as the next of the witness. Starts one. False: none can start at all. */
static bool unblock(struct br_generator *g)
{
    for (uint32_t k = 0; g->reserve && k < g->opens; k++) {
        const uint32_t stage = g->open[k];
        const struct turn *heap = g->ready + g->job->stage_first[stage];
        for (uint32_t i = 0; i < g->readies[stage]; i++)
            if (try_start(g, heap[i].task)) {
                drop_ready_at(g, stage, i);
                return true;
            }
    }
    return false;
}

/* Starts tasks as long as the next one of the order is ready and fits. */
static void take_strict_turns(struct br_generator *g, bool *is_ready)
{
    while (g->next < g->job->tasks && !g->failed) {
        const uint32_t task = g->strict[g->next].task;
        if (!is_ready[task] || !try_start(g, task))
            return;
        g->next++;
    }
}

/* ---- The whole ---- */

static void sort_turns(struct br_generator *g)
{
    const uint32_t n = g->job->tasks;
    uint32_t size = 0;
    struct turn *heap = g->ready; /* not used by strict turns */
    for (uint32_t t = 0; t < n; t++)
        turns_push(NULL, heap, &size, (struct turn){g->rank[t], t});
    for (uint32_t k = 0; k < n; k++)
        g->strict[k] = turns_pop(NULL, heap, &size);
    g->next = 0;
}

bool br_generator_run(struct br_generator *g, const uint32_t *rank, enum br_turns turns,
                      struct br_general_schedule *schedule)
{
    const struct br_general *job = g->job;
    bool *is_ready = NULL;
    uint32_t started = 0;
    g->rank = rank;
    g->out = schedule;
    schedule->makespan = schedule->late = 0;
    if (turns == BR_TURNS_STRICT) {
        sort_turns(g);
        if (!(is_ready = br_calloc((size_t)job->tasks + 1, 1)))
            return false;
    }
    begin(g);
    while (g->events && !g->failed) {
        g->now = g->event[0].time;
        while (g->events && g->event[0].time == g->now) {
            const struct event event = events_pop(NULL, g->event, &g->events);
            if (event.kind == EVENT_END) {
                br_generator_end(g, event.task);
                started++;
            } else if (event.kind == EVENT_READY && is_ready) {
                is_ready[event.task] = true;
            } else if (event.kind == EVENT_READY) {
                make_ready(g, event.task);
            } else {
                g->marks--;
                for (uint32_t m = 0; m < job->machines; m++)
                    br_generator_show_room(g, m);
            }
        }
        if (is_ready)
            take_strict_turns(g, is_ready);
        else
            take_turns(g);
        if (g->events == g->marks && !is_ready && !g->failed && unblock(g))
            take_turns(g);
    }
    br_free(is_ready);
    schedule->whole = started == job->tasks;
    return !g->failed;
}
