/* What is best for a very small job with outputs, shared resources and times, by trying everything.
 *
 * Nothing here is shared with planning: jobs and clusters are read as they were given. Amounts are
 * whole numbers; times are counted in their greatest common divisor. */
#ifndef BR_TESTS_SUPPORT_FEATURE_ORACLE_H
#define BR_TESTS_SUPPORT_FEATURE_ORACLE_H

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

#define FEATURE_ORACLE_TASKS 12u
#define FEATURE_ORACLE_MACHINES 4u

#define FEATURE_ORACLE_NONE (-1)     /* there is no plan */
#define FEATURE_ORACLE_TOO_MUCH (-2) /* more states than can be looked at, or a job too large */

struct feature_oracle_plan {
    int64_t start_ns[FEATURE_ORACLE_TASKS];
    uint32_t machine[FEATURE_ORACLE_TASKS];
};

/* The least makespan of any plan, in nanoseconds, or FEATURE_ORACLE_*. `plan` (may be NULL)
 * receives one that has it. */
int64_t feature_oracle_makespan(const struct br_dag *dag, const struct br_cluster *cluster,
                                struct feature_oracle_plan *plan);

/* The least peak of the resource over all orders in which the tasks run one after another at one
 * place: the most that is held at any time, in whole units. For up to 20 tasks; times are left out,
 * also lags and streams. FEATURE_ORACLE_TOO_MUCH: a job too large, or amounts that are not whole.
 */
int64_t feature_oracle_peak(const struct br_dag *dag, const char *resource);

/* The same for trees to the root of any size, by the optimal algorithm of Liu (1987), which merges
 * the orders of subtrees by their hills and valleys. O(n^2). FEATURE_ORACLE_TOO_MUCH: the job is no
 * tree of stages of one task whose every output is made from the start and read by its only child.
 */
int64_t feature_oracle_liu(const struct br_dag *dag, const char *resource);

#endif
