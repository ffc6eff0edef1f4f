/* Tasks whose inputs lie on a machine. Equal tasks of a job are looked at in their order alone,
 * which knows nothing of that; so a pass over a machine looks at these, too. */
#ifndef BR_RUNTIME_ENFORCER_NEAR_H
#define BR_RUNTIME_ENFORCER_NEAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"

/* Where the inputs of tasks lie. */
struct br_data {
    /* The share of what the task reads that lies on the machine, 0..1; below 0: it reads nothing.
     * Of a ready task that stays as it is. */
    double (*share)(void *context, uint32_t job, uint32_t task, uint32_t machine);
    void *context;
};

struct br_near_task {
    uint32_t job, task;
    uint64_t submission; /* of the job, whose number may be given again */
};

/* By machine, in the order in which they were told. */
struct br_near {
    struct br_near_list {
        struct br_near_task *task;
        uint32_t count, room;
    } * list;
    uint32_t machines;
};

/* False when memory is out. The lists are from the arena; finish frees what they hold. */
bool br_near_init(struct br_near *near, struct br_arena *arena, uint32_t machines);
void br_near_finish(struct br_near *near);
bool br_near_add(struct br_near *near, uint32_t machine, struct br_near_task task);

#endif
