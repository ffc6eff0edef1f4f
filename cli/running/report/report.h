/* What the person sees of a run. */
#ifndef BR_CLI_RUNNING_REPORT_REPORT_H
#define BR_CLI_RUNNING_REPORT_REPORT_H

#include "cli/common/progress.h"
#include "cli/running/deadline/deadline.h"
#include "cli/running/jobs/jobs.h"
#include "cli/running/report/console.h"
#include "cli/running/report/live.h"
#include "cli/running/report/overuse.h"
#include "cli/running/report/spool.h"
#include "cli/running/report/trace.h"

/* What several runs that are parts of one have done together; zeros: nothing yet. */
struct cli_run_sum {
    struct br_run_result result; /* `left` is that of the last one */
    int64_t plan_ns;             /* of their plans */
    bool guessed;                /* by durations that nobody has measured */
    struct cli_overuse overuse;
    uint32_t parts;
};
/* The last word of all of them; without any there is none. */
void cli_run_sum_say(const struct cli_run_sum *sum, bool quiet);

/* A run that is a part of something larger, as the rounds of a build are. Somebody else tells of
 * every task that has ended for good, before its output; nothing else is said of a failed task. The
 * last word is left to the whole, whose next part goes on from where this one was stopped. */
struct cli_run_part {
    /* Ends the moving line before it prints; where it prints nothing, the line stays. */
    void (*print)(void *context, const struct br_task_end *end, bool failed,
                  struct cli_progress *moving);
    /* The task is about to get the console: what is said of it stands before what it writes. */
    void (*console)(void *context, const struct br_run_job *job, uint32_t task);
    /* Is the stage not to be run after all? As br_run_options has it; NULL: none. */
    bool (*needless)(void *context, uint32_t stage);
    void *context;
    const char *again;       /* at Ctrl-C, how to go on, as a line */
    struct cli_run_sum *sum; /* to which the run is added */
    bool leave; /* what its tasks leave behind lives on, for the parts that follow and beyond */
};

enum { CLI_FAILURES_SHOWN = 20 };

struct cli_report {
    const struct cli_settings *settings;
    const struct cli_run_jobs *jobs;
    bool several;                    /* jobs: they are told by name */
    bool passing;                    /* and are not there any more at the end */
    const struct cli_run_part *part; /* NULL: it is a whole */
    struct cli_run_trace trace;
    struct cli_run_deadline deadline;
    struct cli_progress progress;
    struct cli_live live;
    const struct br_run_result *result; /* so far; NULL: nothing is known yet */
    bool said_before, said_stop;        /* what was done before; how to go on after Ctrl-C */
    struct cli_spool out, err; /* of the standard streams; of out alone where both are one */
    struct cli_overuse overuse;
    struct cli_console console;
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
bool cli_report_foreground(void *report, const struct br_run_job *job, uint32_t task,
                           int stream[3]);
bool cli_report_needless(void *report, const struct br_run_job *job, uint32_t task);
bool cli_report_replan(void *report, struct br_run_job *job, struct br_replan *replan);
/* The last word. */
void cli_report_result(struct cli_report *report, const struct br_run_result *result);
/* Waits until all of it is read. Returns the status, or what came of writing; *unread is set where
 * the reader has gone. */
enum br_status cli_report_end(struct cli_report *report, enum br_status status, bool *unread,
                              struct br_diag *diag);

#endif
