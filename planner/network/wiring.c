/* Groups of tasks and the wires between them, for one placement. */
#include "planner/network/wiring.h"

#include <string.h>

#include "base/collections/memory.h"
#include "planner/model/transfers.h"

bool br_wiring_init(struct br_wiring *wiring, const struct br_network_job *job)
{
    const struct br_dag *dag = job->dag;
    *wiring = (struct br_wiring){0};
    wiring->group = br_malloc((size_t)dag->tasks * sizeof *wiring->group);
    wiring->stage_group = br_malloc(((size_t)dag->stages + 1) * sizeof *wiring->stage_group);
    wiring->group_of = br_malloc((size_t)dag->tasks * sizeof *wiring->group_of);
    wiring->member = br_malloc((size_t)dag->tasks * sizeof *wiring->member);
    wiring->edge_wire = br_malloc(((size_t)dag->edges + 1) * sizeof *wiring->edge_wire);
    wiring->slot = br_malloc((size_t)job->cluster->machines * sizeof *wiring->slot);
    return wiring->group && wiring->stage_group && wiring->group_of && wiring->member &&
           wiring->edge_wire && wiring->slot;
}

void br_wiring_finish(struct br_wiring *wiring)
{
    br_free(wiring->group);
    br_free(wiring->stage_group);
    br_free(wiring->group_of);
    br_free(wiring->member);
    br_free(wiring->edge_wire);
    br_free(wiring->wire);
    br_free(wiring->slot);
    *wiring = (struct br_wiring){0};
}

static void group_tasks(struct br_wiring *w, const struct br_network_job *job,
                        const uint32_t *machine)
{
    const struct br_dag *dag = job->dag;
    w->groups = 0;
    memset(w->slot, 0xff, (size_t)job->cluster->machines * sizeof *w->slot);
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        uint32_t begin = w->stage_group[s] = w->groups, first = stage->first_task;
        for (uint32_t t = first; t < first + stage->tasks; t++) {
            uint32_t *slot = &w->slot[machine[t]];
            if (*slot == UINT32_MAX || *slot < begin) {
                *slot = w->groups++;
                w->group[*slot] = (struct br_network_group){.stage = s, .machine = machine[t]};
            }
            w->group_of[t] = *slot;
            w->group[*slot].tasks++;
        }
        for (uint32_t g = begin, at = first; g < w->groups; at += w->group[g++].tasks)
            w->group[g].first = at;
        for (uint32_t t = first; t < first + stage->tasks; t++)
            w->member[w->group[w->group_of[t]].first++] = t;
        for (uint32_t g = begin; g < w->groups; g++)
            w->group[g].first -= w->group[g].tasks;
    }
    w->stage_group[dag->stages] = w->groups;
}

/* Counts the wires of every edge; false if there are too many. */
static bool count_wires(struct br_wiring *w, const struct br_dag *dag)
{
    uint64_t wires = 0;
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_edge *edge = &dag->edge[e];
        w->edge_wire[e] = (uint32_t)wires;
        if (edge->bytes && edge->type == BR_ONE_TO_ONE)
            wires += dag->stage[edge->parent].tasks;
        else if (edge->bytes)
            wires += (uint64_t)(w->stage_group[edge->parent + 1] - w->stage_group[edge->parent]) *
                     (w->stage_group[edge->child + 1] - w->stage_group[edge->child]);
        if (wires > BR_NETWORK_TRANSFERS_MOST)
            return false;
    }
    w->wires = w->edge_wire[dag->edges] = (uint32_t)wires;
    return true;
}

static void wire_pairs(struct br_wiring *w, const struct br_dag *dag, uint32_t e,
                       const uint32_t *machine)
{
    const struct br_edge *edge = &dag->edge[e];
    uint32_t a = dag->stage[edge->parent].first_task, b = dag->stage[edge->child].first_task;
    int64_t bytes = br_transfer_bytes(dag, e, 1, 1);
    for (uint32_t k = w->edge_wire[e]; k < w->edge_wire[e + 1]; k++, a++, b++)
        w->wire[k] =
            (struct br_wire){machine[a] == machine[b] ? 0 : bytes, e, machine[a], machine[b], a, b};
}

static void wire_groups(struct br_wiring *w, const struct br_dag *dag, uint32_t e)
{
    const struct br_edge *edge = &dag->edge[e];
    struct br_wire *wire = &w->wire[w->edge_wire[e]];
    for (uint32_t g = w->stage_group[edge->parent]; g < w->stage_group[edge->parent + 1]; g++)
        for (uint32_t h = w->stage_group[edge->child]; h < w->stage_group[edge->child + 1]; h++) {
            const struct br_network_group *a = &w->group[g], *b = &w->group[h];
            int64_t bytes =
                a->machine == b->machine ? 0 : br_transfer_bytes(dag, e, a->tasks, b->tasks);
            *wire++ = (struct br_wire){bytes, e, a->machine, b->machine, g, h};
        }
}

enum br_status br_wiring_make(struct br_wiring *w, const struct br_network_job *job,
                              const uint32_t *machine)
{
    const struct br_dag *dag = job->dag;
    group_tasks(w, job, machine);
    if (!count_wires(w, dag))
        return BR_NO;
    if (w->wire_room < w->wires) {
        br_free(w->wire);
        w->wire_room = w->wires;
        w->wire = br_malloc((size_t)w->wires * sizeof *w->wire);
        if (!w->wire) {
            w->wire_room = 0;
            return BR_SYSTEM;
        }
    }
    for (uint32_t e = 0; e < dag->edges; e++)
        if (w->edge_wire[e + 1] > w->edge_wire[e]) {
            if (dag->edge[e].type == BR_ONE_TO_ONE)
                wire_pairs(w, dag, e, machine);
            else
                wire_groups(w, dag, e);
        }
    return BR_OK;
}
