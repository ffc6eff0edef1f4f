/* What the exact solver works on: tasks on one pool in small numbers, cut out of an instance.
 *
 * Times are 32-bit ticks from the origin, arcs lie between tasks, amounts are in units of the
 * greatest common divisor. A window of a schedule is such a problem as well: what the tasks that
 * stay where they are hold becomes a profile of its own, and what they forbid becomes release times
 * and deadlines.
 */
#ifndef BR_PLANNER_EXACT_PROBLEM_H
#define BR_PLANNER_EXACT_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/exact/exact.h"

/* `to` starts no earlier than `lag` after `from` does. */
struct br_exact_arc {
    uint32_t from, to;
    int32_t lag;
};

struct br_exact_problem {
    struct br_arena arena;
    const struct br_instance *in;
    uint32_t *origin_task; /* by task: number in the instance */
    int64_t origin;        /* time of tick 0 */
    uint32_t tasks, resources, arcs;
    int32_t horizon;          /* every task ends at or before it, tail included */
    int32_t *duration;        /* by task */
    int32_t *earliest;        /* by task: start, by heads and release times */
    int32_t *latest;          /* by task: start, by tails, deadlines and the horizon */
    int32_t *tail;            /* by task: asked for by the window, without the arcs' */
    struct br_exact_arc *arc; /* grouped by `to` */

    /* Resources that can run short. A task that holds none of them, or lasts no time, is not in
     * `holding`. */
    int64_t *demand;   /* [task * resources + resource] */
    int64_t *capacity; /* by resource */
    int64_t *taken;    /* [tick * resources + resource], by tasks outside the window; NULL: none */
    uint32_t *holding, holdings;

    /* The same packed into words: a lane for each resource with a guard bit above the amount. What
     * is free carries all guards; what remains after a demand lacks one where it does not fit. */
    uint32_t words;
    uint64_t *lane;  /* [task * words + word] */
    uint64_t *guard; /* by word */
    uint64_t *free;  /* [tick * words + word]: before any task of the problem is placed */
};

/* The problem of finding a schedule no longer than `upper` ticks (in a window: all ends with their
 * tails by then); window may be NULL. NULL when memory is out or the problem is too large, see
 * br_exact_create. Where windows of starts are empty, none is feasible: earliest > latest. */
struct br_exact_problem *br_exact_problem_create(const struct br_instance *in, int64_t upper,
                                                 const struct br_exact_window *window);
void br_exact_problem_destroy(struct br_exact_problem *problem);

/* Amount of the resource that the task demands. */
static inline int64_t br_exact_demand(const struct br_exact_problem *p, uint32_t task, uint32_t r)
{
    return p->demand[(size_t)task * p->resources + r];
}

#endif
