/* Jobs whose tasks run in one of several ways, as the exact solver takes them. Resources are those
 * of one pool: a machine of several is given as resources of its own, and a way as one for each
 * machine on which it can run. */
#ifndef BR_PLANNER_EXACT_PROPAGATE_GIVEN_H
#define BR_PLANNER_EXACT_PROPAGATE_GIVEN_H

#include <stdbool.h>
#include <stdint.h>

/* `to` starts no earlier than `lag` after the end of `from`; or than its start, with `equal`: tasks
 * that differ by name only start in the order of their numbers. */
struct br_exact_ways_arc {
    uint32_t from, to;
    int64_t lag;
    bool equal;
};

/* What the ways of all tasks together spend is at most `limit`, and `pace` for each tick of the
 * makespan: another constraint, which follows from the others but not at once. */
struct br_exact_cut {
    const int64_t *spend; /* by way; 0 or more */
    int64_t limit, pace;
};

/* Times are ticks. Borrowed arrays. */
struct br_exact_ways {
    uint32_t tasks, resources, budgets, arcs;
    const struct br_exact_ways_arc *arc;
    const int64_t *release; /* by task: start, at the earliest */
    const uint32_t *first;  /* by task, and one behind: its ways are first[t] .. first[t + 1] - 1 */
    const int64_t *duration; /* by way */
    const int64_t *demand;   /* [way * resources + resource] */
    const int64_t *consumed; /* [way * budgets + budget] */
    const int64_t *capacity, *budget;
    uint32_t cuts;
    const struct br_exact_cut *cut;
};

#endif
