/* Serial generation with every task on a machine of its own choice, and what it is for: starts that
 * are as early as they can be. */
#ifndef BR_PLANNER_SCHEDULE_KEEP_H
#define BR_PLANNER_SCHEDULE_KEEP_H

#include "base/process/stop.h"
#include "planner/schedule/order.h"
#include "planner/schedule/schedule.h"

enum br_keep {
    BR_KEEP_MADE,
    BR_KEEP_NOT_IN_ORDER, /* the order has a task before one of its parents */
    BR_KEEP_NO_MEMORY,
};

/* In the given order, each task on its machine as soon as that has room, or if there is no such
 * machine, or it does not hold the task, on the best one [Kolisch96]. machine is by task, and may
 * be the schedule's own. One search of a machine a task. */
enum br_keep br_keep_machines(struct br_schedule *schedule, const struct br_instance *instance,
                              const struct br_order *order, const uint32_t *machine);

/* Moves tasks to earlier starts until none can start earlier while all others stay where they are:
 * on its machine, and on any. Rounds over all machines end sooner if that would take long: those of
 * a large job (some 100,000 tasks) once a round moves fewer than one task in a thousand, those of a
 * job with a great many stages of one or two tasks when these have asked 5 x 10^7 machines, if it
 * shall be quick all once a round moves fewer than one task in twenty, and all but the first 20,000
 * looks at a task once stop is raised (it may be NULL). No task starts later than before, so the
 * makespan does not grow. *moved becomes how many start earlier. Subsets stay. False when memory is
 * out, with the schedule as it was. A round costs O(tasks log tasks), a look at its own machine a
 * task, and a look at the intervals between the first and the last start of each stage (holes.h).
 */
bool br_left_shift(struct br_schedule *schedule, const struct br_instance *instance, bool quick,
                   const struct br_stop *stop, uint64_t *moved);

#endif
