/* Why a task of a plan does not run by another alternative: where that would end if all other tasks
 * stayed as they are planned. */
#ifndef BR_PLANNER_MODES_REASONS_H
#define BR_PLANNER_MODES_REASONS_H

#include "planner/instance/plan.h"
#include "planner/modes/job.h"

enum br_why_not {
    BR_WHY_NOWHERE, /* no machine has room for it */
    BR_WHY_LONGER,  /* it lasts no shorter, and would not end earlier */
    BR_WHY_BUSY,    /* it is shorter, but its machines have no room early enough */
    BR_WHY_BUDGET,  /* it would end earlier, but consumes more than is left */
    BR_WHY_IDLE,    /* it would end earlier, but nothing that waits for it could start then */
    BR_WHY_SEARCH,  /* it would end earlier; the search found no shorter plan with it */
};
struct br_reason {
    enum br_why_not why;
    int64_t lasts_ns; /* the shortest on machines where it runs */
    int64_t ends_ns;  /* the earliest end; INT64_MAX: so late that it is not known */
};

/* The reason for one task and one other alternative of its stage, counted within it. The plan is
 * valid. False if memory is out. O(tasks + tasks of a machine^2 x machines), or of all tasks if
 * some resource is shared. */
bool br_why_not(const struct br_modes *modes, const struct br_plan *plan, uint32_t task,
                uint32_t alternative, struct br_reason *reason);

#endif
