/* The job of the least way by its definition (docs/certificates.md), of which a relaxed job is made
 * if tasks may run in several ways. */
#ifndef BR_PLANNER_CHECK_PROOFS_LEAST_H
#define BR_PLANNER_CHECK_PROOFS_LEAST_H

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* *least is the caller's, also after a failure. */
enum br_status br_check_least(const struct br_dag *dag, const struct br_cluster *cluster,
                              struct br_dag **least, struct br_diag *diag);

#endif
