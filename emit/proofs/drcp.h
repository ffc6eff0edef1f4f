/* Proofs of lower bounds for DRCP, the form of the Pumpkin solver: docs/proofs.md. */
#ifndef BR_EMIT_PROOFS_DRCP_H
#define BR_EMIT_PROOFS_DRCP_H

#include <stdio.h>

#include "base/text/diag.h"
#include "planner/instance/instance.h"
#include "planner/instance/certificate.h"

/* The size of a model and its scaffold. */
struct br_drcp_size {
    uint64_t variables, constraints, nogoods;
};

/* Writes the statement that the instance has a plan shorter than the proof's bound as a FlatZinc
 * model, and a scaffold of nogoods that refute it, which Pumpkin's proof processor turns into a
 * full proof. The proof is one on one machine that is known to hold. BR_NO in words if it has no
 * form here; BR_SYSTEM; the caller checks the streams. O(tasks^2 + literals). */
enum br_status br_emit_drcp(const struct br_instance *in, const struct br_proof *proof, FILE *model,
                            FILE *scaffold, struct br_drcp_size *size, struct br_diag *diag);

#endif
