/* The search for jobs on several machines: first a population over the order of the stages, then
 * large neighbourhoods of the best schedules. */
#ifndef BR_PLANNER_IMPROVE_MACHINE_SEARCH_H
#define BR_PLANNER_IMPROVE_MACHINE_SEARCH_H

#include "planner/schedule/run.h"

/* Settings of the search, to measure what each part of it gains. */
struct br_machines_settings {
    double stages;  /* share of the placements that goes to the population over stages, 0 to 1 */
    uint32_t moves; /* of the neighbourhoods: bits, see improve.h */
};
struct br_machines_settings br_machines_settings_default(void);

/* Placements that the default effort grants: some seconds of one thread at most. */
uint64_t br_machines_placements(const struct br_instance *instance);

/* One run; run->elite must not be empty, and run->placements not 0. The result is the same for any
 * number of threads. settings may be NULL. False when memory is out. */
bool br_machines_search(struct br_run *run, const struct br_machines_settings *settings);

#endif
