/* The job of a table: its stages, the durations of its tasks, and the order in which a plan takes
 * them. */
#ifndef BR_CLUSTER_DEADLINE_COMMAND_DEADLINE_JOB_H
#define BR_CLUSTER_DEADLINE_COMMAND_DEADLINE_JOB_H

#include "base/process/stop.h"
#include "cli/inputs/load.h"
#include "runtime/deadline/trials/make.h"

struct cli_deadline_job {
    struct br_input input;
    struct br_deadline_profile profile;
    struct br_plan *plan;               /* NULL: none was made */
    struct br_deadline_request request; /* borrows from all of these */
};

/* Reads the job and fills the request, with the plan's order unless settled otherwise. If `like` is
 * a table, the allocations are those of that table. Release by cli_deadline_job_finish, also after
 * a failure. */
enum br_status cli_deadline_job_load(const struct cli_settings *settings, const char *path,
                                     const struct br_deadline_table *like,
                                     const struct br_stop *stop, struct cli_deadline_job *job,
                                     struct br_diag *diag);
void cli_deadline_job_finish(struct cli_deadline_job *job);

#endif
