/* The workspace of one thread: the profile of the schedule that it generates, and scratch memory.
 */
#ifndef BR_PLANNER_RCPSP_WORKSPACE_H
#define BR_PLANNER_RCPSP_WORKSPACE_H

#include "planner/rcpsp/model.h"

/* One point of the list profile: from its time on `free` words hold, up to the next point. */
struct br_rcpsp_events {
    int64_t *time;
    uint64_t *free; /* [point * words + word] */
    uint32_t *next;
    uint32_t *point; /* by node: a point at or shortly before its end */
    uint32_t count;
};

/* Sorting goes by digits of this many bits. */
enum { BR_RCPSP_DIGIT_BITS = 10, BR_RCPSP_DIGITS = 1 << BR_RCPSP_DIGIT_BITS };

/* A running task of parallel generation. */
struct br_rcpsp_running {
    int64_t end;
    uint32_t task;
};

struct br_rcpsp_workspace {
    const struct br_rcpsp_model *model;
    int64_t *end;  /* by node, in the direction's time */
    uint32_t left; /* tasks that the last given-up schedule left out */
    br_rcpsp_vector *slice;
    struct br_rcpsp_events events;
    /* Parallel generation. */
    uint32_t *waiting, *place; /* by node; by task */
    uint64_t *ready, *free;    /* bits by place; words */
    struct br_rcpsp_running *running;
    /* Sorting. */
    uint32_t *other, *count;
    int64_t *key;
};

/* A workspace; borrows the model. NULL when memory is out. */
struct br_rcpsp_workspace *br_rcpsp_workspace_create(const struct br_rcpsp_model *model);
void br_rcpsp_workspace_destroy(struct br_rcpsp_workspace *workspace);

#endif
