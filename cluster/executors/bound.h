/* Our own policy for executors: the least work first, each job on no more executors than
 * pay for it. Internal to this room. */
#ifndef BR_CLUSTER_EXECUTORS_BOUND_H
#define BR_CLUSTER_EXECUTORS_BOUND_H

#include "cluster/executors/policy.h"

/* The stage of the job that it would name next; BR_EXECUTORS_NONE: none can be. */
uint32_t br_executors_bound_stage(const struct br_executors *sim, uint32_t job);

#endif
