/* Bottleneck, select, scale, iterate [Agarwal18]: an order of coflows from the last to the first.
 * The busiest port names who goes last: the one with the most bytes there for its weight. The
 * others' weights fall by what they have there in proportion. */
#ifndef BR_CLUSTER_COFLOW_POLICIES_SEQUENCE_H
#define BR_CLUSTER_COFLOW_POLICIES_SEQUENCE_H

#include "cluster/coflow/fabric/fabric.h"

struct br_sequence {
    uint32_t ports;
    double *load;    /* of uplinks, then of downlinks */
    double *weight;  /* by place in the list */
    double *bytes;   /* by coflow and its ends */
    uint64_t *first; /* of a coflow's ends */
    uint64_t room;
    uint32_t *left; /* places that have no turn yet */
    uint32_t *order;
};

bool br_sequence_init(struct br_sequence *sequence, const struct br_fabric *fabric);
void br_sequence_finish(struct br_sequence *sequence);
/* Puts the coflows into that order, by what each has left. Ties go to the later in the list, as
 * last. O(coflows x (ports + coflows) + live flows). */
void br_sequence_find(struct br_sequence *sequence, const struct br_fabric *fabric,
                      uint32_t *coflow, uint32_t coflows);

/* Improves the order that br_sequence_find has given: exchanges neighbours if the sum of estimated
 * completion times falls, from that order and from those by the greatest and by the sum of what
 * coflows have at their ports, and keeps the best. A coflow is estimated to complete when each of
 * its ports has moved what it and all before it have there. At most so many passes of O(ends of
 * all) from each. */
void br_sequence_improve(struct br_sequence *sequence, const struct br_fabric *fabric,
                         uint32_t *coflow, uint32_t coflows, uint32_t passes);

#endif
