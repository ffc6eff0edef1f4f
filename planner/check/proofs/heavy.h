/* The heaviest set of tasks that can run together on one machine. */
#ifndef BR_PLANNER_CHECK_PROOFS_HEAVY_H
#define BR_PLANNER_CHECK_PROOFS_HEAVY_H

#include "planner/check/proofs/ahead.h"

/* Most stages to choose from. */
#define BR_HEAVY_STAGES 320u

struct br_heavy;

/* A search among the tasks of `count` stages, of which the instance has the numbers. Everything is
 * borrowed; NULL when memory is out. */
struct br_heavy *br_heavy_create(const struct br_instance *in, const struct br_ahead *ahead,
                                 const uint32_t *stage, uint32_t count);
void br_heavy_destroy(struct br_heavy *heavy);

/* The weight of the heaviest set that a machine of the class holds, with no more tasks of a stage
 * than it has and with no stage wholly ahead of another. weight[v] is that of one task of the stage
 * stage[v]; 0 or less keeps the stage out. The weights of all tasks sum to at most 2^53. *nodes is
 * counted down by the nodes of the search; if it comes to 0, the result is more than the set
 * weighs, or as much. */
int64_t br_heaviest(struct br_heavy *heavy, uint32_t cls, const int64_t *weight, int64_t *nodes);

#endif
