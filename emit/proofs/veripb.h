/* Proofs of lower bounds that others check: docs/proofs.md. */
#ifndef BR_EMIT_PROOFS_VERIPB_H
#define BR_EMIT_PROOFS_VERIPB_H

#include <stdio.h>

#include "emit/proofs/learnt.h"
#include "planner/instance/certificate.h"
#include "planner/model/cluster/cluster.h"

/* The files are, in this order: OPB and PBP (version 3.0); a FlatZinc model and a scaffold of
 * nogoods (drcp.h). */
enum br_proof_form { BR_FORM_VERIPB, BR_FORM_DRCP };

/* Writes the statement that the job has a plan shorter than the certificate's bound, and the proof
 * that this is false. The certificate is checked first. BR_NO in words if it does not hold, or for
 * a kind that has no form here; both files are useless then. BR_SYSTEM; the caller checks the
 * streams. O(terms). */
enum br_status br_emit_proof(enum br_proof_form form, const struct br_certificate *certificate,
                             const struct br_dag *dag, const struct br_cluster *cluster,
                             FILE *statement, FILE *proof, struct br_proof_size *size,
                             struct br_diag *diag);

#endif
