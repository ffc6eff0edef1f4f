/* The outputs of a study, one per file; each is a row of the table in study.c. They write to `out`
 * and leave flushing and its errors to br_emit_study. */
#ifndef BR_CLUSTER_SIMULATE_REPORT_STUDY_OUTPUTS_H
#define BR_CLUSTER_SIMULATE_REPORT_STUDY_OUTPUTS_H

#include <stdio.h>

#include "base/text/diag.h"

struct br_study;

typedef enum br_status br_study_output(const struct br_study *study, FILE *out,
                                       struct br_diag *diag);

br_study_output br_study_text;
br_study_output br_study_csv;
br_study_output br_study_runs;
br_study_output br_study_allotments;
br_study_output br_study_tasks;
br_study_output br_study_json;
br_study_output br_study_svg;
br_study_output br_study_html;

#endif
