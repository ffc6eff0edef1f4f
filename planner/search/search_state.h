/* The facts known while one part between cuts is planned; shared by the pieces of the search. */
#ifndef BR_PLANNER_SEARCH_SEARCH_STATE_H
#define BR_PLANNER_SEARCH_SEARCH_STATE_H

#include <bigrocks/planner.h>

#include "base/process/clock.h"
#include "planner/bounds/bounds.h"
#include "planner/schedule/run.h"
#include "planner/instance/plan.h"
#include "planner/instance/rounding.h"
#include "planner/search/exact_search.h"
#include "planner/search/method.h"

struct br_search {
    /* Set by the caller. Of the run: the instance to plan on, perhaps with fewer machines than
     * `origin`; its share of all work; the limit of placements, which may change between calls; the
     * stop flag, which leaves only the first heuristic if it is raised before the part begins; and
     * who is told. */
    struct br_run run;
    const struct br_instance *origin;      /* the part as it is, for bounds and their proofs */
    const struct br_plan_options *options; /* its method and limits do not count */
    struct br_method method;
    const uint32_t *place;  /* of every task of the job, for an order of the caller's; else NULL */
    struct br_arena *arena; /* for the texts of the report */
    int64_t *trial;         /* by heuristic: its makespan, or INT64_MAX if it was not finished */
    /* NULL: counts alone limit the work. Else the clock does: begins a turn that lasts for a share
     * of the time that is left, and returns the flag that ends it (the stop flag ends it, too).
     * Slow methods get a turn, and the search is left to br_search_on, from cycle 0. Called with
     * the run's context. */
    const struct br_stop *(*turn)(void *context, double share);
    /* NULL, or what is called with the part in place of its first cycle of search. */
    bool (*first_cycle)(struct br_search *search);
    double turn_share; /* a share of the time left, for one of the two calls below; 1: all */

    /* Its outcome, with what the run has spent and counted (without the solvers' counters). */
    struct br_reach reach;
    struct br_bound bound;
    struct br_bound combinatorial; /* the bound by arguments without a search */
    struct br_elite elite;      /* the best schedule first; its method names the way it was made */
    struct br_plan_part report; /* without the times */
    struct br_exact_search *exact; /* NULL until it is used */
    int64_t noise;                 /* br_rounding_noise of the part */
    bool cut;                      /* a limit or the stop flag left something out */
};

static inline const struct br_schedule *br_search_best(const struct br_search *search)
{
    return &search->elite.entry[0].schedule;
}
/* The ticks above the lower bound of a schedule that counts as closed: some if durations were
 * rounded for the bound, else 0. */
static inline int64_t br_search_slack(const struct br_search *search, int64_t makespan)
{
    const bool rounded =
        search->noise > 1 || (search->exact && br_exact_search_rounds(search->exact));
    return rounded ? br_rounding_slack(makespan, search->options->tolerance) : 0;
}
/* The best schedule is as short as the lower bound, but for the slack: so nothing is left to gain.
 */
static inline bool br_search_done(const struct br_search *search)
{
    const int64_t makespan = br_search_best(search)->makespan;
    return makespan - search->bound.ticks <= br_search_slack(search, makespan);
}

/* The share of the work that comes before the search from the elite. */
#define BR_SEARCH_QUICK 0.1
/* Adds the time since *began_ns to a counter, and begins again. */
static inline void br_search_time(uint64_t *counter, int64_t *began_ns)
{
    int64_t now_ns = br_now_ns();
    *counter += (uint64_t)(now_ns - *began_ns);
    *began_ns = now_ns;
}
/* Begins a turn if the clock limits the work; returns what ends it. */
static inline const struct br_stop *br_search_turn(const struct br_search *search, double share)
{
    return search->turn ? search->turn(search->run.context, share) : search->run.stop;
}
/* A run on the part with what is left of the limit of placements (at least 1, since 0 is no limit);
 * br_run_take takes its outcome over. */
static inline struct br_run br_search_begin(const struct br_search *search)
{
    struct br_run run = br_run_begin(&search->run);
    const uint64_t limit = search->run.placements, spent = search->run.spent;
    run.placements = limit == 0 ? 0 : limit > spent ? limit - spent : 1;
    run.lower_bound = search->bound.ticks;
    return run;
}

#endif
