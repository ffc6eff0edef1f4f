/* How long writing a plan will take, known before the plan is: it is kept back from a time limit.
 */
#ifndef CLI_PLANNING_WRITING_H
#define CLI_PLANNING_WRITING_H

#include <stdint.h>

#include "parsers/parsers.h"

/* By stages, tasks and edges: the bytes of each are counted in plans of some stages of the job, and
 * the time that a byte takes is measured there, by this clock. Pictures fold large jobs, and small
 * jobs take no time, so that what is usual counts for these. O(some hundred stages). */
int64_t cli_writing_ns(const struct br_input *input, const char *format, int64_t (*now_ns)(void));

#endif
