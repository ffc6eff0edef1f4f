/* Ninja's records of a run of its commands, so that ninja goes on from its end. */
#ifndef BR_CLI_BUILDERS_NINJA_RECORD_H
#define BR_CLI_BUILDERS_NINJA_RECORD_H

#include "emit/ninja/record.h"
#include "runtime/drivers/local/local.h"

struct cli_run_ninja {
    struct br_ninja_recorder *recorder; /* NULL: it is no such build, or cannot be recorded */
    int64_t began_ns;                   /* the run, on the wall clock */
    struct br_diag fault;               /* the first one */
};

/* Prepares the records, right before the run begins, if the job is a ninja build. To be closed. */
void cli_run_ninja_open(struct cli_run_ninja *ninja, const struct br_dag *dag);
/* Records a task that is done, now or by an earlier run: ninja's files have it when this returns.
 */
void cli_run_ninja_ended(struct cli_run_ninja *ninja, const struct br_task_end *end);
void cli_run_ninja_resumed(struct cli_run_ninja *ninja, uint32_t task);
/* Reports faults now; they do not fail the run. */
void cli_run_ninja_close(struct cli_run_ninja *ninja);

#endif
