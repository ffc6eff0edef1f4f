/* The driver that runs a job's commands as processes on this machine, in the plan's soft order and
 * within what the cluster offers. Where the cluster has several machines, all of them are this one,
 * and tasks learn from their environment which they are on. */
#ifndef BR_RUNTIME_DRIVERS_LOCAL_LOCAL_H
#define BR_RUNTIME_DRIVERS_LOCAL_LOCAL_H

#include "runtime/drivers/common/run.h"

/* Runs the job; all that it has started has ended when it returns. A stage's command is run with
 * the attribute shell="true" of the stage or the job, or options->shell, as a script; a stage
 * without a command and duration is only waited for. BR_OK: all tasks have finished; BR_NO: some
 * have not, see the result; else nothing has been started. plan may be NULL, or one for another
 * cluster. */
enum br_status br_local_run(const struct br_dag *dag, const struct br_cluster *cluster,
                            const struct br_plan *plan, const struct br_run_options *options,
                            struct br_run_result *result, struct br_diag *diag);

#endif
