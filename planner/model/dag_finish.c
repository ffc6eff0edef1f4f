/* Checks a whole job, and lays its arrays out for reading. */
#include <stdlib.h>
#include <string.h>

#include "base/collections/memory.h"
#include "planner/model/dag_build.h"
#include "planner/model/ranges.h"

/* Groups the demands by stage, stably. */
static bool group_demands(struct br_dag *dag)
{
    struct br_demand *grouped = br_malloc(((size_t)dag->demands + 1) * sizeof *grouped);
    if (!grouped)
        return false;
    for (uint32_t d = 0; d < dag->demands; d++)
        dag->stage[dag->demand[d].stage].demands++;
    uint32_t first = 0;
    for (uint32_t s = 0; s < dag->stages; s++) {
        dag->stage[s].first_demand = first;
        first += dag->stage[s].demands;
        dag->stage[s].demands = 0;
    }
    for (uint32_t d = 0; d < dag->demands; d++) {
        struct br_stage *stage = &dag->stage[dag->demand[d].stage];
        grouped[stage->first_demand + stage->demands++] = dag->demand[d];
    }
    br_free(dag->demand);
    dag->demand = grouped;
    return true;
}

static enum br_status refuse_repeated_demands(struct br_dag *dag, struct br_diag *diag)
{
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        const struct br_demand *run = dag->demand + stage->first_demand;
        for (uint32_t i = 0; i < stage->demands; i++)
            for (uint32_t j = 0; j < i; j++)
                if (run[i].resource == run[j].resource)
                    return br_fail_at(diag, stage->pos, BR_BAD_INPUT,
                                      "give each resource once per stage",
                                      "stage '%s' demands %s twice", stage->id,
                                      dag->resource[run[i].resource].name);
    }
    return BR_OK;
}

/* The id "a[1]" of a stage of one task is also that of a task of stage "a" with several. */
static enum br_status refuse_shared_ids(const struct br_dag *dag, struct br_diag *diag)
{
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        const char *bracket = strrchr(stage->id, '[');
        char *end, *other;
        if (stage->tasks > 1 || !bracket || bracket[1] < '0' || bracket[1] > '9' ||
            (bracket[1] == '0' && bracket[2] != ']'))
            continue;
        unsigned long index = strtoul(bracket + 1, &end, 10);
        if (strcmp(end, "]") != 0)
            continue;
        const size_t length = (size_t)(bracket - stage->id);
        if (!(other = br_calloc(length + 1, 1)))
            return br_fail_memory(diag);
        memcpy(other, stage->id, length);
        uint32_t o = br_dag_find_stage(dag, other);
        br_free(other);
        if (o != UINT32_MAX && dag->stage[o].tasks > 1 && index < dag->stage[o].tasks)
            return br_fail_at(diag, stage->pos, BR_BAD_INPUT, "rename one of the stages",
                              "stage '%s' has the id of a task of stage '%s'", stage->id,
                              dag->stage[o].id);
    }
    return BR_OK;
}

/* Finishes the job; *ranges: it has edges that divide it. */
static enum br_status dag_finish_whole(struct br_dag *dag, bool *ranges, struct br_diag *diag)
{
    enum br_status status = br_dag_refuse_finished(dag, diag);
    if (status)
        return status;
    if (dag->source)
        br_diag_file(diag, dag->source);
    if (dag->stages == 0)
        return br_fail(diag, BR_BAD_INPUT, "give it at least one stage", "the job is empty");
    if (!group_demands(dag))
        return br_fail_memory(diag);
    *ranges = dag->build->ranges && br_dag_settle_ranges(dag);
    status = refuse_repeated_demands(dag, diag);
    if (!status)
        status = refuse_shared_ids(dag, diag);
    if (!status)
        status = br_dag_order(dag, diag);
    if (status)
        return status;
    dag->duration_ns = br_malloc((size_t)dag->tasks * sizeof *dag->duration_ns);
    if (!dag->duration_ns)
        return br_fail_memory(diag);
    for (uint32_t s = 0, t = 0; s < dag->stages; s++)
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++)
            dag->duration_ns[t++] = dag->stage[s].duration_ns;
    struct br_dag_build *build = dag->build;
    for (uint32_t k = 0; k < build->overrides; k++) {
        const struct br_override *o = &build->override[k];
        dag->duration_ns[dag->stage[o->stage].first_task + o->task_of_stage] = o->duration_ns;
    }
    if (dag->alternatives)
        status = br_dag_finish_alternatives(dag, diag);
    br_free(build->override);
    build->override = NULL;
    if (!status)
        status = br_dag_finish_outputs(dag, diag);
    if (!status)
        status = br_dag_finish_times(dag, diag);
    if (status)
        return status;
    br_index_finish(&build->by_ends);
    dag->finished = true;
    return BR_OK;
}

enum br_status br_dag_finish(struct br_dag *dag, struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    bool ranges = false;
    struct br_dag *made = NULL;
    enum br_status status = dag_finish_whole(dag, &ranges, diag);
    if (status || !ranges)
        return status;
    status = br_dag_divide(dag, &made, diag);
    if (!status)
        status = dag_finish_whole(made, &ranges, diag);
    if (!status) {
        br_dag_take_divided(dag, made);
        return BR_OK;
    }
    br_dag_destroy(made);
    dag->finished = false;
    return status;
}
