/* Proofs by clauses: a line for each clause, which VeriPB finds by unit propagation (`rup`), behind
 * lines for the spans that it needs. */
#ifndef BR_EMIT_PROOFS_LEARNT_H
#define BR_EMIT_PROOFS_LEARNT_H

#include <stdio.h>

#include "base/text/diag.h"
#include "planner/instance/certificate.h"
#include "planner/instance/instance.h"

/* The size of a proof and its formula. */
struct br_proof_size {
    uint64_t variables, rows, lines; /* of the formula; lines that the proof adds */
    int64_t
        proven_ns; /* the bound of the formula: without what rounding adds to the certificate's */
};

/* Writes the formula and the proof, but for its frame, of a proof of kind clauses on one machine
 * that is known to hold. *conflict is the last line. BR_NO in words if it has no form; BR_SYSTEM.
 */
enum br_status br_emit_learnt(const struct br_instance *in, const struct br_proof *proof, FILE *opb,
                              FILE *pbp, struct br_proof_size *size, uint64_t *conflict,
                              struct br_diag *diag);

#endif
