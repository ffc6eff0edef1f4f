/* Cuts: the places where a job falls into parts that are planned, and bounded, one after another.
 *
 * A set X of tasks that holds all ancestors of its members is a cut when every task outside has all
 * of X among its ancestors: nothing after the cut can start before everything ahead of it has
 * ended. So the best plan of the whole is the best plans of the parts, one after another, and the
 * sum of lower bounds on the parts is a lower bound on the whole. */
#ifndef BR_PLANNER_INSTANCE_PART_H
#define BR_PLANNER_INSTANCE_PART_H

#include "planner/instance/instance.h"

struct br_parts {
    uint32_t count; /* at least 1 */
    /* In the order in which they run. Owned by this struct, with one exception: the one part of a
     * job without a cut is the whole itself, borrowed. So the whole must outlive the parts, and
     * only br_parts_finish releases a part. Parts have the cluster of the whole. */
    const struct br_instance **part;
    const struct br_instance *whole; /* borrowed */
    struct br_arena arena;           /* of the parts' instances */
};

/* Splits the instance at all its cuts. On failure (memory) *parts is zeroed.
 * O(tasks + stages log stages + arcs). */
enum br_status br_parts_create(const struct br_instance *whole, struct br_parts *parts,
                               struct br_diag *diag);
/* Releases the parts; zeroed parts are fine. */
void br_parts_finish(struct br_parts *parts);

#endif
