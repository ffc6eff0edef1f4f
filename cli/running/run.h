/* The parts of 'bigrocks run': its input, its trace, its report, and the logs of ninja. */
#ifndef BR_CLI_RUNNING_RUN_H
#define BR_CLI_RUNNING_RUN_H

#include <stdio.h>

#include "cli/common/load.h"
#include "cli/common/progress.h"
#include "cli/running/spool.h"
#include "predict/history.h"
#include "planner/model/dag.h"
#include "planner/model/plan.h"
#include "runtime/drivers/local/local.h"

/* ---- run_plan.c: the job, its cluster and its plan ---- */

struct cli_run_input {
    struct br_input input; /* always with a cluster */
    struct br_plan *plan;
};

/* Loads the job and, with it or from --plan, its plan; without one, plans it. Where nothing gives a
 * cluster, it is this machine. */
enum br_status cli_run_load(const struct cli_settings *settings, const char *path,
                            struct cli_run_input *input, struct br_diag *diag);
void cli_run_finish(struct cli_run_input *input);

/* ---- run_trace.c: a line for every attempt ---- */

struct cli_run_trace {
    FILE *file;             /* NULL: there is none */
    struct cli_spool spool; /* of a pipe */
    const char *path;
    bool csv;
    const struct br_dag *dag;
    const struct br_cluster *cluster;
};

/* Opens the file, which is CSV where its name ends so, else a JSON object a line. path may be NULL.
 */
enum br_status cli_run_trace_open(struct cli_run_trace *trace, const char *path,
                                  const struct br_dag *dag, const struct br_cluster *cluster,
                                  struct br_diag *diag);
void cli_run_trace_add(struct cli_run_trace *trace, const struct br_task_end *end);
enum br_status cli_run_trace_close(struct cli_run_trace *trace, enum br_status status,
                                   struct br_diag *diag);

/* How the attempt ended, in a word: done, exit, signal, timeout, no-start, stopped,
 * memory or lost. */
const char *cli_outcome(enum br_outcome outcome);

/* ---- run_ninja.c: a build of ninja's goes on where the run ends ---- */

struct cli_run_ninja {
    const struct br_dag *dag;
    const char *folder, *file;  /* NULL: it is no such build */
    int64_t began_ns;           /* on the wall clock */
    int64_t *start_ns, *end_ns; /* by task; -1 where there is none */
};

/* Prepares it, right before the run begins, where the job is a build of ninja's. To be closed also
 * where it fails. */
enum br_status cli_run_ninja_open(struct cli_run_ninja *ninja, const struct br_dag *dag,
                                  struct br_diag *diag);
/* A task that is done, now or by an earlier run. */
void cli_run_ninja_ended(struct cli_run_ninja *ninja, const struct br_task_end *end);
void cli_run_ninja_resumed(struct cli_run_ninja *ninja, uint32_t task);
/* Writes ninja's files. What goes wrong is said, and does not count. */
void cli_run_ninja_close(struct cli_run_ninja *ninja);

/* ---- run_report.c: what the person sees ---- */

enum { CLI_FAILURES_SHOWN = 20 };

struct cli_report {
    const struct cli_settings *settings;
    const struct cli_run_input *input;
    struct cli_run_trace trace;
    struct br_history *history; /* NULL: none is kept */
    struct cli_run_ninja ninja;
    struct cli_progress progress;
    struct cli_spool out, err; /* of the standard streams; of out alone where both are one */
    uint32_t failures;
    uint32_t failed[CLI_FAILURES_SHOWN]; /* tasks, in the order in which they failed */
};

/* Puts spools before the standard streams, so that no reader holds up the run. */
void cli_report_begin(struct cli_report *report);
/* For br_run_options; the context is the report. */
void cli_report_damaged(void *report, uint32_t records, uint64_t offset);
void cli_report_resumed(void *report, uint32_t task);
void cli_report_ended(void *report, const struct br_task_end *end);
void cli_report_tick(void *report, const struct br_run_state *state);
/* The last word. */
void cli_report_result(struct cli_report *report, const struct br_run_result *result);
/* Waits until all of it is read. Returns the status, or what came of writing; *unread is set where
 * the reader has gone. */
enum br_status cli_report_end(struct cli_report *report, enum br_status status, bool *unread,
                              struct br_diag *diag);

#endif
