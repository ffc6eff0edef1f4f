/* A run that learns unknown durations, and plans the rest of its job again. */
#ifndef BR_CLI_RUNNING_JOBS_LEARN_H
#define BR_CLI_RUNNING_JOBS_LEARN_H

#include <stdio.h>

#include "cli/inputs/load.h"
#include "cli/running/jobs/ways.h"
#include "runtime/deadline/trials/make.h"
#include "runtime/drivers/common/run.h"

struct cli_run_learn;

/* Prepares --learn for the job: its unknown stages (by stage, as br_replanner_unknown reports them
 * for the job as read) get expected durations, from the history if one is given. The job is
 * borrowed, also once it has run. *learn is to be closed, also after a failure. */
enum br_status cli_run_learn_open(const struct cli_settings *settings, const bool *unknown,
                                  struct br_input *input, struct cli_run_learn **learn,
                                  struct br_diag *diag);
/* Waits until no planning is under way; NULL is fine. */
void cli_run_learn_close(struct cli_run_learn *learn);
/* The job is now the choice of a plan (cli/running/jobs/ways.h), on its cluster: its tasks are
 * learned, those of one stage by one alternative at one speed together. `unknown` as above. */
enum br_status cli_run_learn_choose(struct cli_run_learn *learn, const bool *unknown,
                                    const struct br_input *input, const struct cli_run_ways *ways,
                                    struct br_diag *diag);
/* Replaces the plan of the job by one with pilots before all other tasks, and without machines. */
enum br_status cli_run_learn_begin(struct cli_run_learn *learn, const struct br_input *input,
                                   struct br_plan **plan, struct br_diag *diag);

/* For the calls of br_run_options; NULL learns nothing. */
void cli_run_learn_started(struct cli_run_learn *learn, uint32_t task, int64_t now_ns);
void cli_run_learn_ended(struct cli_run_learn *learn, const struct br_task_end *end);
/* A task that an earlier run has finished, and its duration; 0: unknown. */
void cli_run_learn_resumed(struct cli_run_learn *learn, uint32_t task, int64_t lasted_ns);
bool cli_run_learn_replan(struct cli_run_learn *learn, struct br_replan *replan);

/* ---- Of a job with a deadline ---- */

/* Is something known of every stage? */
bool cli_run_learn_knows(struct cli_run_learn *learn);
/* Whenever the rest of the job is planned again, a table of its time left is made as well, on the
 * cluster, with at most so many tasks at once. */
void cli_run_learn_foresee(struct cli_run_learn *learn, uint32_t most);
/* Hands the newest table over, once, to be released by br_deadline_release; false: there is none
 * that has not been. NULL has none. */
bool cli_run_learn_table(struct cli_run_learn *learn, struct br_made_table *made);

/* Prints the learned durations on standard error, in lines that begin with `before`; with `stages`
 * one line for each stage.
 */
void cli_run_learn_print(struct cli_run_learn *learn, const char *before, bool stages);

#endif
