/* The search for a short schedule of a job with features: a population of orders. */
#ifndef BR_PLANNER_GENERAL_SEARCH_H
#define BR_PLANNER_GENERAL_SEARCH_H

#include "base/process/stop.h"
#include "planner/general/generate.h"

struct br_general_run {
    const struct br_general *job;
    const struct br_witness *witness; /* NULL: none is known, or nothing stored can run short */
    const uint32_t *hint;             /* an order to begin with, as ranks by task; may be NULL */
    uint64_t seed;
    uint64_t placements; /* that it may spend; at least one schedule is made of every rule */
    int64_t lower_bound; /* a schedule as short as this, and not late, ends it */
    const struct br_stop *stop;
    /* Told of every better schedule; may be NULL. */
    void (*found)(void *context, const struct br_general_schedule *schedule, const char *finder,
                  uint64_t placements);
    void *context;

    uint64_t spent;
    bool stopped;
    const char *finder; /* of the best, in static storage */
};

/* Fills the schedule, which is the caller's, with the best that was found; it is not whole if no
 * order gave a whole one. False when memory is out. */
bool br_general_search(struct br_general_run *run, struct br_general_schedule *best);

#endif
