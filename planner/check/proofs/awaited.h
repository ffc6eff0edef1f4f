/* What each stage of a job with streams waits for, for the checker: docs/certificates.md. */
#ifndef BR_PLANNER_CHECK_PROOFS_AWAITED_H
#define BR_PLANNER_CHECK_PROOFS_AWAITED_H

#include "planner/model/dag.h"

/* In jobs of more stages, streams hand only releases on. */
enum { BR_CHECK_LARGE = 2048 };

/* The stage `of` waits for `stage`, or `stage` has ended whenever `of` has. */
struct br_check_wait {
    uint32_t of, stage;
    bool paired; /* task by task */
    int64_t lag_ns;
};

struct br_check_waits {
    uint32_t *wait_first, *ended_first; /* by stage, and one more */
    struct br_check_wait *wait, *ended; /* by `of`, then by stage, all tasks before pairs */
    uint32_t waits, wait_room, ends, ended_room;
    int64_t *release_ns;         /* by task */
    int64_t *shortest, *longest; /* durations by stage */
};

/* Fills *all; br_check_waits_finish releases it, also after a failure. */
enum br_status br_check_waits_find(const struct br_dag *dag, struct br_check_waits *all,
                                   struct br_diag *diag);
void br_check_waits_finish(struct br_check_waits *all);

/* The sum, but at most a time that no check allows. */
int64_t br_check_sum(int64_t a, int64_t b);

#endif
