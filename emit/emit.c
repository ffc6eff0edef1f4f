/* The tables of outputs: a new one is a file and a row here. */
#include "emit/emit.h"

#include <assert.h>
#include <stdio_ext.h>
#include <string.h>

#include "emit/write/outputs.h"
#include "emit/write/write.h"

struct output {
    struct br_named named;
    br_output *write;
};

static const struct output plan_outputs[] = {
    {{"order", "tab-separated, one task a line, by rank"}, br_emit_order},
    {{"json", "the whole plan with its job and cluster, for other programs"}, br_emit_json},
    {{"xml", "the plan with its job and cluster as XML"}, br_emit_plan_xml},
    {{"dot", "the job graph with the plan on it, for dot"}, br_emit_plan_dot},
    {{"gantt", "a chart of machines and time, for neato -n2"}, br_emit_gantt},
    {{"svg", "that chart as a picture, with the critical chain and the use of resources"},
     br_emit_svg},
    {{"html", "a report for a browser: chart, use, limits, baselines"}, br_emit_html},
    {{"trace", "events for Perfetto and chrome://tracing (JSON)"}, br_emit_trace},
    {{"ninja-order", "of a build: its build.ninja with the statements in the plan's order"},
     br_emit_ninja_order},
    {{"ninja-log-5",
      "of a build: a .ninja_log as ninja up to 1.11 reads it, with the plan's order"},
     br_emit_ninja_log_5},
    {{"ninja-log-6", "the same for ninja 1.12"}, br_emit_ninja_log_6},
    {{"ninja-log-7", "the same for ninja 1.13"}, br_emit_ninja_log_7},
    {{"ninja-weights", "of a build: output,weight a line, with the plan's order"},
     br_emit_ninja_weights},
    {{"slurm", "a shell script of job arrays for Slurm"}, br_emit_slurm},
    {{"dagman", "an input file for HTCondor's DAGMan"}, br_emit_dagman},
    {{"snakemake", "a Snakefile with priorities"}, br_emit_snakemake},
    {{"dask", "a Python script for Dask's distributed scheduler"}, br_emit_dask},
    {{"hyperqueue", "a Python script for HyperQueue"}, br_emit_hyperqueue},
    {{"parsl", "a Python script for Parsl"}, br_emit_parsl},
    {{"make", "a makefile for GNU make"}, br_emit_make},
    {{"ninja", "a build.ninja with a pool that keeps memory"}, br_emit_ninja},
    {{"airflow", "a DAG in Python for Airflow"}, br_emit_airflow},
    {{"argo", "a workflow for Argo on Kubernetes"}, br_emit_argo},
    {{"starpu", "a C header with workers and orders for StarPU"}, br_emit_starpu},
    {{"wfformat", "a WfCommons workflow instance, WfFormat 1.5"}, br_emit_wfformat},
};

static const struct output job_outputs[] = {
    {{"xml", "the native form"}, br_emit_job_xml},
    {{"dot", "the native form in DOT"}, br_emit_job_dot},
};

const struct br_names br_emit_plans = {BR_NAMES(plan_outputs)};

const struct br_names br_emit_jobs = {BR_NAMES(job_outputs)};

bool br_emit_shows_two(const char *format)
{
    return strcmp(format, "svg") == 0 || strcmp(format, "html") == 0 || strcmp(format, "dot") == 0;
}

static enum br_status emit(const struct br_names *rows, const char *kind, const char *format,
                           const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    uint32_t k = br_named_find(rows, format);
    if (k == BR_NO_ROW)
        return br_fail_unnamed(diag, rows, format, SIZE_MAX, "a %s has no output '%s'", kind,
                               format);
    const struct output *output = (const struct output *)br_named_at(rows, k);
    /* Only one thread writes; locking for each piece of text would take a tenth of the time. */
    const int locking = __fsetlocking(out, FSETLOCKING_BYCALLER);
    enum br_status status = output->write(input, out, diag);
    if (!status)
        status = br_write_finish(out, diag);
    __fsetlocking(out, locking);
    return status;
}

enum br_status br_emit_plan(const char *format, const struct br_emit_input *input, FILE *out,
                            struct br_diag *diag)
{
    assert(input->dag && input->cluster && input->plan);
    return emit(&br_emit_plans, "plan", format, input, out, diag);
}

enum br_status br_emit_job(const char *format, const struct br_emit_input *input, FILE *out,
                           struct br_diag *diag)
{
    assert(input->dag);
    return emit(&br_emit_jobs, "job", format, input, out, diag);
}
