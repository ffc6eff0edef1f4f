#include "cli/running/report/console.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "planner/model/dag.h"

bool cli_console_is_demanded(const struct br_run_job *job, uint32_t task)
{
    const struct br_dag *dag = job->dag;
    const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, task)];
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++)
        if (strcmp(dag->resource[dag->demand[d].resource].name, CLI_CONSOLE) == 0)
            return true;
    return false;
}

void cli_console_give(struct cli_console *console, const struct br_run_job *job, uint32_t task,
                      struct cli_spool *out, struct cli_spool *err, int stream[3])
{
    *console = (struct cli_console){.job = job, .task = task};
    fflush(stdout);
    stream[0] = fcntl(STDIN_FILENO, F_GETFD) < 0 ? -1 : STDIN_FILENO;
    stream[1] = cli_spool_lend(out);
    stream[2] = err->fd == STDERR_FILENO ? cli_spool_lend(err) : stream[1];
}

bool cli_console_take_back(struct cli_console *console, const struct br_task_end *end,
                           struct cli_spool *out, struct cli_spool *err)
{
    if (!console->job || console->job != end->job || console->task != end->task)
        return false;
    cli_spool_give_back(out);
    cli_spool_give_back(err);
    *console = (struct cli_console){0};
    return true;
}
