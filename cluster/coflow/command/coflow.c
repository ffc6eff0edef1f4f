/* bigrocks coflow: a trace of coflows on a fabric under one policy after another. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"
#include "base/process/parallel.h"
#include "cli/inputs/load.h"
#include "cli/options/choices.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/output/output.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/say.h"
#include "cluster/coflow/bounds/best_bound.h"
#include "cluster/coflow/clocks/engine.h"
#include "cluster/coflow/coflow_make.h"
#include "cluster/coflow/read/coflow_trace.h"
#include "cluster/coflow/report/coflows.h"
#include "cluster/workload/command/workloads.h"

static const struct br_named clocks[] = {
    [BR_CLOCK_EXACT] =
        {"exact", "fluid, without ticks; capacity that a flow leaves free is given on at once"},
    [BR_CLOCK_EPOCHS] = {"epochs",
                         "as the published simulator: ticks of 8 ms, epochs of 10.24 s that admit"},
};
static const struct br_names clock_rows = {BR_NAMES(clocks)};

enum { POLICIES_MOST = 1000, FAILURES_MOST = 1000 };

struct study {
    const struct br_coflows *trace;
    uint32_t policies;
    char **name;
    struct br_coflow_setup *setup;
    struct br_coflow_options options; /* all but the policy */
    struct br_coflow_failure failure[FAILURES_MOST];
    struct br_coflow_outcome *outcome;
    struct br_coflow_result *result;
    double bound_s;
    pthread_mutex_t lock; /* guards what follows */
    struct cli_progress progress;
    uint32_t done;
    enum br_status status;
    struct br_diag diag;
};

/* ---- Runs ---- */

static bool coflow_run_one(void *context, uint32_t worker, uint32_t k)
{
    struct study *study = context;
    struct br_coflow_options options = study->options;
    struct br_diag diag = {0};
    (void)worker;
    options.policy = study->setup[k];
    if (br_stopped(options.stop))
        return false;
    enum br_status status = br_coflow_simulate(study->trace, &options, &study->outcome[k], &diag);
    if (!status)
        status = br_coflow_figures_make(study->trace, &study->outcome[k], options.port_rate,
                                        &study->result[k].figures, &diag);
    pthread_mutex_lock(&study->lock);
    if (status && !study->status) {
        study->status = status;
        study->diag = diag;
    }
    study->done++;
    cli_progress_jobs(&study->progress, study->done, study->policies, 0);
    pthread_mutex_unlock(&study->lock);
    return !status;
}

/* Keeps the finished runs, in order. */
static uint32_t coflow_drop_unfinished(struct study *study)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < study->policies; k++)
        if (study->outcome[k].end_ms && !study->outcome[k].cut)
            study->result[kept++] = study->result[k];
    return kept;
}

static enum br_status coflow_run_all(struct study *study, const struct cli_settings *settings,
                                     uint32_t *results, struct br_diag *diag)
{
    uint32_t threads = cli_threads(&settings->search);
    study->options.stop = cli_interrupt_catch();
    study->bound_s = NAN;
    cli_progress_begin(&study->progress, settings->output.quiet);
    enum br_status status = BR_OK;
    char why[BR_COFLOW_WHY] = "";
    if (!settings->simulate.no_bounds)
        status = br_coflow_best_bound(study->trace, &study->options, settings->coflow.bound,
                                      settings->search.time_limit_ns, &study->bound_s, why, diag);
    if (*why)
        cli_say("%s", why);
    for (uint32_t k = 0; k < study->policies; k++)
        study->result[k] = (struct br_coflow_result){.policy = study->name[k],
                                                     .outcome = &study->outcome[k],
                                                     .lower_bound_s = study->bound_s};
    if (!status) {
        br_parallel(threads, study->policies, coflow_run_one, study);
        status = study->status;
        if (status && diag)
            *diag = study->diag;
    }
    cli_progress_end(&study->progress);
    *results = cli_interrupted() ? coflow_drop_unfinished(study) : study->policies;
    if (!status && *results < study->policies)
        cli_say("interrupted with %u of %u policies done", *results, study->policies);
    return status;
}

/* ---- Options ---- */

/* "a,b:thin=3,c" into names and rows. */
static enum br_status coflow_read_policies(const char *list, struct study *study,
                                           struct br_diag *diag)
{
    enum br_status status = BR_OK;
    study->name = calloc(br_list_count(list), sizeof *study->name);
    study->setup = calloc(br_list_count(list), sizeof *study->setup);
    if (!study->name || !study->setup)
        return br_fail_memory(diag);
    struct br_list_entry entry;
    while (!status && br_list_next(BR_LIST_WORD, &list, &entry)) {
        char *name = strndup(entry.name, entry.length);
        if (!name)
            return br_fail_memory(diag);
        study->name[study->policies] = name;
        status = br_coflow_policy_find(name, &study->setup[study->policies++], diag);
    }
    return status;
}

static enum br_status change_trace(const struct cli_settings *settings, struct br_coflows *trace,
                                   struct br_diag *diag)
{
    const struct cli_coflow_settings *coflow = &settings->coflow;
    double time = 1, bytes = 1, skew = 0;
    br_option_take(coflow->scale_time, &time);
    br_option_take(coflow->scale_bytes, &bytes);
    br_option_take(coflow->skew, &skew);
    enum br_status status = br_coflows_filter(trace, coflow->wide, skew, diag);
    if (!status && coflow->uneven)
        br_coflows_mantri(trace, settings->simulate.seed);
    if (!status)
        br_coflows_scale(trace, time, bytes);
    if (!status && coflow->repeat > 1)
        status = br_coflows_repeat(trace, (uint32_t)coflow->repeat, diag);
    return status;
}

static enum br_status read_clock(const struct cli_settings *settings,
                                 struct br_coflow_options *options, struct br_diag *diag)
{
    bool epochs = settings->coflow.clock == BR_CLOCK_EPOCHS;
    options->clock = epochs ? BR_CLOCK_EPOCHS : BR_CLOCK_EXACT;
    options->port_rate = BR_COFLOW_PORT_RATE;
    if (isnan(settings->coflow.port))
        return BR_OK;
    if (epochs)
        return br_fail(diag, BR_USAGE, "leave it out, or add --clock exact",
                       "the clock of epochs has ports of its own speed");
    options->port_rate = settings->coflow.port * 125000;
    return BR_OK;
}

/* Failures of the fabric, and the coordinator. */
static enum br_status read_trouble(const struct cli_settings *settings, struct study *study,
                                   struct br_diag *diag)
{
    const char *list = settings->coflow.fail;
    struct br_list_entry entry;
    struct br_coflow_options *options = &study->options;
    enum br_status status = BR_OK;
    if ((list || settings->coflow.coordinator) && options->clock == BR_CLOCK_EPOCHS)
        return br_fail(diag, BR_USAGE, "add --clock exact",
                       "the clock of epochs has no coordinator and no failures");
    if (settings->coflow.coordinator)
        status = br_coordinator_read(settings->coflow.coordinator, &options->coordinator, diag);
    options->coordinator.seed = settings->simulate.seed;
    options->failure = study->failure;
    while (!status && list && br_list_next(BR_LIST_WORD, &list, &entry))
        status = br_coflow_failure_read(entry.name, entry.length,
                                        &study->failure[options->failures++], diag);
    return status;
}

static enum br_status check_failures(const struct study *study, const struct br_coflows *trace,
                                     struct br_diag *diag)
{
    for (uint32_t k = 0; k < study->options.failures; k++)
        if (study->failure[k].port != BR_FAILS_COORDINATOR &&
            study->failure[k].port >= trace->ports)
            return br_fail(diag, BR_USAGE, "ports count from 0",
                           "--fail names port %u; the trace has %u", study->failure[k].port,
                           trace->ports);
    return BR_OK;
}

/* The format that -f gives, or the ending of -o FILE, else text. */
static const char *coflow_format_of(const struct cli_output_settings *output)
{
    if (output->format)
        return output->format;
    const char *format = output->path ? cli_format_of(output->path, &br_coflow_formats) : NULL;
    return format ? format : "text";
}

static enum br_status coflow_write_study(const struct cli_settings *settings, struct study *study,
                                         uint32_t results, struct br_diag *diag)
{
    const char *format = coflow_format_of(&settings->output);
    struct cli_output output;
    const struct br_coflow_study written = {.trace = study->trace,
                                            .clock =
                                                br_named_name(&clock_rows, settings->coflow.clock),
                                            .port_rate = study->options.port_rate,
                                            .results = results,
                                            .result = study->result,
                                            .times = settings->batch.times};
    enum br_status status = cli_output_open_format(&output, &settings->output, format, diag);
    if (status)
        return status;
    status = br_emit_coflows(format, &written, output.file, diag);
    return cli_output_close(&output, status, diag);
}

static void coflow_finish(struct study *study)
{
    for (uint32_t k = 0; k < study->policies; k++) {
        if (study->outcome)
            br_coflow_outcome_finish(&study->outcome[k]);
        free(study->name[k]);
    }
    free(study->name);
    free(study->setup);
    free(study->outcome);
    free(study->result);
    pthread_mutex_destroy(&study->lock);
}

static int coflow_perform(const struct cli_settings *settings, const char *const *argument,
                          uint32_t arguments, struct br_diag *diag)
{
    struct study study = {0};
    struct br_coflows *trace = NULL;
    uint32_t results = 0;
    (void)arguments;
    if (pthread_mutex_init(&study.lock, NULL))
        return br_fail_memory(diag);
    enum br_status status = coflow_read_policies(
        settings->coflow.policies ? settings->coflow.policies : "expected", &study, diag);
    if (!status)
        status = read_clock(settings, &study.options, diag);
    if (!status)
        status = read_trouble(settings, &study, diag);
    if (!status)
        status = br_parse_coflows(argument[0], &trace, diag);
    if (!status && trace->joined && !settings->output.quiet)
        cli_say("%s: lines of an id that another line has, each part of that coflow: %" PRIu32,
                argument[0], trace->joined);
    if (!status)
        status = change_trace(settings, trace, diag);
    if (!status)
        status = check_failures(&study, trace, diag);
    if (!status) {
        study.trace = trace;
        study.outcome = calloc((size_t)study.policies + 1, sizeof *study.outcome);
        study.result = calloc((size_t)study.policies + 1, sizeof *study.result);
        status = study.outcome && study.result ? coflow_run_all(&study, settings, &results, diag)
                                               : br_fail_memory(diag);
    }
    if (!status && results)
        status = coflow_write_study(settings, &study, results, diag);
    if (!status && results < study.policies)
        status = BR_NO; /* a script must learn that policies are missing */
    coflow_finish(&study);
    br_coflows_destroy(trace);
    return status;
}

static const struct br_option coflow_rows[] = {
    OPTION(TEXT, "coordinator", "C", coflow.coordinator,
           "decisions by a coordinator that hears and tells late, such as "
           "interval=8:latency=1:loss=0.01:report=10:rate=0.1:update=10 (milliseconds, a part of "
           "the messages, microseconds of work; exact clock; see docs/coflow.md)"),
    OPTION(LIST, "fail", "F,...", coflow.fail,
           "a time without a port, or without the coordinator, in seconds: 3:at=100:for=60, "
           "coordinator:at=100:for=60 (exact clock)",
           .list = BR_LIST_WORD, .most = FAILURES_MOST, .example = "3:at=100:for=60"),
    OPTION(FLAG, "bound", NULL, coflow.bound,
           "also solve the linear program over the order of coflows, by bigrocks-bound, for a "
           "tighter lower bound; up to 150 coflows"),
    OPTION(LIST, "policy", "P,...", coflow.policies,
           "the policies to compare, with or without options, such as "
           "varys,philae:pilots=0.1:thin=3 (default: expected; see docs/coflow.md)",
           .list = BR_LIST_WORD, .most = POLICIES_MOST, .example = "varys,expected",
           .rows = &br_coflow_policies),
    OPTION(CHOICE, "clock", "CLOCK", coflow.clock, "the model of time (default: exact)",
           .rows = &clock_rows),
    OPTION(REAL, "port", "G", coflow.port,
           "speed of a port in Gbit/s, with the exact clock (default: a MiB in 8 ms)", .low = 1e-6,
           .high = 1e6, .example = "10"),
    OPTION(COUNT, "wide", "N", coflow.wide, "keep coflows with more than N flows",
           .most = UINT32_MAX),
    OPTION(REAL, "skew", "K", coflow.skew,
           "keep coflows whose largest flow is more than K times the smallest one", .high = 1e6,
           .example = "10"),
    OPTION(FLAG, "uneven", NULL, coflow.uneven,
           "spread what a reducer receives unevenly over the mappers, by the seed, as in the "
           "traces of Mantri"),
    OPTION(REAL, "scale-time", "F", coflow.scale_time, "multiply arrivals by F", .low = 1e-6,
           .high = 1e6, .example = "0.5"),
    OPTION(REAL, "scale-bytes", "F", coflow.scale_bytes, "multiply the bytes of flows by F",
           .low = 1e-6, .high = 1e6, .example = "0.5"),
    OPTION(COUNT, "repeat", "N", coflow.repeat, "repeat the trace N times, one after another",
           .least = 1, .most = 100000),
    OPTION(NAME, "format", "F", output.format,
           "write the results in this format (default: by the ending of -o FILE, else text)",
           .letter = 'f', .rows = &br_coflow_formats),
    OPTIONS_END};

static void coflow_set_defaults(struct cli_settings *settings)
{
    settings->coflow.clock = BR_CLOCK_EXACT;
    settings->coflow.repeat = 1;
}

const struct cli_command cli_coflow = {
    .name = "coflow",
    .bit = CLI_COFLOW,
    .options = coflow_rows,
    .set_defaults = coflow_set_defaults,
    .least = 1,
    .most = 1,
    .perform = coflow_perform,
    .arguments = "TRACE",
    .summary = "run a trace of coflows on a network fabric, under one policy or several",
    .text = "Simulates a trace of coflows (groups of flows that end with their last one) on a\n"
            "non-blocking fabric under every policy named, and prints completion times beside a\n"
            "lower bound that no policy can beat. The trace is in the form of the coflow\n"
            "benchmark: a line 'PORTS COFLOWS', then 'ID ARRIVAL_MS M PORT... R PORT:MB...' for\n"
            "each coflow. Policies that are not told sizes see what has been sent and what has\n"
            "ended.\n",
    .examples = "bigrocks coflow trace.txt --policy philae,aalo,varys --clock epochs\n"
                "bigrocks coflow trace.txt --policy expected,fair --wide 7 --format json\n"
                "bigrocks coflow trace.txt --policy philae:pilots=0.1 -o r.svg\n",
};
