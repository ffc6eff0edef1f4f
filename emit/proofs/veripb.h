/* Proofs of lower bounds that VeriPB checks: docs/proofs.md. */
#ifndef BR_EMIT_PROOFS_VERIPB_H
#define BR_EMIT_PROOFS_VERIPB_H

#include <stdio.h>

#include "emit/proofs/learnt.h"
#include "planner/instance/certificate.h"
#include "planner/model/cluster/cluster.h"

/* Writes the statement that the job has a plan shorter than the certificate's bound as
 * pseudo-Boolean constraints (OPB), and the proof that they have no solution (PBP, version 3.0).
 * The certificate is checked first. BR_NO in words if it does not hold, or for a kind that has no
 * form here; both files are useless then. BR_SYSTEM; the caller checks the streams. O(terms). */
enum br_status br_emit_veripb(const struct br_certificate *certificate, const struct br_dag *dag,
                              const struct br_cluster *cluster, FILE *opb, FILE *pbp,
                              struct br_veripb_size *size, struct br_diag *diag);

#endif
