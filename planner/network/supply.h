/* Counts what the tasks of a placed job wait for: parents that have not ended, and transfers. */
#ifndef BR_PLANNER_NETWORK_SUPPLY_H
#define BR_PLANNER_NETWORK_SUPPLY_H

#include "planner/network/wiring.h"

struct br_supply {
    const struct br_network_job *job; /* borrowed */
    struct br_wiring wiring;
    uint32_t *task_waits;              /* one-to-one edges and their transfers */
    uint32_t *group_waits;             /* by group: parents that have not ended, and transfers */
    uint32_t *group_left, *stage_left; /* tasks that have not ended */
};

/* Who is told. */
struct br_supply_user {
    void *context;
    void (*wire)(void *context, uint32_t wire);  /* its bytes, which are some, may move */
    void (*ready)(void *context, uint32_t task); /* all that it waits for is there */
};

/* False when memory is out; finish is fine. */
bool br_supply_init(struct br_supply *supply, const struct br_network_job *job);
void br_supply_finish(struct br_supply *supply);
/* Everything as it is before the first moment, each task on its machine. What waits for nothing is
 * told as ready. BR_NO: too many transfers; BR_SYSTEM (memory). O(tasks + wires). */
enum br_status br_supply_begin(struct br_supply *supply, const uint32_t *machine,
                               const struct br_supply_user *user);
/* The task has ended; or all bytes of the wire have come. */
void br_supply_task_ended(struct br_supply *supply, uint32_t task,
                          const struct br_supply_user *user);
void br_supply_wire_ended(struct br_supply *supply, uint32_t wire,
                          const struct br_supply_user *user);

#endif
