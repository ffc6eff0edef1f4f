/* One run of a search on one part between cuts: its starting schedules, its budget, its listeners
 * and its outcome. Every search that improves schedules is called with one. */
#ifndef BR_PLANNER_SCHEDULE_RUN_H
#define BR_PLANNER_SCHEDULE_RUN_H

#include "base/process/stop.h"
#include "planner/model/counters.h"
#include "planner/schedule/elite.h"
#include "planner/schedule/order.h"

struct br_run {
    const struct br_instance *in;
    const struct br_reach *reach;
    uint64_t seed;
    uint32_t threads;
    uint64_t placements;        /* that it may spend; 0: no limit */
    uint64_t horizon;           /* placements that a time limit is expected to leave; 0: unknown */
    int64_t lower_bound;        /* a schedule as short as this ends it, */
    int64_t slack;              /* or by so much longer */
    const struct br_stop *stop; /* may be NULL */
    /* Not empty: what the run starts from. The best it finds goes to the front. */
    struct br_elite *elite;

    /* Told of every schedule that is shorter than all before: its makespan, in static storage the
     * name of what found it, and the placements that the run has spent. May be NULL. From one
     * thread at a time, in an order that does not depend on the number of threads. */
    void (*found)(void *context, int64_t makespan, const char *finder, uint64_t placements);
    /* Told now and then how much of its budget is spent, 0 to 1. May be NULL. From any thread. */
    void (*step)(void *context, double share);
    void *context;

    uint64_t spent; /* placements */
    bool stopped;   /* by the stop flag */
    struct br_counters counters;
};

/* Is a schedule as long as this short enough? */
static inline bool br_run_met(const struct br_run *run, int64_t makespan)
{
    return makespan - run->lower_bound <= run->slack;
}

static inline void br_run_found(const struct br_run *run, int64_t makespan, const char *finder)
{
    if (run->found)
        run->found(run->context, makespan, finder, run->spent);
}

static inline void br_run_step(const struct br_run *run, double share)
{
    if (run->step)
        run->step(run->context, share);
}

#endif
