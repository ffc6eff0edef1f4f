/* The output of a run to a person. */
#ifndef BR_CLI_RUNNING_REPORT_REPORT_H
#define BR_CLI_RUNNING_REPORT_REPORT_H

#include "cli/running/deadline/deadline.h"
#include "cli/running/jobs/jobs.h"
#include "cli/running/report/console.h"
#include "cli/running/report/live.h"
#include "cli/running/report/overuse.h"
#include "cli/running/report/spool.h"
#include "cli/running/report/trace.h"
#include "cli/terminal/progress.h"

/* The totals of several runs that are parts of one; zeros: nothing yet. */
struct cli_run_sum {
    struct br_run_result result; /* `left` is that of the last one */
    int64_t plan_ns;             /* of their plans */
    bool guessed;                /* from durations that nobody has measured */
    struct cli_overuse overuse;
    uint32_t parts;
};
/* Prints the last line of all parts; nothing if there are none. */
void cli_run_sum_say(const struct cli_run_sum *sum, bool quiet);

/* A run that is a part of something larger, such as a round of a build. The callback reports every
 * task that has ended for good, before its output; nothing else is printed about a failed task. The
 * last line is left to the whole, whose next part goes on from where this one was stopped. */
struct cli_run_part {
    /* Ends the moving line before it prints; if it prints nothing, the line stays. */
    void (*print)(void *context, const struct br_task_end *end, bool failed,
                  struct cli_progress *moving);
    /* The task is about to get the console: messages about it are printed before its output. */
    void (*console)(void *context, const struct br_run_job *job, uint32_t task);
    /* Is the stage to be skipped after all? As in br_run_options; NULL: none is. */
    bool (*needless)(void *context, uint32_t stage);
    void *context;
    const char *again;       /* at Ctrl-C, how to go on, as a line */
    struct cli_run_sum *sum; /* totals to which the run is added */
    bool leave; /* processes that its tasks leave behind live on, for later parts and beyond */
};

enum { CLI_FAILURES_SHOWN = 20 };

struct cli_report {
    const struct cli_settings *settings;
    const struct cli_run_jobs *jobs;
    bool several;                    /* jobs: named in messages */
    bool passing;                    /* and gone at the end */
    const struct cli_run_part *part; /* NULL: it is a whole */
    struct cli_run_trace trace;
    struct cli_run_deadline deadline;
    struct cli_progress progress;
    struct cli_live live;
    const struct br_run_result *result; /* the result so far; NULL: none yet */
    bool said_before, said_stop;        /* work done before; how to go on after Ctrl-C */
    struct cli_spool out, err;          /* for the standard streams; only `out` if both are one */
    struct cli_overuse overuse;
    struct cli_console console;
    uint32_t failures;
    struct {
        const struct br_run_job *job;
        uint32_t task;
    } failed[CLI_FAILURES_SHOWN]; /* in the order of failure, without those that pass later */
};

/* Puts spools before the standard streams, so that no reader delays the run. The result, which the
 * run fills, is borrowed until cli_report_result. */
void cli_report_begin(struct cli_report *report, const struct br_run_result *result);
/* For br_run_options; the context is the report. */
void cli_report_damaged(void *report, uint32_t records, uint64_t offset);
void cli_report_note(void *report, const char *text);
void cli_report_resumed(void *report, const struct br_run_job *job, uint32_t task,
                        int64_t lasted_ns);
void cli_report_ended(void *report, const struct br_task_end *end);
void cli_report_tick(void *report, const struct br_run_state *state);
void cli_report_started(void *report, const struct br_run_job *job, uint32_t task, int64_t now_ns);
bool cli_report_foreground(void *report, const struct br_run_job *job, uint32_t task,
                           int stream[3]);
bool cli_report_needless(void *report, const struct br_run_job *job, uint32_t task);
bool cli_report_replan(void *report, struct br_run_job *job, struct br_replan *replan);
/* Prints the last line. */
void cli_report_result(struct cli_report *report, const struct br_run_result *result);
/* Waits until all output is read. Returns the status, or the fault of writing; *unread is set if
 * the reader has gone. */
enum br_status cli_report_end(struct cli_report *report, enum br_status status, bool *unread,
                              struct br_diag *diag);

#endif
