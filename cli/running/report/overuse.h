/* Tasks that hold far more memory than they count for, so that a limit is not kept. */
#ifndef BR_CLI_RUNNING_REPORT_OVERUSE_H
#define BR_CLI_RUNNING_REPORT_OVERUSE_H

#include "runtime/drivers/common/run.h"

/* Zeroed: none yet. */
struct cli_overuse {
    uint32_t tasks;
    int64_t held_bytes, counted_bytes; /* of the one that held most beyond what it counts for */
    char name[200];
};

/* Looks at a task that has ended. What demands all that the machine has runs alone, and may hold
 * what it likes. */
void cli_overuse_note(struct cli_overuse *overuse, const struct br_cluster *cluster,
                      const struct br_task_end *end);
void cli_overuse_say(const struct cli_overuse *overuse);

#endif
