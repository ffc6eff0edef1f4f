/* bigrocks plan: load, search, tighten the bound, write, sum up. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/process/clock.h"
#include "cli/bounds/lp_bound.h"
#include "cli/common/interrupt.h"
#include "cli/common/load.h"
#include "cli/common/output.h"
#include "cli/common/say.h"
#include "cli/common/stats.h"
#include "cli/planning/picture.h"
#include "cli/planning/robust.h"
#include "cli/planning/summary.h"
#include "cli/planning/trace.h"
#include "emit/emit.h"
#include "planner/model/plan.h"
#include <bigrocks/network.h>

static struct br_plan_options search_options(const struct cli_settings *settings,
                                             const struct br_stop *stop,
                                             struct cli_progress *progress, struct cli_trace *trace)
{
    struct br_plan_options options = cli_plan_options(&settings->search);
    options.stop = stop;
    options.progress = progress->shown ? cli_progress_plan : NULL;
    options.progress_context = progress;
    options.found = trace->say || trace->file ? cli_trace_found : NULL;
    options.found_context = trace;
    if (settings->bound.lp_time_ns > 0)
        options.source_limit_ns = settings->bound.lp_time_ns;
    else if (settings->search.time_limit_ns > 0)
        options.source_limit_ns = settings->search.time_limit_ns; /* begun and ended together */
    return options;
}

/* Why the linear program is not asked, whatever the search finds; NULL where it is. */
static const char *refusal(const struct cli_settings *settings, const struct br_input *input)
{
    if (settings->bound.lp < 0)
        return "not asked for (--no-lp)";
    if (settings->bound.lp_time_ns == 0)
        return "not asked for (no time for it)";
    if (settings->bound.lp == 0 && br_dag_task_count(input->dag) > CLI_LP_TASKS)
        return "skipped (a large job; --lp asks for it)";
    return NULL;
}

/* Plans on an open output. */
static enum br_status plan_into(const struct cli_settings *settings, const struct br_input *input,
                                const char *format, FILE *out, struct br_plan **plan,
                                struct cli_trace *trace, struct br_diag *diag)
{
    struct cli_progress progress;
    const struct br_stop *stop = cli_interrupt_catch();
    cli_progress_begin(&progress, settings->output.quiet);
    trace->progress = &progress;
    const struct br_bound_source program = br_bound_program(NULL);
    struct br_plan_options options = search_options(settings, stop, &progress, trace);
    if (!refusal(settings, input))
        options.source = &program;
    enum br_status status = br_plan_make(input->dag, input->cluster, &options, plan, diag);
    if (!status && settings->search.network)
        status = br_plan_network(*plan, input->dag, input->cluster, &options, diag);
    cli_progress_end(&progress);
    trace->progress = NULL; /* nothing is found any more */
    cli_interrupt_release();
    if (status)
        return status;
    if (cli_interrupted())
        cli_say("interrupted; this is the best plan found so far");
    struct br_emit_note note = {""};
    struct br_emit_input emit = {
        .dag = input->dag, .cluster = input->cluster, .plan = *plan, .note = &note};
    int64_t began_ns = br_now_ns();
    status = cli_picture(&settings->output, format, &emit, diag);
    if (!status && format)
        status = br_emit_plan(format, &emit, out, diag);
    if (!status && *note.text && !settings->output.quiet)
        cli_say("note: %s", note.text);
    (*plan)->counters.write_ns = (uint64_t)(br_now_ns() - began_ns);
    return status;
}

static int perform(const struct cli_settings *settings, const char *const *argument,
                   uint32_t arguments, struct br_diag *diag)
{
    const char *format = NULL;
    struct br_input input;
    struct br_plan *plan = NULL;
    struct cli_output output;
    struct cli_robust robust = {0};
    struct cli_trace trace = {.say = settings->output.verbose && !settings->output.quiet};
    enum br_status status = BR_OK;
    int64_t began_ns = br_now_ns();
    if (settings->output.format || settings->output.path)
        status = cli_format(&settings->output, br_emit_plan_name, &format, diag);
    if (!status)
        status = cli_picture(&settings->output, format, &(struct br_emit_input){0}, diag);
    if (!status)
        status = cli_load(&settings->job, argument[0], true, &input, diag);
    if (status)
        return status;
    int64_t read_ns = br_now_ns() - began_ns;
    cli_warn(argument[0], input.dag);
    status = cli_robust_read(settings, &input, &robust, diag);
    if (status) {
        cli_robust_finish(&robust);
        br_input_finish(&input);
        return status;
    }
    if (settings->output.verbose)
        cli_say_line(&cli_plan, settings, argument, arguments);
    /* Before the search, so that nobody waits for a plan that cannot be written. */
    status = cli_output_open(&output, settings->output.path, diag);
    if (!status) {
        status = cli_trace_begin(&trace, settings->output.trace_search, diag);
        if (!status)
            status = plan_into(settings, &input, format, output.file, &plan, &trace, diag);
        status = cli_trace_end(&trace, status, diag);
        status = cli_output_close(&output, status, diag);
    }
    if (!status) {
        assert(plan);
        FILE *out = format ? stderr : stdout;
        bool met = plan->lower_bound_ns == plan->makespan_ns && plan->certificate;
        if (!settings->output.quiet)
            cli_print_summary(out, plan, input.dag, input.cluster, settings->search.method,
                              met ? NULL : refusal(settings, &input));
        if (!settings->output.quiet)
            status = cli_robust_print(out, &robust, &input, plan, settings->search.seed,
                                      settings->output.explain, diag);
        if (settings->output.explain)
            cli_print_explanation(out, plan);
        if (settings->output.verbose)
            cli_say("%" PRIu64 " placements", plan->placements);
        plan->counters.read_ns = (uint64_t)read_ns;
        if (settings->output.stats)
            cli_stats_print(stderr, &plan->counters, settings->output.json);
    }
    br_plan_destroy(plan);
    cli_robust_finish(&robust);
    br_input_finish(&input);
    return status;
}

const struct cli_command cli_plan = {
    .name = "plan",
    .bit = CLI_PLAN,
    .least = 1,
    .most = 1,
    .perform = perform,
    .arguments = "JOB",
    .summary = "plan a job and say how good the plan is",
    .text =
        "Reads a job, plans it on the cluster and proves how far the plan can be from the "
        "optimum.\n"
        "Without --format or -o, prints a summary; with one of them, writes the plan to standard\n"
        "output or to FILE, and the summary goes to standard error. Ctrl-C (or SIGTERM, or the "
        "time\n"
        "limit) ends the search, and the best plan so far is the result.\n",
    .examples =
        "bigrocks plan examples/motivating.xml --machines 1 --capacity cpu=1,mem=1 --explain\n"
        "bigrocks plan examples/query.xml --cluster examples/cluster-rack.xml -o plan.json\n"
        "bigrocks plan examples/build.dot --capacity cpu=4,mem=4GiB --method cp --format order\n",
};
