/* The scores of trouble: a task is long, or of a stage that is hard to pack. [Grandl16, 4.1] */
#ifndef BR_PLANNER_GRAPHENE_SCORE_H
#define BR_PLANNER_GRAPHENE_SCORE_H

#include <stdbool.h>
#include <stdint.h>

#include <bigrocks/planner.h>

#include "planner/instance/instance.h"

/* LongScore orders tasks as their durations do, so thresholds are kept as durations. FragScore of
 * a stage is work / ExecTime: TWork is the largest, over resources, of demand x durations / total
 * capacity; ExecTime the makespan of greedily packing the stage alone on the empty cluster. With
 * BR_FRAG_BOUND the work is at least the longest task, so that a tiny stage is not taken for one
 * that is hard to pack. A stage that takes no time scores 1. */
struct br_scores {
    double *frag;        /* by stage, 0 (hard to pack) .. 1 */
    int64_t longest;     /* of all durations */
    uint32_t long_count; /* distinct thresholds l, descending, thinned to the limit */
    int64_t *long_value;
    uint32_t frag_count; /* distinct thresholds f, ascending, thinned to the limit */
    double *frag_value;
};

/* limit: most thresholds of each kind, taken at evenly spread ranks of the distinct values with
 * the first and the last among them; 0: no limit. False when memory is out. O(n log n). */
bool br_scores_init(struct br_scores *scores, const struct br_instance *instance,
                    enum br_frag_score form, uint32_t limit);
void br_scores_finish(struct br_scores *scores);

#endif
