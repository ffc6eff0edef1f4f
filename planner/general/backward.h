/* Schedules of a job with outputs, made from its end: each task ends as late as what is placed
 * leaves room for it, also between tasks that are placed already.
 *
 * Serial schedule generation [Kolisch96] with time reversed. An output is held from the start of
 * its maker to the end of its last reader; seen from the end, its first reader takes the room and
 * its maker gives it back. So makers run right before their readers, which the generator and the
 * lister, which start everything as early as it fits, do not see: a small output that waits long
 * for another one takes room from the others. As there, an order may come to a dead end; the order
 * of ends of a whole schedule, from the last, has none, and neither has a witness. */
#ifndef BR_PLANNER_GENERAL_BACKWARD_H
#define BR_PLANNER_GENERAL_BACKWARD_H

#include "planner/general/generate.h"

struct br_backward;

/* Can it plan the job? It knows only outputs on shared resources, each read over barriers or one to
 * one, and no streams, calendars, releases, deadlines and tasks that take no time; large jobs take
 * time. */
bool br_backward_knows(const struct br_general *job);
/* NULL when memory is out. */
struct br_backward *br_backward_create(const struct br_general *job);
void br_backward_destroy(struct br_backward *backward);
/* Places the task of the greatest rank whose children are placed and that finds room, until all are
 * placed or none does. False when memory is out. O(tasks x (machines + spans of storage)) at worst.
 */
bool br_backward_run(struct br_backward *backward, const uint32_t *rank,
                     struct br_general_schedule *schedule);

#endif
