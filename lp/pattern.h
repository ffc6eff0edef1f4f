/* The heaviest set of tasks that can run together on one machine: a knapsack in several dimensions
 * with conflicts, solved by depth-first search in integers. */
#ifndef BR_LP_PATTERN_H
#define BR_LP_PATTERN_H

#include "lp/problem.h"

struct lp_packer;

/* NULL when memory is out. The problem is borrowed. */
struct lp_packer *lp_packer_create(const struct lp_problem *problem);
void lp_packer_destroy(struct lp_packer *packer);

/* Over all multisets of tasks that fit a machine of the class together, no stage with more tasks
 * than it has and no task with an ancestor: an upper bound on the sum of weights, exact unless
 * the search needs more than *nodes nodes, which is counted down. Stages with weight <= 0 stay out;
 * weights are at most 2^40. Sets that weigh `known` or less are not looked for; if one that weighs
 * more is found, tasks[v] holds how many of each stage it has, and *found its weight, else *found
 * is `known`. The result is at least *found. */
int64_t lp_packer_heaviest(struct lp_packer *packer, uint32_t cls, const int64_t *weight,
                           int64_t known, uint32_t *tasks, int64_t *found, int64_t *nodes);

#endif
