/* The outputs of a study of coflows; each is a row of the table in coflows.c. They write to `out`
 * and leave flushing and its errors to br_emit_coflows. */
#ifndef BR_CLUSTER_COFLOW_REPORT_COFLOW_OUTPUTS_H
#define BR_CLUSTER_COFLOW_REPORT_COFLOW_OUTPUTS_H

#include <stdio.h>

#include "base/text/diag.h"

struct br_coflow_study;

typedef enum br_status br_coflow_output(const struct br_coflow_study *study, FILE *out,
                                        struct br_diag *diag);
br_coflow_output br_coflows_text, br_coflows_csv, br_coflows_json, br_coflows_svg, br_coflows_html;

#endif
