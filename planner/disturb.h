/* Disturbing the order of a schedule's tasks: the moves of the large-neighbourhood search. */
#ifndef BR_PLANNER_DISTURB_H
#define BR_PLANNER_DISTURB_H

#include "base/rng.h"
#include "planner/improve.h"

struct br_disturb;

/* Borrows both; NULL when memory is out. */
struct br_disturb *br_disturb_create(const struct br_instance *instance,
                                     const struct br_reach *reach);
void br_disturb_destroy(struct br_disturb *disturb);

/* Sets the schedule to be disturbed, borrowed, and finds its critical chain. O(n log n). */
void br_disturb_base(struct br_disturb *disturb, const struct br_schedule *base);

/* Writes the key of every task, for a pass in the given direction: the order of the base, changed
 * by the move (not BR_MOVE_PARALLEL). Several threads may ask at once. O(n). */
void br_disturb(const struct br_disturb *disturb, enum br_move move, enum br_direction direction,
                struct br_rng *rng, int64_t *key);
/* Keys by blurred distance to the end of the job, or by blurred start in the base. */
void br_disturb_tails(const struct br_disturb *disturb, struct br_rng *rng, int64_t *key);

#endif
