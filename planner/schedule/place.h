/* Placing a subset of the tasks into a space, forward or backward.
 *
 * [Grandl16, 4.2]: ready is a task of the subset whose parents within the subset are placed; among
 * the ready ones the first of a given order goes to the earliest fit after all its placed parents,
 * in whatever subset. Backward is the mirror image. On a whole job this is serial schedule
 * generation [Kolisch96]; here it is that on a part of the tasks, around what is placed already.
 */
#ifndef BR_PLANNER_SCHEDULE_PLACE_H
#define BR_PLANNER_SCHEDULE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/process/stop.h"
#include "planner/instance/instance.h"
#include "planner/schedule/order.h"
#include "planner/space/space.h"

struct br_placer;

/* A workspace over the instance, which it borrows: an empty space, and where each task is. NULL
 * when memory is out. O(tasks + arcs). */
struct br_placer *br_placer_create(const struct br_instance *instance);
void br_placer_destroy(struct br_placer *placer);

/* Places all tasks whose letter[task] is `subset`. A task without a placed parent (forward) or
 * child (backward) is bounded by the least start or the greatest end in the space. False when
 * memory is out, *stop became non-zero or the limit was passed (stop may be NULL); a part of the
 * subset is then placed, and br_placer_pop takes it out. Tasks that are alike are placed in bulk;
 * otherwise each costs a search of the space. */
bool br_place(struct br_placer *placer, enum br_direction direction, const char *letter,
              char subset, const struct br_order *order, const struct br_stop *stop);

/* Puts the task where it stands in another schedule, without a search; it must fit there. False
 * when memory is out. */
bool br_placer_put(struct br_placer *placer, uint32_t task, int64_t start, uint32_t machine);

/* With plain set every task costs a search of its own. The placement is the same: tests hold the
 * two against each other. */
void br_placer_set_plain(struct br_placer *placer, bool plain);

/* Gives up br_place, which then returns false, once a task ends so late (forward; backward: begins
 * so early) that with beyond[task] after it (before it) the limit is passed; counted from time 0.
 * beyond is borrowed; NULL: no limit. */
void br_placer_set_limit(struct br_placer *placer, const int64_t *beyond, int64_t limit);
/* Gives up br_place once what is placed must, by the longest paths to and from its tasks, take
 * longer than *most from begin to end. *most may fall meanwhile, from another thread; both
 * arguments are borrowed and stay; NULL: no limit. */
void br_placer_set_span(struct br_placer *placer, const struct br_reach *reach,
                        const _Atomic int64_t *most);
/* Did the last br_place end because of either limit? */
bool br_placer_over(const struct br_placer *placer);

/* Passes on to br_space_set_weights. */
void br_placer_set_weights(struct br_placer *placer, const double *factor);

/* Opens a level; false when memory is out. */
bool br_placer_push(struct br_placer *placer);
/* Takes out everything placed since the level was opened, and closes it. */
void br_placer_pop(struct br_placer *placer);

const struct br_space *br_placer_space(const struct br_placer *placer);
/* By task, in ticks; BR_UNPLACED if it is not placed. */
#define BR_UNPLACED INT64_MIN
const int64_t *br_placer_start(const struct br_placer *placer);
const uint32_t *br_placer_machine(const struct br_placer *placer);
/* Tasks placed in the life of the placer, undone ones included: the unit of effort. */
uint64_t br_placer_placements(const struct br_placer *placer);

#endif
