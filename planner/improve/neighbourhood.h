/* A pass from the middle of a schedule on: tasks before a window of time stay in place, and tasks
 * in the window are tried in several orders. The rest follows only if one of these ends sooner than
 * the present one.
 *
 * So the cost of most trials depends on the window and not on the job. Tasks that stay are put back
 * without a search, at a tenth of the cost of a placement. */
#ifndef BR_PLANNER_IMPROVE_NEIGHBOURHOOD_H
#define BR_PLANNER_IMPROVE_NEIGHBOURHOOD_H

#include "base/process/stop.h"
#include "planner/improve/disturb.h"
#include "planner/schedule/schedule.h"

struct br_window;

/* A workspace; borrows all three. The placer must be empty at each use. NULL when memory is out. */
struct br_window *br_window_create(const struct br_instance *instance, const struct br_reach *reach,
                                   struct br_placer *placer);
void br_window_destroy(struct br_window *window);

/* Draws a window of the disturb's base schedule, and orders of the tasks in it, and makes a
 * schedule of the best order as above. Its makespan is INT64_MAX if none ends sooner, or if it
 * would exceed the limit. At most as many placements as two passes. False when memory is out or
 * *stop became non-zero. */
bool br_window_pass(struct br_window *window, const struct br_disturb *disturb,
                    const struct br_schedule *base, enum br_direction direction, struct br_rng *rng,
                    int64_t limit, struct br_schedule *schedule, const struct br_stop *stop);

#endif
