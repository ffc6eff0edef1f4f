/* The relaxed job that a certificate stands on, made again from the given job by the definition in
 * docs/certificates.md. It shares nothing with planner/instance/relax.h, which finders use. */
#ifndef BR_PLANNER_CHECK_PROOFS_RELAXED_H
#define BR_PLANNER_CHECK_PROOFS_RELAXED_H

#include "planner/instance/certificate.h"
#include "planner/model/cluster/cluster.h"

/* Makes the job and its cluster, which are the caller's, also after a failure. */
enum br_status br_check_relaxed(const struct br_dag *dag, const struct br_cluster *cluster,
                                enum br_relaxation relaxation, struct br_dag **relaxed,
                                struct br_cluster **relaxed_cluster, struct br_diag *diag);

#endif
