/* A non-blocking fabric as a policy sees it: ports, the coflows that are there, and what their
 * senders report. What is still to be sent is known of coflows whose sizes were told, and believed
 * of others: a policy that is told no sizes cannot ask for one. */
#ifndef BR_CLUSTER_COFLOW_FABRIC_FABRIC_H
#define BR_CLUSTER_COFLOW_FABRIC_FABRIC_H

#include "cluster/coflow/coflows.h"

struct br_fabric;

uint32_t br_fabric_ports(const struct br_fabric *fabric);
uint32_t br_fabric_coflows(const struct br_fabric *fabric); /* of the trace */
/* Bytes that a port moves in the fabric's unit of time. */
double br_fabric_capacity(const struct br_fabric *fabric);
/* Milliseconds that a port takes for so many bytes. */
double br_fabric_port_ms(const struct br_fabric *fabric, double bytes);
/* Milliseconds since the trace's beginning. */
double br_fabric_now_ms(const struct br_fabric *fabric);
/* The ports of a coflow; its number is by arrival. */
const struct br_coflow *br_fabric_coflow(const struct br_fabric *fabric, uint32_t coflow);
/* Flows of a coflow at first, and those that have not ended. */
uint64_t br_fabric_width(const struct br_fabric *fabric, uint32_t coflow);
uint64_t br_fabric_live(const struct br_fabric *fabric, uint32_t coflow);
/* Those from its sender, or to its receiver, of that number. */
uint32_t br_fabric_live_up(const struct br_fabric *fabric, uint32_t coflow, uint32_t sender);
uint32_t br_fabric_live_down(const struct br_fabric *fabric, uint32_t coflow, uint32_t receiver);
/* Bytes that it has sent, or that one of its flows has. */
double br_fabric_sent(const struct br_fabric *fabric, uint32_t coflow);
double br_fabric_flow_sent(const struct br_fabric *fabric, uint32_t coflow, uint32_t sender,
                           uint32_t receiver);
/* The most that one of its flows has sent. */
double br_fabric_most_sent(const struct br_fabric *fabric, uint32_t coflow);
bool br_fabric_flow_ended(const struct br_fabric *fabric, uint32_t coflow, uint32_t sender,
                          uint32_t receiver);
/* Is there such a flow at all? */
bool br_fabric_has_flow(const struct br_fabric *fabric, uint32_t coflow, uint32_t sender,
                        uint32_t receiver);
/* The senders of the unfinished flows to a receiver, ascending; br_fabric_live_down of them. */
const uint32_t *br_fabric_live_senders(const struct br_fabric *fabric, uint32_t coflow,
                                       uint32_t receiver);

/* ---- Belief ---- */

/* Tells the size that a flow of the coflow is believed to have, for policies that are not told
 * sizes. Before that its flows count as equal. */
void br_fabric_believe(struct br_fabric *fabric, uint32_t coflow, double flow_bytes);
/* br_fabric_believe for the flows to one receiver alone. */
void br_fabric_believe_row(struct br_fabric *fabric, uint32_t coflow, uint32_t receiver,
                           double flow_bytes);
/* Bytes left of a flow, or of the coflow at each of its ports, as told or believed. */
double br_fabric_left(const struct br_fabric *fabric, uint32_t coflow, uint32_t sender,
                      uint32_t receiver);
/* Adds them up: `up` by sender and `down` by receiver. O(live flows). */
void br_fabric_ports_left(const struct br_fabric *fabric, uint32_t coflow, double *up,
                          double *down);
/* The bytes that the coflow has left at its busiest port, and in all. O(live flows). */
double br_fabric_bottleneck(const struct br_fabric *fabric, uint32_t coflow);
double br_fabric_total_left(const struct br_fabric *fabric, uint32_t coflow);

/* The policy has put the coflow into another place by what it has learned of its size. The last
 * such moment stands in the outcome, with the bytes sent until then: what learning has cost. */
void br_fabric_learned(struct br_fabric *fabric, uint32_t coflow);

/* ---- What wakes the policy ---- */

/* Makes a flow a pilot: when the last one of a coflow ends, the policy is told so. */
void br_fabric_pilot(struct br_fabric *fabric, uint32_t coflow, uint32_t sender, uint32_t receiver);
bool br_fabric_is_pilot(const struct br_fabric *fabric, uint32_t coflow, uint32_t sender,
                        uint32_t receiver);
/* Wakes the policy when the coflow has sent so many bytes; 0: no more. The clock of epochs has no
 * such events. */
void br_fabric_wake_at(struct br_fabric *fabric, uint32_t coflow, double sent);
/* Wakes the policy when the first flow of the coflow has sent so many bytes; or at a time, later
 * than now. */
void br_fabric_wake_flow(struct br_fabric *fabric, uint32_t coflow, double sent);
void br_fabric_wake_ms(struct br_fabric *fabric, uint32_t coflow, double ms);

#endif
