/* bigrocks import: a job of what another program would run. */
#include <inttypes.h>
#include <string.h>

#include "cli/common/commands.h"
#include "cli/common/load.h"
#include "cli/common/say.h"
#include "cli/jobs/jobs.h"
#include "cli/jobs/ninja_ask.h"
#include "planner/model/cluster.h"

/* A list of resources that an option holds. What stands on the command line is a matter of usage,
 * and the faults are in this option, whatever it is called. */
static enum br_status read_amounts(const char *option, const char *text,
                                   struct br_cluster **amounts, struct br_diag *diag)
{
    enum br_status status = br_parse_capacity(1, text, amounts, diag);
    if (!status)
        return BR_OK;
    br_diag_file(diag, option);
    return status == BR_BAD_INPUT ? BR_USAGE : status;
}

/* The amounts of the option, or else of the text, and of "jobs" where it is limited. */
static enum br_status read_with_jobs(const char *option, const char *given, const char *otherwise,
                                     uint64_t jobs, struct br_cluster **amounts,
                                     struct br_diag *diag)
{
    char count[32];
    enum br_status status = read_amounts(option, given ? given : otherwise, amounts, diag);
    if (status || !jobs)
        return status;
    snprintf(count, sizeof count, "%" PRIu64, jobs);
    return br_cluster_add_capacity(*amounts, 0, "jobs", count, diag);
}

enum br_status cli_read_ninja(const struct cli_settings *settings,
                              const struct br_ninja_options *options, struct br_input *input,
                              struct br_ninja_report *report, struct br_diag *diag)
{
    char machine[CLI_MACHINE_TEXT];
    struct br_cluster *demand = NULL;
    struct br_ninja_options with = *options;
    uint64_t jobs = settings->import.jobs;
    cli_this_machine(machine);
    *input = (struct br_input){0};
    enum br_status status =
        read_with_jobs("--capacity", settings->job.capacity, machine, jobs, &input->cluster, diag);
    if (!status)
        status = read_with_jobs("--demand", settings->needs.demand, "cpu=1", jobs ? 1 : 0, &demand,
                                diag);
    with.demand = demand;
    if (!status)
        status = br_parse_ninja(&with, input, report, diag);
    br_cluster_destroy(demand);
    return status; /* the caller finishes the input */
}

static void say_report(const struct br_ninja_report *report)
{
    fprintf(stderr, "bigrocks: ");
    cli_print_count(stderr, report->commands, "command", "commands");
    if (report->logged)
        fprintf(stderr, ", %" PRIu32 " with the duration of the log", report->logged);
    if (report->of_rule)
        fprintf(stderr, ", %" PRIu32 " with the median of their rule", report->of_rule);
    if (report->preset)
        fprintf(stderr, ", %" PRIu32 " with 1 s because nothing is known", report->preset);
    fputc('\n', stderr);
}

/* Measures the commands, where asked for, and takes from the history what it knows. Without a file
 * it only serves for this once. */
static enum br_status learn(const struct cli_settings *settings, struct br_input *input,
                            struct br_diag *diag)
{
    struct br_history *history;
    struct br_diag other = {0};
    if (!settings->needs.history && !settings->import.measure)
        return BR_OK;
    enum br_status status = br_history_open(
        settings->needs.history ? settings->needs.history : ":memory:", br_dag_name(input->dag),
        &history, diag);
    if (status)
        return status;
    if (settings->import.measure)
        status = cli_measure_job(history, input->dag, settings->output.quiet, diag);
    if (!status)
        status = cli_annotate_input(history, input, settings->output.quiet, diag);
    enum br_status closed = br_history_close(history, status ? &other : diag);
    return status ? status : closed;
}

static enum br_status import_ninja(const struct cli_settings *settings, const char *const *argument,
                                   uint32_t arguments, struct br_diag *diag)
{
    struct br_input input = {0};
    struct br_ninja_report report;
    struct br_ninja_commands dirty = {0};
    const struct cli_import_settings *import = &settings->import;
    const struct br_ninja_options options = {.folder = import->directory ? import->directory : ".",
                                             .file = import->file,
                                             .target = argument,
                                             .targets = arguments,
                                             .only = import->dirty ? &dirty : NULL};
    enum br_status status = BR_OK;
    if (import->dirty)
        status = cli_ninja_ask(options.folder, import->file, argument, arguments, &dirty, diag);
    if (!status && import->dirty && !dirty.count)
        status = br_fail(diag, BR_NO, NULL, "nothing is out of date");
    if (!status)
        status = cli_read_ninja(settings, &options, &input, &report, diag);
    if (!status && !settings->output.quiet)
        say_report(&report);
    if (!status)
        status = learn(settings, &input, diag);
    if (!status)
        status = cli_write_job(&settings->output, input.dag, input.cluster, diag);
    br_ninja_commands_finish(&dirty);
    br_input_finish(&input);
    return status;
}

static int perform(const struct cli_settings *settings, const char *const *argument,
                   uint32_t arguments, struct br_diag *diag)
{
    if (settings->import.list) {
        const char *name;
        for (uint32_t k = 0; (name = br_parser_name(k)); k++)
            printf("%-10s %s; read by every sub-command that takes a JOB\n", name,
                   br_parser_summary(k));
        printf("%-10s the build of a folder; 'bigrocks import ninja' makes a job of it\n", "ninja");
        return BR_OK;
    }
    if (arguments == 0)
        return br_fail(diag, BR_USAGE, "bigrocks import ninja, or --list",
                       "it is not said what to import");
    if (strcmp(argument[0], "ninja") != 0)
        return br_fail(diag, BR_USAGE, "'bigrocks import ninja -C DIR' reads a build of ninja",
                       "builds of '%.80s' are not known", argument[0]);
    return import_ninja(settings, argument + 1, arguments - 1, diag);
}

const struct cli_command cli_import = {
    .name = "import",
    .bit = CLI_IMPORT,
    .least = 0,
    .most = UINT32_MAX,
    .perform = perform,
    .arguments = "ninja [TARGET...]",
    .summary = "make a job of a build",
    .text =
        "Reads build.ninja and .ninja_log of a configured build as a job: a task per command that\n"
        "the targets (default: those that ninja builds by default) need, with the time that it "
        "took\n"
        "last. The commands do what ninja does for them, so that 'bigrocks run' can build from\n"
        "nothing. The cluster that goes along is --capacity, by default this machine's processors\n"
        "and memory, with the pools of the build. 'bigrocks render' writes a plan of such a job "
        "as\n"
        "what ninja reads. See docs/build.md.\n",
    .examples = "bigrocks import ninja -C examples/ninja -o job.xml\n"
                "bigrocks import ninja -C examples/ninja app --capacity cpu=2,mem=1GiB --demand "
                "cpu=1,mem=200MiB\n"
                "bigrocks import --list\n",
};
