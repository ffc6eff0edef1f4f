/* Alternatives of a finished job, read one by one. */
#include <string.h>

#include "planner/model/dag.h"

uint32_t br_alternatives_of(const struct br_dag *dag, uint32_t stage)
{
    return dag->stage[stage].alternatives;
}

uint32_t br_alternative_find(const struct br_dag *dag, uint32_t stage, const char *id)
{
    const uint32_t count = br_alternatives_of(dag, stage);
    for (uint32_t k = 0; k < count; k++)
        if (strcmp(dag->alternatives->alternative[dag->alternatives->stage_first[stage] + k].id,
                   id) == 0)
            return k;
    return UINT32_MAX;
}

int64_t br_alternative_duration(const struct br_dag *dag, uint32_t alternative, uint32_t task)
{
    const struct br_alternative *a = &dag->alternatives->alternative[alternative];
    if (!a->id)
        return dag->duration_ns[task];
    return dag->alternatives
        ->duration_ns[a->first_duration + (task - dag->stage[a->stage].first_task)];
}

void br_alternatives_replace_duration(struct br_dag *dag, uint32_t stage, uint32_t index,
                                      int64_t duration_ns)
{
    const struct br_alternatives *all = dag->alternatives;
    for (uint32_t k = 0; k < dag->stage[stage].alternatives; k++)
        all->duration_ns[all->alternative[all->stage_first[stage] + k].first_duration + index] =
            duration_ns;
}
