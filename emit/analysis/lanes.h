/* Lanes: tasks that a machine runs at the same time, side by side. */
#ifndef BR_EMIT_ANALYSIS_LANES_H
#define BR_EMIT_ANALYSIS_LANES_H

#include "emit/write/input.h"

/* lane[task] becomes the lowest lane of the task's machine that is free at its start, lanes[m] the
 * number of lanes of machine m (0 if nothing runs). The arrays, of `tasks` and `machines` elements,
 * are the caller's. O(n log n). */
enum br_status br_lanes(const struct br_plan *plan, uint32_t machines, uint32_t *lane,
                        uint32_t *lanes, struct br_diag *diag);

#endif
