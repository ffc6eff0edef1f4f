/* The heaviest set of tasks that can run together on one machine: a knapsack in several dimensions
 * with conflicts, solved by depth-first search in integers. */
#ifndef BR_PLANNER_BOUNDS_PACKING_H
#define BR_PLANNER_BOUNDS_PACKING_H

#include "planner/instance/instance.h"

/* Most stages that a packer takes. */
#define BR_PACKING_STAGES 320u

/* Some of the stages of an instance; all borrowed. */
struct br_packing {
    const struct br_instance *in;
    uint32_t count;        /* at most BR_PACKING_STAGES; the arrays are by index into them */
    const uint32_t *stage; /* number in the instance */
    const bool *ahead;     /* [u * count + v]: every task of u is an ancestor of every task of v */
};

struct br_packer;

/* NULL when memory is out. */
struct br_packer *br_packer_create(const struct br_packing *packing);
void br_packer_destroy(struct br_packer *packer);

/* An upper bound on the sum of weights over all multisets of tasks that fit a machine of the class
 * together, with no more tasks of a stage than it has, and no task beside an ancestor. It is exact
 * unless the search needs more than *nodes nodes, which is counted down. Stages with weight <= 0
 * stay out; weights are at most 2^40. Sets that weigh `known` or less are not looked for; if one
 * that weighs more is found, tasks[v] holds how many of each stage it has, and *found its weight,
 * else *found is `known`. The result is at least *found. */
int64_t br_packer_heaviest(struct br_packer *packer, uint32_t cls, const int64_t *weight,
                           int64_t known, uint32_t *tasks, int64_t *found, int64_t *nodes);

/* As br_packer_heaviest for the tasks that can run beside this many tasks of v, which fit the
 * machine: no tasks of v itself, and none that is an ancestor or a descendant of them. */
int64_t br_packer_beside(struct br_packer *packer, uint32_t cls, uint32_t v, uint32_t count,
                         const int64_t *weight, int64_t *nodes);

#endif
