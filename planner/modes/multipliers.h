/* A lower bound from a linear program: each task is a mixture of its ways, parents end before their
 * children start, and neither the work on a resource until the makespan nor what is consumed
 * exceeds what there is. Any multipliers of its rows give a bound; those found here, by a
 * primal-dual hybrid gradient method with restarts [Pock11] [Applegate21], are near the best. They
 * are rounded to whole numbers, so that the bound is exact, and proven by them alone. */
#ifndef BR_PLANNER_MODES_MULTIPLIERS_H
#define BR_PLANNER_MODES_MULTIPLIERS_H

#include "base/process/stop.h"
#include "planner/instance/certificate.h"
#include "planner/modes/job.h"

/* Rounds that are worth it, and what the bound is called. */
enum { BR_MULTIPLIER_ROUNDS = 10000 };
extern const char br_multipliers_name[];

/* An arc between tasks, and what flows along it. */
struct br_multiplier_flow {
    uint32_t from, to;
    int64_t amount;
};

struct br_multipliers {
    struct br_arena arena;
    int64_t *work;   /* by resource of br_modes: price of a unit of its amounts for a tick */
    int64_t *budget; /* by budget: price of a unit */
    uint32_t flows;
    struct br_multiplier_flow *flow;
    int64_t *waits; /* by task: what flows from it, to its children and to the end of the job */
    int64_t last;   /* what flows to the end of the job */
    int64_t tick_ns;
    int64_t bound_ns; /* a multiple of the tick; 0: nothing was found */
};

/* Fills *m; finish releases it, also after a failure. At most so many rounds, each O(ways + arcs).
 * Nothing is found for jobs with too many arcs between tasks. False when memory is out. */
bool br_multipliers_find(const struct br_modes *modes, uint32_t rounds, const struct br_stop *stop,
                         struct br_multipliers *m);
void br_multipliers_finish(struct br_multipliers *m);

/* What all tasks together spend by the multipliers is at most *limit, and *pace for each tick of
 * the makespan. False if that is too large. */
bool br_multipliers_limits(const struct br_modes *modes, const struct br_multipliers *m,
                           int64_t *limit, int64_t *pace);

/* The proof of the bound by the multipliers; the caller's. NULL when memory is out. */
struct br_certificate *br_multipliers_certify(const struct br_modes *modes,
                                              const struct br_multipliers *m);

/* The largest common divisor of all durations, releases and lags. */
int64_t br_modes_tick(const struct br_modes *modes);

#endif
