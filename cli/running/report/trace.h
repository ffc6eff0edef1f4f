/* The trace of a run: a line for every attempt. */
#ifndef BR_CLI_RUNNING_REPORT_TRACE_H
#define BR_CLI_RUNNING_REPORT_TRACE_H

#include <stdio.h>

#include "cli/running/report/spool.h"
#include "runtime/drivers/common/run.h"

struct cli_run_trace {
    FILE *file;             /* NULL: there is none */
    struct cli_spool spool; /* of a pipe */
    const char *path;
    bool csv;
    const struct br_cluster *cluster;
};

/* Opens the file, which is CSV if its name ends so, else a JSON object per line. path may be NULL.
 */
enum br_status cli_run_trace_open(struct cli_run_trace *trace, const char *path,
                                  const struct br_cluster *cluster, struct br_diag *diag);
void cli_run_trace_add(struct cli_run_trace *trace, const struct br_task_end *end);
enum br_status cli_run_trace_close(struct cli_run_trace *trace, enum br_status status,
                                   struct br_diag *diag);

/* How the attempt ended, in a word: done, exit, signal, timeout, no-start, stopped, memory or lost.
 */
const char *cli_outcome(enum br_task_outcome outcome);

#endif
