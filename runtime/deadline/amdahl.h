/* The time left by a modified law of Amdahl: the remaining critical path, plus the remaining work
 * beside it shared by the whole allocation. [Ferguson12, 4.1] The simulated table is compared with
 * this model, which knows neither barriers nor spread. */
#ifndef BR_RUNTIME_DEADLINE_AMDAHL_H
#define BR_RUNTIME_DEADLINE_AMDAHL_H

#include "runtime/deadline/table.h"

/* S + (P - S) / a, where S is the most of (1 - share) x longest + behind over the stages that have
 * not finished, P the sum of (1 - share) x work, and a the value of the allocation, not its index.
 * P - S counts as 0 if it is negative. In ns. O(stages), nothing allocated. */
int64_t br_amdahl_ns(const struct br_deadline_table *table, const uint32_t *done,
                     uint32_t allocation);

#endif
