/* Estimates how long writing a plan will take, before the plan exists: this time is kept back from
 * the time limit.
 */
#ifndef CLI_PLANNING_WRITING_H
#define CLI_PLANNING_WRITING_H

#include <stdint.h>

#include "parsers/parsers.h"

/* Estimates from stages, tasks and edges: their bytes are counted in plans of some stages of the
 * job, and the time per byte is measured there by this clock. Pictures fold large jobs, and small
 * jobs take no time, so the usual time counts for these. O(some hundred stages). */
int64_t cli_writing_ns(const struct br_input *input, const char *format, int64_t (*now_ns)(void));

#endif
