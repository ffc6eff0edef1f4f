/* Everything that is quick: all baselines by parallel and by serial generation, each justified.
 *
 * Which order suits a job is not known before it is tried, and neither is which way to generate
 * the schedule [Kolisch96]; so all are tried, together with whatever else the caller has found. */
#ifndef BR_PLANNER_SEARCH_PORTFOLIO_H
#define BR_PLANNER_SEARCH_PORTFOLIO_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/process/stop.h"
#include "planner/schedule/elite.h"
#include "planner/schedule/order.h"

enum {
    BR_PORTFOLIO_LARGE = 1 << 19, /* larger jobs keep and justify their best alone */
    BR_PORTFOLIO_WORK = 64,       /* schedules that are justified at once, at most */
};

/* The origin of a schedule that is justified. */
enum br_portfolio_origin {
    BR_ORIGIN_KEPT,     /* of a heuristic, by row, or what the caller has added */
    BR_ORIGIN_FORWARD,  /* serial generation by the order of a heuristic */
    BR_ORIGIN_BACKWARD, /* serial generation from the end, by the reverse of that order */
    BR_ORIGIN_ELITE,    /* the best found so far, once more */
    BR_ORIGINS
};

struct br_portfolio {
    /* Set by the caller. */
    const struct br_instance *in;
    const struct br_reach *reach;
    uint64_t seed;
    uint32_t threads;
    const struct br_stop *stop; /* may be NULL */
    struct br_elite *elite;     /* where all that is found goes */

    /* Its outcome. */
    uint64_t placements;
    uint64_t justified, left_out; /* schedules, by br_portfolio_justify */
    bool cut;                     /* stop or the limit of placements left something out */

    /* Its own. */
    struct br_schedule *kept; /* schedules to be justified: by row, behind them the added one */
    pthread_mutex_t lock;     /* guards the elite */
    struct br_portfolio_worker *worker;
    int64_t *trial;
    const uint32_t *row; /* of the table of heuristics, that run */
    bool must;           /* the first of them runs whatever the stop flag says */
    uint32_t works;
    struct br_portfolio_work {
        enum br_portfolio_origin origin;
        uint32_t row; /* of the table of heuristics, or in `kept` */
    } work[BR_PORTFOLIO_WORK];
    uint32_t rounds; /* of justification, of each of these */
    atomic_bool memory_out, stopped;
};

/* The fields of the caller being set, makes it ready. False when memory is out (finish is still
 * fine). */
bool br_portfolio_init(struct br_portfolio *portfolio);
void br_portfolio_finish(struct br_portfolio *portfolio);

/* Runs the given rows of the table of heuristics, the first of them whatever the stop flag says
 * where there is no schedule yet, and writes trial[row], the makespans of those that it did not
 * leave out. False when memory is out. */
bool br_portfolio_baselines(struct br_portfolio *portfolio, const uint32_t *row, uint32_t rows,
                            int64_t *trial);
/* Another schedule to join, that of the published method. */
void br_portfolio_add(struct br_portfolio *portfolio, const struct br_schedule *schedule,
                      const char *method);
/* Serial generation, forward and backward, by the order of every heuristic; justification of that
 * and of everything found before, once; and of the best of that until it brings nothing.
 * `placements` limits it, 0 does not. The elite is the same for any number of threads. False when
 * memory is out. */
bool br_portfolio_justify(struct br_portfolio *portfolio, uint64_t placements);

#endif
