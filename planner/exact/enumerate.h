/* The shortest schedule of few tasks by trying all orders in which they can start.
 *
 * The cost depends on the number of tasks, not on their durations in ticks, so this is for jobs
 * whose horizon br_exact_create refuses. It leaves no certificate. */
#ifndef BR_PLANNER_EXACT_ENUMERATE_H
#define BR_PLANNER_EXACT_ENUMERATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/process/stop.h"
#include "planner/instance/instance.h"

enum { BR_ENUMERATE_TASKS = 16, BR_ENUMERATE_MACHINES = 64 };

/* For instances with at most this many tasks, and this many machines. */
struct br_enumerate {
    /* Set by the caller. */
    const struct br_instance *in;
    int64_t lower;              /* no schedule is shorter */
    uint64_t nodes_max;         /* partial schedules to look at, at most */
    const struct br_stop *stop; /* may be NULL */
    int64_t *start;             /* by task; room for a schedule */
    uint32_t *machine;

    /* In: the makespan of a known schedule. Out: the shortest makespan found; if it is below the
     * known one, `start` and `machine` hold its schedule. */
    int64_t upper;
    /* Its outcome. */
    bool found;      /* a schedule shorter than the known one */
    bool complete;   /* no schedule is shorter than `upper` */
    bool memory_out; /* not everything was tried, for lack of memory */
    uint64_t nodes;
};

/* O(2^tasks) memory. The time depends on the nodes: O(tasks x machines x resources + tasks^2)
 * each. */
void br_enumerate_run(struct br_enumerate *enumerate);

#endif
