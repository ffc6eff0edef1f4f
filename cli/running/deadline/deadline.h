/* A control loop limits the number of running tasks so that deadlines are met. */
#ifndef BR_CLI_RUNNING_DEADLINE_DEADLINE_H
#define BR_CLI_RUNNING_DEADLINE_DEADLINE_H

#include "cli/running/jobs/jobs.h"
#include "cli/terminal/progress.h"
#include "runtime/deadline/together.h"
#include "runtime/deadline/trials/make.h"

/* A job with a deadline. */
struct cli_run_loop {
    const struct br_run_job *job;
    struct br_deadline_table file; /* from --table, or zeros */
    struct br_made_table made;     /* else the table made for the job */
    const struct br_deadline_table *table;
    struct br_control control;
    uint32_t *done;      /* by stage */
    uint32_t limit;      /* tasks at once, or percents of the cluster */
    uint32_t turn;       /* from the last joint decision of several jobs */
    uint32_t open;       /* number of tasks that may still be done */
    int64_t deadline_ns; /* since the run began */
    double told;         /* the last probability printed; below 0: none */
    bool begun, given_up;
    bool blind; /* nothing is known yet of some stage (run --learn): the job may use all there is */
};

struct cli_run_deadline {
    struct cli_run_loop *loop; /* in the order of the jobs */
    uint32_t loops;            /* 0: the run has no deadline */
    enum br_allocation kind;   /* kind of all tables */
    uint32_t total;            /* total of tasks at once, or percents */
    int64_t period_ns, due_ns; /* since the run began */
    bool ended, quiet;         /* ended: a job has, since the last decision */
    void *memory;              /* of runtime/deadline/together.h, and its rivals and decisions */
    struct br_rival *rival;
    struct br_portion *portion;
    struct br_control_decision *decision;
    uint32_t *which; /* the loops behind the rivals */
};

/* Reads the options, opens the tables that they name and makes the missing ones. Sets the limits of
 * the jobs. Without --deadline and --utility, this and the calls below do nothing. BR_USAGE: a
 * deadline that is past, or a wrong number of deadlines; BR_BAD_INPUT: a table of another job, a
 * job without durations; BR_NO: stopped. To be closed in any case. */
enum br_status cli_run_deadline_open(const struct cli_settings *settings, struct cli_run_jobs *jobs,
                                     struct cli_run_deadline *deadline, struct br_diag *diag);
void cli_run_deadline_close(struct cli_run_deadline *deadline);
/* Decides once per period and when a job has ended, and prints the probability to be on time if it
 * has changed. */
void cli_run_deadline_tick(struct cli_run_deadline *deadline, struct cli_progress *progress,
                           int64_t now_ns);
/* A task is done, now or by an earlier run, or has failed for good. */
void cli_run_deadline_done(struct cli_run_deadline *deadline, const struct br_run_job *job,
                           uint32_t task);
void cli_run_deadline_failed(struct cli_run_deadline *deadline, const struct br_run_job *job);
/* Were the deadlines met? */
void cli_run_deadline_result(const struct cli_run_deadline *deadline,
                             const struct br_run_result *result);

#endif
