/* The parts of 'bigrocks run': its jobs, its trace and its report. */
#ifndef BR_CLI_RUNNING_RUN_PARTS_H
#define BR_CLI_RUNNING_RUN_PARTS_H

#include <stdio.h>

#include "cli/common/load.h"
#include "cli/common/progress.h"
#include "cli/jobs/ninja_record.h"
#include "cli/running/run_learn.h"
#include "cli/running/run_live.h"
#include "cli/running/spool.h"
#include "predict/history.h"
#include "planner/model/dag.h"
#include "planner/model/plan.h"
#include "runtime/deadline/together.h"
#include "runtime/drivers/local/local.h"
#include "simulate/deadline/make.h"

/* ---- run_plan.c: a job, its cluster and its plan ---- */

struct cli_run_input {
    struct br_input input; /* its cluster is that of all jobs, and borrowed */
    struct br_plan *plan;
    struct cli_run_learn *learn; /* NULL: all durations are known */
};

/* Loads the job and, with it or from --plan, its plan; without one, plans it, less thoroughly where
 * it is not alone. *cluster is the one
 * that it shares with others; where it is NULL, it is set to what the options give, or the file, or
 * to this machine, and is the caller's. */
enum br_status cli_run_load(const struct cli_settings *settings, const char *path, bool alone,
                            struct br_cluster **cluster, struct cli_run_input *input,
                            struct br_diag *diag);
void cli_run_finish(struct cli_run_input *input);
/* Plans what has been read. */
enum br_status cli_run_make_plan(const struct cli_settings *settings, bool alone,
                                 struct cli_run_input *input, struct br_diag *diag);
/* The cluster that the options give, or else this machine; the caller's. */
enum br_status cli_run_cluster(const struct cli_settings *settings, struct br_cluster **cluster,
                               struct br_diag *diag);

/* ---- run_groups.c: whose share a job counts against ---- */

struct cli_run_groups {
    struct br_run_group *group; /* those with a weight */
    uint32_t count;
    char **of; /* of the jobs in their order; NULL: not given */
    uint32_t ofs;
};

/* Reads --group and --group-of. BR_USAGE where they make no sense. To be finished in any case. */
enum br_status cli_run_groups_read(const struct cli_run_settings *settings,
                                   struct cli_run_groups *groups, struct br_diag *diag);
/* The group that the job itself names, in its attribute; NULL: none. */
const char *cli_run_own_group(const struct br_dag *dag);
void cli_run_groups_finish(struct cli_run_groups *groups);

/* ---- run_trace.c: a line for every attempt ---- */

struct cli_run_trace {
    FILE *file;             /* NULL: there is none */
    struct cli_spool spool; /* of a pipe */
    const char *path;
    bool csv;
    const struct br_cluster *cluster;
};

/* Opens the file, which is CSV where its name ends so, else a JSON object a line. path may be NULL.
 */
enum br_status cli_run_trace_open(struct cli_run_trace *trace, const char *path,
                                  const struct br_cluster *cluster, struct br_diag *diag);
void cli_run_trace_add(struct cli_run_trace *trace, const struct br_task_end *end);
enum br_status cli_run_trace_close(struct cli_run_trace *trace, enum br_status status,
                                   struct br_diag *diag);

/* How the attempt ended, in a word: done, exit, signal, timeout, no-start, stopped,
 * memory or lost. */
const char *cli_outcome(enum br_outcome outcome);

/* ---- run_jobs.c: the jobs of a run ---- */

struct cli_run_job {
    char *name;
    struct cli_run_input input;
    struct br_history *history; /* NULL: none is kept */
    struct cli_run_ninja ninja;
    FILE *output;  /* what its tasks write; NULL: standard output */
    FILE *failure; /* how they fail, beside standard error; NULL: there alone */
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
/* The same of one job that was read and planned elsewhere; its cluster is that of the jobs. Takes
 * them, also on failure. */
enum br_status cli_run_jobs_take(struct cli_run_input *input, const char *name,
                                 struct cli_run_jobs *jobs, struct br_diag *diag);
void cli_run_jobs_finish(struct cli_run_jobs *jobs);
/* Opens what is kept of a job that is about to run, and closes it. */
enum br_status cli_run_job_open(const struct cli_settings *settings, struct cli_run_job *one,
                                struct br_diag *diag);
void cli_run_job_close(struct cli_run_job *one);
/* The context of the job. */
struct cli_run_job *cli_run_job_of(const struct br_run_job *job);

/* ---- run_deadline.c: a control loop limits the tasks that run at once ---- */

/* A job with a deadline. */
struct cli_run_loop {
    const struct br_run_job *job;
    struct br_table file;      /* of --table, or of zeros */
    struct br_made_table made; /* or else the job's own */
    const struct br_table *table;
    struct br_control control;
    uint32_t *done;      /* by stage */
    uint32_t limit;      /* of tasks at once, or in percents of the cluster */
    uint32_t turn;       /* of the last decision of several together */
    uint32_t open;       /* tasks that may still be done */
    int64_t deadline_ns; /* since the run began */
    double told;         /* the probability that was told last; below 0: none */
    bool begun, given_up;
};

struct cli_run_deadline {
    struct cli_run_loop *loop; /* in the order of the jobs */
    uint32_t loops;            /* 0: the run has no deadline */
    enum br_allocation kind;   /* of all tables */
    uint32_t total;            /* tasks at once that all share, or percents */
    int64_t period_ns, due_ns; /* since the run began */
    bool ended, quiet;         /* ended: a job has, since the last decision */
    void *memory;              /* of runtime/deadline/together.h, and its rivals and decisions */
    struct br_rival *rival;
    struct br_portion *portion;
    struct br_control_decision *decision;
    uint32_t *which; /* the loops behind the rivals */
};

/* Reads the options, opens the tables that they name and makes those that are missing; without
 * --deadline and --utility nothing is done here or in the calls below. Sets the limits of the jobs.
 * BR_USAGE: a deadline that is past, other numbers of them than of jobs; BR_BAD_INPUT: a table of
 * another job, a job without durations; BR_NO: stopped. To be closed in any case. */
enum br_status cli_run_deadline_open(const struct cli_settings *settings, struct cli_run_jobs *jobs,
                                     struct cli_run_deadline *deadline, struct br_diag *diag);
void cli_run_deadline_close(struct cli_run_deadline *deadline);
/* Decides once a period and when a job has ended, and tells the probability to be on time where it
 * has changed. */
void cli_run_deadline_tick(struct cli_run_deadline *deadline, struct cli_progress *progress,
                           int64_t now_ns);
/* A task is done, now or by an earlier run; or has failed for good. */
void cli_run_deadline_done(struct cli_run_deadline *deadline, const struct br_run_job *job,
                           uint32_t task);
void cli_run_deadline_failed(struct cli_run_deadline *deadline, const struct br_run_job *job);
/* Whether the deadlines were met. */
void cli_run_deadline_result(const struct cli_run_deadline *deadline,
                             const struct br_run_result *result);

/* ---- run_report.c: what the person sees ---- */

/* A line of somebody else's for every task that has ended for good, before its output; where it is
 * given, nothing else is said of a failed task. */
struct cli_run_line {
    void (*print)(void *context, const struct br_task_end *end, bool failed);
    void *context;
};

enum { CLI_FAILURES_SHOWN = 20 };

struct cli_report {
    const struct cli_settings *settings;
    const struct cli_run_jobs *jobs;
    bool several;                    /* jobs: they are told by name */
    bool passing;                    /* and are not there any more at the end */
    const struct cli_run_line *line; /* may be NULL */
    struct cli_run_trace trace;
    struct cli_run_deadline deadline;
    struct cli_progress progress;
    struct cli_live live;
    const struct br_run_result *result; /* so far; NULL: nothing is known yet */
    bool said_before, said_stop;        /* what was done before; how to go on after Ctrl-C */
    struct cli_spool out, err; /* of the standard streams; of out alone where both are one */
    uint32_t failures;
    struct {
        const struct br_run_job *job;
        uint32_t task;
    } failed[CLI_FAILURES_SHOWN]; /* in the order in which they failed, unless they pass */
};

/* Puts spools before the standard streams, so that no reader holds up the run. The result, which
 * the run fills, is borrowed until cli_report_result. */
void cli_report_begin(struct cli_report *report, const struct br_run_result *result);
/* For br_run_options; the context is the report. */
void cli_report_damaged(void *report, uint32_t records, uint64_t offset);
void cli_report_note(void *report, const char *text);
void cli_report_resumed(void *report, const struct br_run_job *job, uint32_t task,
                        int64_t lasted_ns);
void cli_report_ended(void *report, const struct br_task_end *end);
void cli_report_tick(void *report, const struct br_run_state *state);
void cli_report_started(void *report, const struct br_run_job *job, uint32_t task, int64_t now_ns);
bool cli_report_replan(void *report, struct br_run_job *job, struct br_replan *replan);
/* The last word. */
void cli_report_result(struct cli_report *report, const struct br_run_result *result);
/* Waits until all of it is read. Returns the status, or what came of writing; *unread is set where
 * the reader has gone. */
enum br_status cli_report_end(struct cli_report *report, enum br_status status, bool *unread,
                              struct br_diag *diag);

/* ---- run.c ---- */

/* Runs the jobs as processes on this machine. `mark` and `guard` are those of br_mark_make and
 * br_guard_start; `line` may be NULL. BR_NO where a task has failed or the run was stopped. */
enum br_status cli_run_here(const struct cli_settings *settings, struct cli_run_jobs *jobs,
                            const struct cli_run_line *line, const char *mark, pid_t guard,
                            struct br_counters *counters, bool *unread, struct br_diag *diag);

/* ---- run_table.c: a row for every job ---- */

/* How the job stands, in a word: done, failed (a task has), or stopped. */
const char *cli_run_status(const struct br_run_job *job);
void cli_run_table(FILE *out, const struct cli_run_jobs *jobs);

#endif
