/* Serial generation of whole schedules by a list of keys, and forward-backward improvement.
 *
 * A pass places every task, forward or backward, in the order of its key, each at the first time at
 * which a machine holds it. Justification [Li92] [Valls05] is a pass backward by decreasing end,
 * which moves every task as far right as it goes, and one forward by increasing start, which moves
 * them back to the left: on one pool no pass lengthens the schedule, and holes close. On several
 * machines every task chooses its machine anew, so that a pass may also lengthen it; the better
 * one is kept. Barriers stay arcs between stages, and copies of a task that follow each other in
 * the order are placed in bulk. */
#ifndef BR_PLANNER_SCHEDULE_JUSTIFY_H
#define BR_PLANNER_SCHEDULE_JUSTIFY_H

#include "base/process/stop.h"
#include "planner/schedule/order.h"
#include "planner/schedule/schedule.h"

struct br_serial;

/* A workspace over the instance; borrows both. NULL when memory is out. */
struct br_serial *br_serial_create(const struct br_instance *instance,
                                   const struct br_reach *reach);
void br_serial_destroy(struct br_serial *serial);

/* One pass: the smallest key first, ties by task number. `schedule` receives start, machine and
 * measure, not the subsets; its makespan is INT64_MAX if it would exceed `limit` (INT64_MAX: no
 * limit). key may be borrowed from the schedule itself. False when memory is out or *stop became
 * non-zero. O(n log n) and a search of the space a task, or a run of equal tasks. */
bool br_serial_pass(struct br_serial *serial, enum br_direction direction, const int64_t *key,
                    int64_t limit, struct br_schedule *schedule, const struct br_stop *stop);
/* Sets how much each resource counts in the choice between machines; see br_space_set_weights. */
void br_serial_set_weights(struct br_serial *serial, const double *factor);
/* The placer that it works with, empty between passes: for callers that place in other ways. */
struct br_placer *br_serial_placer(struct br_serial *serial);
/* Tasks placed so far, in all passes. */
uint64_t br_serial_placements(const struct br_serial *serial);

/* The keys under which a pass takes the tasks in the order of the schedule: its starts forward, its
 * negated ends backward. */
void br_serial_key(const struct br_schedule *schedule, const struct br_instance *instance,
                   enum br_direction direction, int64_t *key);

/* Right and left again until a round brings nothing, at most `rounds` times. Never makes the
 * schedule worse; the subsets stay. False as above, with the schedule then still complete. */
bool br_justify(struct br_serial *serial, struct br_schedule *schedule, uint32_t rounds,
                const struct br_stop *stop);

#endif
