/* The critical chain is found backwards from the task that ends last: a task waited for the one
 * that ended when it started. A parent is preferred to a transfer, and that to a neighbour on its
 * machine. */
#include "emit/analysis/analysis.h"
#include "emit/analysis/lanes.h"
#include "emit/analysis/parents.h"
#include "emit/write/attributes.h"
#include "emit/write/slack.h"
#include "planner/model/shape.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/memory.h"

struct by_end {
    int64_t end_ns;
    uint32_t rank; /* from 1; parents have lower ranks */
};

static int compare_ends(const void *a, const void *b)
{
    const struct by_end *x = a, *y = b;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static bool pictures_analysis_is_parent(const struct br_dag *dag, const struct br_parents *parents,
                                        uint32_t parent, uint32_t child)
{
    uint32_t from = br_dag_task_stage(dag, parent), to = br_dag_task_stage(dag, child);
    for (uint32_t k = parents->first[to]; k < parents->first[to + 1]; k++) {
        const struct br_edge *edge = &dag->edge[parents->edge[k]];
        if (edge->parent == from && !br_dag_wait(dag, parents->edge[k]).stream &&
            (edge->type == BR_BARRIER ||
             parent - dag->stage[from].first_task == child - dag->stage[to].first_task))
            return true;
    }
    return false;
}

/* The task that `task` waited for, or UINT32_MAX. */
static uint32_t waited_for(const struct br_emit_input *input, const struct br_parents *parents,
                           const struct by_end *ends, const struct br_inputs *inputs,
                           const struct br_late *late, uint32_t task, enum br_waited *waited)
{
    const struct br_plan *plan = input->plan;
    uint32_t low = 0, high = plan->tasks, neighbour = UINT32_MAX;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ends[middle].end_ns < plan->start_ns[task])
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t elsewhere = UINT32_MAX;
    for (; low < plan->tasks && ends[low].end_ns == plan->start_ns[task]; low++) {
        uint32_t other = plan->order[ends[low].rank - 1];
        if (plan->rank[other] >= plan->rank[task])
            continue;
        if (pictures_analysis_is_parent(input->dag, parents, other, task)) {
            *waited = BR_WAITED_PARENT;
            return other;
        }
        if (neighbour == UINT32_MAX && plan->machine[other] == plan->machine[task] &&
            plan->start_ns[other] < plan->end_ns[other])
            neighbour = other;
        if (neighbour == UINT32_MAX && elsewhere == UINT32_MAX &&
            br_late_frees(late, parents, other, task))
            elsewhere = other;
    }
    if (br_inputs_bind(inputs, plan, task)) {
        uint32_t source = br_inputs_source(input, inputs->last[task]);
        assert(source == UINT32_MAX || source < plan->tasks);
        *waited = BR_WAITED_TRANSFER;
        if (source != UINT32_MAX && plan->rank[source] < plan->rank[task])
            return source;
    }
    uint32_t before = UINT32_MAX;
    if (br_late_find(late, parents, task, &before, waited))
        return before;
    *waited =
        neighbour == UINT32_MAX && elsewhere != UINT32_MAX ? BR_WAITED_ROOM : BR_WAITED_MACHINE;
    return neighbour == UINT32_MAX ? elsewhere : neighbour;
}

static enum br_status pictures_analysis_find_chain(struct br_analysis *analysis,
                                                   const struct br_emit_input *input,
                                                   struct br_diag *diag)
{
    const struct br_plan *plan = input->plan;
    struct br_parents parents;
    struct br_late late;
    struct by_end *ends = calloc((size_t)plan->tasks + 1, sizeof *ends);
    enum br_status status = br_parents_init(&parents, input->dag, diag);
    if (!status)
        status = br_late_init(&late, input, diag);
    else
        late = (struct br_late){0};
    if (!status && !ends)
        status = br_fail_memory(diag);
    if (!status) {
        for (uint32_t t = 0; t < plan->tasks; t++)
            ends[t] = (struct by_end){plan->end_ns[t], plan->rank[t]};
        qsort(ends, plan->tasks, sizeof *ends, compare_ends);
        uint32_t task = plan->order[ends[plan->tasks - 1].rank - 1], n = 0;
        enum br_waited waited = BR_WAITED_PARENT;
        while (task != UINT32_MAX) {
            assert(n < plan->tasks && !analysis->on_chain[task]);
            analysis->on_chain[task] = true;
            analysis->chain[n++] = task;
            task = waited_for(input, &parents, ends, &analysis->inputs, &late, task, &waited);
            analysis->waited[n - 1] = waited;
        }
        analysis->chain_tasks = n;
        assert(n > 0);
        if (waited != BR_WAITED_RELEASE && waited != BR_WAITED_WINDOW)
            analysis->waited[n - 1] = BR_WAITED_PARENT; /* the first task waited for nothing */
        for (uint32_t k = 0; k < n / 2; k++) {
            uint32_t swapped = analysis->chain[k];
            waited = analysis->waited[k];
            analysis->chain[k] = analysis->chain[n - 1 - k];
            analysis->waited[k] = analysis->waited[n - 1 - k];
            analysis->chain[n - 1 - k] = swapped;
            analysis->waited[n - 1 - k] = waited;
        }
    }
    free(ends);
    br_late_finish(&late);
    br_parents_finish(&parents);
    return status;
}

static enum br_status find_path(struct br_analysis *analysis, const struct br_dag *dag,
                                struct br_diag *diag)
{
    struct br_shape shape;
    enum br_status status = br_shape_measure(dag, &shape, diag);
    if (status)
        return status;
    analysis->critical_path_ns = shape.critical_ns;
    br_shape_finish(&shape);
    return BR_OK;
}

enum br_status br_analysis_init(struct br_analysis *analysis, const struct br_emit_input *input,
                                struct br_diag *diag)
{
    size_t tasks = (size_t)input->plan->tasks + 1;
    *analysis = (struct br_analysis){
        .span_ns = input->plan->makespan_ns > 0 ? input->plan->makespan_ns : 1,
        .lane = calloc(tasks, sizeof *analysis->lane),
        .lanes = calloc((size_t)input->cluster->machines + 1, sizeof *analysis->lanes),
        .on_chain = calloc(tasks, sizeof *analysis->on_chain),
        .chain = calloc(tasks, sizeof *analysis->chain),
        .waited = calloc(tasks, sizeof *analysis->waited),
        .words = br_attributes_words(input->dag),
    };
    enum br_status status = BR_OK;
    if (!analysis->lane || !analysis->lanes || !analysis->on_chain || !analysis->chain ||
        !analysis->waited || !analysis->words)
        status = br_fail_memory(diag);
    if (!status)
        status =
            br_lanes(input->plan, input->cluster->machines, analysis->lane, analysis->lanes, diag);
    if (!status)
        status = br_inputs_init(&analysis->inputs, input, diag);
    if (!status)
        status = br_emit_slack(input, &analysis->slack, diag);
    if (!status)
        status = pictures_analysis_find_chain(analysis, input, diag);
    if (!status)
        status = find_path(analysis, input->dag, diag);
    if (!status)
        status = br_use_curves_measure(&analysis->uses, input, analysis->span_ns, diag);
    if (status)
        br_analysis_finish(analysis);
    return status;
}

void br_analysis_finish(struct br_analysis *analysis)
{
    free(analysis->lane);
    free(analysis->lanes);
    free(analysis->on_chain);
    free(analysis->chain);
    free(analysis->waited);
    free(analysis->slack);
    br_inputs_finish(&analysis->inputs);
    br_use_curves_finish(&analysis->uses);
    free(analysis->words);
    *analysis = (struct br_analysis){0};
}
