/* Tasks that use far more memory than they demand, so that a limit is not kept. */
#ifndef BR_CLI_RUNNING_REPORT_OVERUSE_H
#define BR_CLI_RUNNING_REPORT_OVERUSE_H

#include "runtime/drivers/common/run.h"

/* Zeroed: none yet. */
struct cli_overuse {
    uint32_t tasks;
    int64_t held_bytes, counted_bytes; /* of the task with the largest excess */
    char name[200];
};

/* Checks a task that has ended. A task that demands the whole machine runs alone, and may use any
 * amount. */
void cli_overuse_note(struct cli_overuse *overuse, const struct br_cluster *cluster,
                      const struct br_task_end *end);
void cli_overuse_say(const struct cli_overuse *overuse);

#endif
