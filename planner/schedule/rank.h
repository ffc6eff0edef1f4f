/* Ranks of the stages, 0 first: orders that depend on the shape of the job alone. */
#ifndef BR_PLANNER_SCHEDULE_RANK_H
#define BR_PLANNER_SCHEDULE_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/instance/instance.h"

/* Each fills out[stage], a permutation; false when memory is out. */

/* By depth (most arcs on a path from a source), ties in topological order. O(stages + arcs). */
bool br_rank_breadth_first(const struct br_instance *instance, uint32_t *out);
/* A topological order that follows a chain to its end before it begins the next. O(stages + arcs).
 */
bool br_rank_depth_first(const struct br_instance *instance, uint32_t *out);
/* [Coffman72]: labels are given from the sinks up, each to the stage whose descending list of
 * children's labels is lexicographically least; the highest label is ranked first. Differs: the
 * graph is not reduced transitively first. O(arcs log arcs + stages log stages x children). */
bool br_rank_coffman_graham(const struct br_instance *instance, uint32_t *out);

#endif
