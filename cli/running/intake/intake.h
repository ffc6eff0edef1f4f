/* A spool folder as the source of a run's jobs: takes the files that appear in it, passes the jobs
 * to the driver, and files them when they are over. See files.h. */
#ifndef BR_CLI_RUNNING_INTAKE_INTAKE_H
#define BR_CLI_RUNNING_INTAKE_INTAKE_H

#include "cli/running/intake/files.h"
#include "cli/running/intake/watch.h"
#include "cli/running/jobs/jobs.h"

struct cli_intake_job;

struct cli_intake {
    const struct cli_settings *settings;
    struct br_cluster **cluster;   /* of all jobs */
    struct cli_progress *progress; /* a progress line, cleared before messages */
    const char *root;
    char journal[CLI_INTAKE_PATH], new[CLI_INTAKE_PATH];
    int lock;
    struct cli_intake_watch watch;
    struct cli_intake_file *file; /* found and not taken yet, from `at` on */
    uint32_t files, at;
    bool listed;                  /* the files in running have been listed */
    bool held;                    /* some files stay where they are for now */
    struct cli_intake_job *first; /* jobs that the driver has, chained */
    uint64_t done, failed;
    struct br_diag diag; /* why no more jobs are taken; empty: no reason */
};

/* Makes the folders and locks the spool; BR_NO if another server has it. All is borrowed. To be
 * closed in any case. */
enum br_status cli_intake_open(struct cli_intake *intake, const struct cli_settings *settings,
                               struct br_cluster **cluster, struct cli_progress *progress,
                               struct br_diag *diag);
/* The source for the driver; the intake is its context. */
struct br_run_source cli_intake_source(struct cli_intake *intake);
void cli_intake_close(struct cli_intake *intake);

#endif
