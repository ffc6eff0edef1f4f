/* How durations are rounded down when ticks are counted.
 *
 * Measured durations have a tick of a nanosecond: too many ticks for a profile with a cell for
 * each, and for bounds that rise tick by tick. Rounded down to multiples of more ticks they make a
 * job whose lower bounds hold for the true one, and whose schedules say in which order the true
 * tasks start. A job that differs by noise only from one with a long tick gets the long tick back:
 * then the rounded durations have a large common divisor. */
#ifndef BR_PLANNER_INSTANCE_ROUNDING_H
#define BR_PLANNER_INSTANCE_ROUNDING_H

#include <stdint.h>

#include "planner/instance/instance.h"

/* A makespan of up to so many ticks needs no rounding. */
enum { BR_ROUNDING_EXACT = 1 << 18 };

/* The share of the makespan that may usually be left between the bounds if durations are rounded.
 */
#define BR_ROUNDING_TOLERANCE 1e-4

/* The rounding in ticks with which a schedule of `makespan` ticks is to be shortened, or its length
 * proven. `before` is 0, or the rounding that was tried before, which was too coarse. 1: the ticks
 * as they are. 0: there is no finer one. O(tasks). */
int64_t br_rounding(const struct br_instance *instance, int64_t makespan, int64_t before);

/* The rounding, a long tick, from which durations differ by noise only; 1 if there is none, or the
 * job has more than BR_ROUNDING_TASKS tasks. O(tasks). */
enum { BR_ROUNDING_TASKS = 20000 };
int64_t br_rounding_noise(const struct br_instance *instance);

/* The ticks of a makespan that count as closed: that share of it; 0 if it needs no rounding. */
int64_t br_rounding_slack(int64_t makespan, double tolerance);

#endif
