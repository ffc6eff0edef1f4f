/* Which coflows want the same ports. */
#ifndef BR_CLUSTER_COFLOW_POLICIES_CONTENTION_H
#define BR_CLUSTER_COFLOW_POLICIES_CONTENTION_H

#include "cluster/coflow/fabric/fabric.h"

struct br_contention {
    uint32_t *up, *down; /* coflows with live flows, by port */
    uint64_t *set;       /* of coflows, by place in the list; by port */
    uint64_t room;
    uint32_t words; /* of a set */
};

bool br_contention_init(struct br_contention *contention, const struct br_fabric *fabric);
void br_contention_finish(struct br_contention *contention);
/* Counts the coflows of the list at every port. O(ends of all). */
void br_contention_ports(struct br_contention *contention, const struct br_fabric *fabric,
                         const uint32_t *coflow, uint32_t coflows);
/* Sets `others` to the number of other coflows of the list that share a port with each, by place.
 * False when memory is out. O(ends of all x coflows / 64). */
bool br_contention_others(struct br_contention *contention, const struct br_fabric *fabric,
                          const uint32_t *coflow, uint32_t coflows, uint32_t *others);

#endif
