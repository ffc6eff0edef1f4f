/* Outputs of tasks that are lost with their machine: what somebody still needs is made again. */
#ifndef BR_CLUSTER_SIMULATE_OUTPUTS_H
#define BR_CLUSTER_SIMULATE_OUTPUTS_H

#include <stdbool.h>

#include "cluster/simulate/shapes.h"

enum br_life { BR_LIFE_IDLE, BR_LIFE_RUNNING, BR_LIFE_DONE };

/* Of a job; its block of memory. By task, of those that are done: */
struct br_outputs {
    uint32_t *machine; /* where its output lies; BR_OUTPUT_GONE: nowhere any more */
    uint64_t *span;    /* of the outcome */
    uint32_t *lost;    /* scratch */
    uint32_t gone;     /* tasks whose output lies nowhere */
};
#define BR_OUTPUT_GONE UINT32_MAX

/* NULL when memory is out. br_outputs_destroy takes NULL. */
struct br_outputs *br_outputs_create(uint32_t tasks);
void br_outputs_destroy(struct br_outputs *outputs);

/* What lies on the machine is gone. O(tasks). */
void br_outputs_leave(struct br_outputs *outputs, uint32_t tasks, const uint8_t *life,
                      uint32_t machine);

/* Tasks that are done, and whose gone outputs a task needs that has not started, or one of these
 * tasks themselves: they become idle. `life` is by task. Their number; they are in outputs->lost,
 * children before parents. Outputs of tasks without children are the job's results, which are kept
 * elsewhere. O(tasks + edges), O(1) if nothing is gone. */
uint32_t br_outputs_need(struct br_outputs *outputs, const struct br_job_shape *shape,
                         uint8_t *life);

#endif
