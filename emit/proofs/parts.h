/* The parts of a certificate, one after another, as lines of one proof. */
#ifndef BR_EMIT_PROOFS_PARTS_H
#define BR_EMIT_PROOFS_PARTS_H

#include "emit/proofs/derive.h"

/* The measures of each part, weighed but for their lines; NULL for one that nothing uses. */
struct br_parts_measures {
    struct br_weighed **weighed;
};

/* Which of the proof's measures claims or its inequality use, by measure. */
void br_parts_used(const struct br_proof *proof, bool *used);

/* Derives the conflict. The formula's M is the sum of the parts' bounds, less 1. BR_NO in words if
 * a part has no derivation; BR_SYSTEM. */
enum br_status br_derive_parts(struct br_derivation *lines, const struct br_proof *const *part,
                               uint32_t parts, const struct br_parts_measures *measures,
                               struct br_diag *diag);

#endif
