/* bigrocks deadline: tables of a job's remaining time. */
#include <inttypes.h>

#include <math.h>

#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/output/output.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/say.h"
#include "cluster/deadline/command/beside.h"
#include "cluster/deadline/command/deadline_job.h"
#include "cluster/deadline/report/table.h"
#include "runtime/deadline/progress.h"
#include "runtime/deadline/trials/trial.h"

enum { TRIALS = 1000 };

/* The form that -f gives, or the ending of -o FILE; NULL if neither gives one. */
static const char *cli_deadline_format_of(const struct cli_output_settings *output)
{
    if (output->format)
        return output->format;
    return output->path ? cli_format_of(output->path, &br_table_formats) : NULL;
}

/* Writes the table in a form or, if NULL, as it is. */
static enum br_status cli_deadline_write_table(const struct cli_output_settings *settings,
                                               const char *format,
                                               const struct br_deadline_table *table,
                                               struct br_diag *diag)
{
    struct cli_output output;
    enum br_status status = cli_output_open_format(&output, settings, format, diag);
    if (status)
        return status;
    status = format ? br_emit_table(format, table, output.file, diag)
                    : br_table_write(table, output.file, diag);
    return cli_output_close(&output, status, diag);
}

static enum br_status cli_deadline_show(const struct cli_settings *settings, struct br_diag *diag)
{
    const char *format = cli_deadline_format_of(&settings->output);
    struct br_deadline_table table;
    enum br_status status = br_table_open(settings->deadline.show, &table, diag);
    if (!status)
        status =
            cli_deadline_write_table(&settings->output, format ? format : "text", &table, diag);
    br_table_close(&table);
    return status;
}

static enum br_status cli_deadline_make(const struct cli_settings *settings, const char *path,
                                        struct br_diag *diag)
{
    const char *format = cli_deadline_format_of(&settings->output);
    struct cli_deadline_job job;
    struct br_made_table made = {0};
    enum br_status status =
        cli_deadline_job_load(settings, path, NULL, cli_interrupt_catch(), &job, diag);
    if (!status)
        status = br_deadline_make(&job.request, &made, diag);
    cli_interrupt_release();
    if (!format && !settings->output.path)
        format = "text";
    if (!status)
        status = cli_deadline_write_table(&settings->output, format, &made.table, diag);
    if (!status && !format && !settings->output.quiet)
        cli_say("%" PRIu32 " allocations, %" PRIu32 " runs for each%s; see 'bigrocks deadline "
                "--show'",
                made.table.allocations, made.table.runs,
                made.table.layers > 1 ? ", in the plain and in the planned order" : "");
    br_deadline_release(&made);
    cli_deadline_job_finish(&job);
    return status;
}

static enum br_status write_trials(const struct cli_settings *settings,
                                   const struct br_deadline_table *table,
                                   const struct br_trials *trials, struct br_diag *diag)
{
    const char *format = cli_deadline_format_of(&settings->output);
    struct cli_output output;
    enum br_status status = cli_output_open_format(&output, &settings->output, format, diag);
    if (status)
        return status;
    status = br_emit_trials(format ? format : "text", table, trials, output.file, diag);
    return cli_output_close(&output, status, diag);
}

static enum br_status cli_deadline_hold(const struct cli_settings *settings, const char *path,
                                        struct br_diag *diag)
{
    const struct cli_deadline_settings *own = &settings->deadline;
    struct cli_deadline_job job = {0};
    struct br_trials trials = {0};
    struct br_deadline_table table;
    enum br_status status = br_table_open(own->check, &table, diag);
    if (!status)
        status = cli_deadline_job_load(settings, path, &table, cli_interrupt_catch(), &job, diag);
    if (!status)
        status = br_trials_make(&job.request, &table, own->runs ? (uint32_t)own->runs : TRIALS,
                                own->period_ns, &trials, diag);
    cli_interrupt_release();
    if (!status)
        status = write_trials(settings, &table, &trials, diag);
    br_trials_finish(&trials);
    br_table_close(&table);
    cli_deadline_job_finish(&job);
    return status;
}

static int cli_deadline_perform(const struct cli_settings *settings, const char *const *argument,
                                uint32_t arguments, struct br_diag *diag)
{
    const struct cli_deadline_settings *own = &settings->deadline;
    if (settings->control.beside && (own->show || own->check || arguments != 1))
        return br_fail(diag, BR_USAGE, "give one table, that of the job that asks",
                       "--beside is about the job of one table");
    if (settings->control.utility && !settings->control.beside)
        return br_fail(diag, BR_USAGE, "add --beside, or leave it out",
                       "--utility is about the job that asks whether it fits");
    if (settings->control.beside)
        return cli_beside(settings, argument[0], diag);
    if (own->show && (own->check || arguments))
        return br_fail(diag, BR_USAGE, "give the table alone", "--show makes and checks nothing");
    if (own->show)
        return cli_deadline_show(settings, diag);
    if (arguments == 0)
        return br_fail(diag, BR_USAGE, "name its file, or - for standard input",
                       "too few arguments: a job");
    if (own->check)
        return cli_deadline_hold(settings, argument[0], diag);
    return cli_deadline_make(settings, argument[0], diag);
}

static const struct br_option deadline_rows[] = {
    OPTION(COUNT, "tokens", "N", deadline.tokens,
           "allocations are tokens, tasks at once: from 1 to N (default: without a cluster 100, "
           "else percents of the cluster)",
           .least = 1, .most = 1000000),
    OPTION(CHOICE, "indicator", "I", deadline.indicator, "the measure of progress in the table",
           .rows = &br_indicators),
    OPTION(COUNT, "runs", "N", deadline.runs,
           "simulate N runs of the job for each allocation (default: 60 to 1,000, as its size "
           "allows; with --check 1,000)",
           .least = 1, .most = 1000000),
    OPTION(COUNT, "seed", "N", deadline.seed, "seed of the runs (default: 1)", .most = UINT64_MAX),
    OPTION(REAL, "failures", "X", deadline.failures,
           "share of the attempts at tasks that fail and run again (default: by stage, as the "
           "history has them, else 0)",
           .high = 1, .example = "0.01"),
    OPTION(REAL, "losses", "X", deadline.losses,
           "share of the failures of tasks with parents that come of a lost output, which is made "
           "again first (default: 0)",
           .high = 1, .example = "0.1"),
    OPTION(PAIR, "stragglers", "X:F", deadline.stragglers,
           "share of the attempts that take F times as long (default: 0, F 3)", .high = 1e6,
           .example = "0.05:3"),
    OPTION(PAIR, "latency", "S:P", deadline.latency,
           "seconds for which every attempt holds its token before it begins, and their spread "
           "(default: 0)",
           .high = 1e6, .example = "2:0.5"),
    OPTION(COUNT, "learned", "N", deadline.learned,
           "know durations only from N simulated runs, as if those had been measured (default: "
           "as declared)",
           .most = 1000),
    OPTION(FLAG, "no-plan", NULL, deadline.no_plan,
           "make no plan, and forecast only the order in which tasks become ready"),
    OPTION(TEXT, "show", "TABLE", deadline.show, "make nothing: show this table"),
    OPTION(LIST, "beside", "T=S[@P],...", control.beside,
           "make nothing: does the job of the table given fit beside those of tables T, which are "
           "to end within S seconds and have progress P (default: 0)?",
           .list = BR_LIST_WORD, .example = "a.table=2700"),
    OPTION(LIST, "utility", "S:U,...", control.utility,
           "with --beside, instead of --deadline: the value U of the job if it ends S seconds from "
           "now, never rising",
           .list = BR_LIST_PAIR, .low = -1e15, .high = 1e15, .example = "0:1,2700:1,3300:-1"),
    OPTION(REAL, "deadline", "S", control.within_s,
           "with --beside: seconds within which the job is to end (default: ask for the earliest)",
           .high = 1e15, .above = true, .example = "2700"),
    OPTION(REAL, "slack", "X", control.slack,
           "with --beside: factor on forecasts of the time left (default: 1.2)", .low = 1,
           .high = 100, .example = "1.2"),
    OPTION(REAL, "dead-zone", "S", control.dead_zone,
           "with --beside: seconds by which deadlines are moved ahead (default: 180)", .high = 1e9,
           .example = "180"),
    OPTION(REAL, "on-time", "P", control.on_time,
           "with --beside: the probability with which deadlines are to be met (default: 0.95)",
           .high = 1, .example = "0.95"),
    OPTION(TEXT, "check", "TABLE", deadline.check,
           "compare the forecasts of this table with further runs of the job"),
    OPTION(SECONDS, "period", "S", deadline.period_ns,
           "with --check: look at the forecast every S seconds (default: 60)"),
    OPTION(NAME, "format", "F", output.format,
           "with --show and --check: write in this format (default: by the ending of -o FILE, else "
           "text)",
           .letter = 'f', .rows = &br_table_formats),
    OPTIONS_END};

static void deadline_set_defaults(struct cli_settings *settings)
{
    settings->deadline.indicator = BR_TOTALWORK_Q;
    settings->deadline.seed = 1;
    settings->deadline.period_ns = INT64_C(60000000000);
}

const struct cli_command cli_deadline = {
    .name = "deadline",
    .bit = CLI_DEADLINE,
    .options = deadline_rows,
    .set_defaults = deadline_set_defaults,
    .least = 0,
    .most = 1,
    .perform = cli_deadline_perform,
    .arguments = "JOB | --show TABLE | JOB --check TABLE",
    .summary = "forecast how long a job still takes, at every progress and allocation",
    .text = "Simulates the stages of a job many times at every allocation, and writes the\n"
            "distribution of the time left at every progress to a table, by which a run can be\n"
            "kept to a deadline. Allocations are tokens (tasks at once), or percents of the\n"
            "cluster. Durations are as declared (duration, spread), or as a history has measured\n"
            "them. Without -o FILE it says how long a run takes; -o FILE writes the table, or a\n"
            "picture of it to FILE.svg.\n",
    .examples =
        "bigrocks generate --like jockey-a -o g.xml\n"
        "bigrocks deadline g.xml --tokens 100 -o g.table\n"
        "bigrocks deadline --show g.table --format svg -o g.svg\n"
        "bigrocks deadline g.xml --check g.table\n"
        "bigrocks deadline g.table --beside a.table=2400,b.table=3000@0.4 --deadline 3600\n",
};
