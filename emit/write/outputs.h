/* The outputs, one per file; each is a row of a table in emit.c. They write to `out` and leave
 * flushing and its errors to emit.c. */
#ifndef BR_EMIT_WRITE_OUTPUTS_H
#define BR_EMIT_WRITE_OUTPUTS_H

#include <stdio.h>

#include "emit/write/input.h"

typedef enum br_status br_output(const struct br_emit_input *input, FILE *out,
                                 struct br_diag *diag);

/* Outputs of a plan. */
br_output br_emit_order;
br_output br_emit_json;
br_output br_emit_plan_xml;
br_output br_emit_mspdi;
br_output br_emit_plan_dot;
br_output br_emit_gantt;
br_output br_emit_svg;
br_output br_emit_html;
br_output br_emit_trace, br_emit_otlp;
br_output br_emit_mermaid, br_emit_mermaid_flowchart;
/* Outputs of a plan of a job that came from a build.ninja. */
br_output br_emit_ninja_order;
br_output br_emit_ninja_log_5, br_emit_ninja_log_6, br_emit_ninja_log_7;
br_output br_emit_ninja_weights;

/* Outputs of a plan, for the engines that run it. */
br_output br_emit_slurm;
br_output br_emit_dagman;
br_output br_emit_hyperqueue, br_emit_hyperqueue_toml;
br_output br_emit_parsl;
br_output br_emit_snakemake;
br_output br_emit_dask;
br_output br_emit_make;
br_output br_emit_ninja;
br_output br_emit_airflow;
br_output br_emit_argo;
br_output br_emit_gitlab, br_emit_github;
br_output br_emit_starpu;
br_output br_emit_wfformat;

/* Outputs of a job. */
br_output br_emit_job_xml;
br_output br_emit_job_dot;

#endif
