/* Disturbing the order of a schedule's tasks: the moves of the large-neighbourhood search. */
#ifndef BR_PLANNER_IMPROVE_DISTURB_H
#define BR_PLANNER_IMPROVE_DISTURB_H

#include "base/text/named.h"
#include "base/numbers/rng.h"
#include "planner/schedule/schedule.h"

/* The moves, as bits of br_improve_options.moves. */
enum br_move {
    BR_MOVE_WINDOW, /* a window of time is placed anew in several orders; see neighbourhood.h */
    BR_MOVE_SHIFT,  /* some stages are taken earlier or later */
    BR_MOVE_CHAIN,  /* a task is taken before one for which it waits on the critical chain */
    BR_MOVE_STAGES, /* some stages are taken as early or as late as they can be */
    BR_MOVE_EJECT, /* a troublesome task goes before those that share its machine, or the reverse */
    BR_MOVE_NOISE, /* every stage's place in the order is blurred */
    BR_MOVE_PARALLEL, /* parallel instead of serial generation, by blurred tails */
    BR_MOVE_KINDS,
    BR_MOVE_MACHINES =
        BR_MOVE_KINDS, /* a move that goes with any other: best fit weighs the resources
                          differently, so that tasks go to other machines */
};
#define BR_MOVES_ALL ((1u << (BR_MOVE_MACHINES + 1)) - 1)
const char *br_move_name(enum br_move move);

struct br_disturb;

/* Borrows both; NULL when memory is out. */
struct br_disturb *br_disturb_create(const struct br_instance *instance,
                                     const struct br_reach *reach);
void br_disturb_destroy(struct br_disturb *disturb);

/* Sets the schedule to disturb, borrowed, and finds its critical chain. O(n log n). */
void br_disturb_base(struct br_disturb *disturb, const struct br_schedule *base);

/* The tasks of the base by increasing start, or backward by decreasing end; borrowed. */
const uint32_t *br_disturb_sequence(const struct br_disturb *disturb, enum br_direction direction);
/* A random window of time, as positions low..high - 1 of that sequence, at least one. O(log n). */
void br_disturb_window(const struct br_disturb *disturb, enum br_direction direction,
                       struct br_rng *rng, uint32_t *low, uint32_t *high);
/* Writes the keys of the tasks of a window, and leaves the others': by urgency mixed with chance,
 * or blurred. O(tasks in it). */
void br_disturb_within(const struct br_disturb *disturb, enum br_direction direction,
                       struct br_rng *rng, const uint32_t *window, uint32_t count, int64_t *key);

/* Writes the key of every task, for a pass in the given direction: the order of the base, changed
 * by the move (neither BR_MOVE_WINDOW nor BR_MOVE_PARALLEL). Several threads may ask at once. O(n).
 */
void br_disturb(const struct br_disturb *disturb, enum br_move move, enum br_direction direction,
                struct br_rng *rng, int64_t *key);
/* Keys by blurred distance to the end of the job, or by blurred start in the base. */
void br_disturb_tails(const struct br_disturb *disturb, struct br_rng *rng, int64_t *key);

#endif
