#include "cluster/simulate/outputs.h"

#include <assert.h>
#include <stdlib.h>

#include "planner/model/dag.h"

struct br_outputs *br_outputs_create(uint32_t tasks)
{
    const size_t each = sizeof(uint64_t) + 2 * sizeof(uint32_t);
    struct br_outputs *outputs = calloc(1, sizeof *outputs + tasks * each);
    if (!outputs)
        return NULL;
    outputs->span = (uint64_t *)(outputs + 1);
    outputs->machine = (uint32_t *)(outputs->span + tasks);
    outputs->lost = outputs->machine + tasks;
    return outputs;
}

void br_outputs_destroy(struct br_outputs *outputs)
{
    free(outputs);
}

void br_outputs_leave(struct br_outputs *outputs, uint32_t tasks, const uint8_t *life,
                      uint32_t machine)
{
    for (uint32_t t = 0; t < tasks; t++)
        if (life[t] == BR_LIFE_DONE && outputs->machine[t] == machine) {
            outputs->machine[t] = BR_OUTPUT_GONE;
            outputs->gone++;
        }
}

/* The task has to be done again. */
static void outputs_lose(struct br_outputs *outputs, uint8_t *life, uint32_t task, uint32_t *count)
{
    if (life[task] != BR_LIFE_DONE || outputs->machine[task] != BR_OUTPUT_GONE)
        return;
    assert(outputs->gone > 0);
    life[task] = BR_LIFE_IDLE;
    outputs->gone--;
    outputs->lost[(*count)++] = task;
}

/* What tasks of the child that have not started need of the parent. */
static void outputs_need_of(struct br_outputs *outputs, const struct br_stage *child,
                            const struct br_stage *parent, bool one_to_one, uint8_t *life,
                            uint32_t *count)
{
    bool any = false;
    for (uint32_t i = 0; i < child->tasks; i++) {
        const bool idle = life[child->first_task + i] == BR_LIFE_IDLE;
        any |= idle;
        if (one_to_one && idle)
            outputs_lose(outputs, life, parent->first_task + i, count);
    }
    for (uint32_t i = 0; any && !one_to_one && i < parent->tasks; i++)
        outputs_lose(outputs, life, parent->first_task + i, count);
}

uint32_t br_outputs_need(struct br_outputs *outputs, const struct br_job_shape *shape,
                         uint8_t *life)
{
    const struct br_dag *dag = shape->dag;
    uint32_t count = 0;
    /* Children first: when a stage's parents are looked at, its own tasks are known. */
    for (uint32_t k = dag->stages; k-- > 0 && outputs->gone;) {
        const uint32_t s = dag->topological[k];
        for (uint32_t p = shape->parent_first[s]; p < shape->parent_first[s + 1]; p++)
            outputs_need_of(outputs, &dag->stage[s], &dag->stage[shape->parent[p].stage],
                            shape->parent[p].one_to_one, life, &count);
    }
    return count;
}
