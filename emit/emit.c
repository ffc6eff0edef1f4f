/* The tables of outputs: a new one is a file and a row here. */
#include "emit/emit.h"

#include <assert.h>
#include <stdio_ext.h>
#include <string.h>

#include "base/collections/memory.h"
#include "emit/write/outputs.h"
#include "emit/write/write.h"
#include "planner/eligibility/features.h"
#include "planner/modes/fixed.h"

enum {
    NONE = 0,
    ALL = BR_FEATURES_ALL & ~BR_FEATURES_MODES, /* of tasks that run in one way, at one speed */
    EVERY = BR_FEATURES_ALL,
    HANDED = BR_FEATURE_SHARED | BR_FEATURE_OUTPUTS,
    SLURM = BR_FEATURE_SHARED | BR_FEATURE_OUTPUTS | BR_FEATURE_RELEASES | BR_FEATURE_DEADLINES,
    PROJECT = BR_FEATURE_SHARED | BR_FEATURE_RELEASES | BR_FEATURE_DEADLINES | BR_FEATURE_LAGS |
              BR_FEATURE_STREAMS,
    /* Beside features: of a job with alternatives the choice of the plan is drawn, or handed on to
     * an engine; and the engine's workers may tell their class. */
    DRAWN = 1 << 16,
    HANDED_ON = 1 << 17,
    CLASSES = 1 << 18,
};

struct output {
    struct br_named named;
    br_output *write;
    unsigned known; /* features; a job with others is refused */
};

static const struct output plan_outputs[] = {
    {{"order", "tab-separated, one task a line, by rank"}, br_emit_order, EVERY},
    {{"json", "the whole plan with its job and cluster, for other programs"}, br_emit_json, EVERY},
    {{"xml", "the plan with its job and cluster as XML"}, br_emit_plan_xml, EVERY},
    {{"dot", "the job graph with the plan on it, for dot"}, br_emit_plan_dot, ALL | DRAWN},
    {{"gantt", "a chart of machines and time, for neato -n2"}, br_emit_gantt, ALL | DRAWN},
    {{"svg", "that chart as a picture, with the critical chain and the use of resources"},
     br_emit_svg,
     ALL | DRAWN},
    {{"html", "a report for a browser: chart, use, limits, baselines"}, br_emit_html, ALL | DRAWN},
    {{"trace", "events for Perfetto and chrome://tracing (JSON)"}, br_emit_trace, ALL | DRAWN},
    {{"otlp", "a trace of OpenTelemetry, a span a task (JSON of OTLP)"}, br_emit_otlp, ALL | DRAWN},
    {{"mermaid", "a Gantt chart for Markdown on GitHub and GitLab"}, br_emit_mermaid, ALL | DRAWN},
    {{"mermaid-flowchart", "a flowchart of the stages for the same"},
     br_emit_mermaid_flowchart,
     ALL | DRAWN},
    {{"mspdi", "a project for Microsoft Project and ProjectLibre (MSPDI), with planned starts"},
     br_emit_mspdi,
     PROJECT | HANDED_ON},
    {{"choice",
      "the job in which each task runs by the alternative that the plan chose (native XML)"},
     br_emit_job_xml,
     ALL | HANDED_ON | CLASSES},
    {{"ninja-order", "of a build: its build.ninja with the statements in the plan's order"},
     br_emit_ninja_order,
     NONE},
    {{"ninja-log-5",
      "of a build: a .ninja_log as ninja up to 1.11 reads it, with the plan's order"},
     br_emit_ninja_log_5,
     NONE},
    {{"ninja-log-6", "the same for ninja 1.12"}, br_emit_ninja_log_6, NONE},
    {{"ninja-log-7", "the same for ninja 1.13"}, br_emit_ninja_log_7, NONE},
    {{"ninja-weights", "of a build: output,weight a line, with the plan's order"},
     br_emit_ninja_weights,
     NONE},
    {{"slurm", "a shell script of job arrays for Slurm"}, br_emit_slurm, SLURM | HANDED_ON},
    {{"dagman", "an input file for HTCondor's DAGMan"}, br_emit_dagman, HANDED_ON},
    {{"snakemake", "a Snakefile with priorities"}, br_emit_snakemake, HANDED | HANDED_ON},
    {{"dask", "a Python script for Dask's distributed scheduler"},
     br_emit_dask,
     HANDED | HANDED_ON | CLASSES},
    {{"hyperqueue", "a Python script for HyperQueue"}, br_emit_hyperqueue, HANDED_ON | CLASSES},
    {{"hyperqueue-toml", "a job definition file for hq job submit-file"},
     br_emit_hyperqueue_toml,
     HANDED_ON | CLASSES},
    {{"parsl", "a Python script for Parsl"}, br_emit_parsl, HANDED_ON},
    {{"make", "a makefile for GNU make"}, br_emit_make, HANDED_ON},
    {{"ninja", "a build.ninja with a pool that keeps memory"}, br_emit_ninja, HANDED_ON},
    {{"airflow", "a DAG in Python for Airflow"}, br_emit_airflow, HANDED_ON},
    {{"argo", "a workflow for Argo on Kubernetes"}, br_emit_argo, HANDED_ON},
    {{"gitlab", "a pipeline for GitLab (.gitlab-ci.yml)"}, br_emit_gitlab, HANDED_ON},
    {{"github", "a workflow for GitHub Actions"}, br_emit_github, HANDED_ON},
    {{"starpu", "a C header with workers and orders for StarPU"}, br_emit_starpu, HANDED_ON},
    {{"wfformat", "a WfCommons workflow instance, WfFormat 1.5"}, br_emit_wfformat, HANDED_ON},
};

static const struct output job_outputs[] = {
    {{"xml", "the native form"}, br_emit_job_xml, EVERY},
    {{"dot", "the native form in DOT"}, br_emit_job_dot, EVERY},
};

const struct br_names br_emit_plans = {BR_NAMES(plan_outputs)};

const struct br_names br_emit_jobs = {BR_NAMES(job_outputs)};

bool br_emit_shows_two(const char *format)
{
    return strcmp(format, "svg") == 0 || strcmp(format, "html") == 0 || strcmp(format, "dot") == 0;
}

bool br_emit_shows_run(const char *format)
{
    return strcmp(format, "otlp") == 0;
}

static enum br_status emit_write(const struct output *output, const struct br_emit_input *input,
                                 const struct br_cluster *cluster, const char *who, FILE *out,
                                 struct br_diag *diag)
{
    enum br_status status = br_features_refuse(input->dag, cluster, output->known, who, diag);
    if (status)
        return status;
    /* Only one thread writes; locking for each piece of text would take a tenth of the time. */
    const int locking = __fsetlocking(out, FSETLOCKING_BYCALLER);
    status = output->write(input, out, diag);
    if (!status)
        status = br_write_finish(out, diag);
    __fsetlocking(out, locking);
    return status;
}

static bool is_to_be_fixed(const struct output *output, const struct br_emit_input *input)
{
    return output->known & (DRAWN | HANDED_ON) &&
           br_features(input->dag, input->cluster) & BR_FEATURES_MODES & ~output->known;
}

/* The task of the fixed job with the id of the given job's task. */
static uint32_t emit_fixed_task(const struct br_dag *from, const struct br_dag *to, uint32_t task)
{
    const struct br_stage *stage = &from->stage[br_dag_task_stage(from, task)];
    const uint32_t whole = br_dag_find_stage(to, stage->id);
    char *id = NULL;
    size_t size = strlen(stage->id) + 16;
    if (whole != UINT32_MAX && to->stage[whole].tasks == stage->tasks)
        return to->stage[whole].first_task + task - stage->first_task;
    id = br_malloc(size);
    if (!id)
        return UINT32_MAX;
    br_dag_task_id(from, task, id, size);
    const uint32_t alone = br_dag_find_stage(to, id);
    br_free(id);
    return alone == UINT32_MAX ? UINT32_MAX : to->stage[alone].first_task;
}

/* The run with the tasks of the fixed job; texts stay with the given run. */
static enum br_status emit_fix_run(const struct br_emit_input *input, const struct br_dag *to,
                                   struct br_run_attempts *run, struct br_diag *diag)
{
    *run = (struct br_run_attempts){.attempts = input->run->attempts};
    run->attempt = br_malloc(((size_t)run->attempts + 1) * sizeof *run->attempt);
    if (!run->attempt)
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < run->attempts; k++) {
        run->attempt[k] = input->run->attempt[k];
        run->attempt[k].task = emit_fixed_task(input->dag, to, run->attempt[k].task);
        if (run->attempt[k].task == UINT32_MAX)
            return br_fail_memory(diag);
    }
    return BR_OK;
}

/* The input with the job of the choice in it, if the output does not know alternatives. */
static enum br_status emit_fix(const struct output *output, const struct br_emit_input *input,
                               struct br_fixed *fixed, struct br_emit_input *made,
                               struct br_diag *diag)
{
    *made = *input;
    *fixed = (struct br_fixed){NULL, NULL, NULL, NULL};
    if (!is_to_be_fixed(output, input))
        return BR_OK;
    const enum br_status status =
        br_fixed_make(input->dag, input->cluster, input->plan,
                      output->known & CLASSES ? BR_SELECTED_RUN : BR_SELECTED_DRAWN, fixed, diag);
    made->dag = fixed->dag;
    made->cluster = fixed->cluster;
    made->plan = fixed->plan;
    return status;
}

static enum br_status emit_choice(const struct output *output, const struct br_emit_input *input,
                                  const char *who, FILE *out, struct br_diag *diag)
{
    struct br_fixed fixed, other_fixed = {NULL, NULL, NULL, NULL};
    struct br_run_attempts run = {0};
    struct br_emit_input made, other;
    enum br_status status = emit_fix(output, input, &fixed, &made, diag);
    if (!status && input->other) {
        status = emit_fix(output, input->other, &other_fixed, &other, diag);
        made.other = &other;
    }
    if (!status && input->run) {
        status = emit_fix_run(input, made.dag, &run, diag);
        made.run = &run;
    }
    if (!status)
        status = emit_write(output, &made, made.cluster, who, out, diag);
    br_run_attempts_finish(&run);
    if (!status && input->note && !*input->note->text && output->known & HANDED_ON &&
        !(output->known & CLASSES))
        snprintf(input->note->text, sizeof input->note->text,
                 "the alternatives are those of the plan; classes and speeds of machines are not "
                 "handed on");
    br_fixed_finish(&fixed);
    br_fixed_finish(&other_fixed);
    return status;
}

/* `cluster`: that with which the output is used; NULL: none. */
static enum br_status emit(const struct br_names *rows, const char *kind, const char *format,
                           const struct br_emit_input *input, const struct br_cluster *cluster,
                           FILE *out, struct br_diag *diag)
{
    char who[40];
    uint32_t k = br_named_find(rows, format);
    if (k == BR_NO_ROW)
        return br_fail_unnamed(diag, rows, format, SIZE_MAX, "a %s has no output '%s'", kind,
                               format);
    const struct output *output = (const struct output *)br_named_at(rows, k);
    snprintf(who, sizeof who, "the format %.20s", format);
    if (input->plan &&
        (is_to_be_fixed(output, input) || (input->other && is_to_be_fixed(output, input->other))))
        return emit_choice(output, input, who, out, diag);
    return emit_write(output, input, cluster, who, out, diag);
}

enum br_status br_emit_plan(const char *format, const struct br_emit_input *input, FILE *out,
                            struct br_diag *diag)
{
    assert(input->dag && input->cluster && input->plan);
    return emit(&br_emit_plans, "plan", format, input, input->cluster, out, diag);
}

enum br_status br_emit_job(const char *format, const struct br_emit_input *input, FILE *out,
                           struct br_diag *diag)
{
    assert(input->dag);
    return emit(&br_emit_jobs, "job", format, input, NULL, out, diag);
}
