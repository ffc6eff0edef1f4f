/* What every stage of a job waits for, in terms of tasks that have ended: streams are followed back
 * to what their parents wait for. docs/certificates.md has the definition. */
#ifndef BR_PLANNER_MODEL_WAITS_H
#define BR_PLANNER_MODEL_WAITS_H

#include "planner/model/dag.h"

/* In jobs of more stages, streams hand nothing on but releases, and an output is held no longer
 * than the edges that read it say. */
enum { BR_WAITS_LARGE = 2048 };

/* A task starts no earlier than this long after the end of all tasks of the stage, or of the one
 * with its own index. */
struct br_awaited {
    uint32_t stage;
    bool paired;
    int64_t lag_ns;
};

/* By stage, runs in an array of all. */
struct br_waits_list {
    uint32_t *first, *count;
    uint32_t all, room;
    struct br_awaited *awaited;
};

struct br_waits {
    struct br_waits_list start;  /* what a stage waits for before it starts */
    struct br_waits_list before; /* stages that have ended whenever it has; without lags */
    int64_t *release_ns;         /* by task: it starts no earlier */
    int64_t *shortest, *longest; /* durations by stage */
    bool large;
};

/* Fills *waits for the finished job; br_waits_finish releases it, also after a failure. */
enum br_status br_waits_find(const struct br_dag *dag, struct br_waits *waits,
                             struct br_diag *diag);
void br_waits_finish(struct br_waits *waits);

/* The sum, or the longest time that is used, if it is more. */
static inline int64_t br_waits_add(int64_t a, int64_t b)
{
    const int64_t most = INT64_MAX / 4;
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) || sum > most ? most : sum;
}

#endif
