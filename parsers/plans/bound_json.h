/* Reading lower bounds. */
#ifndef BR_PARSERS_PLANS_BOUND_JSON_H
#define BR_PARSERS_PLANS_BOUND_JSON_H

#include <bigrocks/bound.h>

#include "parsers/text/json.h"

/* Reads the answer of the bounding program: a JSON object with "lower_bound" in seconds, as a
 * number or a string, "method", and perhaps "status" ("optimal", or why it is not) and
 * "certificate", in the numbers of the job. Texts are cut to fit. The text ends with a NUL after
 * its `size` bytes. Fills the answer except `found` and `why`; its certificate is the caller's, and
 * stays NULL on failure. */
enum br_status br_parse_bound(const char *text, size_t size, const struct br_dag *dag,
                              struct br_bound_answer *answer, struct br_diag *diag);

/* Reads the decimal seconds at the field as nanoseconds, not below 0. False after a fault. */
bool br_read_lower_bound(struct br_json *json, const struct br_json_field *field, int64_t *ns);

#endif
