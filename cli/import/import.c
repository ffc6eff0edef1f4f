/* bigrocks import: makes a job of another program's work. */
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "cli/import/import.h"
#include "cli/builders/ninja_ask.h"
#include "cli/inputs/load.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/terminal/say.h"
#include "parsers/builders/snippets.h"
#include "planner/model/cluster/cluster.h"

enum br_status cli_read_ninja(const struct cli_settings *settings,
                              const struct br_ninja_options *options, struct br_input *input,
                              struct br_ninja_report *report, struct br_diag *diag)
{
    struct br_cluster *demand;
    struct br_ninja_options with = *options;
    enum br_status status = cli_import_machine(settings, input, &demand, diag);
    with.demand = demand;
    if (!status)
        status = br_parse_ninja(&with, input, report, diag);
    br_cluster_destroy(demand);
    return status; /* the caller finishes the input */
}

/* measured: all durations are measured after this. */
static void import_say_report(const struct br_ninja_report *report, bool measured)
{
    fprintf(stderr, "bigrocks: ");
    cli_print_count(stderr, report->commands, "command", "commands");
    if (measured)
        fputs(" to measure", stderr);
    if (report->logged && !measured)
        fprintf(stderr, ", %" PRIu32 " with the duration of the log", report->logged);
    if (report->of_rule && !measured)
        fprintf(stderr, ", %" PRIu32 " with the median of their rule", report->of_rule);
    if (report->preset && !measured)
        fprintf(stderr, ", %" PRIu32 " with 1 s because nothing is known", report->preset);
    if (report->wide)
        fprintf(stderr, ", %" PRIu32 " on several cores", report->wide);
    fputc('\n', stderr);
}

/* Durations by CMake's instrumentation, if they are asked for. */
static enum br_status import_take_snippets(const struct cli_settings *settings, struct br_dag *dag,
                                           struct br_diag *diag)
{
    struct br_snippets_report report;
    if (!settings->import.instrumentation)
        return BR_OK;
    enum br_status status = br_read_snippets(settings->import.instrumentation, dag, &report, diag);
    if (status || settings->output.quiet)
        return status;
    fprintf(stderr, "bigrocks: ");
    cli_print_count(stderr, report.stages, "command", "commands");
    fprintf(stderr, " with the time of %" PRIu32 " of CMake's snippets", report.used);
    if (report.idle)
        fprintf(stderr, "; %" PRIu32 " more fit no command of the job", report.idle);
    fputc('\n', stderr);
    return BR_OK;
}

static int import_ninja(const struct cli_settings *settings, const char *const *argument,
                        uint32_t arguments, struct br_diag *diag)
{
    struct br_input input = {0};
    struct br_ninja_report report;
    const struct br_ninja_set none = {0};
    struct br_ninja_set dirty = {0};
    const struct cli_import_settings *import = &settings->import;
    const struct br_ninja_options options = {.folder = import->directory ? import->directory : ".",
                                             .file = import->file,
                                             .target = argument,
                                             .targets = arguments,
                                             .only = import->dirty ? &dirty : NULL,
                                             .pending = import->dirty ? &dirty : NULL};
    const struct cli_ninja_question question = {&options, &none, NULL, STDERR_FILENO, true};
    enum br_status status = BR_OK;
    if (import->dirty)
        status = cli_ninja_ask(&question, &dirty, diag);
    if (!status && import->dirty && !dirty.count)
        status = br_fail(diag, BR_NO, NULL, "nothing is out of date");
    if (!status)
        status = cli_read_ninja(settings, &options, &input, &report, diag);
    if (!status && !settings->output.quiet)
        import_say_report(&report, import->measure);
    if (!status)
        status = import_take_snippets(settings, input.dag, diag);
    if (!status)
        status = cli_import_write(settings, &input, diag);
    br_ninja_set_finish(&dirty);
    br_input_finish(&input);
    return status;
}

/* The sources of an import. Each function gets the arguments after the source's name. */
static const struct source {
    struct br_named named;
    cli_perform *import;
} sources[] = {
    {{"ninja", "the build of a folder; 'bigrocks import ninja' makes a job of it"}, import_ninja},
    {{"make", "the same; 'bigrocks import make' makes a job of it"}, cli_import_make},
    {{"queries", "plans of several; 'bigrocks import queries' makes one job of them"},
     cli_import_queries},
    {{"snakemake", "a workflow; 'bigrocks import snakemake' makes a job of it"},
     cli_import_snakemake},
    {{"spark-profile",
      "event logs of a Spark application; 'bigrocks import spark-profile' makes a profile of them"},
     cli_import_spark_profile},
};
static const struct br_names source_rows = {BR_NAMES(sources)};

static void import_list(void)
{
    const struct br_named *row;
    for (uint32_t k = 0; (row = br_named_at(&br_job_formats, k)); k++)
        printf("%-10s %s; read by every sub-command that takes a JOB\n", row->name, row->summary);
    for (uint32_t k = 0; (row = br_named_at(&source_rows, k)); k++)
        printf("%-10s %s\n", row->name, row->summary);
}

static int import_perform(const struct cli_settings *settings, const char *const *argument,
                          uint32_t arguments, struct br_diag *diag)
{
    if (settings->import.list) {
        import_list();
        return BR_OK;
    }
    if (arguments == 0)
        return br_fail(diag, BR_USAGE,
                       "bigrocks import ninja, import make, import snakemake, import queries, "
                       "import spark-profile, or --list",
                       "the command line does not say what to import");
    uint32_t source = br_named_find(&source_rows, argument[0]);
    if (source == BR_NO_ROW)
        return br_fail(
            diag, BR_USAGE,
            "'bigrocks import ninja -C DIR' and 'import make' read builds, 'import snakemake' "
            "workflows, 'import queries' plans of databases",
            "builds of '%.80s' are not known", argument[0]);
    cli_perform *import = sources[source].import;
    /* Queries refuse all that is for builds by themselves. */
    if (import != cli_import_make && import != cli_import_queries &&
        import != cli_import_spark_profile && (settings->import.whole || settings->import.printed))
        return br_fail(diag, BR_USAGE, NULL, "--%s is for make",
                       settings->import.whole ? "whole" : "printed");
    if (import != import_ninja && settings->import.instrumentation)
        return br_fail(diag, BR_USAGE, NULL, "--instrumentation is for ninja");
    if (import != cli_import_queries &&
        (settings->import.parallelism || settings->import.speed_up ||
         !isnan(settings->import.serial)))
        return br_fail(diag, BR_USAGE, NULL,
                       "--parallelism, --serial and --speed-up are for queries");
    return import(settings, argument + 1, arguments - 1, diag);
}

static const struct br_option import_rows[] = {
    OPTION(TEXT, "file", "FILE", import.file,
           "the build's file, as seen from DIR (default: build.ninja, or what make or Snakemake "
           "takes)"),
    OPTION(FLAG, "dirty", NULL, import.dirty,
           "only the commands whose outputs are out of date, as ninja, make or Snakemake sees it"),
    OPTION(FLAG, "whole", NULL, import.whole,
           "make: a recipe that calls make is one task, which runs that make"),
    OPTION(TEXT, "printed", "FILE", import.printed,
           "make: read the output of 'make -n -p -w --trace --debug=basic', instead of running it"),
    OPTION(
        TEXT, "instrumentation", "FOLDER", import.instrumentation,
        "ninja: durations by CMake's instrumentation of the build in FOLDER, this one or another "
        "of the same project"),
    OPTION(LIST, "parallelism", "D,...", import.parallelism,
           "queries: let the plan choose the cores of each pipeline, one of these numbers",
           .list = BR_LIST_NUMBER, .low = 1, .high = 100000, .example = "1,2,4,8"),
    OPTION(REAL, "serial", "S", import.serial,
           "of --parallelism: the part of a pipeline's work that one core does (default: 0)",
           .high = 1, .example = "0.1"),
    OPTION(LIST, "speed-up", "D:T,...", import.speed_up,
           "the same part, fitted to a query that took T seconds on D cores", .list = BR_LIST_PAIR,
           .low = 1e-9, .high = 1e9, .example = "1:12.4,4:3.9"),
    OPTION(FLAG, "measure", NULL, import.measure,
           "run every command now, one after another, to measure its duration and its needs"),
    OPTION(FLAG, "list", NULL, import.list, "list the sources of jobs, a line each"),
    OPTIONS_END};

static void import_set_defaults(struct cli_settings *settings)
{
    settings->import.failures = 1;
    settings->import.serial = NAN;
}

const struct cli_command cli_import = {
    .name = "import",
    .bit = CLI_IMPORT,
    .options = import_rows,
    .set_defaults = import_set_defaults,
    .least = 0,
    .most = UINT32_MAX,
    .perform = import_perform,
    .words = "ninja make snakemake queries spark-profile",
    .arguments = "ninja|make|snakemake|queries|spark-profile [TARGET|FILE...]",
    .summary = "make a job of a build, of a workflow, of queries or of event logs",
    .text = "ninja: reads build.ninja and .ninja_log of a configured build as a job: a task per\n"
            "command that the targets (default: those that ninja builds by default) need, with\n"
            "the time that it took last. The commands do what ninja does for them, so that\n"
            "'bigrocks run' can build from nothing.\n"
            "make: lets make say what it would do for the targets (and NAME=VALUE), and makes a\n"
            "job of it: a task per recipe, also of the makes that recipes call.\n"
            "snakemake: lets Snakemake (9 or later) say by a dry run which jobs the targets\n"
            "need; options of Snakemake's go behind --. A task per job, with its threads, its\n"
            "resources and the time that it took last.\n"
            "queries: makes one job of the plans in the files, as PostgreSQL's EXPLAIN and\n"
            "DuckDB's profiles write them. The costs of queries that never ran give their\n"
            "durations, by the queries that did run, in the files or in --history, which keeps\n"
            "them. --parallelism makes a choice of each pipeline's cores.\n"
            "spark-profile: makes a profile, from which 'bigrocks train' learns, of event logs of\n"
            "one Spark application that ran on one or several numbers of executors.\n"
            "The cluster that goes along is --capacity, by default this machine's processors and\n"
            "memory, with the pools of ninja's build. 'bigrocks render' writes a plan of a build\n"
            "as a file for ninja or make. See docs/build.md and docs/workflows.md.\n",
    .examples =
        "bigrocks import ninja -C examples/ninja -o job.xml\n"
        "bigrocks import ninja -C examples/ninja app --capacity cpu=2,mem=1GiB --demand "
        "cpu=1,mem=200MiB\n"
        "bigrocks import make -C examples/make -o job.xml\n"
        "bigrocks import snakemake -C examples/snakemake --capacity cpu=4,mem=8GiB -o job.xml\n"
        "bigrocks import queries examples/query.explain.txt examples/query.explain.xml "
        "--capacity cpu=4,mem=1GiB\n"
        "bigrocks import spark-profile examples/star-join.log -o star-join.txt\n"
        "bigrocks import --list\n",
};
