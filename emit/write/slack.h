/* The slack of a plan's tasks, for outputs that print it. */
#ifndef BR_EMIT_WRITE_SLACK_H
#define BR_EMIT_WRITE_SLACK_H

#include "emit/write/input.h"

/* *slack becomes an array by task, to be freed. It is NULL for a plan of a file if the job cannot
 * be planned on its cluster, since such a plan has no slack. BR_SYSTEM if memory is out. */
enum br_status br_emit_slack(const struct br_emit_input *input, struct br_task_slack **slack,
                             struct br_diag *diag);

#endif
