/* Schedules of a job with features, made task after task: each starts as early as what is placed
 * leaves room for it, also between tasks that are placed already.
 *
 * Serial schedule generation [Kolisch96] with storage: an output whose readers are not all placed
 * is held to the end. So what is placed can always end, but an order may come to a dead end: then
 * no ready task finds room, and the schedule is not whole. Orders of starts of whole schedules, and
 * witnesses on shared storage, have none. The first schedules of MemHEFT [Herrmann14] are of
 * this kind.
 *
 * Beside reserve.h, which looks at no times, it sees when something is freed; so it starts much
 * more at once if storage is short. */
#ifndef BR_PLANNER_GENERAL_LISTER_H
#define BR_PLANNER_GENERAL_LISTER_H

#include "planner/general/generate.h"

struct br_lister;

/* Can it plan the job? It knows no streams and no calendar, and takes time on large jobs. */
bool br_lister_knows(const struct br_general *job);
/* NULL when memory is out. */
struct br_lister *br_lister_create(const struct br_general *job);
void br_lister_destroy(struct br_lister *lister);
/* Places the ready task of the least rank that finds room, until all are placed or none does. False
 * when memory is out. O(tasks x (machines + spans of storage)) at worst. */
bool br_lister_run(struct br_lister *lister, const uint32_t *rank,
                   struct br_general_schedule *schedule);

#endif
