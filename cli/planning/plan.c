/* bigrocks plan: loads, searches, tightens the bound, writes and sums up. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/clock.h"
#include "cli/bounds/lp_bound.h"
#include "cli/inputs/load.h"
#include "cli/options/choices.h"
#include "cli/options/options.h"
#include "cli/output/output.h"
#include "cli/planning/explain_ways.h"
#include "cli/planning/least.h"
#include "cli/planning/picture.h"
#include "cli/planning/robust.h"
#include "cli/planning/summary.h"
#include "cli/planning/trace.h"
#include "cli/planning/writing.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/say.h"
#include "cli/terminal/stats.h"
#include "emit/emit.h"
#include "planner/instance/plan.h"
#include <bigrocks/network.h>
#include <bigrocks/store.h>

/* The time for runs drawn after the plan: a twentieth of the time limit, and only a moment once
 * somebody has asked for the end. */
static int64_t draw_most_ns(const struct cli_settings *settings)
{
    const int64_t limit_ns = settings->search.time_limit_ns, moment_ns = 50000000;
    if (cli_interrupted())
        return moment_ns;
    return limit_ns > 0 ? limit_ns / 20 : limit_ns == 0 ? 0 : INT64_MAX;
}

/* The rest of the time limit for planning: reading has used a part, and writing will. */
static int64_t time_left(const struct br_plan_options *options, int64_t began_ns,
                         const struct br_input *input, const char *format, int64_t drawn_ns)
{
    if (options->time_limit_ns == 0)
        return 0;
    int64_t write_ns = format ? cli_writing_ns(input, format, br_now_ns) : 0;
    int64_t left_ns = options->time_limit_ns - (br_now_ns() - began_ns) - write_ns - drawn_ns;
    return left_ns > 0 ? left_ns : 1;
}

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
    return options;
}

/* Why the linear program is not run, whatever the search finds; NULL if it is. */
static const char *refusal(const struct cli_settings *settings, const struct br_input *input)
{
    if (settings->bound.lp < 0)
        return "not asked for (--no-lp)";
    if (settings->search.bound != BR_NO_ROW && settings->search.bound != CLI_BOUND_FULL)
        return "not asked for (--bound)";
    if (settings->bound.lp_time_ns == 0)
        return "not asked for (no time for it)";
    if (settings->bound.lp == 0 && br_dag_task_count(input->dag) > CLI_LP_TASKS)
        return "skipped (a large job; --lp asks for it)";
    return NULL;
}

/* Reports the store's match and its use. */
static void tell_hit(const char *path, const struct br_store_hit *hit)
{
    char stored[CLI_SECONDS_TEXT], found[CLI_SECONDS_TEXT], fresh[CLI_SECONDS_TEXT];
    cli_seconds(hit->stored_ns, stored);
    cli_seconds(hit->found_ns, found);
    cli_seconds(hit->fresh_ns, fresh);
    if (hit->match == BR_STORE_MISS)
        cli_say("%s: no plan of this job yet; this one is kept", path);
    else if (hit->match == BR_STORE_EXACT && hit->fresh_ns == 0)
        cli_say("%s: this is the kept plan", path);
    else if (hit->match == BR_STORE_EXACT)
        cli_say("%s: the kept plan of %s s took less effort; searched again: %s s; the shorter one "
                "is kept",
                path, stored, fresh);
    else
        cli_say("%s: a plan of %s s of this job%s%s%s, refitted: %s s; a fresh one%s: %s s; the "
                "shorter one is kept",
                path, stored, hit->same_details ? "" : " with other durations or demands",
                hit->same_details || hit->same_cluster ? "" : " and",
                hit->same_cluster ? "" : " on other machines", found,
                hit->enough ? " by effort fast" : "", fresh);
}

/* Plans by the options, with the store if there is one, or with the least peak of a resource; the
 * cluster has then only so much of it. */
static enum br_status planning_plan_search(const struct cli_settings *settings,
                                           struct br_input *input, struct cli_least *least,
                                           const struct br_plan_options *options,
                                           struct br_plan **plan, struct br_store_hit *hit,
                                           struct br_diag *diag)
{
    struct br_store *store;
    if (least->resource)
        return cli_least_plan(least, input, options, plan, diag);
    if (!settings->search.store)
        return br_plan_make(input->dag, input->cluster, options, plan, diag);
    enum br_status status = br_store_open(settings->search.store, &store, diag);
    if (status)
        return status;
    status = br_store_plan(store, input->dag, input->cluster, options, plan, hit, diag);
    br_store_close(store);
    return status;
}

/* Plans, with the output open. */
static enum br_status plan_into(const struct cli_settings *settings, struct br_input *input,
                                struct cli_least *least, const uint32_t *order, int64_t began_ns,
                                const char *format, FILE *out, struct br_plan **plan,
                                struct cli_trace *trace, struct br_diag *diag)
{
    struct cli_progress progress;
    const struct br_stop *stop = cli_interrupt_catch();
    cli_progress_begin(&progress, settings->output.quiet);
    trace->progress = &progress;
    const struct br_bound_source program = br_bound_program(NULL);
    struct br_plan_options options = search_options(settings, stop, &progress, trace);
    options.time_limit_ns = time_left(&options, began_ns, input, format,
                                      settings->output.explain ? draw_most_ns(settings) : 0);
    options.order = order;
    if (!refusal(settings, input))
        options.source = &program;
    struct br_store_hit hit = {0};
    enum br_status status =
        planning_plan_search(settings, input, least, &options, plan, &hit, diag);
    if (!status && settings->search.network)
        status = br_plan_network(*plan, input->dag, input->cluster, &options, diag);
    cli_progress_end(&progress);
    trace->progress = NULL; /* no further plan is reported */
    cli_interrupt_release();
    if (status)
        return status;
    if (cli_interrupted())
        cli_say("interrupted; this is the best plan found so far");
    if (settings->search.store && !settings->output.quiet)
        tell_hit(settings->search.store, &hit);
    if (settings->output.explain)
        status =
            cli_noise_measure(input, *plan, settings->search.seed, draw_most_ns(settings), diag);
    if (status)
        return status;
    struct br_emit_note note = {""};
    struct br_emit_input emit = {
        .dag = input->dag, .cluster = input->cluster, .plan = *plan, .note = &note};
    int64_t planned_ns = br_now_ns();
    status = cli_picture(&settings->output, format, &emit, diag);
    if (!status && format)
        status = br_emit_plan(format, &emit, out, diag);
    if (!status && *note.text && !settings->output.quiet)
        cli_say("note: %s", note.text);
    (*plan)->counters.write_ns = (uint64_t)(br_now_ns() - planned_ns);
    return status;
}

/* A note on the linear program; NULL: its answer is printed. */
static const char *lp_note(const struct cli_settings *settings, const struct br_input *input,
                           const struct br_plan *plan)
{
    bool met = plan->lower_bound_ns == plan->makespan_ns && plan->certificate;
    if (!plan->source.found && !*plan->source.why)
        return "not asked for (the plan was kept)";
    return met ? NULL : refusal(settings, input);
}

static int planning_plan_perform(const struct cli_settings *settings, const char *const *argument,
                                 uint32_t arguments, struct br_diag *diag)
{
    const char *format = NULL;
    struct br_input input;
    struct br_plan *plan = NULL;
    struct cli_output output;
    uint32_t *order = NULL;
    struct cli_robust robust = {0};
    struct cli_least least = {0};
    struct cli_trace trace = {.say = settings->output.verbose && !settings->output.quiet};
    int64_t began_ns = br_now_ns();
    enum br_status status = cli_check_store(&settings->search, diag);
    if (!status)
        status = cli_least_read(settings, &least, diag);
    if (!status && (settings->output.format || settings->output.path))
        status = cli_format(&settings->output, &br_emit_plans, &format, diag);
    if (!status)
        status = cli_picture(&settings->output, format, &(struct br_emit_input){0}, diag);
    if (!status)
        status = cli_load(&settings->job, argument[0], true, &input, diag);
    if (status)
        return status;
    int64_t read_ns = br_now_ns() - began_ns;
    cli_warn(argument[0], input.dag);
    status = cli_robust_read(settings, &input, &robust, diag);
    if (!status)
        status = cli_load_order(&settings->search, input.dag, NULL, &order, diag);
    if (status) {
        cli_robust_finish(&robust);
        br_input_finish(&input);
        return status;
    }
    if (settings->output.verbose)
        cli_say_line(&cli_plan, settings, argument, arguments);
    /* Opened before the search, so that nobody waits for a plan that cannot be written. */
    status = cli_output_open_format(&output, &settings->output, format, diag);
    if (!status) {
        status = cli_trace_begin(&trace, settings->output.trace_search, diag);
        if (!status)
            status = plan_into(settings, &input, &least, order, began_ns, format, output.file,
                               &plan, &trace, diag);
        status = cli_trace_end(&trace, status, diag);
        status = cli_output_close(&output, status, diag);
    }
    if (!status) {
        assert(plan);
        cli_warn_bound(argument[0], input.dag, input.cluster, br_plan_lower_bound_ns(plan));
        FILE *out = format ? stderr : stdout;
        if (!settings->output.quiet)
            cli_print_summary(out, plan, input.dag, input.cluster,
                              order ? "order" : settings->search.method,
                              lp_note(settings, &input, plan));
        if (!settings->output.quiet)
            cli_least_print(out, &least, input.dag);
        if (!settings->output.quiet)
            status = cli_robust_print(out, &robust, &input, plan, settings->search.seed,
                                      draw_most_ns(settings), settings->output.explain, diag);
        if (settings->output.explain) {
            cli_noise_print(out, plan);
            cli_print_explanation(out, plan);
            status = status ? status : cli_explain_ways(out, plan, input.dag, input.cluster, diag);
        }
        if (settings->output.verbose)
            cli_say("%" PRIu64 " placements", plan->placements);
        plan->counters.read_ns = (uint64_t)read_ns;
        if (settings->output.stats)
            cli_stats_print(stderr, &plan->counters, settings->output.json);
    }
    br_plan_destroy(plan);
    cli_robust_finish(&robust);
    cli_least_finish(&least);
    br_input_finish(&input);
    free(order);
    return status;
}

static const struct br_option plan_rows[] = {
    OPTION(TEXT, "minimize", "storage:R", search.minimize,
           "hold as little as possible of the resource R at any time, however much there is of it; "
           "among such plans a short one",
           .example = "storage:mem"),
    OPTION(REAL, "robust", "Q", needs.robust,
           "plan every task with the duration that it does not exceed with probability Q, such as "
           "0.9, by the history or the job's own spreads",
           .low = 0.001, .high = 0.999, .example = "0.9"),
    OPTION(
        SECONDS, "lp-time", "S", bound.lp_time_ns,
        "seconds for --lp; without it a fixed amount of work, so that equal jobs get equal bounds"),
    OPTION(TEXT, "trace-search", "FILE", output.trace_search,
           "write every better plan that the search finds to FILE (CSV): time, length and method"),
    OPTION(FLAG, "explain", NULL, output.explain, "add how the plan was found, part by part"),
    OPTIONS_END};

const struct cli_command cli_plan = {
    .name = "plan",
    .bit = CLI_PLAN,
    .options = plan_rows,
    .least = 1,
    .most = 1,
    .perform = planning_plan_perform,
    .arguments = "JOB",
    .summary = "plan a job and say how good the plan is",
    .text =
        "Reads a job, plans it on the cluster and proves how far the plan can be from the\n"
        "optimum. Without --format or -o, prints a summary; with one of them, writes the\n"
        "plan to standard output or to FILE, and the summary goes to standard error. Ctrl-C\n"
        "(or SIGTERM, or the time limit) ends the search, and the best plan so far is the\n"
        "result. With --store, a plan of the same job, durations, demands and machines is\n"
        "taken from FILE if as much effort went into it as --effort asks for (of max: as\n"
        "long a --time-limit), or it meets its bound. A plan of the same job with other\n"
        "durations, demands or machines is refitted: its order is kept; a fresh plan is made\n"
        "by effort fast, and the shorter one is kept. With --minimize storage:R, the plan is\n"
        "one for a cluster that has no more of R than the least peak that was found, and so is\n"
        "its lower bound.\n",
    .examples =
        "bigrocks plan examples/motivating.xml --machines 1 --capacity cpu=1,mem=1 --explain\n"
        "bigrocks plan examples/query.xml --cluster examples/cluster-rack.xml -o plan.json\n"
        "bigrocks plan examples/build.dot --capacity cpu=4,mem=4GiB --method cp --format order\n"
        "bigrocks plan examples/joins.xml --capacity cpu=4,mem=2GiB --shared licence=1 --minimize "
        "storage:mem\n",
};
