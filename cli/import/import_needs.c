/* The parts common to imports of builds: the machine that goes with the job, and the demands of its
 * commands. */
#include <inttypes.h>
#include <stdio.h>

#include "base/text/text.h"
#include "cli/import/import.h"
#include "cli/import/memory.h"
#include "cli/inputs/load.h"
#include "cli/output/write_job.h"
#include "cli/terminal/say.h"
#include "parsers/reader/durations.h"
#include "planner/model/cluster/cluster.h"

/* A list of resources from an option. A fault on the command line is BR_USAGE, and names this
 * option, however it is spelled. */
static enum br_status read_amounts(const char *option, const char *text,
                                   struct br_cluster **amounts, struct br_diag *diag)
{
    enum br_status status = br_parse_capacity(1, text, amounts, diag);
    if (!status)
        return BR_OK;
    br_diag_file(diag, option);
    return status == BR_BAD_INPUT ? BR_USAGE : status;
}

/* The amounts of the option, or else of the text, and those of "jobs" if it is limited. */
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

enum br_status cli_import_machine(const struct cli_settings *settings, struct br_input *input,
                                  struct br_cluster **demand, struct br_diag *diag)
{
    char machine[CLI_MACHINE_TEXT];
    struct cli_demands demands;
    uint64_t jobs = settings->import.jobs;
    *demand = NULL;
    cli_this_machine(machine);
    *input = (struct br_input){0};
    enum br_status status = cli_demands_read(settings->needs.demand, &demands, diag);
    if (!status)
        status = read_with_jobs("--capacity", settings->job.capacity, machine, jobs,
                                &input->cluster, diag);
    if (!status)
        status = cli_add_shared(&settings->job, input->cluster, diag);
    if (!status)
        status = read_with_jobs("--demand", demands.usual, "cpu=1", jobs ? 1 : 0, demand, diag);
    cli_demands_finish(&demands);
    return status;
}

enum br_status cli_import_name(const struct cli_import_settings *import, struct br_dag *dag,
                               struct br_diag *diag)
{
    if (!import->name)
        return BR_OK;
    if (!*import->name || !br_text_is_plain(import->name))
        return br_fail(diag, BR_USAGE, "give a word such as --name nightly",
                       "--name: a job's name is text without control characters, and not empty");
    return br_dag_set_name(dag, import->name, diag);
}

/* Without a file the history serves only this call. */
static enum br_status import_needs_learn(const struct cli_settings *settings,
                                         struct br_input *input, struct br_diag *diag)
{
    struct br_history *history;
    struct cli_memory_report report;
    struct br_diag other = {0};
    if (!settings->needs.history && !settings->import.measure)
        return BR_OK;
    const char *path = settings->needs.history ? settings->needs.history : ":memory:";
    enum br_status status =
        settings->import.measure
            ? br_history_open(path, br_dag_name(input->dag), &history, diag)
            : cli_open_history(path, input->dag, settings->output.quiet, &history, diag);
    if (status)
        return status;
    if (settings->import.measure)
        status = cli_measure_job(history, input->dag, settings->output.quiet, diag);
    if (!status)
        status = cli_annotate_input(history, input, settings->output.quiet, NULL, diag);
    if (!status)
        status = cli_guess_memory(history, input, &report, diag);
    if (!status && report.guessed && !settings->output.quiet)
        cli_say_memory(&report, input->cluster);
    enum br_status closed = br_history_close(history, status ? &other : diag);
    return status ? status : closed;
}

enum br_status cli_import_write(const struct cli_settings *settings, struct br_input *input,
                                struct br_diag *diag)
{
    struct cli_demands demands;
    enum br_status status = cli_import_name(&settings->import, input->dag, diag);
    if (!status)
        status = import_needs_learn(settings, input, diag);
    const uint32_t told = input->dag->doubts;
    if (!status && settings->job.durations)
        status = br_read_durations(settings->job.durations, false, input->dag, diag);
    for (uint32_t d = told; !status && d < input->dag->doubts; d++)
        cli_say("warning: %s", input->dag->doubt[d]);
    if (!status)
        status = cli_demands_read(settings->needs.demand, &demands, diag);
    if (!status) {
        status = cli_apply_demands(&demands, input, diag);
        cli_demands_finish(&demands);
    }
    return status ? status : cli_write_job(&settings->output, input->dag, input->cluster, diag);
}
