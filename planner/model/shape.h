/* The shape of a job: how deep, how wide, and at which places it falls apart. */
#ifndef BR_PLANNER_MODEL_SHAPE_H
#define BR_PLANNER_MODEL_SHAPE_H

#include <stdbool.h>

#include "planner/model/dag.h"

struct br_shape {
    uint32_t depth; /* stages on the longest path */
    uint32_t width; /* most tasks in one level; a stage's level is its depth */
    uint32_t parts; /* between cuts of the stage graph */
    uint32_t barriers, one_to_ones;
    uint32_t longest_task;  /* the first such stage, by number */
    int64_t total_ns;       /* sum of all durations */
    int64_t critical_ns;    /* length of the critical path, with lags and streams on it */
    uint32_t critical_size; /* tasks on it */
    uint32_t *critical;     /* those tasks, first to last; owned */
};

/* Measures the finished job. O(tasks + edges x tasks across one-to-one edges). */
enum br_status br_shape_measure(const struct br_dag *dag, struct br_shape *shape,
                                struct br_diag *diag);
void br_shape_finish(struct br_shape *shape);

#endif
