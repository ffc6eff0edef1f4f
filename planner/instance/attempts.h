/* A run of a plan as data: what ran when. */
#ifndef BR_PLANNER_INSTANCE_ATTEMPTS_H
#define BR_PLANNER_INSTANCE_ATTEMPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"

/* An attempt at a task. */
struct br_run_attempt {
    uint32_t task;                          /* of the job */
    uint32_t number;                        /* from 1 */
    int64_t start_ns, end_ns;               /* from the begin of the run; start <= end */
    const char *outcome;                    /* "done", or how it failed, such as "exit" */
    const char *machine;                    /* NULL: unknown */
    int64_t code;                           /* exit status or signal */
    int64_t user_ns, system_ns, peak_bytes; /* processor time and memory; -1: unknown */
};

/* Texts live in the arena. */
struct br_run_attempts {
    struct br_run_attempt *attempt; /* owned; in the order in which they ended, or any other */
    uint32_t attempts, room;
    struct br_arena arena;
};

/* Did the task end well by this attempt? */
bool br_run_attempt_is_done(const struct br_run_attempt *attempt);
void br_run_attempts_finish(struct br_run_attempts *attempts);

#endif
