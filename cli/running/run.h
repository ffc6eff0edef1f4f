/* Runs jobs as processes, for the sub-commands that make their jobs themselves. */
#ifndef BR_CLI_RUNNING_RUN_H
#define BR_CLI_RUNNING_RUN_H

#include "cli/running/jobs/jobs.h"
#include "cli/running/report/report.h"

/* Runs the jobs as processes on this machine. `mark` and `guard` are those of br_mark_make and
 * br_guard_start; `part` may be NULL. BR_NO if a task has failed or the run was stopped. */
enum br_status cli_run_here(const struct cli_settings *settings, struct cli_run_jobs *jobs,
                            const struct cli_run_part *part, const char *mark, pid_t guard,
                            struct br_counters *counters, bool *unread, struct br_diag *diag);

#endif
