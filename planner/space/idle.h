/* From when on is a machine idle for good? An index over machines that tells those that are from
 * those that are not, without a look at each.
 *
 * A binary tree with the least and the greatest of these times below every node. */
#ifndef BR_PLANNER_SPACE_IDLE_H
#define BR_PLANNER_SPACE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

struct br_idle {
    uint32_t leaves; /* a power of two */
    struct br_idle_node {
        int64_t least, most;
    } * node; /* node 1 is the root */
};

/* All machines idle since ever, which is INT64_MIN. False when memory is out (finish is still
 * fine). O(machines). */
bool br_idle_init(struct br_idle *idle, uint32_t machines);
void br_idle_finish(struct br_idle *idle);

/* The machine is idle from the time on. O(log machines) at most. */
void br_idle_set(struct br_idle *idle, uint32_t machine, int64_t time);
/* The first machine at or after `from` that is idle at the time for good, or that is not;
 * UINT32_MAX if there is none. O(log machines). */
uint32_t br_idle_next(const struct br_idle *idle, uint32_t from, int64_t time, bool wanted);

static inline int64_t br_idle_time(const struct br_idle *idle, uint32_t machine)
{
    return idle->node[idle->leaves + machine].least;
}

#endif
