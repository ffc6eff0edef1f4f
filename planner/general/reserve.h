/* Keeps a running job out of dead ends: a task may start only if an order of all the rest is known
 * that fits.
 *
 * Dijkstra's banker [Dijkstra65] with a witness: an order of all tasks, each with a machine, in
 * which they can run one after another from the beginning. At any time the tasks that run can end,
 * since they hold what they need; after that the rest of the witness, without what has started, has
 * to fit. Tasks may start out of that order as long as it does. So there is no dead end whatever
 * the durations are.
 *
 * For every place whose storage can run short, a tree over the positions of the witness sums the
 * changes of what is held, and keeps the greatest load. A start costs O(log tasks) for each thing
 * that it changes. */
#ifndef BR_PLANNER_GENERAL_RESERVE_H
#define BR_PLANNER_GENERAL_RESERVE_H

#include "planner/general/job.h"

struct br_witness {
    uint32_t *order;   /* tasks */
    uint32_t *machine; /* by task */
};

struct br_reserve;

/* The witness is copied. NULL when memory is out. O(tasks log tasks). */
struct br_reserve *br_reserve_create(const struct br_general *job,
                                     const struct br_witness *witness);
void br_reserve_destroy(struct br_reserve *reserve);
/* Does the whole witness fit, with nothing started? */
bool br_reserve_holds(const struct br_reserve *reserve);
/* Back to the beginning, with nothing started. O(tasks). */
void br_reserve_reset(struct br_reserve *reserve);
/* The machine of the task in the witness, or of the task of its stage for which it may stand. */
uint32_t br_reserve_machine(struct br_reserve *reserve, uint32_t task);
/* Starts a task whose parents have started, if the rest still fits; else changes nothing. */
bool br_reserve_start(struct br_reserve *reserve, uint32_t task, uint32_t machine);
/* Takes back the last start, right after it. */
void br_reserve_back(struct br_reserve *reserve);

/* For those that run what was planned. */

/* The started task (UINT32_MAX: none) comes first in the rest of the witness, since it has failed
 * where it had room. Tasks that are `gone` (NULL: none) never run, hold nothing, and keep nothing
 * held for them; the array is borrowed. False when memory is out. O(tasks log tasks). */
bool br_reserve_again(struct br_reserve *reserve, uint32_t task, const bool *gone);
/* The task runs, or has run, there without having been asked for; br_reserve_again has to follow.
 */
void br_reserve_put(struct br_reserve *reserve, uint32_t task, uint32_t machine);
/* What a place holds when all that runs has ended, and by how much the rest of the witness exceeds
 * that at most. */
int64_t br_reserve_base(const struct br_reserve *reserve, uint32_t place);
int64_t br_reserve_most(const struct br_reserve *reserve, uint32_t place);

#endif
