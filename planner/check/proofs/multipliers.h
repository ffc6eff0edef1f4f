/* Checks a proof by multipliers: a bound of a job whose tasks run in one of several ways. */
#ifndef BR_PLANNER_CHECK_PROOFS_MULTIPLIERS_H
#define BR_PLANNER_CHECK_PROOFS_MULTIPLIERS_H

#include "planner/instance/certificate.h"
#include "planner/model/cluster/cluster.h"

/* BR_NO with the step that fails, also if the certificate proves less than `bound_ns`; BR_SYSTEM
 * (memory). The job is finished. */
enum br_status br_check_multipliers(const struct br_certificate *c, const struct br_dag *dag,
                                    const struct br_cluster *cluster, int64_t bound_ns,
                                    struct br_diag *diag);

#endif
