#include "cli/running/report/console.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "planner/model/dag.h"

static const char resource[] = "pool.console"; /* as builds of ninja are read */

static bool demands_console(const struct br_dag *dag, uint32_t task)
{
    const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, task)];
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++)
        if (strcmp(dag->resource[dag->demand[d].resource].name, resource) == 0)
            return true;
    return false;
}

void cli_console_started(struct cli_console *console, const struct br_run_job *job, uint32_t task,
                         int output)
{
    /* One at a time: several jobs have a console each, and the first keeps it. */
    if (!console->job && demands_console(job->dag, task))
        *console = (struct cli_console){.job = job, .task = task, .output = output};
}

void cli_console_show(struct cli_console *console, struct cli_progress *moving)
{
    char block[1 << 14];
    ssize_t size;
    if (!console->job)
        return;
    while ((size = pread(console->output, block, sizeof block, (off_t)console->shown)) > 0) {
        cli_progress_end(moving);
        fwrite(block, 1, (size_t)size, stdout);
        console->shown += size;
        console->last = block[size - 1];
    }
    fflush(stdout);
}

bool cli_console_ended(struct cli_console *console, const struct br_task_end *end,
                       struct cli_progress *moving)
{
    if (!console->job || console->job != end->job || console->task != end->task)
        return false;
    cli_console_show(console, moving);
    if (console->shown && console->last != '\n')
        putchar('\n');
    *console = (struct cli_console){0};
    return true;
}
