/* Closing the gap of a job on one machine exactly: a solver that looks for shorter schedules and
 * one that raises the lower bound, each told what the other finds, until the two meet. */
#ifndef BR_PLANNER_SEARCH_EXACT_SEARCH_H
#define BR_PLANNER_SEARCH_EXACT_SEARCH_H

#include "planner/instance/certificate.h"
#include "planner/schedule/run.h"

extern const char br_exact_search_method[]; /* names the bounds and schedules that come of it */

enum {
    BR_EXACT_SEARCH_CONFLICT = 20
}; /* placements of each task that take as long as a conflict, about; of up to 60 tasks */
/* The same of a job whose resources are all unary, whose placements take less, of more than 80
 * tasks. */
enum { BR_EXACT_SEARCH_SHOP = 40 };

struct br_exact_search;

/* Borrows the instance; `upper` is the makespan of a known schedule; the tolerance that of
 * br_plan_options. NULL if the instance does not suit the solver, or memory is out. */
struct br_exact_search *br_exact_search_create(const struct br_instance *instance, int64_t upper,
                                               int64_t lower, double tolerance);
void br_exact_search_destroy(struct br_exact_search *search);

/* Rounded durations (see rounding.h) are rounded less once the two directions meet with more than
 * the slack left between the bounds.
 *
 * Works on for run->placements, in which a conflict counts for what takes as long; 0: no limit.
 * Shorter schedules go to the elite, a better bound to run->lower_bound. The same for any number of
 * threads; two are used. False when memory is out. */
bool br_exact_search_run(struct br_exact_search *search, struct br_run *run);

/* Are durations rounded, see rounding.h? */
bool br_exact_search_rounds(const struct br_exact_search *search);
/* The largest bound of the job with this rounding, in multiples of it, that a solver has proven; 0:
 * none, also without a search (NULL). */
int64_t br_exact_search_proven(const struct br_exact_search *search, int64_t rounding);
/* Tells that this makespan is the shortest, or nearly: the lower bound aims at it, less the slack.
 */
void br_exact_search_aim(struct br_exact_search *search, int64_t makespan);

/* Adds the work that the solvers have done so far. */
void br_exact_search_count(const struct br_exact_search *search, struct br_counters *counters);

/* Fills the proof of a bound that one of the solvers has proven; all memory is the arena's. False
 * if none has, or its record grew too long. */
bool br_exact_search_prove(const struct br_exact_search *search, const struct br_instance *whole,
                           int64_t bound, struct br_arena *arena, struct br_proof *proof);

#endif
