/* Ninja's pool "console": what such a task writes is shown as it comes. */
#ifndef BR_CLI_RUNNING_REPORT_CONSOLE_H
#define BR_CLI_RUNNING_REPORT_CONSOLE_H

#include "cli/common/progress.h"
#include "runtime/drivers/common/run.h"

/* The task that has the console. Zeroed: none. */
struct cli_console {
    const struct br_run_job *job; /* NULL: none */
    uint32_t task;
    int output;    /* borrowed */
    int64_t shown; /* bytes */
    char last;     /* of them */
};

/* A task has started, whose output comes into this file. */
void cli_console_started(struct cli_console *console, const struct br_run_job *job, uint32_t task,
                         int output);
/* Shows what is new, on standard output; ends the moving line before. */
void cli_console_show(struct cli_console *console, struct cli_progress *moving);
/* A task has ended. If it had the console, the rest of its output is shown: true then. */
bool cli_console_ended(struct cli_console *console, const struct br_task_end *end,
                       struct cli_progress *moving);

#endif
