/* The makespan of a plan if durations are not as declared. */
#ifndef BR_RUNTIME_REPLAY_NOISE_H
#define BR_RUNTIME_REPLAY_NOISE_H

#include <bigrocks/plan.h>

/* The mean makespan of `runs` runs (at least 1) under the enforcer, which follows the plan's order.
 * Each draws all durations, times exp(spread x a normal deviate) over the mean of that, from the
 * seed and its number from 0; the mean is rounded down. Equal input gives equal numbers. Errors as
 * of br_simulate. */
enum br_status br_plan_under_noise(const struct br_dag *dag, const struct br_cluster *cluster,
                                   const struct br_plan *plan, double spread, uint32_t runs,
                                   uint64_t seed, int64_t *mean_ns, struct br_diag *diag);

#endif
