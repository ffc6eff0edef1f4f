/* What tables of the time left are made of, for the commands that make them. */
#ifndef BR_CLI_COMMON_JOB_TABLE_H
#define BR_CLI_COMMON_JOB_TABLE_H

#include "simulate/deadline/make.h"

/* Durations that the history in the file has of the job's stages take the place of what they
 * declare; *known is how many stages that are. Found and told as cli_open_history does. */
enum br_status cli_profile_history(const char *path, struct br_deadline_profile *profile,
                                   bool quiet, uint32_t *known, struct br_diag *diag);

/* At most so many tasks of the job run at once on the cluster, taken as one pool; UINT32_MAX where
 * they demand nothing. BR_BAD_INPUT: a demand that the cluster lacks. */
enum br_status cli_tasks_at_once(const struct br_dag *dag, const struct br_cluster *cluster,
                                 uint32_t *most, struct br_diag *diag);

/* Makes the table of a job that is about to run, on the cluster, with at most `most` tasks at once
 * (or, of shares, percents of the cluster), and few enough runs to take seconds. It has the plain
 * order alone although the job runs in that of its plan: under allocations that fall on the way,
 * forecasts of the plain order hold, and those of the planned one need not (docs/deadlines.md).
 * history: a file, or NULL. To be released also after a failure. BR_BAD_INPUT: no stage has a
 * duration; BR_NO: stopped. */
struct cli_job_to_run {
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    const char *history;
    enum br_allocation kind;
    uint32_t most, threads;
};
enum br_status cli_job_table_make(const struct cli_job_to_run *job, const struct br_stop *stop,
                                  struct br_made_table *made, struct br_diag *diag);

#endif
