/* A build of ninja's goes on where a run of its commands ends: ninja's records of that run. */
#ifndef BR_CLI_JOBS_NINJA_RECORD_H
#define BR_CLI_JOBS_NINJA_RECORD_H

#include "planner/model/dag.h"
#include "runtime/drivers/local/local.h"

struct cli_run_ninja {
    const struct br_dag *dag;
    const char *folder, *file;  /* NULL: it is no such build */
    int64_t began_ns;           /* on the wall clock */
    int64_t *start_ns, *end_ns; /* by task; -1 where there is none */
};

/* Prepares it, right before the run begins, where the job is a build of ninja's. To be closed also
 * where it fails. */
enum br_status cli_run_ninja_open(struct cli_run_ninja *ninja, const struct br_dag *dag,
                                  struct br_diag *diag);
/* A task that is done, now or by an earlier run. */
void cli_run_ninja_ended(struct cli_run_ninja *ninja, const struct br_task_end *end);
void cli_run_ninja_resumed(struct cli_run_ninja *ninja, uint32_t task);
/* Writes ninja's files. What goes wrong is said, and does not count. */
void cli_run_ninja_close(struct cli_run_ninja *ninja);

#endif
