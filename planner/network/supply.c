/* Counts of what is missing, by group if all tasks of a group wait for it. */
#include "planner/network/supply.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"

bool br_supply_init(struct br_supply *supply, const struct br_network_job *job)
{
    size_t tasks = job->dag->tasks;
    *supply = (struct br_supply){.job = job};
    supply->task_waits = br_malloc(tasks * sizeof *supply->task_waits);
    supply->group_waits = br_malloc(tasks * sizeof *supply->group_waits);
    supply->group_left = br_malloc(tasks * sizeof *supply->group_left);
    supply->stage_left = br_malloc(job->dag->stages * sizeof *supply->stage_left);
    return br_wiring_init(&supply->wiring, job) && supply->task_waits && supply->group_waits &&
           supply->group_left && supply->stage_left;
}

void br_supply_finish(struct br_supply *supply)
{
    br_wiring_finish(&supply->wiring);
    br_free(supply->task_waits);
    br_free(supply->group_waits);
    br_free(supply->group_left);
    br_free(supply->stage_left);
    *supply = (struct br_supply){0};
}

/* One thing less that the group waits for. */
static void release_group(struct br_supply *supply, uint32_t group,
                          const struct br_supply_user *user)
{
    const struct br_network_group *g = &supply->wiring.group[group];
    assert(supply->group_waits[group] > 0);
    if (--supply->group_waits[group])
        return;
    for (uint32_t k = g->first; k < g->first + g->tasks; k++)
        if (!supply->task_waits[supply->wiring.member[k]])
            user->ready(user->context, supply->wiring.member[k]);
}

/* One thing less that the task waits for by itself. */
static void release_task(struct br_supply *supply, uint32_t task, const struct br_supply_user *user)
{
    assert(supply->task_waits[task] > 0);
    if (--supply->task_waits[task] == 0 && !supply->group_waits[supply->wiring.group_of[task]])
        user->ready(user->context, task);
}

enum br_status br_supply_begin(struct br_supply *supply, const uint32_t *machine,
                               const struct br_supply_user *user)
{
    const struct br_dag *dag = supply->job->dag;
    struct br_wiring *w = &supply->wiring;
    enum br_status status = br_wiring_make(w, supply->job, machine);
    if (status)
        return status;
    memset(supply->task_waits, 0, dag->tasks * sizeof *supply->task_waits);
    for (uint32_t s = 0; s < dag->stages; s++)
        supply->stage_left[s] = dag->stage[s].tasks;
    for (uint32_t g = 0; g < w->groups; g++) {
        supply->group_left[g] = w->group[g].tasks;
        supply->group_waits[g] = 1; /* the beginning */
    }
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_stage *child = &dag->stage[dag->edge[e].child];
        if (dag->edge[e].type == BR_ONE_TO_ONE) {
            for (uint32_t t = child->first_task; t < child->first_task + child->tasks; t++)
                supply->task_waits[t]++;
            continue;
        }
        for (uint32_t g = w->stage_group[dag->edge[e].child];
             g < w->stage_group[dag->edge[e].child + 1]; g++)
            supply->group_waits[g]++;
        for (uint32_t k = w->edge_wire[e]; k < w->edge_wire[e + 1]; k++)
            if (w->wire[k].bytes)
                supply->group_waits[w->wire[k].sink]++;
    }
    for (uint32_t g = 0; g < w->groups; g++)
        release_group(supply, g, user);
    return BR_OK;
}

void br_supply_wire_ended(struct br_supply *supply, uint32_t wire,
                          const struct br_supply_user *user)
{
    const struct br_wire *w = &supply->wiring.wire[wire];
    if (supply->job->dag->edge[w->edge].type == BR_ONE_TO_ONE)
        release_task(supply, w->sink, user);
    else
        release_group(supply, w->sink, user);
}

/* The transfers that wait for this group of the edge's parent. */
static void begin_group_wires(struct br_supply *supply, uint32_t edge, uint32_t group,
                              const struct br_supply_user *user)
{
    const struct br_wiring *w = &supply->wiring;
    const struct br_edge *e = &supply->job->dag->edge[edge];
    uint32_t sinks = w->stage_group[e->child + 1] - w->stage_group[e->child];
    uint32_t first = w->edge_wire[edge] + (group - w->stage_group[e->parent]) * sinks;
    for (uint32_t k = first; e->bytes && k < first + sinks; k++)
        if (w->wire[k].bytes)
            user->wire(user->context, k);
}

void br_supply_task_ended(struct br_supply *supply, uint32_t task,
                          const struct br_supply_user *user)
{
    const struct br_network_job *job = supply->job;
    const struct br_dag *dag = job->dag;
    const struct br_wiring *w = &supply->wiring;
    uint32_t group = w->group_of[task], s = w->group[group].stage;
    bool group_ended = --supply->group_left[group] == 0;
    bool stage_ended = --supply->stage_left[s] == 0;
    for (uint32_t k = job->out_first[s]; k < job->out_first[s + 1]; k++) {
        uint32_t e = job->out[k];
        const struct br_edge *edge = &dag->edge[e];
        if (edge->type == BR_ONE_TO_ONE) {
            uint32_t index = task - dag->stage[s].first_task;
            if (edge->bytes && w->wire[w->edge_wire[e] + index].bytes)
                user->wire(user->context, w->edge_wire[e] + index);
            else
                release_task(supply, dag->stage[edge->child].first_task + index, user);
            continue;
        }
        if (group_ended)
            begin_group_wires(supply, e, group, user);
        for (uint32_t g = w->stage_group[edge->child];
             stage_ended && g < w->stage_group[edge->child + 1]; g++)
            release_group(supply, g, user);
    }
}
