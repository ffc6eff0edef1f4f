/* Schedule generation in one direction of time: each kernel is a file of its own. */
#ifndef BR_PLANNER_RCPSP_KERNELS_H
#define BR_PLANNER_RCPSP_KERNELS_H

#include "planner/rcpsp/workspace.h"

/* Longer than any schedule: the schedule was given up because it would exceed the limit. */
#define BR_RCPSP_CUT INT64_MAX
#define BR_RCPSP_NO_LIMIT (INT64_MAX - 1)

/* The kernels. They fill the ends by node, in the direction's time, and return the makespan or
 * BR_RCPSP_CUT. `list` is read at 0, step, 2 step, ... */
int64_t br_rcpsp_run_slices(struct br_rcpsp_workspace *workspace, enum br_direction direction,
                            const uint32_t *list, int step, int64_t limit);
int64_t br_rcpsp_run_events(struct br_rcpsp_workspace *workspace, enum br_direction direction,
                            const uint32_t *list, int step, int64_t limit);
int64_t br_rcpsp_run_parallel(struct br_rcpsp_workspace *workspace, enum br_direction direction,
                              const uint32_t *priority, int64_t limit);

#endif
