#include "emit/analysis/late.h"

#include <string.h>

#include "base/collections/memory.h"
#include "planner/eligibility/features.h"

enum br_status br_late_init(struct br_late *late, const struct br_emit_input *input,
                            struct br_diag *diag)
{
    const struct br_dag *dag = input->dag;
    *late = (struct br_late){0};
    if (!br_features(dag, input->cluster))
        return BR_OK;
    late->input = input;
    late->last_start = br_calloc((size_t)dag->stages + 1, sizeof *late->last_start);
    late->last_end = br_calloc((size_t)dag->stages + 1, sizeof *late->last_end);
    if (!late->last_start || !late->last_end)
        return br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        late->last_start[s] = late->last_end[s] = stage->first_task;
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++) {
            if (input->plan->start_ns[t] > input->plan->start_ns[late->last_start[s]])
                late->last_start[s] = t;
            if (input->plan->end_ns[t] > input->plan->end_ns[late->last_end[s]])
                late->last_end[s] = t;
        }
    }
    return BR_OK;
}

void br_late_finish(struct br_late *late)
{
    br_free(late->last_start);
    br_free(late->last_end);
    *late = (struct br_late){0};
}

/* The task of the edge's parent that the task waited for, with a lag or as a reader of its stream;
 * UINT32_MAX if it is none. */
static uint32_t find_lagged(const struct br_late *late, uint32_t e, uint32_t task)
{
    const struct br_dag *dag = late->input->dag;
    const struct br_plan *plan = late->input->plan;
    const struct br_edge *edge = &dag->edge[e];
    const struct br_wait wait = br_dag_wait(dag, e);
    const uint32_t paired =
        br_dag_is_paired(dag, edge)
            ? dag->stage[edge->parent].first_task + task - dag->stage[edge->child].first_task
            : UINT32_MAX;
    const uint32_t starts = paired == UINT32_MAX ? late->last_start[edge->parent] : paired;
    const uint32_t ends = paired == UINT32_MAX ? late->last_end[edge->parent] : paired;
    if (!wait.stream)
        return wait.lag_ns > 0 && plan->start_ns[task] - wait.lag_ns == plan->end_ns[ends]
                   ? ends
                   : UINT32_MAX;
    if (plan->start_ns[task] - wait.lag_ns == plan->start_ns[starts])
        return starts;
    return plan->end_ns[task] == plan->end_ns[ends] ? ends : UINT32_MAX;
}

static bool demands(const struct br_dag *dag, uint32_t stage, const char *resource)
{
    const struct br_stage *of = &dag->stage[stage];
    for (uint32_t d = of->first_demand; d < of->first_demand + of->demands; d++)
        if (dag->demand[d].amount.mantissa > 0 &&
            strcmp(dag->resource[dag->demand[d].resource].name, resource) == 0)
            return true;
    const struct br_storage *storage = dag->storage;
    for (uint32_t o = storage ? storage->stage_first[stage] : 0;
         storage && o < storage->stage_first[stage + 1]; o++)
        if (storage->output[o].amount.mantissa > 0 &&
            strcmp(dag->resource[storage->output[o].resource].name, resource) == 0)
            return true;
    return false;
}

/* Did a window of the task's machine end, or an amount change, when the task started? */
static bool waited_for_window(const struct br_late *late, uint32_t task)
{
    const struct br_calendar *calendar = late->input->cluster->calendar;
    const int64_t start = late->input->plan->start_ns[task];
    const uint32_t machine = late->input->plan->machine[task];
    const uint32_t stage = br_dag_task_stage(late->input->dag, task);
    for (uint32_t k = 0; calendar && k < calendar->unavailables; k++) {
        const struct br_span_of_machines *span = &calendar->unavailable[k].span;
        if (span->to_ns == start && machine >= span->first && machine - span->first < span->count)
            return true;
    }
    for (uint32_t k = 0; calendar && k < calendar->changes; k++) {
        const struct br_span_of_machines *span = &calendar->change[k].span;
        if ((span->from_ns == start || span->to_ns == start) && start > 0 &&
            (!span->count || (machine >= span->first && machine - span->first < span->count)) &&
            demands(late->input->dag, stage, calendar->change[k].resource))
            return true;
    }
    return false;
}

bool br_late_find(const struct br_late *late, const struct br_parents *parents, uint32_t task,
                  uint32_t *before, enum br_waited *waited)
{
    if (!late->input)
        return false;
    const struct br_dag *dag = late->input->dag;
    const struct br_plan *plan = late->input->plan;
    const uint32_t stage = br_dag_task_stage(dag, task);
    *before = UINT32_MAX;
    for (uint32_t k = parents->first[stage]; k < parents->first[stage + 1]; k++) {
        const uint32_t parent = find_lagged(late, parents->edge[k], task);
        if (parent == UINT32_MAX || plan->rank[parent] >= plan->rank[task])
            continue;
        *before = parent;
        *waited = BR_WAITED_LAG;
        return true;
    }
    if (br_dag_release(dag, task) > 0 && br_dag_release(dag, task) == plan->start_ns[task])
        *waited = BR_WAITED_RELEASE;
    else if (waited_for_window(late, task))
        *waited = BR_WAITED_WINDOW;
    else
        return false;
    return true;
}

bool br_late_frees(const struct br_late *late, const struct br_parents *parents, uint32_t other,
                   uint32_t task)
{
    if (!late->input)
        return false;
    const struct br_dag *dag = late->input->dag;
    const struct br_storage *storage = dag->storage;
    const uint32_t from = br_dag_task_stage(dag, other), to = br_dag_task_stage(dag, task);
    const struct br_stage *stage = &dag->stage[from];
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++) {
        const char *resource = dag->resource[dag->demand[d].resource].name;
        if (dag->demand[d].amount.mantissa > 0 && demands(dag, to, resource) &&
            br_cluster_shared(late->input->cluster, resource))
            return true;
    }
    for (uint32_t k = parents->first[from]; storage && k < parents->first[from + 1]; k++) {
        const uint32_t e = parents->edge[k];
        for (uint32_t i = storage->edge_first[e]; i < storage->edge_first[e + 1]; i++)
            if (demands(dag, to, dag->resource[storage->output[storage->reads[i]].resource].name))
                return true;
    }
    return false;
}
