/* Writing plans and jobs. One file and one row of the table in emit.c per output. */
#ifndef BR_EMIT_EMIT_H
#define BR_EMIT_EMIT_H

#include <stdbool.h>
#include <stdio.h>

#include "emit/data/plan_json.h"
#include "emit/write/input.h"

/* Names of the outputs of a plan, for k = 0, 1, ..., and a line on each; NULL past the end. */
const char *br_emit_plan_name(uint32_t k);
const char *br_emit_plan_summary(uint32_t k);
/* Names of the outputs of a job alone, in this form. */
const char *br_emit_job_name(uint32_t k);
const char *br_emit_job_summary(uint32_t k);

/* Does the output show two plans (input->other)? */
bool br_emit_shows_two(const char *format);

/* Writes the plan in a format by its name. BR_USAGE for an unknown format, with the known ones in
 * the diagnostic; BR_SYSTEM if writing or a needed program fails. */
enum br_status br_emit_plan(const char *format, const struct br_emit_input *input, FILE *out,
                            struct br_diag *diag);
/* Writes the job ("xml", "dot"); with a cluster, the XML form carries it. */
enum br_status br_emit_job(const char *format, const struct br_emit_input *input, FILE *out,
                           struct br_diag *diag);

#endif
