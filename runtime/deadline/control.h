/* The control loop of one job with a deadline: how much it gets next. [Ferguson12, 4.3]
 *
 * Once a period the loop looks up the time left for every allocation, and takes the least one of
 * the greatest expected utility. Slack, hysteresis and a dead zone keep it calm. Pure functions
 * over a table: no clock, nothing allocated, some microseconds a decision. The simulator and
 * `bigrocks run` call the same ones.
 *
 * The dead zone, of which the paper says little, is two bounds here. The raw allocation keeps the
 * utility if the deadline is earlier by the dead zone; the least allocation keeps it with the
 * deadline as set. The allocation rises to the raw one only from below the least one, that is, if
 * the job is late by the whole dead zone; it falls from above the raw one; between the two it
 * stays.
 */
#ifndef BR_RUNTIME_DEADLINE_CONTROL_H
#define BR_RUNTIME_DEADLINE_CONTROL_H

#include "runtime/deadline/table.h"
#include "runtime/deadline/utility.h"

/* The model that gives the time left. */
enum br_forecast { BR_FORECAST_TABLE = 0, BR_FORECAST_AMDAHL = 1 };
/* How the allocation changes. */
enum br_adaptation {
    BR_ADAPT,      /* period by period */
    BR_ADAPT_NOT,  /* the right amount at the start, kept for good */
    BR_ADAPT_MOST, /* all that is available, for good */
};

/* Start from br_control_options_default(), the values of the paper. */
struct br_control_options {
    double slack;       /* >= 1: factor on every forecast; 1.2 */
    double hysteresis;  /* > 0, at most 1: part of the way to the raw allocation per period; 0.2 */
    double dead_zone_s; /* >= 0; 180 */
    double period_s;    /* > 0; 60. For callers, which have the clock */
    uint32_t most;      /* >= 1: no allocation is above it; 100 */
    enum br_forecast forecast;
    enum br_adaptation adaptation;
    uint32_t layer; /* enum br_table_order below table->layers */
    /* Above 0, up to 1: the loop then maximises, instead of the utility, the probability to end by
     * its deadline, up to this value. Slack and dead zone count as with utilities. */
    double on_time;
};
struct br_control_options br_control_options_default(void);
/* BR_USAGE if a number is out of its range. */
enum br_status br_control_check(const struct br_control_options *options, struct br_diag *diag);

/* The loop of one job. Table borrowed. */
struct br_control {
    const struct br_deadline_table *table;
    struct br_control_options options;
    struct br_utility utility;
    double smooth;   /* the allocation before rounding up; 0: no decision yet */
    uint32_t amount; /* the job's allocation; 0: no decision yet */
};
/* BR_USAGE if a number is out of its range or the table lacks the layer. */
enum br_status br_control_init(struct br_control *control, const struct br_deadline_table *table,
                               const struct br_control_options *options,
                               const struct br_utility *utility, struct br_diag *diag);

/* The utility changes while the job runs, such as when its deadline moves. That is not noise, so
 * the next decision is not smoothed if the loop adapts. */
void br_control_move(struct br_control *control, const struct br_utility *utility);

/* Progress of the job. */
struct br_control_view {
    int64_t elapsed_ns;   /* since its start, from which its utility is measured */
    const uint32_t *done; /* by stage: tasks that have finished */
    bool begun;           /* a task has run or runs */
};

struct br_control_decision {
    uint32_t raw;    /* least allocation of the greatest utility, before smoothing */
    uint32_t amount; /* the job's allocation until the next decision: 1 .. most; 0: it waits */
    double progress; /* 0 .. 1 */
    double utility;  /* expected with the amount (if it waits: the least); no dead zone */
    double on_time;  /* probability to end by the utility's deadline with the amount; no slack */
    int64_t left_ns; /* mean time left with the amount; no slack */
    int64_t left_high_ns; /* its 95 % quantile; the mean if the forecast has no spread */
};
/* Decides. O(allocations x quantiles). */
void br_control_decide(struct br_control *control, const struct br_control_view *view,
                       struct br_control_decision *decision);

/* The parts of a decision, for callers that decide for several jobs together (arbiter.h). Writes
 * the expected utility of every allocation of the table up to the most, with dead zone and slack,
 * into utility[k]; returns their number. utility has room for table->allocations. */
uint32_t br_control_curve(const struct br_control *control, const struct br_control_view *view,
                          double *utility);
/* Completes a decision from a raw allocation and the least one, both as allocations, not indexes.
 */
void br_control_follow(struct br_control *control, const struct br_control_view *view, uint32_t raw,
                       uint32_t least, struct br_control_decision *decision);

/* The job gets nothing until the next decision, which is not smoothed. */
void br_control_wait(struct br_control *control, const struct br_control_view *view,
                     struct br_control_decision *decision);

/* For plans over several jobs and over time (together.h): a moment that the job is expected to
 * reach. For tables; Amdahl's model counts as the table here. `index` is into table->allocation. */
struct br_control_moment {
    double elapsed_s, progress;
    bool begun;
};
/* The progress in this view; 0 if the job has not begun. */
double br_control_progress(const struct br_control *control, const struct br_control_view *view);
/* The index of the raw allocation at this moment. */
uint32_t br_control_need(const struct br_control *control, const struct br_control_moment *moment);
/* The mean time left with the allocation. */
double br_control_mean_s(const struct br_control *control, const struct br_control_moment *moment,
                         uint32_t index);
/* The tokens of the allocation that it uses on average: its work over the time left. */
double br_control_used(const struct br_control *control, const struct br_control_moment *moment,
                       uint32_t index);
/* The progress after this time with the allocation; the time is less than the mean time left.
 * O(log). */
double br_control_later(const struct br_control *control, const struct br_control_moment *moment,
                        uint32_t index, double for_s);
/* The expected utility, without slack and dead zone, if the job is planned to end end_s from now,
 * and its end is spread around that as the forecast with the allocation is around its mean. */
double br_control_worth(const struct br_control *control, const struct br_control_view *view,
                        uint32_t index, double end_s);

/* Utilities that differ by less count as equal. */
#define BR_UTILITY_EQUAL 1e-6
/* The least index whose utility is the greatest. count > 0. */
uint32_t br_control_best(const double *utility, uint32_t count);

#endif
