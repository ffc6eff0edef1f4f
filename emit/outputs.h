/* The outputs, one per file; each is a row of a table in emit.c. They write to `out` and leave
 * flushing and its errors to emit.c. */
#ifndef BR_EMIT_OUTPUTS_H
#define BR_EMIT_OUTPUTS_H

#include "emit/emit.h"

typedef enum br_status br_output(const struct br_emit_input *input, FILE *out,
                                 struct br_diag *diag);

/* Of a plan. */
br_output br_emit_order;
br_output br_emit_json;

/* Of a job. */
br_output br_emit_job_xml;

#endif
