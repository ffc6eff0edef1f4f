/* A lower bound on the weighted sum of completion times, by mean busy times. */
#ifndef BR_CLUSTER_SIMULATE_BOUNDS_DUAL_H
#define BR_CLUSTER_SIMULATE_BOUNDS_DUAL_H

#include "cluster/simulate/bounds/load.h"

/* The sum over all jobs of weight x time from arrival to completion, at least. weight: by job,
 * above 0. Effort is limited: if the workload has too many stages for some tens of steps, 0. A
 * raised stop ends it early, with a weaker bound. False when memory is out. */
bool br_dual_bound(const struct br_load *load, const double *weight, const struct br_stop *stop,
                   double *sum_s);

#endif
