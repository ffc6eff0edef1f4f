/* Measuring a job's commands where there is no history yet. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/child.h"
#include "cli/jobs/jobs.h"
#include "planner/model/dag.h"
#include "runtime/drivers/local/process.h"

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
        /* An interruption loses at most the last 16 stages. */
        if (!status && k % 16 == 15)
            status = br_history_flush(history, diag);
    }
    br_guard_end(&guard);
    struct br_diag other;
    enum br_status written = br_history_flush(history, status ? &other : diag);
    return status ? status : written;
}
