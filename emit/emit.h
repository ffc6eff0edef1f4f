/* Writing plans and jobs. One file and one row of the table in emit.c per output. */
#ifndef BR_EMIT_EMIT_H
#define BR_EMIT_EMIT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text/named.h"
#include "emit/data/plan_json.h"
#include "emit/write/input.h"

/* The outputs of a plan, and those of a job alone. */
extern const struct br_names br_emit_plans, br_emit_jobs;

/* Does the output show two plans (input->other)? */
bool br_emit_shows_two(const char *format);

/* Does the output show a run of the plan (input->run)? */
bool br_emit_shows_run(const char *format);

/* Writes the plan in a format by its name. BR_USAGE for an unknown format, with the known ones in
 * the diagnostic; BR_SYSTEM if writing or a needed program fails. */
enum br_status br_emit_plan(const char *format, const struct br_emit_input *input, FILE *out,
                            struct br_diag *diag);
/* Writes the job ("xml", "dot"); with a cluster, the XML form carries it. */
enum br_status br_emit_job(const char *format, const struct br_emit_input *input, FILE *out,
                           struct br_diag *diag);

#endif
