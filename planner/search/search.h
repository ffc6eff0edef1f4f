/* Planning one part between cuts by the method asked for: a baseline, the published method, or the
 * best of all with searches that go on from it. */
#ifndef BR_PLANNER_SEARCH_SEARCH_H
#define BR_PLANNER_SEARCH_SEARCH_H

#include <bigrocks/planner.h>

#include "base/process/stop.h"
#include "planner/bounds/bounds.h"
#include "planner/schedule/elite.h"
#include "planner/schedule/order.h"
#include "planner/model/plan.h"
#include "planner/search/method.h"

struct br_search {
    /* Set by the caller. */
    const struct br_instance *in; /* to plan on: perhaps with fewer machines than */
    const struct br_instance
        *origin; /* the part as it is, which bounds and their proofs are about */
    const struct br_plan_options *options; /* threads not 0; its method and limits are below */
    struct br_method method;
    const struct br_stop *stop; /* raised before a part begins, it gets the first heuristic alone */
    uint64_t limit;             /* on placements; 0: none. May change between calls */
    double share;               /* of the limits on the whole that this part may count on */
    struct br_arena *arena;     /* for the texts of the report */
    int64_t *trial; /* by heuristic: its makespan, or INT64_MAX where it was not finished */
    /* As in run.h; placements are those of this part so far. */
    void (*found)(void *context, int64_t makespan, const char *finder, uint64_t placements);
    void (*step)(void *context, double share);
    /* NULL: counts alone limit the work. Else the clock does: begins a turn that lasts for a share
     * of the time that is left, and returns what ends it (the stop flag does, too). What is slow
     * gets a turn, and the search is left to br_search_on, from cycle 0. */
    const struct br_stop *(*turn)(void *context, double share);
    double turn_share; /* of the time left, for one of the two calls below; 1: all */
    void *context;

    /* Its outcome. */
    struct br_reach reach;
    struct br_bound bound;
    struct br_bound combinatorial; /* the bound by arguments without a search */
    struct br_elite elite;         /* the best schedule first; its method is what made it */
    struct br_plan_part report;    /* without the times */
    struct br_exact_search *exact; /* NULL until it is used */
    uint64_t placements;
    struct br_counters counters; /* without placements and the solvers' */
    bool cut;                    /* a limit or the stop flag left something out */
};

/* Number of rows in the table of heuristics: the length of `trial`. */
uint32_t br_search_rows(void);

/* Plans the part. Whatever the limits, there is a schedule. False when memory is out (finish is
 * still fine). */
bool br_search_part(struct br_search *search);
/* One more cycle of search on a part that br_search_part has planned by method "best", longer with
 * every number of the cycle, from 1; by the clock from 0. False when memory is out. */
bool br_search_on(struct br_search *search, uint32_t cycle);
/* Moves the tasks of the best schedule of method "best" to starts as early as they can be; once,
 * when no search goes on from it. Other methods are left as they are described. Tells of a shorter
 * one. False when memory is out. */
bool br_search_settle(struct br_search *search);
/* Adds the search's counters to the sums; once, when it is through. */
void br_search_count(const struct br_search *search, struct br_counters *sums);
void br_search_finish(struct br_search *search);

static inline const struct br_schedule *br_search_best(const struct br_search *search)
{
    return &search->elite.entry[0].schedule;
}
/* Nothing more to be had: the best schedule is as short as the lower bound. */
static inline bool br_search_done(const struct br_search *search)
{
    return br_search_best(search)->makespan <= search->bound.ticks;
}

#endif
