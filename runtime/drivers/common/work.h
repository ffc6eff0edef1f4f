/* The common part of every driver: the jobs' commands, the journal, and the fate of each task. */
#ifndef BR_RUNTIME_DRIVERS_COMMON_WORK_H
#define BR_RUNTIME_DRIVERS_COMMON_WORK_H

#include "base/text/command.h"
#include "planner/model/dag.h"
#include "runtime/drivers/common/family.h"
#include "runtime/drivers/common/journal.h"
#include "runtime/drivers/common/run.h"

/* A job, as a driver sees it. */
struct br_job_work {
    struct br_run_job *job;
    const struct br_dag *dag; /* the job's */
    struct br_arena arena;
    struct br_command *command;  /* by stage */
    struct br_journal_job known; /* its contents in the journal */
};

/* The run to which all jobs belong. */
struct br_work {
    const struct br_run_options *options;
    struct br_run_result *result;
    struct br_diag *diag;
    struct br_words words; /* of the last task asked for */
    struct br_journal journal;
    char mark[BR_MARK]; /* the mark that tasks of this session carry in their environment */
    uint64_t tasks;     /* of all jobs so far */
    int64_t began_ns;
};

/* Prepares the run; all is borrowed, and *result is cleared. To be finished. */
void br_work_init(struct br_work *work, const struct br_run_options *options,
                  struct br_run_result *result, struct br_diag *diag);
/* Adds a job, and clears its result. Names the stage whose command is missing or bad. To be
 * finished, also on failure. */
enum br_status br_job_work_init(struct br_job_work *job_work, const struct br_work *work,
                                struct br_run_job *job, struct br_diag *diag);
void br_job_work_finish(struct br_job_work *job_work);

/* Opens the journal, if one is asked for, for exactly these jobs, or for those that come later. */
enum br_status br_work_open_journal(struct br_work *work, struct br_job_work *const *jobs,
                                    uint32_t count);
/* Adds a later job to the journal. */
enum br_status br_work_add_job(struct br_work *work, struct br_job_work *job_work,
                               struct br_diag *diag);
/* Counts the job with the results of an earlier run, and reports these. */
void br_work_count_job(struct br_work *work, struct br_job_work *job_work);
/* Starts the clock of the run: later times count from here. */
void br_work_begin(struct br_work *work);
int64_t br_work_now_ns(const struct br_work *work);

bool br_work_has_command(const struct br_job_work *job_work, uint32_t task);
/* Puts the words of the task's command into work->words. False when memory is out. */
bool br_work_words(struct br_work *work, const struct br_job_work *job_work, uint32_t task);
/* Records the start or the end of a task in the journal, the end with its duration (0: unknown),
 * and counts it in the results. */
enum br_status br_work_started(struct br_work *work, const struct br_job_work *job_work,
                               uint32_t task);
enum br_status br_work_finished(struct br_work *work, struct br_job_work *job_work, uint32_t task,
                                int64_t lasted_ns);
/* A task of the job has failed for good: counts it. */
void br_work_failed(struct br_work *work, struct br_job_work *job_work);
/* Reports the end of an attempt; adds the job, the size of its output and its words. */
void br_work_tell(struct br_work *work, struct br_job_work *job_work, struct br_task_end *end);

/* Releases all. If the run took place (status BR_OK), fills the rest of the result, and returns
 * BR_NO if some task has not finished; otherwise returns the status. */
enum br_status br_work_finish(struct br_work *work, enum br_status status);

#endif
