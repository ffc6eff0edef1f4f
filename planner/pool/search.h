/* Population search for one machine: lists bred from lists, every child justified.
 *
 * The shape is that of the genetic algorithms that have been best for resource-constrained project
 * scheduling for long: serial generation from lists, two-point crossover [Hartmann98], and double
 * justification of every schedule [Valls05] [Valls08] [Debels07]. */
#ifndef BR_PLANNER_POOL_SEARCH_H
#define BR_PLANNER_POOL_SEARCH_H

#include "planner/pool/pool.h"
#include "planner/run.h"

/* What the search does; for measuring what each of its parts is good for. */
struct br_pool_settings {
    uint32_t blocks;     /* in which the population is bred, each by one thread at a time */
    uint32_t population; /* 0: what suits the budget */
    uint32_t tournament; /* parents are the best of so many */
    uint32_t patience;   /* epochs without any shorter schedule before it begins again */
    double foreign;      /* share of fathers from other blocks */
    double stretch;      /* share of children by crossover of a stretch's order; rest: two-point */
    double swaps;        /* in a child's list, on average */
    double blur;         /* of the first schedules */
    double serial;       /* share of the first schedules by serial generation */
};
struct br_pool_settings br_pool_settings_default(void);

/* One run; run->elite may be empty. A run with a limit spends it, unless it reaches the lower
 * bound; one without goes on until it is stopped. The same for any number of threads. settings may
 * be NULL. False when memory is out. */
bool br_pool_search(struct br_run *run, const struct br_pool_settings *settings);

#endif
