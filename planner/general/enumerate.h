/* All schedules of a small job with features in which no task can move to an earlier time alone. */
#ifndef BR_PLANNER_GENERAL_ENUMERATE_H
#define BR_PLANNER_GENERAL_ENUMERATE_H

#include "base/process/stop.h"
#include "planner/general/generate.h"

enum { BR_GENERAL_ENUMERATED = 24 }; /* most tasks of a job that is small enough */

struct br_general_enumeration {
    const struct br_general *job;
    uint64_t nodes;      /* that may be looked at */
    int64_t lower_bound; /* a schedule as short as this ends it */
    const struct br_stop *stop;
    uint64_t looked;
    bool complete; /* all were looked at, or the bound was met: the best is a shortest one */
};

/* Replaces the schedule by the first of the shortest that are better than it, if it finds any. A
 * schedule that is not whole or late counts as longer than all. Branches at every time at which
 * something ends, becomes ready or changes: over what starts then, and where, and whether nothing
 * more does. What is left of a branch is cut off by the longest way to the end of the job, and if
 * the same tasks had run in the same way sooner. False when memory is out. */
bool br_general_enumerate(struct br_general_enumeration *enumeration,
                          struct br_general_schedule *best);

#endif
