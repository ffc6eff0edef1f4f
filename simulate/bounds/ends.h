/* A lower bound on the sum of completion times, by when the k-th job can have ended. */
#ifndef BR_SIMULATE_BOUNDS_ENDS_H
#define BR_SIMULATE_BOUNDS_ENDS_H

#include "simulate/bounds/load.h"

/* The sum over all jobs of the time from arrival to completion, at least. False when memory is out.
 * O(resources x (stages + jobs log jobs)). */
bool br_ends_bound(const struct br_load *load, double *sum_s);

#endif
