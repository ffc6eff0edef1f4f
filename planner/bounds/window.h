/* Heads and tails: how much time must pass before a task can start, and after it has ended.
 *
 * After a barrier a task waits for whole stages, and so for their rounds and for the work of all
 * stages ahead of it; after a one-to-one edge it waits for one task only.
 */
#ifndef BR_PLANNER_BOUNDS_WINDOW_H
#define BR_PLANNER_BOUNDS_WINDOW_H

#include "planner/bounds/measure.h"

enum br_length {
    BR_LENGTH_LONGEST, /* a stage takes its longest task: heads by the longest path */
    BR_LENGTH_WORK,    /* ... and at least its TWork */
    BR_LENGTH_WAVES,   /* ... and at least its rounds */
};

/* The reason of a stage's head or tail, if it is the work of the stages ahead of it: those with
 * heads of at least `from` take until `at`. */
struct br_window_reason {
    int64_t at, from; /* at 0: no such reason */
    uint32_t measure; /* of the measures */
};

struct br_windows {
    struct br_arena arena;
    int64_t *length;                  /* by stage: the least time it takes alone */
    int64_t *head, *tail;             /* by task */
    int64_t *stage_head, *stage_tail; /* by stage: the least of its tasks */
    struct br_window_reason *head_reason, *tail_reason; /* by stage */
    int64_t ticks; /* the bound that they give at once: head + duration + tail, for the tasks of a
                      stage one by one and together */
};

/* Heads and tails, with stages as long as `length` says. With measures (may be NULL), also the work
 * of all stages for which a stage has to wait wholly. False when memory is out, with *windows
 * zeroed. O(tasks + arcs of tasks); with measures also O(stages^2 x measures), or with many stages
 * only the work of the direct parents. */
bool br_windows_init(struct br_windows *windows, const struct br_instance *in,
                     enum br_length length, const struct br_measures *measures);
void br_windows_finish(struct br_windows *windows);

/* A stage by its head or tail. */
struct br_by_time {
    int64_t time;
    uint32_t stage;
};
/* Sorts them by time downwards, then by stage. */
void br_by_time_sort(struct br_by_time *item, uint32_t count);

#endif
