/* A lower bound on makespans with transfers. */
#ifndef BR_PLANNER_NETWORK_BOUND_H
#define BR_PLANNER_NETWORK_BOUND_H

#include "planner/network/job.h"

/* No plan of the job that moves its bytes ends before *bound_ns, which is at least `least_ns` (a
 * bound without transfers) and at most `most_ns` (the length of a plan). BR_SYSTEM (memory).
 * O(log(most - least) x (edges^2 + stages log tasks)), beyond 300 edges O(edges log edges). */
enum br_status br_network_bound(const struct br_network_job *job, int64_t least_ns, int64_t most_ns,
                                int64_t *bound_ns, struct br_diag *diag);

#endif
