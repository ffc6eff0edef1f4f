#include "planner/modes/dress.h"

#include "base/collections/memory.h"
#include "planner/model/alternative_text.h"
#include "planner/model/source.h"

/* The id of the way's alternative; NULL if its stage has none. */
static const char *id_of_way(const struct br_modes *modes, uint32_t way)
{
    const struct br_way *w = &modes->way[way];
    return br_dag_alternative_id(modes->dag, w->stage, w->alternative);
}

static enum br_status dress_command(const struct br_stage *of, const char *id, uint32_t index,
                                    struct br_dag *to, uint32_t stage, struct br_diag *diag)
{
    char *text;
    struct br_diag why = {0};
    enum br_status status = br_alternative_text(of->command, id, index, &text, &why);
    if (status == BR_BAD_INPUT)
        return br_fail_at(diag, of->pos, status, why.hint, "stage '%.80s': %s", of->id, why.what);
    if (!status)
        status = br_dag_set_command(to, stage, text, diag);
    br_free(text);
    return status;
}

enum br_status br_stage_dress(const struct br_modes *modes, uint32_t way, uint32_t task,
                              struct br_dag *to, uint32_t stage, struct br_diag *diag)
{
    const struct br_stage *of = &modes->dag->stage[modes->way[way].stage];
    const char *id = id_of_way(modes, way);
    struct br_stage *made = &to->stage[stage];
    const uint32_t index = task - of->first_task;
    made->by_hand = of->by_hand;
    made->chosen_number = modes->way[way].alternative;
    made->first_index = of->first_index + (made->tasks == of->tasks ? 0 : index);
    br_dag_set_stage_pos(to, stage, of->pos);
    br_dag_set_stage_spread(to, stage, of->spread, of->longest_ns);
    if (id && !(made->chosen = br_arena_text(&to->arena, id)))
        return br_fail_memory(diag);
    if (!of->command)
        return BR_OK;
    enum br_status status =
        dress_command(of, id, made->tasks == of->tasks ? UINT32_MAX : index, to, stage, diag);
    if (status == BR_BAD_INPUT)
        br_dag_blame(modes->dag, diag);
    return status;
}

enum br_status br_job_dress(const struct br_dag *from, const uint32_t *piece_first,
                            struct br_dag *to, struct br_diag *diag)
{
    enum br_status status = from->source ? br_dag_set_source(to, from->source, diag) : BR_OK;
    for (uint32_t r = 0; r < from->resources; r++)
        to->resource[r].in_bytes = from->resource[r].in_bytes;
    for (uint32_t a = 0; a < from->attributes && !status; a++) {
        const struct br_attribute *it = &from->attribute[a];
        if (it->owner == BR_OWNER_JOB)
            status = br_dag_add_attribute(to, BR_OWNER_JOB, 0, it->name, it->value, diag);
        for (uint32_t k = 0; it->owner == BR_OWNER_STAGE && !status &&
                             piece_first[it->index] + k < piece_first[it->index + 1];
             k++)
            status = br_dag_add_attribute(to, BR_OWNER_STAGE, piece_first[it->index] + k, it->name,
                                          it->value, diag);
    }
    for (uint32_t d = 0; d < from->doubts && !status; d++)
        status = br_dag_add_doubt(to, diag, "%s", from->doubt[d]);
    return status;
}

enum br_status br_class_dress(const struct br_cluster *from, uint32_t cls, struct br_cluster *to,
                              struct br_diag *diag)
{
    const struct br_class *of = &from->cls[cls];
    for (uint32_t k = 0; k < of->capacities; k++)
        to->cls[cls].capacity[k].in_bytes = of->capacity[k].in_bytes;
    if (!of->up || !of->down)
        return BR_OK;
    return br_cluster_set_network(to, cls, of->up, of->down, diag);
}

enum br_status br_cluster_dress(const struct br_cluster *from, struct br_cluster *to,
                                struct br_diag *diag)
{
    enum br_status status = br_cluster_set_site(to, from->partition, from->account, NULL, diag);
    to->time_factor = from->time_factor;
    for (uint32_t k = 0; k < from->fungibles && !status; k++)
        status = br_cluster_set_fungible(to, from->fungible[k], diag);
    for (uint32_t k = 0; k < from->generics && !status; k++)
        status = br_cluster_set_generic(to, from->generic[k], diag);
    return status;
}
