/* bigrocks render: a plan, or two beside each other, in another form. */
#include <string.h>

#include "cli/inputs/load.h"
#include "cli/options/options.h"
#include "cli/output/output.h"
#include "cli/planning/picture.h"
#include "cli/terminal/say.h"
#include "emit/emit.h"
#include "parsers/parsers.h"

enum { PLANS_MOST = 2 };

/* If the file is no plan but a job, says so. */
static enum br_status render_refuse(const char *path, enum br_status status, struct br_diag *diag)
{
    struct br_input job;
    struct br_diag other = {0};
    if (status != BR_BAD_INPUT || strcmp(path, "-") == 0 || br_parse_job(path, NULL, &job, &other))
        return status;
    br_input_finish(&job);
    *diag = (struct br_diag){0};
    br_diag_file(diag, path);
    return br_fail(diag, BR_BAD_INPUT, "make a plan of it first: bigrocks plan JOB -o plan.json",
                   "this is a job, not a plan");
}

/* An invalid plan is drawn too, but with a warning. */
static enum br_status render_read_plan(const struct cli_settings *settings, const char *path,
                                       struct br_input *input, struct br_plan **plan,
                                       struct br_diag *diag)
{
    const bool quiet = settings->output.quiet;
    struct br_input job = {0};
    struct br_diag fault = {0};
    enum br_status status = settings->about.job
                                ? cli_load(&settings->job, settings->about.job, false, &job, diag)
                                : BR_OK;
    if (status)
        return status;
    status = br_parse_plan(path, &job, input, plan, diag);
    if (!status && !input->dag) {
        *input = job;
        job = (struct br_input){0};
    } else if (!status && settings->about.job) {
        status = br_fail(diag, BR_USAGE, "leave out --job", "'%.200s' carries its job", path);
        br_plan_destroy(*plan);
        *plan = NULL;
    }
    br_input_finish(&job);
    if (!status && !quiet &&
        br_plan_verify(*plan, input->dag, input->cluster, 1, NULL, NULL, &fault) == BR_NO)
        cli_say("note: this plan does not hold: %s; see 'bigrocks check'", fault.what);
    return status ? render_refuse(path, status, diag) : BR_OK;
}

static int render_perform(const struct cli_settings *settings, const char *const *argument,
                          uint32_t arguments, struct br_diag *diag)
{
    const char *format;
    struct br_input input[PLANS_MOST] = {{0}};
    struct br_plan *plan[PLANS_MOST] = {NULL};
    struct br_emit_input emit[PLANS_MOST];
    struct br_emit_note note = {""};
    struct br_run_attempts run = {0};
    struct cli_output output;
    enum br_status status = cli_format(&settings->output, &br_emit_plans, &format, diag);
    if (status)
        return status;
    if (arguments > 1 && !br_emit_shows_two(format))
        return br_fail(diag, BR_USAGE, "give one plan, or --format dot, svg or html",
                       "the format '%s' shows one plan", format);
    if (settings->about.run && !br_emit_shows_run(format))
        return br_fail(diag, BR_USAGE, "leave out --run, or give --format otlp",
                       "the format '%s' shows no run", format);
    for (uint32_t k = 0; k < arguments && !status; k++) {
        status = render_read_plan(settings, argument[k], &input[k], &plan[k], diag);
        emit[k] = (struct br_emit_input){
            .dag = input[k].dag, .cluster = input[k].cluster, .plan = plan[k], .note = &note};
        if (!status)
            status = cli_picture(&settings->output, format, &emit[k], diag);
    }
    if (!status && settings->about.run) {
        status = br_parse_attempts(settings->about.run, input[0].dag, &run, diag);
        emit[0].run = &run;
    }
    if (!status)
        status = cli_output_open_format(&output, &settings->output, format, diag);
    if (!status) {
        emit[0].other = arguments > 1 ? &emit[1] : NULL;
        status = br_emit_plan(format, &emit[0], output.file, diag);
        status = cli_output_close(&output, status, diag);
    }
    if (!status && *note.text && !settings->output.quiet)
        cli_say("note: %s", note.text);
    br_run_attempts_finish(&run);
    for (uint32_t k = 0; k < arguments; k++) {
        br_plan_destroy(plan[k]);
        br_input_finish(&input[k]);
    }
    return status;
}

static const struct br_option render_rows[] = {
    OPTION(TEXT, "job", "JOB", about.job,
           "the job of plans in the form order, which do not carry it; its cluster as in check"),
    OPTION(TEXT, "run", "FILE", about.run,
           "otlp: the trace of a run of the plan (run --trace FILE), whose times stand beside the "
           "planned ones"),
    OPTIONS_END};

const struct cli_command cli_render = {
    .name = "render",
    .bit = CLI_RENDER,
    .options = render_rows,
    .least = 1,
    .most = 2,
    .perform = render_perform,
    .arguments = "PLAN [PLAN]",
    .summary = "write a plan in another form, or draw it",
    .text = "Reads a plan (JSON or XML), which carries its job and its cluster, and writes it in "
            "another form:\n"
            "as a picture, as a report for a browser, or as the file of a workflow engine that "
            "runs it.\n"
            "A second plan is drawn beside the first, on one time scale (dot, svg, html).\n",
    .examples =
        "bigrocks plan examples/query.xml --cluster examples/cluster-rack.xml -q -o plan.json\n"
        "bigrocks render plan.json --format order\n"
        "bigrocks render plan.json -o plan.html\n"
        "bigrocks plan examples/query.xml --cluster examples/cluster-rack.xml -q -o cp.json "
        "--method "
        "cp\n"
        "bigrocks render plan.json cp.json --colour stage -o both.svg\n",
};
