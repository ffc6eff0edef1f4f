#include "cluster/simulate/live.h"

#include <stdlib.h>
#include <string.h>

bool br_live_make(struct br_live *live, const struct br_job_shape *shape,
                  const struct br_world *world, const struct br_workload *workload, uint32_t number)
{
    const struct br_dag *dag = shape->dag;
    size_t tasks = dag->tasks, stages = dag->stages + dag->stages % 2, drawn = 0;
    live->shape = shape;
    live->true_ns = br_world_given(world, workload, number);
    if (!live->true_ns)
        drawn = tasks * sizeof *live->true_ns;
    live->stage_left = malloc(stages * sizeof *live->stage_left + drawn + tasks);
    if (!live->stage_left)
        return false;
    int64_t *own_ns = (int64_t *)(live->stage_left + stages);
    live->state = (uint8_t *)own_ns + drawn;
    if (drawn) {
        br_world_durations(world, workload, number, own_ns);
        live->true_ns = own_ns;
    }
    for (uint32_t s = 0; s < dag->stages; s++)
        live->stage_left[s] = dag->stage[s].tasks;
    memset(live->state, BR_LIFE_IDLE, tasks);
    live->left = dag->tasks;
    if (world->lose_outputs)
        live->outputs = br_outputs_create(dag->tasks);
    return live->outputs || !world->lose_outputs;
}

void br_live_drop(struct br_live *live)
{
    free(live->stage_left);
    free(live->attempt);
    br_outputs_destroy(live->outputs);
    *live = (struct br_live){0};
}

bool br_live_count_attempt(struct br_live *live, uint32_t task)
{
    if (!live->attempt)
        live->attempt = calloc(live->shape->dag->tasks, sizeof *live->attempt);
    if (live->attempt)
        live->attempt[task] += live->attempt[task] < UINT16_MAX;
    return live->attempt;
}

bool br_live_waits(const struct br_live *live, uint32_t task)
{
    const struct br_job_shape *shape = live->shape;
    const struct br_dag *dag = shape->dag;
    const uint32_t stage = shape->task_stage[task], place = task - dag->stage[stage].first_task;
    for (uint32_t p = shape->parent_first[stage]; p < shape->parent_first[stage + 1]; p++) {
        const struct br_stage *parent = &dag->stage[shape->parent[p].stage];
        if (shape->parent[p].one_to_one ? live->state[parent->first_task + place] != BR_LIFE_DONE
                                        : live->stage_left[shape->parent[p].stage] > 0)
            return true;
    }
    return false;
}
