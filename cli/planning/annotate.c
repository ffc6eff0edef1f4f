/* bigrocks annotate: a job with what its history knows; and measuring a job's commands where there
 * is no history yet. */
#include "cli/planning/annotate.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/running/child.h"
#include "emit/emit.h"
#include "runtime/drivers/local/process.h"

enum br_status cli_annotate_input(struct br_history *history, struct br_input *input, bool quiet,
                                  struct br_diag *diag)
{
    struct br_dag *made;
    struct br_annotate_report report;
    enum br_status status =
        br_history_annotate(history, input->dag, input->cluster, &made, &report, diag);
    if (status)
        return status;
    br_dag_destroy(input->dag);
    input->dag = made;
    if (!quiet)
        cli_say("%" PRIu32 " of %" PRIu32 " stages as the history has them", report.known,
                report.stages);
    return BR_OK;
}

/* Runs the one task of the stage, and keeps what it used. */
static enum br_status measure_stage(struct br_history *history, const struct br_stage *stage,
                                    struct br_diag *diag)
{
    char shell[] = "/bin/sh", option[] = "-c", path[BR_SCRIPT_PATH];
    char *argument[] = {shell, option, (char *)stage->command, NULL};
    struct cli_usage usage;
    int script = -1, error = 0;
    if (strlen(stage->command) >= BR_ARGUMENT_MOST) {
        script = br_script_open(stage->command, path);
        error = script < 0 ? errno : 0;
        argument[1] = path;
        argument[2] = NULL;
    }
    if (!error)
        error = cli_child_run(argument, true, &usage);
    if (script >= 0)
        close(script);
    if (error)
        return br_fail(diag, BR_SYSTEM, NULL, "the command of '%.200s' cannot be started: %s",
                       stage->id, strerror(error));
    if (usage.status)
        return br_fail(diag, BR_NO, "mend it, then measure again",
                       "the command of '%.200s' failed with exit status %d", stage->id,
                       cli_child_exit(usage.status));
    struct br_history_sample sample = {.stage = stage->id,
                                       .wall_ns = usage.wall_ns,
                                       .cpu_ns = usage.cpu_ns,
                                       .mem_bytes = usage.mem_bytes};
    return br_history_add(history, &sample, diag);
}

enum br_status cli_measure_job(struct br_history *history, const struct br_dag *dag,
                               struct br_diag *diag)
{
    enum br_status status = BR_OK;
    struct br_guard guard = cli_guard_children(NULL, NULL);
    for (uint32_t k = 0; k < dag->stages && !status; k++) {
        status = measure_stage(history, &dag->stage[dag->topological[k]], diag);
        /* What was measured so far is kept if this is interrupted. */
        if (!status && k % 16 == 15)
            status = br_history_flush(history, diag);
    }
    br_guard_end(&guard);
    struct br_diag other;
    enum br_status written = br_history_flush(history, status ? &other : diag);
    return status ? status : written;
}

enum br_status cli_write_job(const struct cli_settings *settings, const struct br_input *input,
                             struct br_diag *diag)
{
    const char *format = settings->format;
    struct cli_output output;
    struct br_emit_input emit = {.dag = input->dag, .cluster = input->cluster};
    if (!format && settings->output)
        format = cli_format_of(settings->output, br_emit_job_name);
    enum br_status status = cli_output_open(&output, settings->output, diag);
    if (status)
        return status;
    status = br_emit_job(format ? format : "xml", &emit, output.file, diag);
    return cli_output_close(&output, status, diag);
}

enum br_status cli_annotate(const struct cli_settings *settings, const char *const *argument,
                            uint32_t arguments, struct br_diag *diag)
{
    struct br_input input;
    struct br_history *history;
    if (!settings->history)
        return br_fail(diag, BR_USAGE, "add --history FILE", "no history is given");
    enum br_status status = cli_load(settings, argument[0], false, &input, diag);
    if (status)
        return status;
    status = br_history_open(settings->history, br_dag_name(input.dag), &history, diag);
    if (!status) {
        status = cli_annotate_input(history, &input, settings->quiet, diag);
        br_history_close(history, NULL);
    }
    if (!status)
        status = cli_write_job(settings, &input, diag);
    br_input_finish(&input);
    return status;
}
