#include "planner/general/generate.h"

#include <assert.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/heap.h"
#include "base/collections/memory.h"
#include "planner/space/fit_tree.h"

enum { MACHINES = 24 }; /* of those that hold a task, so many are compared */

/* Something happens to a task. */
enum event_kind { EVENT_END, EVENT_READY, EVENT_MARK };
struct event {
    int64_t time;
    uint32_t kind, task;
};

struct turn {
    uint32_t rank, task;
};

struct br_generator {
    const struct br_general *job;
    struct br_reserve *reserve;
    const uint32_t *rank;
    struct br_general_schedule *out;
    int64_t now;

    struct event *event; /* a heap */
    uint32_t events, event_room;

    /* What tasks wait for. Ends of parents are known when they start, so that is when children are
     * told. */
    uint32_t *waits;     /* by stage: barriers of which some parent has not started */
    uint32_t *pairs;     /* by task: one-to-one parents that have not started */
    uint32_t *left;      /* by stage: tasks that have not started */
    uint32_t *running;   /* by stage: tasks that have not ended */
    int64_t *stage_from; /* by stage: the earliest start by barriers */
    int64_t *stage_end;  /* by stage: no task may end before this, by streams over barriers */
    int64_t *from;       /* by task: the earliest start by one-to-one arcs */
    int64_t *last_start, *last_end; /* by stage, of what has started */

    /* Ready tasks, in a heap by turn for each stage; the heap of stage s begins at stage_first[s].
     */
    struct turn *ready;
    uint32_t *readies; /* by stage */
    uint32_t *open;    /* stages with ready tasks, in no order */
    uint32_t opens;
    uint32_t *open_number; /* by stage; UINT32_MAX: none is ready */
    struct turn *round;    /* a heap of the first turns of stages */
    struct turn *strict;   /* all tasks by turn, for strict turns */
    uint32_t next;         /* in `strict` */

    int64_t *used;     /* by place */
    uint32_t *readers; /* by instance: edges whose readers have not all ended */
    uint32_t *rises;   /* by place: running tasks that leave more than they hold */
    bool *runs;        /* by task */
    uint32_t *run;     /* tasks that run, in no order */
    uint32_t run_count;
    uint32_t *run_number;
    struct br_fit_tree room; /* machines by what is free */
    int64_t *vector;
    bool failed;
};

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

static int64_t free_at(const struct br_generator *g, uint32_t place)
{
    return br_general_capacity(g->job, place, g->now) - g->used[place];
}

/* Sets the machine's leaf; shared resources are looked at apart. A negative room is a change that
 * came while tasks ran. */
static void show_room(struct br_generator *g, uint32_t machine)
{
    const struct br_general *job = g->job;
    for (uint32_t r = 0; r < job->resources; r++)
        g->vector[r] = job->shared[r] ? 0 : -free_at(g, machine * job->resources + r);
    if (!job->resources)
        g->vector[0] = 0;
    br_fit_tree_set(&g->room, machine, g->vector);
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
        show_room(g, m);
    for (uint32_t s = 0; s < job->stages; s++)
        begin_stage(g, s);
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
        const struct br_general_arc *arc = &job->child[a];
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

/* ---- Holding ---- */

static void hold(struct br_generator *g, uint32_t machine, uint32_t resource, int64_t amount)
{
    g->used[br_general_place(g->job, machine, resource)] += amount;
}

static int64_t while_it_runs(const struct br_general *job, uint32_t task, uint32_t r)
{
    const size_t at = (size_t)job->task_stage[task] * job->resources + r;
    return job->made[at] + (job->duration[task] ? job->demand[at] : 0);
}

static int64_t when_it_ends(const struct br_general *job, uint32_t task, uint32_t r)
{
    const size_t at = (size_t)job->task_stage[task] * job->resources + r;
    return job->made[at] + job->late[at];
}

static void free_instance(struct br_generator *g, const struct br_general_output *output,
                          uint32_t index)
{
    const struct br_general *job = g->job;
    const uint32_t maker = job->stage_first[output->stage] + index;
    if (--g->readers[output->first + index] > 0)
        return;
    hold(g, g->out->machine[maker], output->resource, -output->amount);
    if (!job->shared[output->resource])
        show_room(g, g->out->machine[maker]);
}

/* Frees what the ended task was the last to read. */
static void free_reads(struct br_generator *g, uint32_t task)
{
    const struct br_general *job = g->job;
    const uint32_t stage = job->task_stage[task], index = task - job->stage_first[stage];
    for (uint32_t k = job->read_first[stage]; k < job->read_first[stage + 1]; k++) {
        const struct br_general_output *output = &job->output[job->read[k].output];
        if (!output->amount)
            continue;
        if (job->read[k].one_to_one)
            free_instance(g, output, index);
        else if (!g->running[stage])
            for (uint32_t i = 0;
                 i < job->stage_first[output->stage + 1] - job->stage_first[output->stage]; i++)
                free_instance(g, output, i);
    }
}

static void count_rises(struct br_generator *g, uint32_t task, uint32_t by)
{
    const struct br_general *job = g->job;
    for (uint32_t r = 0; r < job->resources; r++)
        if (when_it_ends(job, task, r) > while_it_runs(job, task, r))
            g->rises[br_general_place(job, g->out->machine[task], r)] += by;
}

static void end_task(struct br_generator *g, uint32_t task)
{
    const struct br_general *job = g->job;
    const uint32_t machine = g->out->machine[task];
    g->runs[task] = false;
    const uint32_t moved = g->run[--g->run_count];
    g->run[g->run_number[task]] = moved;
    g->run_number[moved] = g->run_number[task];
    g->running[job->task_stage[task]]--;
    count_rises(g, task, UINT32_MAX); /* less one */
    for (uint32_t r = 0; r < job->resources; r++)
        hold(g, machine, r, when_it_ends(job, task, r) - while_it_runs(job, task, r));
    free_reads(g, task);
    show_room(g, machine);
}

/* The load of a place at a later time, if nothing else starts, as far as it is known: what is held
 * for readers stays. */
static int64_t load_at(const struct br_generator *g, uint32_t place, int64_t time)
{
    const struct br_general *job = g->job;
    const uint32_t r = place % job->resources;
    int64_t load = g->used[place];
    for (uint32_t k = 0; k < g->run_count; k++) {
        const uint32_t task = g->run[k];
        if (br_general_place(job, g->out->machine[task], r) == place &&
            g->out->start[task] + job->duration[task] <= time)
            load += when_it_ends(job, task, r) - while_it_runs(job, task, r);
    }
    return load;
}

/* Does the place hold the task at that time, too? */
static bool holds_at(const struct br_generator *g, uint32_t place, uint32_t task, int64_t time)
{
    const uint32_t r = place % g->job->resources;
    const int64_t mine = time < g->now + g->job->duration[task] ? while_it_runs(g->job, task, r)
                                                                : when_it_ends(g->job, task, r);
    return !mine || load_at(g, place, time) + mine <= br_general_capacity(g->job, place, time);
}

/* Does the place hold the task from now on? Looks ahead only if something rises or changes. */
static bool holds_on(const struct br_generator *g, uint32_t place, uint32_t task)
{
    const struct br_general *job = g->job;
    const uint32_t r = place % job->resources;
    const int64_t end = g->now + job->duration[task];
    const int64_t runs = while_it_runs(job, task, r), ended = when_it_ends(job, task, r);
    if (runs > free_at(g, place))
        return false;
    if (ended > runs && !holds_at(g, place, task, end))
        return false;
    for (uint32_t k = 0; g->rises[place] && k < g->run_count; k++) {
        const uint32_t other = g->run[k];
        if (br_general_place(job, g->out->machine[other], r) == place &&
            !holds_at(g, place, task, g->out->start[other] + job->duration[other]))
            return false;
    }
    for (uint32_t k = job->calendar ? job->level_first[place] : 0;
         job->calendar && k < job->level_first[place + 1]; k++)
        if (job->level[k].from > g->now && (ended || job->level[k].from < end) &&
            !holds_at(g, place, task, job->level[k].from))
            return false;
    return true;
}

/* ---- Starting ---- */

static bool holds_shared(const struct br_generator *g, uint32_t task)
{
    const struct br_general *job = g->job;
    for (uint32_t r = 0; r < job->resources; r++)
        if (job->shared[r] && !holds_on(g, job->machines * job->resources + r, task))
            return false;
    return true;
}

static bool holds_machine(const struct br_generator *g, uint32_t machine, uint32_t task)
{
    const struct br_general *job = g->job;
    bool holds = br_general_open(job, machine, g->now, g->now + job->duration[task]);
    for (uint32_t r = 0; r < job->resources && holds; r++)
        holds = job->shared[r] || holds_on(g, machine * job->resources + r, task);
    return holds;
}

/* How much is left on the machine, by shares of the capacity, as the task weighs it: the less, the
 * better it fits. */
static double slack_on(const struct br_generator *g, uint32_t machine, uint32_t task)
{
    const struct br_general *job = g->job;
    double sum = 0;
    for (uint32_t r = 0; r < job->resources; r++) {
        const uint32_t place = machine * job->resources + r;
        const int64_t need = while_it_runs(job, task, r);
        const int64_t capacity =
            job->capacity[(size_t)job->machine_class[machine] * job->resources + r];
        if (!job->shared[r] && need && capacity)
            sum += (double)need / (double)capacity * ((double)free_at(g, place) / (double)capacity);
    }
    return sum;
}

/* The machine that the task fits best now; UINT32_MAX if none holds it. */
static uint32_t find_machine(struct br_generator *g, uint32_t task)
{
    const struct br_general *job = g->job;
    uint32_t best = UINT32_MAX;
    double least = 0;
    if (!holds_shared(g, task))
        return best;
    for (uint32_t r = 0; r < job->resources; r++)
        g->vector[r] = job->shared[r] ? 0 : -while_it_runs(job, task, r);
    if (!job->resources)
        g->vector[0] = 0;
    uint32_t compared = 0;
    for (uint32_t m = br_fit_tree_next(&g->room, 0, g->vector);
         m != BR_FIT_NONE && compared < MACHINES;
         m = br_fit_tree_next(&g->room, m + 1, g->vector)) {
        if (!holds_machine(g, m, task))
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

static void drop_ready(struct br_generator *g, uint32_t stage)
{
    turns_pop(NULL, g->ready + g->job->stage_first[stage], &g->readies[stage]);
    if (g->readies[stage])
        return;
    const uint32_t moved = g->open[--g->opens];
    g->open[g->open_number[stage]] = moved;
    g->open_number[moved] = g->open_number[stage];
    g->open_number[stage] = UINT32_MAX;
}

static void start_task(struct br_generator *g, uint32_t task, uint32_t machine)
{
    const struct br_general *job = g->job;
    const uint32_t stage = job->task_stage[task];
    const int64_t end = g->now + job->duration[task];
    g->out->start[task] = g->now;
    g->out->machine[task] = machine;
    for (uint32_t r = 0; r < job->resources; r++)
        hold(g, machine, r, while_it_runs(job, task, r));
    count_rises(g, task, 1);
    g->runs[task] = true;
    g->run_number[task] = g->run_count;
    g->run[g->run_count++] = task;
    g->left[stage]--;
    raise_to(&g->last_start[stage], g->now);
    raise_to(&g->last_end[stage], end);
    raise_to(&g->out->makespan, end);
    if (job->deadline[task] < end)
        g->out->late += end - job->deadline[task];
    show_room(g, machine);
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
        if (other == machine || !holds_machine(g, other, task) ||
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
                end_task(g, event.task);
                started++;
            } else if (event.kind == EVENT_READY && is_ready) {
                is_ready[event.task] = true;
            } else if (event.kind == EVENT_READY) {
                make_ready(g, event.task);
            } else {
                for (uint32_t m = 0; m < job->machines; m++)
                    show_room(g, m);
            }
        }
        if (is_ready)
            take_strict_turns(g, is_ready);
        else
            take_turns(g);
    }
    br_free(is_ready);
    schedule->whole = started == job->tasks;
    return !g->failed;
}
