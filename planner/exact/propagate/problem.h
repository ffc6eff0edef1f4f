/* The problem as the solver sees it: tasks on one machine, or few tasks on several, in small
 * numbers.
 *
 * Times are 32-bit ticks, arcs lie between tasks. On one machine amounts are in units of the
 * greatest common divisor, and a variable for each two tasks that cannot run together says which of
 * them is before the other. On several they are those of the instance, and a variable for each task
 * and machine says whether the task is on it. Things that differ only by name get one order: the
 * first of equal tasks starts first, and the first of equal machines has the first of the tasks. */
#ifndef BR_PLANNER_EXACT_PROPAGATE_PROBLEM_H
#define BR_PLANNER_EXACT_PROPAGATE_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/exact/propagate/given.h"
#include "planner/instance/instance.h"

/* `to` starts no earlier than `lag` after `from` does. */
struct br_lcg_problem_arc {
    uint32_t from, to;
    int32_t lag;
};

/* Two tasks that together demand more of a resource than there is, and that the arcs leave in
 * either order; `first` has the smaller number. */
struct br_lcg_rivals {
    uint32_t first, second;
};

/* Ways in which tasks can run, see ways.h. A sum is what all tasks together spend, and at most
 * `limit`, and `pace` for each tick of the makespan: of each budget, of work on each resource, in
 * ticks x amount, and of each cut. */
struct br_lcg_choices {
    uint32_t ways, resources, sums;
    uint32_t *first;   /* by task: its ways are first[t] .. first[t + 1] - 1 */
    uint32_t *task;    /* by way */
    int32_t *duration; /* by way */
    int64_t *demand;   /* [way * resources + resource] */
    int64_t *capacity; /* by resource */
    int64_t *spend;    /* [way * sums + sum] */
    int64_t *limit;    /* by sum, as the next */
    int64_t *pace;
    uint32_t arcs;
    struct br_lcg_problem_arc *arc; /* lags beyond the duration of `from`; also to the makespan */
};

struct br_lcg_problem {
    struct br_arena arena;
    uint32_t tasks, resources, arcs;
    int32_t horizon;                /* every task ends at or before it */
    int32_t *duration;              /* by task */
    int32_t *earliest;              /* by task: start, by the arcs */
    int32_t *latest;                /* by task: start, by the arcs and the horizon */
    struct br_lcg_problem_arc *arc; /* grouped by `to` */

    /* Resources that can run short. A task that holds none of them, or has no duration, is not in
     * `holding`. */
    int64_t *demand;   /* [task * resources + resource] */
    int64_t *capacity; /* by resource */
    uint32_t *holding, holdings;

    /* These amounts packed into words: a lane for each resource with a guard bit above the amount.
     * Free amounts carry all guards; subtracting a demand clears those of lanes that it exceeds. */
    uint32_t words;
    uint64_t *lane;  /* [task * words + word] */
    uint64_t *guard; /* by word */
    uint64_t *free;  /* [tick * words + word]: before any task is placed */

    /* On one machine, of up to BR_LCG_ORDERED_MAX tasks, or of up to BR_LCG_SHOP_MAX if all
     * resources are unary. */
    struct br_lcg_rivals *rivals;
    uint32_t pairs;
    bool shop; /* every task takes all of each resource that it holds */

    /* Several machines; on one, `machines` is 1, and the rest is empty. A task that has no duration
     * or demands nothing is not in `assigned`, and does not affect the machines of others. */
    uint32_t machines;
    uint32_t amounts;  /* resources of the instance */
    int64_t *amount;   /* [task * amounts + resource] */
    int64_t *room;     /* [machine * amounts + resource] */
    uint32_t *twin;    /* by machine: the machine before it if the two are equal, else itself */
    uint64_t assigned; /* tasks that have to be on a machine, in bits */
    bool *may;         /* [task * machines + machine]: may the task be there? */
    uint32_t *home;    /* by task: the first machine that holds it */

    /* Tasks with several ways; then durations are the shortest, and arcs have these in their lags.
     * NULL: every task has one way. */
    struct br_lcg_choices *choices;
};

/* Most ways of one task. */
enum { BR_LCG_WAYS_MAX = 64 };

/* Most tasks and machines of problems with several machines. */
enum { BR_LCG_TASKS_MAX = 64, BR_LCG_MACHINES_MAX = 16 };
/* Most tasks of problems with one machine in which rivals have a variable. */
enum { BR_LCG_ORDERED_MAX = 256, BR_LCG_SHOP_MAX = 512 };

/* The variables: starts of the tasks, the makespan, and with values of 0 or 1 whether the first of
 * two rivals is before the second, whether a task is on a machine, or whether it takes a way. */
static inline uint32_t br_lcg_variables(const struct br_lcg_problem *p)
{
    if (p->choices)
        return p->tasks + 1 + p->choices->ways;
    return p->tasks + 1 + (p->machines > 1 ? p->tasks * p->machines : p->pairs);
}
static inline uint32_t br_lcg_order_of(const struct br_lcg_problem *p, uint32_t pair)
{
    return p->tasks + 1 + pair;
}
static inline uint32_t br_lcg_on(const struct br_lcg_problem *p, uint32_t task, uint32_t machine)
{
    return p->tasks + 1 + task * p->machines + machine;
}
static inline uint32_t br_lcg_takes(const struct br_lcg_problem *p, uint32_t way)
{
    return p->tasks + 1 + way;
}
static inline bool br_lcg_is_assigned(const struct br_lcg_problem *p, uint32_t task)
{
    return p->machines > 1 && (p->assigned >> task & 1);
}

/* The problem of finding a schedule no longer than `upper` ticks; borrows nothing. NULL when memory
 * is out or the problem is too large, see br_exact_create. If the arcs alone make every schedule
 * longer, some task has earliest > latest. */
struct br_lcg_problem *br_lcg_problem_create(const struct br_instance *in, int64_t upper);
void br_lcg_problem_destroy(struct br_lcg_problem *problem);

/* choices.c: as br_lcg_problem_create for tasks with several ways, see br_exact_create_ways. */
struct br_lcg_problem *br_lcg_problem_of_ways(const struct br_exact_ways *given, int64_t upper);
/* Tightens earliest and latest starts along the arcs. O(arcs) as a rule. */
void br_lcg_problem_tighten(struct br_lcg_problem *p);

/* The amount of the resource that the task demands. */
static inline int64_t br_lcg_demand(const struct br_lcg_problem *p, uint32_t task, uint32_t r)
{
    return p->demand[(size_t)task * p->resources + r];
}

#endif
