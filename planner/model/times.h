/* Times of a job beside its durations: releases and deadlines of tasks, lags and streams of
 * edges. */
#ifndef BR_PLANNER_MODEL_TIMES_H
#define BR_PLANNER_MODEL_TIMES_H

#include <stdbool.h>
#include <stdint.h>

struct br_given_time {
    uint32_t stage, index; /* UINT32_MAX: all tasks */
    int64_t ns;
};

struct br_given_times {
    uint32_t count, room;
    struct br_given_time *time;
};

struct br_given_wait {
    uint32_t edge;
    int64_t lag_ns;
    bool stream;
};

/* When the child of an edge may start and end. */
struct br_wait {
    int64_t lag_ns; /* after the end of the parent, or after its start, if it is a stream */
    bool stream;    /* the child ends no earlier than the parent */
};

struct br_times {
    /* While the job is built. */
    struct br_given_times releases, deadlines;
    uint32_t waits, wait_room;
    struct br_given_wait *given;

    /* In a finished job; each NULL if the job has none. */
    int64_t *release_ns;  /* by task */
    int64_t *deadline_ns; /* by task; INT64_MAX: none */
    struct br_wait *wait; /* by edge */
};

void br_times_destroy(struct br_times *times);

#endif
