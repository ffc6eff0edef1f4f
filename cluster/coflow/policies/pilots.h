/* Pilots: flows that go first, so that their sizes tell those of the others [Jajoo19, 4.1]. */
#ifndef BR_CLUSTER_COFLOW_POLICIES_PILOTS_H
#define BR_CLUSTER_COFLOW_POLICIES_PILOTS_H

#include "cluster/coflow/fabric/fabric.h"

struct br_pilots {
    struct br_fabric *fabric;
    uint32_t *up, *down; /* by port: pilots there that have not been told to have ended */
    uint32_t *end_first; /* scratch: ends of a coflow by how busy their ports are */
    uint32_t *end_second;
};

bool br_pilots_init(struct br_pilots *pilots, struct br_fabric *fabric);
void br_pilots_finish(struct br_pilots *pilots);
/* Chooses so many flows of the coflow (at most all of them), each from the sender and to the
 * receiver with the fewest pilots at that time. O(count x ends). */
void br_pilots_choose(struct br_pilots *pilots, uint32_t coflow, uint64_t count);
/* All pilots of the coflow have ended: frees the ports for others, and answers with the mean bytes
 * of a flow among all flows that have ended by now. */
double br_pilots_estimate(struct br_pilots *pilots, uint32_t coflow);

#endif
