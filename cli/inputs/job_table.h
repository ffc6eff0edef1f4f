/* The inputs of tables of the time left, for the commands that make them. */
#ifndef BR_CLI_INPUTS_JOB_TABLE_H
#define BR_CLI_INPUTS_JOB_TABLE_H

#include "runtime/deadline/trials/make.h"

/* Replaces the declared durations of the job's stages by those of the history in the file; *known
 * is the number of such stages. Finds and reports the history as cli_open_history does. */
enum br_status cli_profile_history(const char *path, struct br_deadline_profile *profile,
                                   bool quiet, uint32_t *known, struct br_diag *diag);

/* The largest number of the job's tasks that run at once on the cluster, taken as one pool;
 * UINT32_MAX if they demand nothing. BR_BAD_INPUT: a demand that the cluster lacks. */
enum br_status cli_tasks_at_once(const struct br_dag *dag, const struct br_cluster *cluster,
                                 uint32_t *most, struct br_diag *diag);

/* Makes the table of a job that is about to run, on the cluster, with at most `most` tasks at once
 * (or, for shares, percents of the cluster), and few enough runs to take seconds. The table knows
 * only the plain order although the job runs in its plan's: if allocations fall during the run,
 * forecasts of the plain order hold, those of the planned one need not (docs/deadlines.md).
 * history: a file, or NULL. To be released also after a failure. BR_BAD_INPUT: no stage has a
 * duration; BR_NO: stopped. */
struct cli_job_to_run {
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    const char *history;
    enum br_allocation kind;
    uint32_t most, threads;
    bool soon;            /* with a tenth of the simulated tasks, as the job runs already */
    const double *spread; /* by stage, in place of what the job declares unless below 0; or NULL */
};
enum br_status cli_job_table_make(const struct cli_job_to_run *job, const struct br_stop *stop,
                                  struct br_made_table *made, struct br_diag *diag);

#endif
