/* A distribution is linear between its quantiles, so an end between two of them is uniform. Its
 * mean utility is that of the midpoint if both lie in one piece, else a difference of areas over a
 * width.
 */
#include "runtime/deadline/utility.h"

#include <math.h>
#include <string.h>

#include "base/invariant.h"
#include "base/numbers/real.h"

/* Below this width a piece of a distribution counts as a point. */
#define POINT_S 1e-3

static void sum_areas(struct br_utility *utility)
{
    assert(utility->points > 0 && utility->points <= BR_UTILITY_POINTS);
    utility->area[0] = 0;
    for (uint32_t k = 0; k + 1 < utility->points; k++) {
        assert(utility->at_s[k] < utility->at_s[k + 1]);
        utility->slope[k] =
            (utility->value[k + 1] - utility->value[k]) / (utility->at_s[k + 1] - utility->at_s[k]);
    }
    for (uint32_t k = 1; k < utility->points; k++)
        utility->area[k] = utility->area[k - 1] + (utility->at_s[k] - utility->at_s[k - 1]) *
                                                      (utility->value[k] + utility->value[k - 1]) /
                                                      2;
}

struct br_utility br_utility_of_deadline(double deadline_s)
{
    assert(deadline_s > 0);
    struct br_utility utility = {.points = 4,
                                 .at_s = {0, deadline_s, deadline_s + 600, deadline_s + 60000},
                                 .value = {1, 1, -1, -1000}};
    sum_areas(&utility);
    return utility;
}

enum br_status br_utility_make(const double *at_s, const double *value, uint32_t points,
                               struct br_utility *utility, struct br_diag *diag)
{
    if (!points || points > BR_UTILITY_POINTS)
        return br_fail(diag, BR_USAGE, NULL, "a utility has 1 to %u points, not %u",
                       BR_UTILITY_POINTS, points);
    for (uint32_t k = 0; k < points; k++) {
        if (!isfinite(at_s[k]) || !isfinite(value[k]) || at_s[k] < 0)
            return br_fail(diag, BR_USAGE, "give seconds after the start, and finite values",
                           "point %u of the utility makes no sense", k + 1);
        if (k && at_s[k] <= at_s[k - 1])
            return br_fail(diag, BR_USAGE, "give the points by time",
                           "the time of point %u of the utility is not after the one before",
                           k + 1);
        if (k && value[k] > value[k - 1])
            return br_fail(diag, BR_USAGE, "a later end can be worth as much, but never more",
                           "the utility rises at point %u", k + 1);
    }
    *utility = (struct br_utility){.points = points};
    memcpy(utility->at_s, at_s, points * sizeof *at_s);
    memcpy(utility->value, value, points * sizeof *value);
    sum_areas(utility);
    return BR_OK;
}

double br_utility_deadline(const struct br_utility *utility)
{
    uint32_t k = 0;
    while (k + 1 < utility->points && utility->value[k + 1] >= utility->value[0])
        k++;
    return k + 1 < utility->points ? utility->at_s[k] : INFINITY;
}

/* The piece at a time: it begins at point k; points - 2 after the last point. */
static uint32_t find_piece(const struct br_utility *utility, uint32_t k, double at_s)
{
    while (k + 2 < utility->points && at_s >= utility->at_s[k + 1])
        k++;
    assert(k < utility->points);
    return k;
}

static double value_in(const struct br_utility *u, uint32_t k, double at_s)
{
    double after = at_s - u->at_s[k];
    return after <= 0 ? u->value[k] : u->value[k] + u->slope[k] * after;
}

/* The integral up to a time within or after piece k, or before the first. */
static double area_in(const struct br_utility *u, uint32_t k, double at_s)
{
    double after = at_s - u->at_s[k];
    if (after <= 0)
        return u->area[k] + u->value[k] * after;
    return u->area[k] + after * (u->value[k] + u->slope[k] * after / 2);
}

double br_utility_at(const struct br_utility *utility, double at_s)
{
    return value_in(utility, find_piece(utility, 0, at_s), at_s);
}

double br_utility_expected(const struct br_utility *utility, double base_s, double slack,
                           const double *level, const double *left_s, uint32_t quantiles)
{
    assert(quantiles > 0);
    double from_s = base_s + slack * left_s[0], sum = 0;
    uint32_t piece = find_piece(utility, 0, from_s);
    if (quantiles == 1)
        return value_in(utility, piece, from_s);
    assert(level[quantiles - 1] > level[0]);
    for (uint32_t k = 1; k < quantiles; k++) {
        double to_s = base_s + slack * left_s[k], width = to_s - from_s, mean;
        assert(to_s >= from_s);
        uint32_t next = find_piece(utility, piece, to_s);
        if (next == piece && from_s >= utility->at_s[piece])
            mean = utility->value[piece] +
                   utility->slope[piece] * ((from_s + to_s) / 2 - utility->at_s[piece]);
        else if (width < POINT_S)
            mean = value_in(utility, next, to_s);
        else
            mean = (area_in(utility, next, to_s) - area_in(utility, piece, from_s)) / width;
        sum += (level[k] - level[k - 1]) * mean;
        from_s = to_s;
        piece = next;
    }
    return sum / (level[quantiles - 1] - level[0]);
}
