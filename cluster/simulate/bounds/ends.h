/* A lower bound on the sum of completion times, by when the k-th job can have ended. */
#ifndef BR_CLUSTER_SIMULATE_BOUNDS_ENDS_H
#define BR_CLUSTER_SIMULATE_BOUNDS_ENDS_H

#include "cluster/simulate/bounds/load.h"

/* The sum over all jobs of the time from arrival to completion, at least. A raised stop gives a
 * weaker bound. False when memory is out. O(jobs x resources x jobs under way at a time x log),
 * and beyond some effort it takes what the simpler argument gives. */
bool br_ends_bound(const struct br_load *load, const struct br_stop *stop, double *sum_s);

#endif
