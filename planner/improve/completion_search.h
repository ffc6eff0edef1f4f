/* Search for schedules whose ends (planner/instance/completions.h) come sooner on average, by
 * orders of the tasks. Moves take the tasks that lead to one end earlier or later in the list, or
 * end after end by what each takes. Schedules are generated serially, and late acceptance [Burke17]
 * also accepts slightly worse ones. */
#ifndef BR_PLANNER_IMPROVE_COMPLETION_SEARCH_H
#define BR_PLANNER_IMPROVE_COMPLETION_SEARCH_H

#include "base/process/stop.h"
#include "planner/instance/completions.h"
#include "planner/schedule/order.h"
#include "planner/schedule/schedule.h"

struct br_completion_search {
    const struct br_instance *in; /* the whole job */
    const struct br_dag *dag;
    const struct br_completions *ends;
    int64_t limit;              /* ticks that a schedule may take, at most */
    int64_t enough_ns;          /* a mean this small ends the search */
    uint64_t seed, placements;  /* placements that it may spend; 0: until it is stopped */
    const struct br_stop *stop; /* may be NULL */

    uint64_t spent;
    bool better; /* the schedule has changed */
};

/* Improves the schedule: the smaller mean, then the shorter makespan, then the denser. When memory
 * is out, the result is false and the schedule still whole. */
bool br_completions_improve(struct br_completion_search *search, struct br_schedule *schedule);

#endif
