/* A spool folder as the source of a run's jobs: takes the files that appear in it, hands the jobs
 * to the driver, and puts them where they belong when they are over. See intake_files.h. */
#ifndef BR_CLI_RUNNING_INTAKE_INTAKE_H
#define BR_CLI_RUNNING_INTAKE_INTAKE_H

#include "cli/running/intake/files.h"
#include "cli/running/intake/watch.h"
#include "cli/running/jobs/jobs.h"

struct cli_intake_job;

struct cli_intake {
    const struct cli_settings *settings;
    struct br_cluster **cluster;   /* of all jobs */
    struct cli_progress *progress; /* a line that is cleared before others */
    const char *root;
    char journal[CLI_INTAKE_PATH], new[CLI_INTAKE_PATH];
    int lock;
    struct cli_intake_watch watch;
    struct cli_intake_file *file; /* found and not taken yet, from `at` on */
    uint32_t files, at;
    bool listed;                  /* what was running has been listed */
    bool held;                    /* some files stay where they are for now */
    struct cli_intake_job *first; /* those that the driver has, chained */
    uint64_t done, failed;
    struct br_diag diag; /* why nothing more is taken; empty: nothing is wrong */
};

/* Makes the folders and locks the spool; BR_NO where another server has it. All is borrowed. To be
 * closed in any case. */
enum br_status cli_intake_open(struct cli_intake *intake, const struct cli_settings *settings,
                               struct br_cluster **cluster, struct cli_progress *progress,
                               struct br_diag *diag);
/* The source for the driver; the intake is its context. */
struct br_run_source cli_intake_source(struct cli_intake *intake);
void cli_intake_close(struct cli_intake *intake);

#endif
