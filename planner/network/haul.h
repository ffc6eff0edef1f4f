/* A job carried out with its transfers, in virtual time: every task on the machine that a course
 * names, as soon as its inputs are there and the machine has room. */
#ifndef BR_PLANNER_NETWORK_HAUL_H
#define BR_PLANNER_NETWORK_HAUL_H

#include "planner/network/supply.h"
#include "planner/ports/flows.h"

/* The course to follow. All borrowed. */
struct br_haul_course {
    const uint32_t *machine;  /* by task */
    const uint32_t *sequence; /* tasks, in an order in which parents come first */
    /* A task waits for all tasks of its machine that are before it in the sequence to start. Else
     * it may overtake those that have to wait. */
    bool strict;
    enum br_sharing sharing;
    bool record;      /* keep what moved when */
    int64_t limit_ns; /* given up if the makespan is not below this */
};

struct br_haul {
    const struct br_network_job *job;
    struct br_supply supply;
    struct br_flows flows;
    const struct br_haul_course *course; /* borrowed, while it runs */
    int64_t now_ns;
    int64_t *start_ns;   /* out, by task */
    int64_t makespan_ns; /* out; BR_NETWORK_NEVER: given up */
    uint64_t work;       /* out, added up: steps that it took */

    uint32_t *position;  /* by task, in the sequence */
    uint32_t *row_first; /* machines + 1 */
    uint32_t *row;       /* tasks of a machine: in sequence (strict), or those that are ready */
    uint32_t *ready;     /* by machine: number of ready tasks, or of started ones (strict) */
    bool *is_ready;      /* by task */
    int64_t *room;       /* [machine * resources + resource]: free */
    uint32_t *dirty;     /* machines where something may start */
    bool *is_dirty;
    uint32_t dirties;
    struct br_haul_end {
        int64_t at_ns;
        uint32_t task;
    } * end; /* heap of running tasks */
    uint32_t ends;
    bool memory; /* there was enough so far */
};

/* False when memory is out; finish is fine. */
bool br_haul_init(struct br_haul *haul, const struct br_network_job *job);
void br_haul_finish(struct br_haul *haul);
/* Carries the job out. BR_NO if there are too many transfers or the network is too slow; BR_SYSTEM
 * (memory). O(log tasks) an end of a task, O(transfers that move) an end or a start of a
 * transfer. */
enum br_status br_haul_run(struct br_haul *haul, const struct br_haul_course *course);

#endif
