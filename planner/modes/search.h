/* The search for a choice of ways that allows short schedules: a population of orders with ways
 * [VanPeteghemVanhoucke10]. Children take the order and the ways of some tasks from one parent and
 * the rest from the other; a few change at random. Each is placed forward, in half of them with its
 * ways free, then backward and forward again by the ends of the last schedule (justification); a
 * short search does that only with one no longer than the best. Budgets are kept by every
 * individual: after each change, ways that consume less take the places of others until all is
 * afforded. Different from the paper: ways are free in a forward pass for every task instead of
 * some, and machines are several. */
#ifndef BR_PLANNER_MODES_SEARCH_H
#define BR_PLANNER_MODES_SEARCH_H

#include "base/process/stop.h"
#include "planner/modes/mode_lister.h"

struct br_modes_budget {
    uint64_t placements;        /* that it may spend, at least those of one schedule */
    int64_t enough;             /* a schedule as short as this ends it */
    const struct br_stop *stop; /* may be NULL */
    uint64_t seed;
    bool by_stage; /* all tasks of a stage run in one way */
    /* By task: a schedule that keeps the budgets, which is the first individual; NULL: none. */
    const uint32_t *from_way;
    const int64_t *from_start;
};

struct br_modes_found {
    bool afforded; /* else no choice was found that keeps the budgets, and nothing else is filled */
    uint64_t spent;
    int64_t makespan;
    uint32_t *way; /* by task; the caller's, as are the next */
    int64_t *start;
    uint32_t *machine;
};

/* False when memory is out. Deterministic unless stopped. */
bool br_modes_search(const struct br_modes *modes, const struct br_modes_budget *budget,
                     struct br_modes_found *found);

/* BR_BAD_INPUT: no choice of ways was found that keeps the budgets. */
enum br_status br_modes_refuse_budgets(struct br_diag *diag);

/* The shortest way of each task into way; where these consume too much, ways that consume less take
 * the places of some. *afforded: all is. False when memory is out. */
bool br_modes_afford(const struct br_modes *modes, uint64_t seed, uint32_t *way, bool *afforded);

#endif
