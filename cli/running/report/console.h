/* Ninja's pool "console": such a task has this program's own standard streams and its terminal, one
 * task at a time; other messages wait until it has ended. */
#ifndef BR_CLI_RUNNING_REPORT_CONSOLE_H
#define BR_CLI_RUNNING_REPORT_CONSOLE_H

#include "cli/running/report/spool.h"
#include "runtime/drivers/common/run.h"

/* As builds of ninja are read. */
#define CLI_CONSOLE "pool.console"

/* The task that has the console. Zeroed: none. */
struct cli_console {
    const struct br_run_job *job; /* NULL: none */
    uint32_t task;
};

bool cli_console_is_demanded(const struct br_run_job *job, uint32_t task);
/* Gives the task these streams; the spools of the standard streams are lent to it. Earlier output
 * is flushed first. */
void cli_console_give(struct cli_console *console, const struct br_run_job *job, uint32_t task,
                      struct cli_spool *out, struct cli_spool *err, int stream[3]);
/* A task has ended. If it had the console, takes that back and returns true. */
bool cli_console_take_back(struct cli_console *console, const struct br_task_end *end,
                           struct cli_spool *out, struct cli_spool *err);

#endif
