/* One run of a search on one part between cuts: its job, its budget, its listeners and its outcome.
 * All searches are called with one. A search that hands a part of its work to others makes runs of
 * its own run (br_run_begin), and takes their outcome over (br_run_take). */
#ifndef BR_PLANNER_SCHEDULE_RUN_H
#define BR_PLANNER_SCHEDULE_RUN_H

#include "base/process/stop.h"
#include "planner/instance/counters.h"
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
    /* The schedules found. Searches that improve schedules start from them, so it is not empty, and
     * put the best they find to the front. */
    struct br_elite *elite;

    /* Told of every schedule that is shorter than all before: its makespan, in static storage the
     * name of what found it, and the placements that have been spent, with those before the run.
     * May be NULL. From one thread at a time, in an order that does not depend on the number of
     * threads. */
    void (*found)(void *context, int64_t makespan, const char *finder, uint64_t placements);
    /* Told now and then how much of all work is done, 0 to 1. May be NULL. From any thread. */
    void (*step)(void *context, double share);
    void *context;
    uint64_t before;      /* placements spent before the run */
    double begins, share; /* where the run begins in all work, 0 to 1, and its share of that */

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
        run->found(run->context, makespan, finder, run->before + run->spent);
}

/* Tells that this share of the run's own work is done. */
static inline void br_run_step(const struct br_run *run, double share)
{
    if (run->step)
        run->step(run->context, run->begins + run->share * share);
}

/* A run that is part of another: the same in all, but nothing is spent yet. The caller changes its
 * budget. */
static inline struct br_run br_run_begin(const struct br_run *whole)
{
    struct br_run run = *whole;
    run.before += run.spent;
    run.spent = 0;
    run.stopped = false;
    run.counters = (struct br_counters){0};
    return run;
}

/* Moves what a part of a run has spent, and its counters, into the whole; it may go on and be taken
 * again. */
static inline void br_run_take(struct br_run *whole, struct br_run *run)
{
    whole->spent += run->spent;
    whole->stopped |= run->stopped;
    br_counters_add(&whole->counters, &run->counters);
    run->before += run->spent;
    run->spent = 0;
    run->counters = (struct br_counters){0};
}

#endif
