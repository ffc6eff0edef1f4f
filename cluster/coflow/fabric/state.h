/* The fabric as the clocks drive it. Internal to this room; policies see fabric.h and rates.h. */
#ifndef BR_CLUSTER_COFLOW_FABRIC_STATE_H
#define BR_CLUSTER_COFLOW_FABRIC_STATE_H

#include "cluster/coflow/fabric/fabric.h"

/* The unit of time of the clock of epochs. That of the exact clock is a millisecond. */
enum { BR_FABRIC_TICK_MS = 8 };
/* A flow with less than a thousandth of a byte left has ended. */
#define BR_FLOW_OVER 1e-3
/* A port with a lesser part of its capacity free has nothing free. */
#define BR_PORT_FULL 1e-12

/* A flow with a rate. */
struct br_grant {
    uint64_t flow;
    uint32_t coflow, sender, receiver;
};

/* A flow that got more. */
struct br_raise {
    struct br_grant grant;
    double added;
};

struct br_coflow_state {
    uint64_t width, live;          /* flows */
    uint64_t *up_bits, *down_bits; /* ports with live flows, while the coflow is there */
    /* By sender the receivers' ports of live flows, and by receiver the senders'; NULL if the ends
     * of the other side are fewer than the words of a set. */
    uint64_t *of_sender, *of_receiver;
    uint32_t *live_up;   /* flows that have not ended, by sender */
    uint32_t *live_down; /* and by receiver */
    double sent;         /* bytes */
    double *believed;    /* bytes of a flow to each receiver; 0: nothing is believed */
    bool estimated;      /* something is */
    bool learned;        /* br_fabric_learned was told, at that time and with so much sent */
    double learned_ms, learned_sent;
    double most_sent; /* bytes of one flow */
    /* The policy wakes at these, 0 for none: bytes sent by the coflow, bytes sent by one of its
     * flows, a time. wake_flow_ms is the clock's: when the first flow will have sent wake_flow. */
    double wake, wake_flow, wake_ms, wake_flow_ms;
    uint32_t pilots; /* that have not ended */
    /* For the clock: flows with a rate, and when the last of them ends; likewise for pilots. */
    uint64_t rated, rated_pilots;
    double last, last_pilot;
    double rate, accrued, since_ms; /* of all flows; bytes that they had sent then */
};

struct br_fabric {
    const struct br_coflows *trace;
    double capacity; /* of a port in a unit of time */
    double unit_ms;
    double now_ms;
    bool told;          /* sizes */
    const bool *failed; /* by port; NULL: none has */
    /* MADD takes what flows of estimated coflows really have left. */
    bool true_rates;
    double *size, *left, *rate;
    bool *pilot;
    uint32_t *senders; /* by receiver, the senders of live flows */
    struct br_coflow_state *coflow;
    uint32_t *live_ends; /* storage of live_up and live_down */
    double *beliefs;     /* and of believed */
    double *free_up, *free_down;
    uint32_t words;              /* of a set of ports */
    uint64_t *any_up, *any_down; /* ports with something free */
    uint32_t *order, ordered;    /* coflows that get what is left free */
    uint32_t there;              /* coflows that have entered and not left */
    /* By port, uplinks before downlinks: the places in the order that had live flows there when it
     * was indexed. */
    uint64_t *at_port;
    uint32_t place_words; /* of such a set */
    bool indexed;
    struct br_raise *raise; /* what hand_on gave, while it is noted */
    uint32_t raises;
    bool notes_raises;
    double *up, *down; /* by port, for the primitives */
    double *up_part;
    uint32_t *up_flows, *down_flows;
    uint64_t grants;
    struct br_grant *grant;
};

/* Makes the fabric ready before the first coflow. With `whole` every flow is rounded up to whole
 * MiB, as the published simulator has it. BR_SYSTEM (memory); release also then. O(flows). */
enum br_status br_fabric_init(struct br_fabric *fabric, const struct br_coflows *trace,
                              double capacity, bool told, bool whole, struct br_diag *diag);
void br_fabric_finish(struct br_fabric *fabric);
/* Makes room for the sets of a coflow's ports while it is there. BR_SYSTEM (memory). O(flows). */
enum br_status br_fabric_enter(struct br_fabric *fabric, uint32_t coflow, struct br_diag *diag);
void br_fabric_leave(struct br_fabric *fabric, uint32_t coflow);

static inline uint64_t br_fabric_flow(const struct br_fabric *fabric, uint32_t coflow,
                                      uint32_t sender, uint32_t receiver)
{
    const struct br_coflow *c = &fabric->trace->coflow[coflow];
    return c->first + (uint64_t)receiver * c->senders + sender;
}

/* Adds up what MADD takes as left, by sender and receiver. */
void br_fabric_rate_left(const struct br_fabric *fabric, uint32_t coflow, double *up, double *down);
double br_fabric_flow_rate_left(const struct br_fabric *fabric, uint32_t coflow, uint32_t receiver,
                                uint64_t flow);

/* Moves bytes of a flow. If the flow ends, takes it out of the live ones; its rate is left. */
void br_fabric_move(struct br_fabric *fabric, const struct br_grant *grant, double bytes);
static inline bool br_fabric_over(const struct br_fabric *fabric, uint64_t flow)
{
    return fabric->left[flow] <= 0;
}

#endif
