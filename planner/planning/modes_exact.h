/* Exact search over ways and starts together, for jobs of small and medium size: by clause learning
 * (planner/exact), in both directions. It goes on from a schedule and improves it, in its
 * neighbourhoods (modes_nearby.h) and everywhere, and raises the lower bound. Another search may
 * join in: each goes on from the best schedule of both. What is proven has no certificate. */
#ifndef BR_PLANNER_PLANNING_MODES_EXACT_H
#define BR_PLANNER_PLANNING_MODES_EXACT_H

#include "base/process/stop.h"
#include "planner/instance/counters.h"
#include "planner/modes/multipliers.h"

struct br_modes_exact {
    /* Set by the caller. */
    const struct br_modes *modes;
    const struct br_multipliers *multipliers; /* a cut; bound_ns may be 0 */
    uint64_t conflicts;                       /* of the solver, at most */
    const struct br_stop *stop;               /* may be NULL */
    /* Looks for a schedule shorter than the one that is there, by as much work as so many conflicts
     * are, and puts it in its place; false when memory is out. NULL: nobody else looks for one. */
    bool (*other)(void *context, struct br_modes_exact *e, uint64_t conflicts);
    void *context;

    /* In: a schedule, by task, and a lower bound. Out: the best ones. */
    uint32_t *way, *machine;
    int64_t *start_ns;
    int64_t makespan_ns, lower_ns;
    /* Its outcome. */
    uint64_t spent; /* conflicts, and what calls and the other search count for */
    bool ran;       /* else the job has too many ways, machines or ticks */
    bool raised, shortened;
    struct br_counters counters;
};

/* Does the job have nothing that this search does not know: outputs, deadlines, machines that are
 * away, streams? And can each task run by a way of its own? */
bool br_modes_exact_suits(const struct br_modes *modes);
/* Does nothing to a job with too many ways, machines or ticks. False when memory is out; what was
 * found holds. Deterministic unless stopped. */
bool br_modes_exact_run(struct br_modes_exact *e);

#endif
