/* What sub-commands do with histories of jobs. */
#ifndef BR_CLI_PLANNING_ANNOTATE_H
#define BR_CLI_PLANNING_ANNOTATE_H

#include "cli/common.h"
#include "predict/annotate.h"

/* Replaces the job by one with what the history knows, and says how much that is unless quiet. */
enum br_status cli_annotate_input(struct br_history *history, struct br_input *input, bool quiet,
                                  struct br_diag *diag);

/* Runs the commands of a job, whose stages have one task and a shell's script each, one after
 * another, parents first, and adds what they used to the history. Their output goes to standard
 * error. BR_NO where one fails; what ran before it is kept. */
enum br_status cli_measure_job(struct br_history *history, const struct br_dag *dag,
                               struct br_diag *diag);

/* Writes the job, with the cluster, where and how the settings say; XML if they do not. */
enum br_status cli_write_job(const struct cli_settings *settings, const struct br_input *input,
                             struct br_diag *diag);

#endif
