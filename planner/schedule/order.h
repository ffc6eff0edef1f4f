/* Orders over tasks: heads and tails, and the permutations by which tasks are taken. */
#ifndef BR_PLANNER_SCHEDULE_ORDER_H
#define BR_PLANNER_SCHEDULE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/instance/instance.h"

enum br_direction { BR_FORWARD, BR_BACKWARD };

/* The order in which ready tasks are taken, one for the whole job. */
struct br_order {
    uint32_t *place;    /* by task: 0 is taken first; a permutation */
    uint32_t *by_stage; /* the tasks by stage, those of a stage sorted by place */
};

/* Longest paths, in ticks, by task: head is what must pass before it starts, tail what must pass
 * after it ends. head + duration + tail is the longest path through the task. */
struct br_reach {
    int64_t *head, *tail;
    int64_t critical_path;
};
/* O(tasks + arcs). False when memory is out (finish is still fine). */
bool br_reach_init(struct br_reach *reach, const struct br_instance *instance);
void br_reach_finish(struct br_reach *reach);

/* The key by which tasks are sorted: larger `first` comes first, then larger `second`, then larger
 * `third`, then the lower task number. */
struct br_key {
    int64_t first, second, third;
};
/* The permutation of the tasks by their keys, in arrays of its own. O(n log n). */
bool br_order_init(struct br_order *order, const struct br_instance *instance,
                   const struct br_key *key);
void br_order_finish(struct br_order *order);
/* An invariant: every task has a place of its own, and by_stage holds the tasks of every stage by
 * their places. O(tasks). */
bool br_order_is_sound(const struct br_order *order, const struct br_instance *instance);

/* The key of troublesome-first placement: duration, then tail (forward) or head (backward), then
 * the dominant share of the demand. key has room for all tasks. */
void br_key_longest(const struct br_instance *instance, const struct br_reach *reach,
                    enum br_direction direction, struct br_key *key);
/* The largest share, over resources, of the whole cluster that a task of the stage holds, in 2^-32;
 * 0 if it demands nothing. */
int64_t br_dominant_share(const struct br_instance *instance, uint32_t stage);

#endif
