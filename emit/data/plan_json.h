/* Bounds as JSON, in the form of plans. */
#ifndef BR_EMIT_DATA_PLAN_JSON_H
#define BR_EMIT_DATA_PLAN_JSON_H

#include <stdio.h>

#include "emit/write/input.h"

/* A lower bound without a plan; all borrowed. */
struct br_emit_bound {
    int64_t lower_bound_ns;
    const char *method;
    const struct br_certificate *certificate; /* NULL: not proven */
    int64_t at_most_ns;                       /* the optimum is no longer; 0: unknown */
    int64_t core_ns;                          /* without the linear program */
    const char *core_method;
    int64_t lp_ns;
    const char *lp_method, *lp_status;
    const char *lp_note; /* instead of these, if there is no linear program */
};
/* Writes it as JSON with its job and cluster. */
enum br_status br_emit_bound(const struct br_emit_input *input, const struct br_emit_bound *bound,
                             FILE *out, struct br_diag *diag);

#endif
