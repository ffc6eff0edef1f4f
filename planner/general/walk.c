#include "planner/general/walk.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"

static bool walk_fits_class(const struct br_general *job, uint32_t stage, uint32_t cls)
{
    for (uint32_t r = 0; r < job->resources; r++) {
        const size_t at = (size_t)stage * job->resources + r;
        const int64_t capacity = job->shared[r] ? job->shared_capacity[r]
                                                : job->capacity[(size_t)cls * job->resources + r];
        if (job->demand[at] + job->made[at] > capacity || job->made[at] + job->late[at] > capacity)
            return false;
    }
    return true;
}

bool br_walk_init(struct br_walk *walk, const struct br_general *job)
{
    const uint32_t places = (job->machines + 1) * job->resources;
    const size_t n = (size_t)job->tasks + 1, s = (size_t)job->stages + 1;
    *walk = (struct br_walk){.job = job};
    walk->held = br_calloc((size_t)places + 1, sizeof *walk->held);
    walk->limit = br_calloc((size_t)places + 1, sizeof *walk->limit);
    walk->machine = br_calloc(n, sizeof *walk->machine);
    walk->done = br_calloc(n, sizeof *walk->done);
    walk->left = br_calloc(s, sizeof *walk->left);
    walk->begin = br_calloc(s, sizeof *walk->begin);
    walk->free = br_calloc(s, sizeof *walk->free);
    walk->readers = br_calloc((size_t)job->instances + 1, sizeof *walk->readers);
    walk->waits = br_calloc(s, sizeof *walk->waits);
    walk->pairs = br_calloc(n, sizeof *walk->pairs);
    walk->fits_class = br_calloc(s * job->classes, sizeof *walk->fits_class);
    walk->last = br_calloc(s, sizeof *walk->last);
    walk->change = br_calloc((size_t)job->resources + 1, sizeof *walk->change);
    if (!walk->held || !walk->limit || !walk->machine || !walk->done || !walk->left ||
        !walk->begin || !walk->free || !walk->readers || !walk->waits || !walk->pairs ||
        !walk->fits_class || !walk->last || !walk->change)
        return false;
    for (uint32_t p = 0; p < places; p++)
        walk->limit[p] = br_general_least(job, p, 0);
    for (uint32_t k = 0; k < job->stages; k++) {
        const uint32_t first = job->stage_first[k], end = job->stage_first[k + 1];
        walk->left[k] = end - first;
        walk->begin[k] = first;
        for (uint32_t a = job->parent_first[k]; a < job->parent_first[k + 1]; a++)
            if (!job->parent[a].one_to_one)
                walk->waits[k]++;
            else
                for (uint32_t t = first; t < end; t++)
                    walk->pairs[t]++;
        walk->free[k] = walk->pairs[first] ? 0 : end - first;
        for (uint32_t c = 0; c < job->classes; c++)
            walk->fits_class[(size_t)k * job->classes + c] = walk_fits_class(job, k, c);
    }
    for (uint32_t o = 0; o < job->outputs; o++) {
        const uint32_t stage = job->output[o].stage;
        for (uint32_t i = 0; i < job->stage_first[stage + 1] - job->stage_first[stage]; i++)
            walk->readers[job->output[o].first + i] =
                job->reader_first[o + 1] - job->reader_first[o];
    }
    return true;
}

void br_walk_finish(struct br_walk *walk)
{
    br_free(walk->held);
    br_free(walk->limit);
    br_free(walk->machine);
    br_free(walk->done);
    br_free(walk->left);
    br_free(walk->begin);
    br_free(walk->free);
    br_free(walk->readers);
    br_free(walk->waits);
    br_free(walk->pairs);
    br_free(walk->fits_class);
    br_free(walk->last);
    br_free(walk->change);
}

/* The room of a place and a task's need of it, as the least share of room that stays. */
static bool walk_fits(const struct br_walk *walk, uint32_t task, uint32_t machine, double *room)
{
    const struct br_general *job = walk->job;
    const uint32_t stage = job->task_stage[task];
    *room = 1;
    if (!walk->fits_class[(size_t)stage * job->classes + job->machine_class[machine]])
        return false;
    for (uint32_t r = 0; r < job->resources; r++) {
        if (!job->stored[r])
            continue;
        const size_t at = (size_t)stage * job->resources + r;
        const uint32_t place = br_general_place(job, machine, r);
        const int64_t run = job->made[at] + (job->duration[task] ? job->demand[at] : 0);
        const int64_t stays =
            job->made[at] + job->late[at] - (job->shared[r] ? walk->change[r] : 0);
        const int64_t left = walk->limit[place] - walk->held[place];
        if (run > left || stays > left)
            return false;
        const double share =
            walk->limit[place] ? (double)(left - stays) / (double)walk->limit[place] : 0;
        if (share < *room)
            *room = share;
    }
    return true;
}

/* Adds up what the task frees when it ends, by resource; on one place if there is one alone. */
static void walk_frees(struct br_walk *walk, uint32_t task)
{
    const struct br_general *job = walk->job;
    const uint32_t stage = job->task_stage[task], index = task - job->stage_first[stage];
    memset(walk->change, 0, job->resources * sizeof *walk->change);
    for (uint32_t k = job->read_first[stage]; k < job->read_first[stage + 1]; k++) {
        const struct br_general_output *output = &job->output[job->read[k].output];
        const uint32_t count =
            job->stage_first[output->stage + 1] - job->stage_first[output->stage];
        if (job->read[k].one_to_one) {
            if (walk->readers[output->first + index] == 1)
                walk->change[output->resource] += output->amount;
        } else if (walk->left[stage] == 1) {
            walk->work += count;
            for (uint32_t i = 0; i < count; i++)
                if (walk->readers[output->first + i] == 1)
                    walk->change[output->resource] += output->amount;
        }
    }
}

bool br_walk_look(struct br_walk *walk, uint32_t task, double *growth, bool *frees)
{
    const struct br_general *job = walk->job;
    const uint32_t stage = job->task_stage[task];
    double room;
    walk_frees(walk, task);
    uint32_t machine = walk->last[stage];
    walk->work++;
    if (!walk_fits(walk, task, machine, &room)) {
        for (machine = 0; machine < job->machines && !walk_fits(walk, task, machine, &room);)
            machine++;
        walk->work += machine;
        if (machine == job->machines)
            return false;
        walk->last[stage] = machine;
    }
    *growth = 0;
    *frees = true;
    for (uint32_t r = 0; r < job->resources; r++) {
        if (!job->stored[r])
            continue;
        const size_t at = (size_t)stage * job->resources + r;
        const int64_t made = job->made[at] + job->late[at], net = made - walk->change[r];
        const int64_t limit = walk->limit[br_general_place(job, machine, r)];
        *growth += (double)net / (limit > 0 ? (double)limit : 1);
        if (job->shared[r] || job->machines == 1 ? net > 0 : made > 0)
            *frees = false;
    }
    return true;
}

uint32_t br_walk_machine(struct br_walk *walk, uint32_t task)
{
    uint32_t best = UINT32_MAX;
    double most = -1, room;
    walk_frees(walk, task);
    for (uint32_t m = 0; m < walk->job->machines; m++) {
        walk->work++;
        if (!walk_fits(walk, task, m, &room) || room <= most)
            continue;
        most = room;
        best = m;
        if (!walk->job->stored_on_machines)
            break;
    }
    assert(best != UINT32_MAX);
    return best;
}

/* One edge's readers of the instance have all run, or not any more (-1). */
static void walk_read(struct br_walk *walk, const struct br_general_output *output, uint32_t index,
                      int sign)
{
    const struct br_general *job = walk->job;
    uint32_t *readers = &walk->readers[output->first + index];
    int64_t *held = &walk->held[br_general_place(
        job, walk->machine[job->stage_first[output->stage] + index], output->resource)];
    if (sign > 0) {
        assert(*readers > 0);
        if (--*readers == 0)
            *held -= output->amount;
    } else if ((*readers)++ == 0) {
        *held += output->amount;
    }
}

static void walk_reads(struct br_walk *walk, uint32_t task, int sign)
{
    const struct br_general *job = walk->job;
    const uint32_t stage = job->task_stage[task], index = task - job->stage_first[stage];
    for (uint32_t k = job->read_first[stage]; k < job->read_first[stage + 1]; k++) {
        const struct br_general_output *output = &job->output[job->read[k].output];
        if (!output->amount)
            continue;
        if (job->read[k].one_to_one)
            walk_read(walk, output, index, sign);
        else if (walk->left[stage] == 0)
            for (uint32_t i = 0;
                 i < job->stage_first[output->stage + 1] - job->stage_first[output->stage]; i++)
                walk_read(walk, output, i, sign);
    }
}

static void walk_children(struct br_walk *walk, uint32_t task, uint32_t by)
{
    const struct br_general *job = walk->job;
    const uint32_t stage = job->task_stage[task], index = task - job->stage_first[stage];
    for (uint32_t a = job->child_first[stage]; a < job->child_first[stage + 1]; a++) {
        const struct br_stage_arc *arc = &job->child[a];
        if (arc->one_to_one) {
            uint32_t *pairs = &walk->pairs[job->stage_first[arc->stage] + index];
            walk->free[arc->stage] -= *pairs == 0; /* by one more */
            *pairs += by;
            walk->free[arc->stage] += *pairs == 0;
        } else if (walk->left[stage] == 0) {
            walk->waits[arc->stage] += by;
        }
    }
}

/* What the task leaves behind, added or taken away. */
static void walk_leave(struct br_walk *walk, uint32_t task, int sign)
{
    const struct br_general *job = walk->job;
    const size_t row = (size_t)job->task_stage[task] * job->resources;
    for (uint32_t r = 0; r < job->resources; r++)
        walk->held[br_general_place(job, walk->machine[task], r)] +=
            sign * (job->made[row + r] + job->late[row + r]);
}

void br_walk_run(struct br_walk *walk, uint32_t task, uint32_t machine)
{
    assert(br_walk_is_ready(walk, task));
    walk->done[task] = true;
    walk->machine[task] = machine;
    const uint32_t stage = walk->job->task_stage[task];
    walk->left[stage]--;
    walk->free[stage]--;
    while (walk->begin[stage] < walk->job->stage_first[stage + 1] && walk->done[walk->begin[stage]])
        walk->begin[stage]++;
    walk_leave(walk, task, 1);
    walk_reads(walk, task, 1);
    walk_children(walk, task, UINT32_MAX); /* less one */
}

void br_walk_back(struct br_walk *walk, uint32_t task)
{
    assert(walk->done[task]);
    walk_children(walk, task, 1);
    walk_reads(walk, task, -1);
    walk_leave(walk, task, -1);
    const uint32_t stage = walk->job->task_stage[task];
    walk->left[stage]++;
    walk->free[stage]++;
    walk->done[task] = false;
    if (walk->begin[stage] > task)
        walk->begin[stage] = task;
}
