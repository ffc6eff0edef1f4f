/* The driver that runs the commands of jobs as processes on this machine, in the soft order of
 * their plans, sharing the capacity of the cluster. If the cluster has several machines, all of
 * them are this one, and tasks learn from their environment which one is theirs. */
#ifndef BR_RUNTIME_DRIVERS_LOCAL_LOCAL_H
#define BR_RUNTIME_DRIVERS_LOCAL_LOCAL_H

#include "runtime/drivers/common/run.h"

/* Runs the jobs given, and those of the source; one of the two may be NULL. All their processes
 * have ended when it returns. A stage's command runs as a script with the attribute shell="true" of
 * the stage or the job, or with options->shell; a stage without a command and duration is only
 * waited for. A failure ends its own job, others go on. BR_OK: all tasks have finished; BR_NO: some
 * have not, see the results; else nothing has been started. With a source, jobs that were not
 * reported over are to be resumed. */
enum br_status br_local_run(const struct br_cluster *cluster, const struct br_run_jobs *jobs,
                            const struct br_run_source *source,
                            const struct br_run_options *options, struct br_run_result *result,
                            struct br_diag *diag);

#endif
