/* The published method: place the troublesome tasks first, the rest around them, and keep the best
 * over all troublesome sets and all orders without dead ends. [Grandl16, 4] */
#ifndef BR_PLANNER_GRAPHENE_GRAPHENE_H
#define BR_PLANNER_GRAPHENE_GRAPHENE_H

#include <bigrocks/planner.h>

#include "planner/schedule/run.h"
#include "planner/schedule/schedule.h"

struct br_graphene_settings {
    enum br_frag_score frag_score;
    uint32_t threshold_limit;
    double troublesome_limit;
    /* Variants that grow beyond this are given up: the makespan that is there already. INT64_MAX:
     * none. */
    int64_t beat;
};

/* Counts of the search, and the sizes and thresholds of the chosen variant. */
struct br_graphene_report {
    uint64_t pairs, distinct, duplicate, pruned, variants;
    double long_score, frag_score; /* NAN: none */
    uint32_t t, s, p, c;
    char order[16]; /* such as "T> S< C> P<"; empty if no variant beat settings->beat */
    bool cut;       /* stop or the limit of placements left candidates out */
};

/* Fills the schedule with the best variant: the smallest makespan, then the smaller sum of ends,
 * then the first in the order of enumeration; the same for any number of threads. If no variant
 * beats settings->beat, the schedule's makespan is INT64_MAX. Candidates that would go beyond the
 * run's placements are left out, and variants that were given up count with all their placements.
 * The run's elite is neither read nor changed, and nobody is told of schedules. False when memory
 * is out. */
bool br_graphene(struct br_run *run, const struct br_graphene_settings *settings,
                 struct br_schedule *schedule, struct br_graphene_report *report);

/* The orders of the subsets that are tried, such as "T> S< C> P<" (> forward, < backward), for
 * k = 0, 1, ...; NULL past the end. None of them can meet a dead end. */
const char *br_graphene_order(uint32_t k);

#endif
