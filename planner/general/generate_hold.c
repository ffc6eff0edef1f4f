#include "planner/general/generate.h"
#include "planner/general/generate_state.h"

void br_generator_show_room(struct br_generator *g, uint32_t machine)
{
    const struct br_general *job = g->job;
    for (uint32_t r = 0; r < job->resources; r++)
        g->vector[r] = job->shared[r] ? 0 : -br_generator_free(g, machine * job->resources + r);
    if (!job->resources)
        g->vector[0] = 0;
    br_fit_tree_set(&g->room, machine, g->vector);
}

static void hold(struct br_generator *g, uint32_t machine, uint32_t resource, int64_t amount)
{
    g->used[br_general_place(g->job, machine, resource)] += amount;
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
        br_generator_show_room(g, g->out->machine[maker]);
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
        if (when_it_ends(job, task, r) > br_generator_needs(job, task, r))
            g->rises[br_general_place(job, g->out->machine[task], r)] += by;
}

void br_generator_hold(struct br_generator *g, uint32_t task)
{
    const struct br_general *job = g->job;
    const uint32_t machine = g->out->machine[task];
    for (uint32_t r = 0; r < job->resources; r++)
        hold(g, machine, r, br_generator_needs(job, task, r));
    count_rises(g, task, 1);
    g->runs[task] = true;
    g->run_number[task] = g->run_count;
    g->run[g->run_count++] = task;
    br_generator_show_room(g, machine);
}

void br_generator_end(struct br_generator *g, uint32_t task)
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
        hold(g, machine, r, when_it_ends(job, task, r) - br_generator_needs(job, task, r));
    free_reads(g, task);
    br_generator_show_room(g, machine);
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
            load += when_it_ends(job, task, r) - br_generator_needs(job, task, r);
    }
    return load;
}

/* Does the place hold the task at that time, too? */
static bool holds_at(const struct br_generator *g, uint32_t place, uint32_t task, int64_t time)
{
    const uint32_t r = place % g->job->resources;
    const int64_t mine = time < g->now + g->job->duration[task]
                             ? br_generator_needs(g->job, task, r)
                             : when_it_ends(g->job, task, r);
    return !mine || load_at(g, place, time) + mine <= br_general_capacity(g->job, place, time);
}

/* Does the place hold the task from now on? Looks ahead only if something rises or changes. */
static bool holds_on(const struct br_generator *g, uint32_t place, uint32_t task)
{
    const struct br_general *job = g->job;
    const uint32_t r = place % job->resources;
    const int64_t end = g->now + job->duration[task];
    const int64_t runs = br_generator_needs(job, task, r), ended = when_it_ends(job, task, r);
    if (runs > br_generator_free(g, place))
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

bool br_generator_shared_holds(const struct br_generator *g, uint32_t task)
{
    const struct br_general *job = g->job;
    for (uint32_t r = 0; r < job->resources; r++)
        if (job->shared[r] && !holds_on(g, job->machines * job->resources + r, task))
            return false;
    return true;
}

bool br_generator_machine_holds(const struct br_generator *g, uint32_t machine, uint32_t task)
{
    const struct br_general *job = g->job;
    bool holds = br_general_open(job, machine, g->now, g->now + job->duration[task]);
    for (uint32_t r = 0; r < job->resources && holds; r++)
        holds = job->shared[r] || holds_on(g, machine * job->resources + r, task);
    return holds;
}
