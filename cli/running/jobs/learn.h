/* A run that learns durations which nobody knew, and plans the rest of its job again. */
#ifndef BR_CLI_RUNNING_JOBS_LEARN_H
#define BR_CLI_RUNNING_JOBS_LEARN_H

#include <stdio.h>

#include "cli/common/load.h"
#include "runtime/drivers/common/run.h"

struct cli_run_learn;

/* Prepares --learn of the job: its stages that are unknown (by stage, as br_replanner_unknown tells
 * of the job as it was read) get what is to be expected, by the history where one is given. The job
 * is borrowed, also once it has run. *learn is to be closed also after a failure. */
enum br_status cli_run_learn_open(const struct cli_settings *settings, const bool *unknown,
                                  struct br_input *input, struct cli_run_learn **learn,
                                  struct br_diag *diag);
/* Waits until nothing is planned any more; NULL is fine. */
void cli_run_learn_close(struct cli_run_learn *learn);
/* Replaces the plan of the job by one with pilots before all others, and no machines. */
enum br_status cli_run_learn_begin(struct cli_run_learn *learn, const struct br_input *input,
                                   struct br_plan **plan, struct br_diag *diag);

/* For the calls of br_run_options; a NULL learns nothing. */
void cli_run_learn_started(struct cli_run_learn *learn, uint32_t task, int64_t now_ns);
void cli_run_learn_ended(struct cli_run_learn *learn, const struct br_task_end *end);
/* A task that an earlier run has finished, which took so long; 0: nobody knows. */
void cli_run_learn_resumed(struct cli_run_learn *learn, uint32_t task, int64_t lasted_ns);
bool cli_run_learn_replan(struct cli_run_learn *learn, struct br_replan *replan);

/* What was learnt, in lines on standard error that begin with `before`; with `stages` one for each.
 */
void cli_run_learn_print(struct cli_run_learn *learn, const char *before, bool stages);

#endif
