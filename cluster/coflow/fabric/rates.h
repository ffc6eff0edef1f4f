/* The primitives by which policies give ports to flows. Each takes from the free part of ports,
 * adds to the rates of flows, and never takes more than is free. */
#ifndef BR_CLUSTER_COFLOW_FABRIC_RATES_H
#define BR_CLUSTER_COFLOW_FABRIC_RATES_H

#include "cluster/coflow/fabric/fabric.h"

/* Takes all rates back. */
void br_rates_reset(struct br_fabric *fabric);
/* Is anything free of an uplink and of a downlink at all? */
bool br_rates_any_free(const struct br_fabric *fabric);
/* Multiplies what is free of all ports, for shares of bandwidth; 1 gives all back that is not
 * taken. */
void br_rates_limit(struct br_fabric *fabric, double share);

/* The least rates that end all flows of the coflow together, as early as the free ports allow
 * (MADD) [Chowdhury14, 5.3]. False, and nothing given, if a port that it needs is full. O(live
 * flows). */
bool br_rates_madd(struct br_fabric *fabric, uint32_t coflow);
/* Every flow gets an equal part of what is free at its ports among the flows of these coflows, and
 * the lesser of both. O(live flows). */
void br_rates_split(struct br_fabric *fabric, const uint32_t *coflow, uint32_t coflows);
/* Every flow, in order of receivers and senders, gets all that is free at both its ports. Leaves no
 * flow of it with both ports free. O(live flows at free receivers). */
void br_rates_fill(struct br_fabric *fabric, uint32_t coflow);
/* br_rates_fill for one flow, or for the pilots of a coflow alone. */
void br_rates_flow(struct br_fabric *fabric, uint32_t coflow, uint32_t sender, uint32_t receiver);
void br_rates_pilots(struct br_fabric *fabric, uint32_t coflow);
/* The order in which coflows get what a flow leaves free when it ends, until the next decision;
 * called again, it goes on. */
void br_rates_order(struct br_fabric *fabric, const uint32_t *coflow, uint32_t coflows);
/* br_rates_fill for one after the other, in which order they also get what ends leave. */
void br_rates_fill_all(struct br_fabric *fabric, const uint32_t *coflow, uint32_t coflows);

/* ---- For the clocks ---- */

struct br_grant;

/* Takes the rate of a flow back. */
void br_rates_give_back(struct br_fabric *fabric, const struct br_grant *grant);
/* Gives what is free at the two ports to coflows in the order of br_rates_order. */
void br_rates_hand_on(struct br_fabric *fabric, uint32_t up, uint32_t down);

#endif
