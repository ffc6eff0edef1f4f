/* Large neighbourhoods of a schedule in which tasks have ways [Shaw98]: what a search keeps of it
 * while it looks for a shorter one. In turn all tasks beyond a window of time keep ways and starts,
 * those behind the window a tick earlier; or most tasks keep their ways, and all start near to
 * where they do. Windows and shares grow after a neighbourhood without shorter schedules, and
 * shrink after one that could not be searched to its end. */
#ifndef BR_PLANNER_PLANNING_MODES_NEARBY_H
#define BR_PLANNER_PLANNING_MODES_NEARBY_H

#include "base/numbers/rng.h"
#include "planner/exact/exact.h"

struct br_nearby {
    uint32_t tasks;
    /* The neighbourhood, by task: does it keep its way, and from when to when may it start? */
    bool *way;
    int64_t *from, *to;
    struct br_rng rng;
    double window, free; /* shares of the makespan, and of the tasks whose ways are free */
    bool by_time;
};

/* False when memory is out; finish releases all, also then. */
bool br_nearby_init(struct br_nearby *n, uint32_t tasks);
void br_nearby_finish(struct br_nearby *n);

/* Draws the next neighbourhood of the schedule that ends at `makespan`. */
void br_nearby_draw(struct br_nearby *n, int64_t makespan, const int64_t *start,
                    const int64_t *end);
/* Sizes the next one like this one by what came of it. */
void br_nearby_adapt(struct br_nearby *n, enum br_exact_result result);

#endif
