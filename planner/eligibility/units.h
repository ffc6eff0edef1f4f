/* Resources that job and cluster count in different units. */
#ifndef BR_PLANNER_ELIGIBILITY_UNITS_H
#define BR_PLANNER_ELIGIBILITY_UNITS_H

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* BR_BAD_INPUT if the cluster offers a resource in bytes ("64GiB") that the job counts in a
 * multiple of bytes, such as MiB. Every caller that brings a job and a cluster together asks this
 * first. O(capacities x resources). */
enum br_status br_units_check(const struct br_cluster *cluster, const struct br_dag *dag,
                              struct br_diag *diag);

#endif
