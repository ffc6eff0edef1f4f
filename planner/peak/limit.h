/* The cluster with another amount of one resource, and what a plan holds of it. */
#ifndef BR_PLANNER_PEAK_LIMIT_H
#define BR_PLANNER_PEAK_LIMIT_H

#include "planner/general/job.h"

/* The cluster with this amount of the resource on every machine that has it, or of the shared
 * resource, at all times. BR_USAGE if it has none. The cluster is the caller's. */
enum br_status br_peak_cluster(const struct br_cluster *cluster, const char *resource,
                               struct br_decimal amount, struct br_cluster **made,
                               struct br_diag *diag);
/* One machine that holds all that the tasks of the job demand and make together. */
enum br_status br_peak_one_machine(const struct br_general *job, struct br_cluster **made,
                                   struct br_diag *diag);
/* All that the tasks of the job demand and make of the resource together. */
int64_t br_peak_sum(const struct br_general *job, uint32_t resource);
/* The most that any one place holds of the resource at any time, by the starts and machines of a
 * plan. -1 when memory is out. O(tasks log tasks + readers). */
int64_t br_peak_held(const struct br_general *job, uint32_t resource, const int64_t *start,
                     const uint32_t *machine);

#endif
