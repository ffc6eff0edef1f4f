#include "planner/general/backward.h"

#include <string.h>

#include "base/collections/memory.h"
#include "planner/general/held.h"

/* Times count from the end of the job: what starts here has its end there. */

enum { BACKWARD_TASKS = 12000 };

/* An output that is held already when the task takes it up earlier. */
struct taken_up {
    uint32_t resource;
    int64_t amount, since;
};

struct br_backward {
    const struct br_general *job;
    struct br_general_schedule *out; /* start: that from the end, until all are placed */
    struct br_taken *profile;        /* by machine; the last is of what is shared */
    int64_t *alone;   /* [stage * resources + resource]: what a task holds while it runs alone */
    int64_t *results; /* by resource: what is held at the end of the job */
    uint32_t most_reads;

    struct br_frontier frontier;
    int64_t *since; /* by instance: its first reader's start; over barriers that of the first
                       instance counts for all. INT64_MAX: none is placed */

    uint32_t *aside; /* ready tasks that found no room since something was freed last */
    uint32_t asides;
    bool *blocked; /* by stage: so has one of the plain stage */
    bool freed;

    /* Of the task that is looked at. */
    int64_t *run, *rest; /* by resource: while it runs, and from then on */
    struct taken_up *up;
    uint32_t ups;
    bool failed;
};

/* ---- The beginning ---- */

/* Is each output read in one way alone? */
static bool reads_alike(const struct br_general *job)
{
    for (uint32_t o = 0; o < job->outputs; o++)
        for (uint32_t k = job->reader_first[o]; k < job->reader_first[o + 1]; k++)
            if (job->reader[k].one_to_one != job->reader[job->reader_first[o]].one_to_one)
                return false;
    return true;
}

bool br_backward_knows(const struct br_general *job)
{
    if (!job->any_stored || job->calendar || job->deadlines || job->tasks > BACKWARD_TASKS)
        return false;
    for (uint32_t k = 0; k < job->child_first[job->stages]; k++)
        if (job->child[k].stream)
            return false;
    for (uint32_t t = 0; t < job->tasks; t++)
        if (!job->duration[t] || job->release[t])
            return false;
    for (uint32_t o = 0; o < job->outputs; o++)
        if (job->output[o].amount && !job->shared[job->output[o].resource])
            return false;
    return reads_alike(job);
}

static void list_alone(struct br_backward *s)
{
    const struct br_general *job = s->job;
    const size_t all = (size_t)job->stages * job->resources;
    memcpy(s->alone, job->demand, all * sizeof *s->alone);
    for (uint32_t o = 0; o < job->outputs; o++) {
        const struct br_general_output *output = &job->output[o];
        const uint32_t r = output->resource, k = output->stage;
        if (output->none && !output->from_end)
            s->alone[(size_t)k * job->resources + r] += output->amount;
        if (output->result)
            s->results[r] += output->amount * (job->stage_first[k + 1] - job->stage_first[k]);
    }
    for (uint32_t k = 0; k < job->stages; k++) {
        const uint32_t reads = job->read_first[k + 1] - job->read_first[k];
        s->most_reads = reads > s->most_reads ? reads : s->most_reads;
    }
}

struct br_backward *br_backward_create(const struct br_general *job)
{
    struct br_backward *s = br_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    const size_t n = (size_t)job->tasks + 1, k = (size_t)job->stages + 1;
    const size_t r = (size_t)job->resources + 1;
    s->job = job;
    bool ok = (s->profile = br_calloc((size_t)job->machines + 1, sizeof *s->profile)) &&
              (s->alone = br_calloc(k * r, sizeof *s->alone)) &&
              (s->results = br_calloc(r, sizeof *s->results)) &&
              br_frontier_init(&s->frontier, job->stages, job->tasks, job->task_stage) &&
              (s->since = br_malloc(((size_t)job->instances + 1) * sizeof *s->since)) &&
              (s->aside = br_malloc(n * sizeof *s->aside)) && (s->blocked = br_malloc(k)) &&
              (s->run = br_calloc(r, sizeof *s->run)) && (s->rest = br_calloc(r, sizeof *s->rest));
    if (ok) {
        list_alone(s);
        ok = (s->up = br_malloc(((size_t)s->most_reads + 1) * sizeof *s->up)) != NULL;
    }
    if (ok)
        return s;
    br_backward_destroy(s);
    return NULL;
}

void br_backward_destroy(struct br_backward *s)
{
    if (!s)
        return;
    for (uint32_t m = 0; s->profile && m <= s->job->machines; m++)
        br_taken_finish(&s->profile[m]);
    br_free(s->profile);
    br_free(s->alone);
    br_free(s->results);
    br_frontier_finish(&s->frontier);
    br_free(s->since);
    br_free(s->aside);
    br_free(s->blocked);
    br_free(s->run);
    br_free(s->rest);
    br_free(s->up);
    br_free(s);
}

static void backward_begin(struct br_backward *s, const uint32_t *rank)
{
    const struct br_general *job = s->job;
    s->asides = 0;
    s->failed = s->freed = false;
    for (uint32_t m = 0; m <= job->machines; m++)
        s->failed |= !br_taken_clear(&s->profile[m], job->resources);
    for (uint32_t r = 0; r < job->resources && !s->failed; r++)
        s->failed |= !br_taken_add(&s->profile[job->machines], job->resources, r, 0, s->results[r]);
    for (uint32_t i = 0; i < job->instances; i++)
        s->since[i] = INT64_MAX;
    memset(s->blocked, 0, job->stages);
    br_frontier_begin(&s->frontier, br_general_ahead(job), br_general_behind(job), rank, true,
                      NULL);
}

/* Is there room for what is held at the end of the job? */
static bool results_fit(const struct br_backward *s)
{
    for (uint32_t r = 0; r < s->job->resources; r++)
        if (s->job->shared[r] && s->results[r] > s->job->shared_capacity[r])
            return false;
    return true;
}

/* ---- One task ---- */

/* The instance whose `since` is that of what the task reads, and how much that is. */
static uint32_t read_of(const struct br_general *job, const struct br_general_read *read,
                        uint32_t index, int64_t *amount)
{
    const struct br_general_output *output = &job->output[read->output];
    const uint32_t count = job->stage_first[output->stage + 1] - job->stage_first[output->stage];
    *amount = read->one_to_one ? output->amount : output->amount * count;
    return output->first + (read->one_to_one ? index : 0);
}

/* What the task frees as its maker: at its end here, or at its start what is made when it ends. */
static void look_at_made(struct br_backward *s, uint32_t stage)
{
    const struct br_general *job = s->job;
    for (uint32_t o = job->output_first[stage]; o < job->output_first[stage + 1]; o++) {
        const struct br_general_output *output = &job->output[o];
        if (output->none)
            continue;
        s->rest[output->resource] -= output->amount;
        if (output->from_end)
            s->run[output->resource] -= output->amount;
    }
}

/* Sets what the task needs. */
static void look_at_task(struct br_backward *s, uint32_t task)
{
    const struct br_general *job = s->job;
    const uint32_t stage = job->task_stage[task], index = task - job->stage_first[stage];
    s->ups = 0;
    for (uint32_t r = 0; r < job->resources; r++) {
        s->run[r] = s->alone[(size_t)stage * job->resources + r];
        s->rest[r] = 0;
    }
    for (uint32_t k = job->read_first[stage]; k < job->read_first[stage + 1]; k++) {
        int64_t amount;
        const uint32_t instance = read_of(job, &job->read[k], index, &amount);
        const uint32_t r = job->output[job->read[k].output].resource;
        if (s->since[instance] != INT64_MAX) {
            s->up[s->ups++] = (struct taken_up){r, amount, s->since[instance]};
            continue;
        }
        s->run[r] += amount;
        s->rest[r] += amount;
    }
    look_at_made(s, stage);
}

/* Does what is shared have room in the span for so much, and for what is taken up before? */
static bool span_has_room(const struct br_backward *s, uint32_t span, const int64_t *need)
{
    const struct br_general *job = s->job;
    const struct br_taken *p = &s->profile[job->machines];
    for (uint32_t r = 0; r < job->resources; r++) {
        int64_t more = need[r];
        for (uint32_t k = 0; job->shared[r] && k < s->ups; k++)
            if (s->up[k].resource == r && p->time[span] < s->up[k].since)
                more += s->up[k].amount;
        if (job->shared[r] && more > 0 &&
            p->used[(size_t)span * job->resources + r] + more > job->shared_capacity[r])
            return false;
    }
    return true;
}

/* The first time no earlier than `start` at which what is shared has room from then on. */
static int64_t fit_shared(const struct br_backward *s, int64_t duration, int64_t start)
{
    const struct br_taken *p = &s->profile[s->job->machines];
    for (uint32_t k = br_taken_span(p, start); k < p->count; k++) {
        const int64_t end = start + duration;
        const int64_t to = k + 1 < p->count ? p->time[k + 1] : INT64_MAX;
        if ((p->time[k] >= end || span_has_room(s, k, s->run)) &&
            (to <= end || span_has_room(s, k, s->rest)))
            continue;
        start = to;
        if (start == INT64_MAX)
            break;
    }
    return start;
}

static int64_t fit_machine(const struct br_backward *s, uint32_t machine, int64_t duration,
                           int64_t start)
{
    const struct br_general *job = s->job;
    const struct br_taken_fit fit = {
        .duration = duration,
        .run = s->run,
        .counts = job->shared,
        .capacity = job->capacity + (size_t)job->machine_class[machine] * job->resources};
    return br_taken_fit(&s->profile[machine], job->resources, &fit, start);
}

static bool could_hold(const struct br_backward *s, uint32_t machine)
{
    const struct br_general *job = s->job;
    const int64_t *capacity = job->capacity + (size_t)job->machine_class[machine] * job->resources;
    for (uint32_t r = 0; r < job->resources; r++)
        if (!job->shared[r] && s->run[r] > capacity[r])
            return false;
    return true;
}

/* The machine on which the task starts first; INT64_MAX: none has room for it. */
static int64_t find_start(struct br_backward *s, uint32_t task, int64_t from, uint32_t *machine)
{
    const struct br_general *job = s->job;
    const int64_t duration = job->duration[task];
    int64_t best = INT64_MAX;
    from = fit_shared(s, duration, from);
    for (uint32_t m = 0; m < job->machines && best > from && from != INT64_MAX; m++) {
        int64_t start = from, before = -1;
        if (!could_hold(s, m))
            continue;
        while (start != before && start < best) {
            before = start;
            start = fit_machine(s, m, duration, start);
            if (start == before || start >= best)
                break;
            start = fit_shared(s, duration, start);
        }
        if (start < best) {
            best = start;
            *machine = m;
        }
    }
    return best;
}

/* What the task reads is held from its start on, if it was not before. */
static void take_up(struct br_backward *s, uint32_t task, int64_t start)
{
    const struct br_general *job = s->job;
    const uint32_t stage = job->task_stage[task], index = task - job->stage_first[stage];
    for (uint32_t k = job->read_first[stage]; k < job->read_first[stage + 1]; k++) {
        int64_t amount;
        const uint32_t instance = read_of(job, &job->read[k], index, &amount);
        const uint32_t o = job->read[k].output;
        if (start >= s->since[instance])
            continue;
        /* Others that read it need less now. */
        s->freed |= !job->read[k].one_to_one || job->reader_first[o + 1] - job->reader_first[o] > 1;
        s->failed |= !br_taken_hold(&s->profile[job->machines], job->resources,
                                    job->output[o].resource, start, s->since[instance], amount);
        s->since[instance] = start;
    }
}

static void backward_place(struct br_backward *s, uint32_t task, uint32_t machine, int64_t start)
{
    const struct br_general *job = s->job;
    const uint32_t stage = job->task_stage[task];
    const int64_t end = start + job->duration[task];
    s->out->start[task] = start;
    s->out->machine[task] = machine;
    if (end > s->out->makespan)
        s->out->makespan = end;
    br_frontier_place(&s->frontier, task, start, end);
    for (uint32_t r = 0; r < job->resources; r++)
        s->failed |=
            !br_taken_hold(&s->profile[job->shared[r] ? job->machines : machine], job->resources, r,
                           start, end, s->alone[(size_t)stage * job->resources + r]);
    take_up(s, task, start);
    for (uint32_t o = job->output_first[stage]; o < job->output_first[stage + 1]; o++) {
        const struct br_general_output *output = &job->output[o];
        if (output->none || !output->amount)
            continue;
        s->failed |= !br_taken_add(&s->profile[job->machines], job->resources, output->resource,
                                   output->from_end ? start : end, -output->amount);
        s->freed = true;
    }
}

/* ---- The whole ---- */

/* Places the task if it finds room; else puts it aside. */
static bool try_to_place(struct br_backward *s, uint32_t task)
{
    const uint32_t stage = s->job->task_stage[task];
    int64_t start = INT64_MAX;
    uint32_t machine = 0;
    if (!s->blocked[stage]) {
        look_at_task(s, task);
        start = find_start(s, task, br_frontier_from(&s->frontier, task), &machine);
    }
    if (start == INT64_MAX) {
        s->blocked[stage] = s->job->plain[stage];
        s->aside[s->asides++] = task;
        return false;
    }
    backward_place(s, task, machine, start);
    return true;
}

bool br_backward_run(struct br_backward *s, const uint32_t *rank,
                     struct br_general_schedule *schedule)
{
    const struct br_general *job = s->job;
    uint32_t placed = 0, task;
    s->out = schedule;
    schedule->makespan = schedule->late = 0;
    schedule->whole = false;
    if (!results_fit(s))
        return true;
    backward_begin(s, rank);
    while (!s->failed && br_frontier_next(&s->frontier, &task)) {
        placed += try_to_place(s, task);
        if (!s->freed)
            continue;
        for (uint32_t k = 0; k < s->asides; k++) {
            s->blocked[job->task_stage[s->aside[k]]] = false;
            br_frontier_again(&s->frontier, s->aside[k]);
        }
        s->asides = 0;
        s->freed = false;
    }
    schedule->whole = placed == job->tasks;
    for (uint32_t t = 0; t < job->tasks && schedule->whole; t++)
        schedule->start[t] = schedule->makespan - schedule->start[t] - job->duration[t];
    return !s->failed;
}
