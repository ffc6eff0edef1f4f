/* Lifted covers: measures over all resources together, found from too much of one.
 *
 * If the tasks of a set demand more of a resource than a machine has, fewer than all of them run at
 * once: the sum over the set of (1 if it runs) is at most some pi0. Lifting gives tasks outside the
 * set weights as well, the longest first: pi0 less the heaviest set that can run beside the task,
 * all resources and all precedence taken into account. The demands for a resource are lifted in the
 * same way. [Sidorov26] lifts without precedence, and by a knapsack over states; here a task may be
 * one of many equal ones, and a set counts by the heaviest set that each machine of the cluster
 * really holds. */
#ifndef BR_PLANNER_BOUNDS_COVERS_H
#define BR_PLANNER_BOUNDS_COVERS_H

#include "planner/bounds/measure.h"
#include "planner/bounds/packing.h"

/* Finds at most `most` of them as measures of the kind BR_MEASURE_WEIGHTS, first those under which
 * all tasks have the most work by capacity; none if nothing is lifted. The packer is one of the
 * packing's. False when memory is out, with *covers zeroed. Thousands of searches for heavy sets,
 * of a million nodes in all, fewer on larger instances. */
bool br_covers_init(struct br_measures *covers, const struct br_packing *packing,
                    struct br_packer *packer, uint32_t most);

#endif
