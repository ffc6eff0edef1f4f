/* Measures a job's commands if there is no history yet. Each measurement is kept as it comes, and
 * so are ninja's records of a command that has run. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/process/clock.h"
#include "base/process/machine.h"
#include "cli/builders/ninja_record.h"
#include "cli/import/import.h"
#include "cli/terminal/child.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/say.h"
#include "planner/model/dag.h"
#include "runtime/drivers/local/process.h"

/* The estimated duration of the command alone on the machine. Its waiting beyond processor time is
 * its own only while a processor was idle: on a machine busy with other work it waited for that. */
static int64_t alone_ns(const struct cli_usage *usage, int64_t idle_ns)
{
    static const int64_t tick_ns = INT64_C(20000000); /* what the idle time may miss */
    const int64_t waited_ns = usage->wall_ns - usage->cpu_ns;
    return usage->cpu_ns < 0 || idle_ns < 0 || waited_ns <= idle_ns + tick_ns
               ? usage->wall_ns
               : usage->cpu_ns + idle_ns + tick_ns;
}

/* Runs the one task of the stage, and keeps its usage. *busy: it waited for other work. */
static enum br_status jobs_measure_stage(struct br_history *history, const struct br_stage *stage,
                                         bool *busy, struct br_diag *diag)
{
    const int64_t idle_before_ns = br_machine_idle_ns();
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
    if (usage.status && cli_interrupted())
        return BR_NO; /* the command got the signal, too */
    if (usage.status)
        return br_fail(diag, BR_NO, "mend it, then measure again",
                       "the command of '%.200s' failed with exit status %d", stage->id,
                       cli_child_exit(usage.status));
    const int64_t idle_ns = idle_before_ns < 0 ? -1 : br_machine_idle_ns() - idle_before_ns;
    const int64_t wall_ns = alone_ns(&usage, idle_ns);
    *busy = wall_ns < usage.wall_ns;
    struct br_history_sample sample = {.stage = stage->id,
                                       .wall_ns = wall_ns,
                                       .cpu_ns = usage.cpu_ns,
                                       .mem_bytes = usage.mem_bytes};
    enum br_status status = br_history_add(history, &sample, diag);
    return status ? status : br_history_flush(history, diag);
}

static enum br_status measure_all(struct br_history *history, const struct br_dag *dag,
                                  struct cli_run_ninja *ninja, struct cli_progress *progress,
                                  uint32_t *measured, uint32_t *busy, struct br_diag *diag)
{
    int64_t began_ns = br_now_ns();
    enum br_status status = BR_OK;
    for (*measured = 0; *measured < dag->stages && !status; ++*measured) {
        const struct br_stage *stage = &dag->stage[dag->topological[*measured]];
        struct br_task_end end = {.task = stage->first_task};
        if (cli_interrupted())
            return BR_NO;
        cli_progress_run(progress, *measured, dag->stages, 1, stage->id);
        end.start_ns = br_now_ns() - began_ns;
        bool disturbed = false;
        status = jobs_measure_stage(history, stage, &disturbed, diag);
        *busy += disturbed;
        end.end_ns = br_now_ns() - began_ns;
        cli_progress_end(progress);
        if (status)
            return status;
        cli_run_ninja_ended(ninja, &end);
    }
    return BR_OK;
}

enum br_status cli_measure_job(struct br_history *history, const struct br_dag *dag, bool quiet,
                               struct br_diag *diag)
{
    struct cli_run_ninja ninja;
    struct cli_progress progress;
    uint32_t measured = 0, busy = 0;
    struct br_guard guard = cli_guard_children(NULL, NULL, NULL);
    cli_interrupt_catch();
    cli_progress_begin(&progress, quiet);
    cli_run_ninja_open(&ninja, dag);
    enum br_status status = measure_all(history, dag, &ninja, &progress, &measured, &busy, diag);
    cli_progress_end(&progress);
    if (busy && !quiet)
        cli_say(
            "the machine was busy with other work: what %u of %u commands waited for it is left "
            "out",
            busy, measured);
    cli_run_ninja_close(&ninja);
    br_guard_end(&guard);
    cli_interrupt_release();
    if (status == BR_NO && cli_interrupted()) {
        struct br_diag other;
        br_history_close(history, &other);
        cli_say("interrupted; %u of %u commands were measured, and their measurements are kept",
                measured, dag->stages);
        cli_interrupt_die();
    }
    return status;
}
