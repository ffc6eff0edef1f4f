/* The published method: place the troublesome tasks first, the rest around them, and keep the best
 * over all troublesome sets and all orders without dead ends. [Grandl16, 4] */
#ifndef BR_PLANNER_GRAPHENE_GRAPHENE_H
#define BR_PLANNER_GRAPHENE_GRAPHENE_H

#include <bigrocks/planner.h>

#include "base/process/stop.h"
#include "planner/schedule/order.h"
#include "planner/schedule/schedule.h"

struct br_graphene_options {
    enum br_frag_score frag_score;
    uint32_t threshold_limit;
    double troublesome_limit;
    uint32_t threads;
    uint64_t placements;        /* 0: none; else candidates are left out that would go beyond */
    const struct br_stop *stop; /* may be NULL */
    /* Variants that grow beyond this are given up: the makespan that is there already. */
    int64_t beat;
    int64_t lower_bound; /* a schedule as short as this ends the search */
    /* May be NULL. Called from any thread with the candidates done and to do. */
    void (*progress)(void *context, uint64_t done, uint64_t total, int64_t makespan);
    void *progress_context;
};

/* The outcome of the search; variants that were given up count with all their placements. Sizes and
 * thresholds are those of the chosen variant. */
struct br_graphene_report {
    uint64_t pairs, distinct, duplicate, pruned, variants, placements;
    double long_score, frag_score; /* NAN: none */
    uint32_t t, s, p, c;
    char order[16];    /* such as "T> S< C> P<"; empty where no variant beat options->beat */
    bool cut;          /* stop or the limit of placements left candidates out */
    uint64_t given_up; /* variants; depends on which thread was first */
};

/* Fills the schedule with the best variant: the smallest makespan, then the smaller sum of ends,
 * then the first in the order of enumeration; the same for any number of threads. Where no variant
 * beats options->beat the schedule's makespan is INT64_MAX. False when memory is out. */
bool br_graphene(struct br_schedule *schedule, const struct br_instance *instance,
                 const struct br_reach *reach, const struct br_graphene_options *options,
                 struct br_graphene_report *report);

/* The orders of the subsets that are tried, such as "T> S< C> P<" (> forward, < backward), for
 * k = 0, 1, ...; NULL past the end. None of them can meet a dead end. */
const char *br_graphene_order(uint32_t k);

#endif
