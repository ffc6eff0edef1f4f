/* The problem as the solver sees it: tasks on one machine in small numbers.
 *
 * Times are 32-bit ticks, arcs lie between tasks, amounts are in units of the greatest common
 * divisor. */
#ifndef BR_PLANNER_EXACT_PROPAGATE_PROBLEM_H
#define BR_PLANNER_EXACT_PROPAGATE_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/instance.h"

/* `to` starts no earlier than `lag` after `from` does. */
struct br_lcg_problem_arc {
    uint32_t from, to;
    int32_t lag;
};

struct br_lcg_problem {
    struct br_arena arena;
    uint32_t tasks, resources, arcs;
    int32_t horizon;                /* every task ends at or before it */
    int32_t *duration;              /* by task */
    int32_t *earliest;              /* by task: start, by the arcs */
    int32_t *latest;                /* by task: start, by the arcs and the horizon */
    struct br_lcg_problem_arc *arc; /* grouped by `to` */

    /* Resources that can run short. A task that holds none of them, or lasts no time, is not in
     * `holding`. */
    int64_t *demand;   /* [task * resources + resource] */
    int64_t *capacity; /* by resource */
    uint32_t *holding, holdings;

    /* The same packed into words: a lane for each resource with a guard bit above the amount. What
     * is free carries all guards; what remains after a demand lacks one where it does not fit. */
    uint32_t words;
    uint64_t *lane;  /* [task * words + word] */
    uint64_t *guard; /* by word */
    uint64_t *free;  /* [tick * words + word]: before any task is placed */
};

/* The problem of finding a schedule no longer than `upper` ticks; borrows nothing. NULL when memory
 * is out or the problem is too large, see br_exact_create. Where no schedule is that short because
 * of the arcs alone, some task has earliest > latest. */
struct br_lcg_problem *br_lcg_problem_create(const struct br_instance *in, int64_t upper);
void br_lcg_problem_destroy(struct br_lcg_problem *problem);

/* Amount of the resource that the task demands. */
static inline int64_t br_lcg_demand(const struct br_lcg_problem *p, uint32_t task, uint32_t r)
{
    return p->demand[(size_t)task * p->resources + r];
}

#endif
