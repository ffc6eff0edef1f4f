#include "planner/general/lister.h"

#include <assert.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "planner/general/held.h"

enum { SERIAL_TASKS = 12000 };

struct br_lister {
    const struct br_general *job;
    struct br_general_schedule *out;
    struct br_taken *profile; /* by machine; the last is of what is shared */
    bool *stores;             /* by stage: on machines; by stages + stage: on what is shared */
    bool *shares;             /* by stage: it needs something that is shared */

    struct br_frontier frontier;
    uint32_t *readers;   /* by instance: arcs whose tasks are not all placed */
    int64_t *read_until; /* by instance: the last end of readers that are placed */

    uint32_t *aside; /* ready tasks that found no room since something was freed last */
    uint32_t asides;
    bool *blocked; /* by stage: so has one of the plain stage */
    bool freed;

    /* Of the task that is looked at. */
    struct br_taken_fit fit;
    int64_t *run, *stay;  /* by resource */
    int64_t *frees;       /* by place */
    uint32_t *freed_list; /* instances that it frees */
    uint32_t freed_count, freed_room;
    bool failed;
};

bool br_lister_knows(const struct br_general *job)
{
    for (uint32_t k = 0; k < job->child_first[job->stages]; k++)
        if (job->child[k].stream)
            return false;
    return job->any_stored && !job->calendar && job->tasks <= SERIAL_TASKS;
}

/* ---- The beginning ---- */

static void list_needs(struct br_lister *s)
{
    const struct br_general *job = s->job;
    for (uint32_t k = 0; k < job->stages; k++)
        for (uint32_t r = 0; r < job->resources; r++) {
            const size_t at = (size_t)k * job->resources + r;
            const bool stores = job->made[at] || job->late[at];
            s->stores[job->shared[r] ? job->stages + k : k] |= stores;
            s->shares[k] |= job->shared[r] && (stores || job->demand[at]);
        }
}

struct br_lister *br_lister_create(const struct br_general *job)
{
    struct br_lister *s = br_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    const size_t n = (size_t)job->tasks + 1, k = (size_t)job->stages + 1;
    const size_t places = ((size_t)job->machines + 1) * job->resources + 1;
    s->job = job;
    const bool ok =
        (s->profile = br_calloc((size_t)job->machines + 1, sizeof *s->profile)) &&
        (s->stores = br_calloc(2 * k, 1)) && (s->shares = br_calloc(k, 1)) &&
        br_frontier_init(&s->frontier, job->stages, job->tasks, job->task_stage) &&
        (s->readers = br_malloc(((size_t)job->instances + 1) * sizeof *s->readers)) &&
        (s->read_until = br_malloc(((size_t)job->instances + 1) * sizeof *s->read_until)) &&
        (s->aside = br_malloc(n * sizeof *s->aside)) && (s->blocked = br_malloc(k)) &&
        (s->run = br_calloc(places, sizeof *s->run)) &&
        (s->stay = br_calloc(places, sizeof *s->stay)) &&
        (s->frees = br_calloc(places, sizeof *s->frees));
    if (ok) {
        list_needs(s);
        return s;
    }
    br_lister_destroy(s);
    return NULL;
}

void br_lister_destroy(struct br_lister *s)
{
    if (!s)
        return;
    for (uint32_t m = 0; s->profile && m <= s->job->machines; m++)
        br_taken_finish(&s->profile[m]);
    br_free(s->profile);
    br_free(s->stores);
    br_free(s->shares);
    br_frontier_finish(&s->frontier);
    br_free(s->readers);
    br_free(s->read_until);
    br_free(s->aside);
    br_free(s->blocked);
    br_free(s->run);
    br_free(s->stay);
    br_free(s->frees);
    br_free(s->freed_list);
    br_free(s);
}

static void serial_begin(struct br_lister *s, const uint32_t *rank)
{
    const struct br_general *job = s->job;
    s->asides = 0;
    s->failed = s->freed = false;
    for (uint32_t m = 0; m <= job->machines; m++)
        s->failed |= !br_taken_clear(&s->profile[m], job->resources);
    for (uint32_t o = 0; o < job->outputs; o++) {
        const uint32_t k = job->output[o].stage;
        for (uint32_t i = 0; i < job->stage_first[k + 1] - job->stage_first[k]; i++) {
            s->readers[job->output[o].first + i] = job->reader_first[o + 1] - job->reader_first[o];
            s->read_until[job->output[o].first + i] = 0;
        }
    }
    memset(s->blocked, 0, job->stages);
    br_frontier_begin(&s->frontier, br_general_behind(job), br_general_ahead(job), rank, false,
                      job->release);
}

/* ---- One task ---- */

/* What the task frees when it and all others that read it have ended: those of its stage by the
 * given time. */
static void list_freed(struct br_lister *s, const struct br_general_output *output, uint32_t index,
                       int64_t others)
{
    const uint32_t instance = output->first + index;
    const uint32_t maker = s->job->stage_first[output->stage] + index;
    if (s->readers[instance] != 1)
        return;
    if (!br_grow(&s->freed_list, s->freed_count, &s->freed_room, sizeof *s->freed_list)) {
        s->failed = true;
        return;
    }
    s->freed_list[s->freed_count++] =
        br_general_place(s->job, s->out->machine[maker], output->resource);
    s->frees[s->freed_list[s->freed_count - 1]] += output->amount;
    if (s->read_until[instance] > others)
        others = s->read_until[instance];
    if (others > s->fit.freed_from)
        s->fit.freed_from = others;
}

/* Sets what the task needs. */
static void look_at_task(struct br_lister *s, uint32_t task)
{
    const struct br_general *job = s->job;
    const uint32_t stage = job->task_stage[task], index = task - job->stage_first[stage];
    s->fit = (struct br_taken_fit){.duration = job->duration[task]};
    s->freed_count = 0;
    for (uint32_t r = 0; r < job->resources; r++) {
        const size_t at = (size_t)stage * job->resources + r;
        s->run[r] = job->made[at] + (job->duration[task] ? job->demand[at] : 0);
        s->stay[r] = job->made[at] + job->late[at];
    }
    for (uint32_t k = job->read_first[stage]; k < job->read_first[stage + 1]; k++) {
        const struct br_general_output *output = &job->output[job->read[k].output];
        const uint32_t count =
            job->stage_first[output->stage + 1] - job->stage_first[output->stage];
        if (!output->amount)
            continue;
        if (job->read[k].one_to_one)
            list_freed(s, output, index, 0);
        else if (s->frontier.left[stage] == 1)
            for (uint32_t i = 0; i < count; i++)
                list_freed(s, output, i, s->frontier.last_end[stage]);
    }
}

static int64_t fits_on(struct br_lister *s, uint32_t which, uint32_t stage, int64_t start)
{
    const struct br_general *job = s->job;
    const bool shared = which == job->machines;
    struct br_taken_fit fit = s->fit;
    fit.run = s->run;
    fit.stay = s->stay;
    fit.frees = s->frees + (size_t)which * job->resources;
    fit.counts = job->shared;
    fit.shared = shared;
    fit.capacity = shared ? job->shared_capacity
                          : job->capacity + (size_t)job->machine_class[which] * job->resources;
    fit.stores = s->stores[shared ? job->stages + stage : stage];
    return br_taken_fit(&s->profile[which], job->resources, &fit, start);
}

static bool could_hold(const struct br_lister *s, uint32_t machine)
{
    const struct br_general *job = s->job;
    const int64_t *capacity = job->capacity + (size_t)job->machine_class[machine] * job->resources;
    for (uint32_t r = 0; r < job->resources; r++)
        if (!job->shared[r] && s->run[r] > capacity[r])
            return false;
    return true;
}

/* The machine on which the task starts first; INT64_MAX: none has room for it. */
static int64_t find_start(struct br_lister *s, uint32_t task, int64_t from, uint32_t *machine)
{
    const struct br_general *job = s->job;
    const uint32_t stage = job->task_stage[task];
    int64_t best = INT64_MAX;
    if (s->shares[stage])
        from = fits_on(s, job->machines, stage, from);
    for (uint32_t m = 0; m < job->machines && best > from && from != INT64_MAX; m++) {
        int64_t start = from, before = -1;
        if (!could_hold(s, m))
            continue;
        while (start != before && start < best) {
            before = start;
            start = fits_on(s, m, stage, start);
            if (start == before || start >= best)
                break;
            if (s->shares[stage])
                start = fits_on(s, job->machines, stage, start);
        }
        if (start < best) {
            best = start;
            *machine = m;
        }
    }
    return best;
}

static void read_instance(struct br_lister *s, const struct br_general_output *output,
                          uint32_t index, int64_t end)
{
    const struct br_general *job = s->job;
    const uint32_t instance = output->first + index, r = output->resource;
    const uint32_t maker = job->stage_first[output->stage] + index;
    if (s->read_until[instance] < end)
        s->read_until[instance] = end;
    if (--s->readers[instance])
        return;
    struct br_taken *profile = &s->profile[job->shared[r] ? job->machines : s->out->machine[maker]];
    s->failed |=
        !br_taken_add(profile, job->resources, r, s->read_until[instance], -output->amount);
    s->freed = true;
}

static void serial_place(struct br_lister *s, uint32_t task, uint32_t machine, int64_t start)
{
    const struct br_general *job = s->job;
    const uint32_t stage = job->task_stage[task], index = task - job->stage_first[stage];
    const int64_t end = start + job->duration[task];
    s->out->start[task] = start;
    s->out->machine[task] = machine;
    if (end > s->out->makespan)
        s->out->makespan = end;
    if (job->deadline[task] < end)
        s->out->late += end - job->deadline[task];
    br_frontier_place(&s->frontier, task, start, end);
    for (uint32_t r = 0; r < job->resources; r++) {
        struct br_taken *profile = &s->profile[job->shared[r] ? job->machines : machine];
        s->failed |= !br_taken_hold(profile, job->resources, r, start, end, s->run[r]) ||
                     !br_taken_add(profile, job->resources, r, end, s->stay[r]);
    }
    for (uint32_t k = job->read_first[stage]; k < job->read_first[stage + 1]; k++) {
        const struct br_general_output *output = &job->output[job->read[k].output];
        if (!output->amount)
            continue;
        if (job->read[k].one_to_one)
            read_instance(s, output, index, end);
        else if (!s->frontier.left[stage])
            for (uint32_t i = 0;
                 i < job->stage_first[output->stage + 1] - job->stage_first[output->stage]; i++)
                read_instance(s, output, i, s->frontier.last_end[stage]);
    }
}

/* ---- The whole ---- */

/* Places the task if it finds room; else puts it aside. */
static bool try_to_place(struct br_lister *s, uint32_t task)
{
    const struct br_general *job = s->job;
    const uint32_t stage = job->task_stage[task];
    int64_t start = INT64_MAX;
    uint32_t machine = 0;
    if (!s->blocked[stage]) {
        look_at_task(s, task);
        start = find_start(s, task, br_frontier_from(&s->frontier, task), &machine);
        for (uint32_t k = 0; k < s->freed_count; k++)
            s->frees[s->freed_list[k]] = 0;
    }
    if (start == INT64_MAX) {
        s->blocked[stage] = job->plain[stage];
        s->aside[s->asides++] = task;
        return false;
    }
    serial_place(s, task, machine, start);
    return true;
}

bool br_lister_run(struct br_lister *s, const uint32_t *rank, struct br_general_schedule *schedule)
{
    const struct br_general *job = s->job;
    uint32_t placed = 0, task;
    s->out = schedule;
    schedule->makespan = schedule->late = 0;
    serial_begin(s, rank);
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
    return !s->failed;
}
