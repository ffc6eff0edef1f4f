/* A pass from the middle of a schedule on: what is placed before a window of time stays where it
 * is, what is placed in the window is tried in several orders, and only where one of them ends
 * sooner than what is there does the rest follow.
 *
 * So most trials cost what the window holds and not what the job does. What stays is put back
 * without a search, which costs a tenth of a placement. */
#ifndef BR_PLANNER_IMPROVE_NEIGHBOURHOOD_H
#define BR_PLANNER_IMPROVE_NEIGHBOURHOOD_H

#include "base/process/stop.h"
#include "planner/improve/disturb.h"
#include "planner/schedule/schedule.h"

struct br_window;

/* A workspace; borrows all three. The placer must be empty whenever it is used. NULL when memory is
 * out. */
struct br_window *br_window_create(const struct br_instance *instance, const struct br_reach *reach,
                                   struct br_placer *placer);
void br_window_destroy(struct br_window *window);

/* Draws a window of the schedule that is the disturb's base, and orders of what is in it, and makes
 * a schedule of the best as above. Its makespan is INT64_MAX where none ends sooner, or where it
 * would exceed the limit. At most as many placements as two passes. False when memory is out or
 * *stop became non-zero. */
bool br_window_pass(struct br_window *window, const struct br_disturb *disturb,
                    const struct br_schedule *base, enum br_direction direction, struct br_rng *rng,
                    int64_t limit, struct br_schedule *schedule, const struct br_stop *stop);

#endif
