/* Runs jobs as processes, for the sub-commands that make their jobs themselves. */
#ifndef BR_CLI_RUNNING_RUN_H
#define BR_CLI_RUNNING_RUN_H

#include "cli/running/jobs/jobs.h"
#include "cli/running/report/report.h"

/* A run: the jobs, and what holds for all of them. All borrowed. */
struct cli_running {
    const struct cli_settings *settings;
    struct cli_run_jobs *jobs;
    const struct cli_run_part *part; /* of a build; NULL: the jobs are whole */
    const char *mark;                /* of br_mark_make */
    pid_t guard;                     /* of br_guard_start */
    struct br_counters *counters;
    bool unread; /* set if nobody reads the output any more */
};

/* Runs the jobs as processes on this machine. BR_NO if a task has failed or the run was stopped. */
enum br_status cli_run_here(struct cli_running *run, struct br_diag *diag);

#endif
