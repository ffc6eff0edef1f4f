#include "parsers/builders/named.h"

#include <stdlib.h>

#include "base/collections/grow.h"
#include "parsers/text/value.h"

bool br_task_needs_add(struct br_task_needs *needs, uint32_t stage, const char *name,
                       struct br_pos pos)
{
    struct br_task_need need = {stage, br_arena_text(&needs->arena, name), pos};
    if (!need.name || !br_grow(&needs->need, needs->needs, &needs->room, sizeof *needs->need))
        return false;
    needs->need[needs->needs++] = need;
    return true;
}

static enum br_status needs_edge(struct br_dag *dag, const struct br_task_need *need,
                                 uint32_t parent, uint32_t child, struct br_diag *diag)
{
    br_value_place(diag, need->pos);
    enum br_status status = br_dag_add_edge(dag, parent, child, BR_BARRIER, diag);
    if (!status)
        br_dag_set_edge_pos(dag, need->pos);
    return status;
}

enum br_status br_task_needs_link(const struct br_task_needs *needs, struct br_dag *dag,
                                  uint32_t *made, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < needs->needs && !status; k++) {
        const struct br_task_need *need = &needs->need[k];
        uint32_t parent = br_dag_find_stage(dag, need->name);
        if (parent == UINT32_MAX && !made)
            return br_fail_at(diag, need->pos, BR_BAD_INPUT, "add that task, or remove its name",
                              "'%.80s' waits for '%.80s', and there is no such task",
                              br_dag_stage_id(dag, need->stage), need->name);
        br_value_place(diag, need->pos);
        if (parent == UINT32_MAX) {
            ++*made;
            status = br_dag_add_stage(dag, need->name, 1, 0, &parent, diag);
        }
        if (!status)
            status = needs_edge(dag, need, parent, need->stage, diag);
    }
    return status;
}

enum br_status br_task_needs_link_back(const struct br_task_needs *needs, struct br_dag *dag,
                                       struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < needs->needs && !status; k++) {
        uint32_t child = br_dag_find_stage(dag, needs->need[k].name);
        if (child != UINT32_MAX)
            status = needs_edge(dag, &needs->need[k], needs->need[k].stage, child, diag);
    }
    return status;
}

void br_task_needs_finish(struct br_task_needs *needs)
{
    br_arena_finish(&needs->arena);
    free(needs->need);
    *needs = (struct br_task_needs){0};
}
