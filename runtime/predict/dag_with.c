/* A finished job does not change, so a new one is built in the same order. */
#include "runtime/predict/dag_with.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/roles.h"

struct copying {
    const struct br_dag *dag;
    const struct br_needs *needs;
    struct br_dag *made;
    struct br_diag *diag;
};

static bool is_given(const struct br_dag *dag, const struct br_stage *stage, const char *resource)
{
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++)
        if (strcmp(dag->resource[dag->demand[d].resource].name, resource) == 0)
            return true;
    return false;
}

/* The new demand of the stage for the resource; false if it stays. */
static bool is_changed(const struct copying *copying, uint32_t s, const char *resource,
                       char text[BR_DECIMAL_TEXT])
{
    const struct br_needs *needs = copying->needs;
    int64_t amount = -1;
    if (br_role_is_own_name(BR_ROLE_CPU, resource) && needs->cores)
        amount = needs->cores[s];
    if (br_role_is_own_name(BR_ROLE_MEMORY, resource) && needs->mem_bytes)
        amount = needs->mem_bytes[s];
    snprintf(text, BR_DECIMAL_TEXT, "%" PRId64, amount);
    return amount >= 0;
}

static enum br_status copy_demands(const struct copying *copying, uint32_t s)
{
    const char *const measured[] = {br_role_name(BR_ROLE_CPU), br_role_name(BR_ROLE_MEMORY)};
    const struct br_dag *dag = copying->dag;
    const struct br_stage *stage = &dag->stage[s];
    enum br_status status = BR_OK;
    char text[BR_DECIMAL_TEXT];
    if (copying->needs->bare && copying->needs->bare[s])
        return BR_OK;
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands && !status;
         d++) {
        const char *resource = dag->resource[dag->demand[d].resource].name;
        if (!is_changed(copying, s, resource, text))
            br_decimal_format(dag->demand[d].amount, text, sizeof text);
        status = br_dag_add_demand(copying->made, s, resource, text, copying->diag);
    }
    for (size_t k = 0; k < sizeof measured / sizeof *measured && !status; k++)
        if (!is_given(dag, stage, measured[k]) && is_changed(copying, s, measured[k], text))
            status = br_dag_add_demand(copying->made, s, measured[k], text, copying->diag);
    return status;
}

static int64_t dag_with_duration_of(const struct copying *copying, uint32_t task)
{
    const int64_t *changed = copying->needs->duration_ns;
    return changed ? changed[task] : copying->dag->duration_ns[task];
}

/* Do alternatives say what the stage's tasks last? */
static bool has_ways(const struct copying *copying, uint32_t s)
{
    const bool bare = copying->needs->bare && copying->needs->bare[s];
    return copying->dag->stage[s].alternatives && !bare;
}

/* The duration of the stage is that of its first task without one of its own. */
static int64_t usual_of(const struct copying *copying, uint32_t s)
{
    const struct br_stage *stage = &copying->dag->stage[s];
    for (uint32_t t = stage->first_task;
         t < stage->first_task + stage->tasks && !has_ways(copying, s); t++)
        if (copying->dag->duration_ns[t] == stage->duration_ns)
            return dag_with_duration_of(copying, t);
    return stage->duration_ns;
}

static enum br_status copy_stage(const struct copying *copying, uint32_t s)
{
    const struct br_stage *stage = &copying->dag->stage[s];
    struct br_dag *made = copying->made;
    int64_t usual_ns = usual_of(copying, s);
    enum br_status status =
        br_dag_add_stage(made, stage->id, stage->tasks, usual_ns, NULL, copying->diag);
    assert(status || made->stages == s + 1);
    if (!status)
        br_dag_set_stage_spread(made, s, stage->spread, stage->longest_ns);
    if (!status) {
        made->stage[s].by_hand = stage->by_hand;
        made->stage[s].first_index = stage->first_index;
    }
    /* What tasks last by an alternative is copied with that. */
    for (uint32_t i = 0; i < stage->tasks && !has_ways(copying, s) && !status; i++) {
        int64_t own_ns = dag_with_duration_of(copying, stage->first_task + i);
        if (own_ns != usual_ns)
            status = br_dag_set_duration(made, s, i, own_ns, copying->diag);
    }
    if (!status && stage->command)
        status = br_dag_set_command(made, s, stage->command, copying->diag);
    return status ? status : copy_demands(copying, s);
}

static enum br_status dag_with_copy_job(const struct copying *copying)
{
    const struct br_dag *dag = copying->dag;
    struct br_dag *made = copying->made;
    enum br_status status = BR_OK;
    for (uint32_t r = 0; r < dag->resources && !status; r++)
        if (dag->resource[r].declared)
            status = br_dag_add_resource(made, dag->resource[r].name, dag->resource[r].unit,
                                         copying->diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        status = copy_stage(copying, s);
    for (uint32_t e = 0; e < dag->edges && !status; e++) {
        const struct br_edge *edge = &dag->edge[e];
        status = br_dag_add_edge(made, edge->parent, edge->child, edge->type, copying->diag);
        if (!status)
            status =
                br_dag_set_edge_bytes(made, edge->parent, edge->child, edge->bytes, copying->diag);
    }
    for (uint32_t a = 0; a < dag->attributes && !status; a++) {
        const struct br_attribute *it = &dag->attribute[a];
        status =
            br_dag_add_attribute(made, it->owner, it->index, it->name, it->value, copying->diag);
    }
    struct br_dag from = *dag;
    if (copying->needs->alternatives)
        from.alternatives = (struct br_alternatives *)copying->needs->alternatives;
    if (!status)
        status = br_dag_copy_features(made, &from, copying->diag);
    return status ? status : br_dag_finish(made, copying->diag);
}

enum br_status br_dag_with(const struct br_dag *dag, const struct br_needs *needs,
                           struct br_dag **result, struct br_diag *diag)
{
    const struct copying copying = {dag, needs, br_dag_create(dag->name), diag};
    *result = NULL;
    enum br_status status = copying.made ? dag_with_copy_job(&copying) : br_fail_memory(diag);
    if (status)
        br_dag_destroy(copying.made);
    else
        *result = copying.made;
    return status;
}
