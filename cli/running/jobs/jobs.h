/* The jobs of a run: each with its cluster, its plan, its group and its open files. */
#ifndef BR_CLI_RUNNING_JOBS_JOBS_H
#define BR_CLI_RUNNING_JOBS_JOBS_H

#include <stdio.h>

#include "cli/builders/ninja_record.h"
#include "cli/inputs/load.h"
#include "cli/running/jobs/learn.h"
#include "cli/running/jobs/ways.h"
#include "planner/model/dag.h"
#include "planner/instance/plan.h"
#include "runtime/drivers/local/local.h"
#include "store/history/history.h"

/* ---- plan.c: a job, its cluster and its plan ---- */

struct cli_run_input {
    struct br_input input; /* its cluster is shared by all jobs, and borrowed */
    struct br_plan *plan;
    struct cli_run_learn *learn; /* NULL: all durations are known */
    bool left;                   /* the job is what an earlier session has left of it (left.h) */
    struct cli_run_ways *ways;   /* NULL: job and cluster are those that were given */
};

/* Loads the job and, with it or from --plan, its plan. Without a plan, plans it, less thoroughly if
 * it is not alone. *cluster is the shared cluster. If it is NULL, it is set to that of the options,
 * of the file, or to this machine, and is the caller's. */
enum br_status cli_run_load(const struct cli_settings *settings, const char *path, bool alone,
                            struct br_cluster **cluster, struct cli_run_input *input,
                            struct br_diag *diag);
void cli_run_finish(struct cli_run_input *input);
/* Plans the loaded job. */
enum br_status cli_run_make_plan(const struct cli_settings *settings, bool alone,
                                 struct cli_run_input *input, struct br_diag *diag);
/* The cluster that the options give, or else this machine; the caller's. */
enum br_status cli_run_cluster(const struct cli_settings *settings, struct br_cluster **cluster,
                               struct br_diag *diag);

/* ---- groups.c: the group that a job counts against ---- */

struct cli_run_groups {
    struct br_run_group *group; /* the groups with a weight */
    uint32_t count;
    char **of; /* of the jobs in their order; NULL: not given */
    uint32_t ofs;
};

/* Reads --group and --group-of. BR_USAGE if they make no sense. To be finished in any case. */
enum br_status cli_run_groups_read(const struct cli_run_settings *settings,
                                   struct cli_run_groups *groups, struct br_diag *diag);
/* The group that the job itself names, in its attribute; NULL: none. */
const char *cli_run_own_group(const struct br_dag *dag);
void cli_run_groups_finish(struct cli_run_groups *groups);

/* ---- jobs.c: the jobs of a run ---- */

struct cli_run_job {
    char *name;
    struct cli_run_input input;
    struct br_history *history; /* NULL: none is kept */
    int64_t *input_bytes;       /* by stage, what a task of it reads; NULL: nothing is told */
    struct cli_run_ninja ninja;
    FILE *output;  /* the output of its tasks; NULL: standard output */
    FILE *failure; /* their failures, beside standard error; NULL: only there */
};

struct cli_run_jobs {
    struct cli_run_job *one;
    struct br_run_job *job; /* for the driver, in the same order; the context is the one */
    uint32_t count;
    struct br_cluster *cluster;
    struct cli_run_groups groups;
    struct br_jobserver *jobserver; /* borrowed; NULL: none */
};

/* Loads and plans them all. To be finished in any case. */
enum br_status cli_run_jobs_load(const struct cli_settings *settings, const char *const *path,
                                 uint32_t count, struct cli_run_jobs *jobs, struct br_diag *diag);
/* Adds one job that was read and planned elsewhere; its cluster is that of the jobs. Takes both,
 * also on failure. */
enum br_status cli_run_jobs_take(struct cli_run_input *input, const char *name,
                                 struct cli_run_jobs *jobs, struct br_diag *diag);
void cli_run_jobs_finish(struct cli_run_jobs *jobs);
/* Opens the files of a job that is about to run, and closes them. */
enum br_status cli_run_job_open(const struct cli_settings *settings, struct cli_run_job *one,
                                struct br_diag *diag);
void cli_run_job_close(struct cli_run_job *one);
/* The context of the job. */
struct cli_run_job *cli_run_job_of(const struct br_run_job *job);

/* ---- table.c: a row for every job ---- */

/* The state of the job, in a word: done, failed (a task has), or stopped. */
const char *cli_run_status(const struct br_run_job *job);
void cli_run_table(FILE *out, const struct cli_run_jobs *jobs);

#endif
