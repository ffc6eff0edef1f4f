/* Orders of the tasks of one job, as lists of tasks, the first one first. From the arena; NULL when
 * memory is out. O(tasks + edges). */
#ifndef BR_CLUSTER_SIMULATE_POLICIES_ORDER_H
#define BR_CLUSTER_SIMULATE_POLICIES_ORDER_H

#include "planner/model/dag.h"

/* Breadth first: by the number of edges on the longest path from a source, then in topological
 * order. */
uint32_t *br_order_breadth(struct br_arena *arena, const struct br_dag *dag);
/* Those on which the longest path hangs first, by declared durations. tail_ns: by stage, the
 * longest path from the start of its longest task to the end of the job; may be NULL. */
uint32_t *br_order_tails(struct br_arena *arena, const struct br_dag *dag, int64_t *tail_ns);

#endif
