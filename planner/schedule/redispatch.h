/* Justification by parallel generation, for large jobs.
 *
 * A round is a backward and a forward schedule by parallel generation (dispatch.h): the tasks by
 * decreasing end on the job with its arcs reversed, then by increasing start on the job as it is.
 * Unlike passes of serial generation (justify.h) it may lengthen the schedule on one machine, too;
 * it costs a third to an eighth of them on many machines, since no task searches holes. */
#ifndef BR_PLANNER_SCHEDULE_REDISPATCH_H
#define BR_PLANNER_SCHEDULE_REDISPATCH_H

#include "base/process/stop.h"
#include "planner/schedule/order.h"
#include "planner/schedule/schedule.h"

struct br_redispatch;

/* A workspace over the instance, which it borrows. NULL when memory is out. */
struct br_redispatch *br_redispatch_create(const struct br_instance *instance);
void br_redispatch_destroy(struct br_redispatch *redispatch);

/* Right and left again until a round brings nothing, at most `rounds` times; the best schedule on
 * the way stays, so it never gets worse. The subsets stay. False when memory is out or *stop became
 * non-zero, with the schedule then still complete. O(n log n) and what parallel generation costs, a
 * pass. */
bool br_redispatch(struct br_redispatch *redispatch, struct br_schedule *schedule, uint32_t rounds,
                   const struct br_stop *stop);
/* Fills the schedule by one pass in the order of another's starts, or one from the end in the order
 * of its ends, whichever is shorter. `order` need not keep arcs or capacities, but it ends by its
 * makespan. False as above. */
bool br_redispatch_follow(struct br_redispatch *redispatch, const struct br_schedule *order,
                          struct br_schedule *schedule, const struct br_stop *stop);
/* Tasks placed so far. */
uint64_t br_redispatch_placements(const struct br_redispatch *redispatch);

#endif
