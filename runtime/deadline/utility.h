/* Utility: the value of a job's end as a function of the time after its start. [Ferguson12, 4.3]
 *
 * A line through points, level before the first, continued beyond the last. It never rises, since
 * otherwise waiting would pay. Pure functions: nothing is allocated.
 */
#ifndef BR_RUNTIME_DEADLINE_UTILITY_H
#define BR_RUNTIME_DEADLINE_UTILITY_H

#include <stdint.h>

#include "base/text/diag.h"

#define BR_UTILITY_POINTS 16u

/* `at_s` ascends and `value` never rises; `area` is the integral from the first point on. Made by
 * the functions below. */
struct br_utility {
    uint32_t points;
    double at_s[BR_UTILITY_POINTS], value[BR_UTILITY_POINTS], area[BR_UTILITY_POINTS];
    double slope[BR_UTILITY_POINTS]; /* of the piece behind a point */
};

/* Through (0, 1), (d, 1), (d + 10 min, -1), (d + 1000 min, -1000), as in the paper. d > 0. */
struct br_utility br_utility_of_deadline(double deadline_s);
/* Through these points. BR_USAGE: none or too many, times that do not ascend, a number that is not
 * finite, a value that rises. */
enum br_status br_utility_make(const double *at_s, const double *value, uint32_t points,
                               struct br_utility *utility, struct br_diag *diag);
/* The last time at which nothing is lost: its deadline. INFINITY if nothing is ever lost. */
double br_utility_deadline(const struct br_utility *utility);

/* Its value at a time. O(points), also for the next function. */
double br_utility_at(const struct br_utility *utility, double at_s);
/* Its mean over a job's end: base_s plus `slack` times a time left, which has the quantile
 * left_s[k] at level[k] and is linear between two levels. The integral is exact. O(quantiles +
 * points). */
double br_utility_expected(const struct br_utility *utility, double base_s, double slack,
                           const double *level, const double *left_s, uint32_t quantiles);

#endif
