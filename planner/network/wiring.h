/* Derives from a placement of the tasks: groups of a stage's tasks on one machine, and the
 * transfers between groups. */
#ifndef BR_PLANNER_NETWORK_WIRING_H
#define BR_PLANNER_NETWORK_WIRING_H

#include "planner/network/job.h"

/* More transfers of one placement are refused. */
#define BR_NETWORK_TRANSFERS_MOST 16000000u

/* The tasks of a stage on a machine. */
struct br_network_group {
    uint32_t stage, machine;
    uint32_t first, tasks; /* run in br_wiring.member */
};

/* One place for a transfer between two groups, or two tasks of a one-to-one edge. */
struct br_wire {
    int64_t bytes; /* 0: nothing moves, since both are on one machine */
    uint32_t edge;
    uint32_t from, to;     /* machines */
    uint32_t source, sink; /* groups over a barrier, tasks over a one-to-one edge */
};

struct br_wiring {
    uint32_t groups, wires;
    struct br_network_group *group; /* by stage */
    uint32_t *stage_group;          /* stages + 1: the first group of a stage */
    uint32_t *group_of;             /* by task */
    uint32_t *member;               /* tasks, by group */
    uint32_t *edge_wire;            /* edges + 1: the wires of an edge; over a barrier by source,
                                       then by sink; over a one-to-one edge by pair */
    struct br_wire *wire;
    uint32_t wire_room;
    uint32_t *slot; /* by machine, the group of the stage at hand */
};

/* Room for any placement but for the wires, which grow. False when memory is out; finish is fine.
 */
bool br_wiring_init(struct br_wiring *wiring, const struct br_network_job *job);
void br_wiring_finish(struct br_wiring *wiring);
/* Wires the placement. BR_NO: too many transfers; BR_SYSTEM: memory. O(tasks + wires). */
enum br_status br_wiring_make(struct br_wiring *wiring, const struct br_network_job *job,
                              const uint32_t *machine);

#endif
