/* Holding the forecasts of a table against further runs of the job: does a run lie below the q-th
 * quantile in q of the cases, how far off is the forecast [Ferguson12, 5.3], and how steady is the
 * indicator on the way [Ferguson12, 5.4]? */
#ifndef BR_RUNTIME_DEADLINE_TRIALS_TRIAL_H
#define BR_RUNTIME_DEADLINE_TRIALS_TRIAL_H

#include "runtime/deadline/trials/request.h"

/* Quantiles at which the calibration is told: 0.05, 0.1, ..., 0.95. */
enum { BR_TRIAL_LEVELS = 19 };
double br_trial_level(uint32_t k);

/* One allocation in one order. Times are of whole runs unless said otherwise. */
struct br_trial {
    uint32_t layer, index;             /* of the table */
    double forecast_s[3], actual_s[3]; /* 10th, 50th, 90th percentile */
    double forecast_mean_s, actual_mean_s, work_s;
    double forecast_most_s;  /* the largest simulated run */
    double forecast_third_s; /* median of the slowest of three runs: quantile 0.794 */
    double amdahl_s;
    /* Mean of |forecast - slowest of three runs| / slowest, over the threes. */
    double most_error, third_error, amdahl_error;
    /* Share of the runs that took at most the forecast's quantile; and share of all moments, a
     * period apart, at which the time left was at most the quantile of the forecast at that moment.
     */
    double below[BR_TRIAL_LEVELS], below_later[BR_TRIAL_LEVELS];
    /* Errors of the estimate T = t + C(p, a): mean |T - next T| over the length of the run, and the
     * longest time over that length for which the indicator stood still; both means over runs. */
    double wander, stuck;
    uint64_t moments;
};

struct br_trials {
    struct br_arena arena;
    uint32_t runs, count;
    int64_t period_ns;
    struct br_trial *trial;
};

/* Makes `runs` runs in each order at about eight allocations of the table, of a world with another
 * seed than that of the table's. The request says of what job, and how tasks fail; kind, indicator,
 * allocations and runs are those of the table. Release by br_trials_finish, also after a failure.
 * The same for any number of threads. */
enum br_status br_trials_make(const struct br_deadline_request *request,
                              const struct br_deadline_table *table, uint32_t runs,
                              int64_t period_ns, struct br_trials *trials, struct br_diag *diag);
void br_trials_finish(struct br_trials *trials);

#endif
