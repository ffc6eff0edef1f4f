/* Transfers that move: how fast, and until when. Ports are shared in whole bytes a second, times
 * are nanoseconds, and bytes are counted in 1e-9 of a byte, so that all of it is exact. */
#ifndef BR_PLANNER_PORTS_FLOWS_H
#define BR_PLANNER_PORTS_FLOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/numbers/wide.h"

/* A time so late that nothing happens then. */
#define BR_NETWORK_NEVER INT64_MAX
/* The latest end of a flow: a flow that would end later does not end. */
#define BR_FLOWS_LATEST (INT64_MAX / 4)

/* How ports are shared. All but `fair` give the ports to transfers in some order, each as much as
 * is left, so that no port idles that could move something. */
enum br_sharing {
    BR_SHARE_PLAN, /* first the flow of the least key */
    BR_SHARE_FAIR, /* every transfer alike, max-min fairly */
    BR_SHARE_FIFO, /* first what began first */
    BR_SHARE_SEBF, /* first the coflow whose busiest port is through first [Chowdhury14] */
    BR_SHARINGS,   /* of them plans choose; what follows is for clusters that run */
    /* Coflows sink through queues by what they have moved: the first BR_FLOWS_FIRST_QUEUE bytes in
     * the first, and so on times BR_FLOWS_FACTOR; first the first queue, there the least number
     * [Chowdhury15]. Knows no sizes. */
    BR_SHARE_SINKING = BR_SHARINGS,
    BR_SHARE_LEAST_LEFT /* first the coflow with the least left in all */
};
enum { BR_FLOWS_QUEUES = 10, BR_FLOWS_FACTOR = 10, BR_FLOWS_FIRST_QUEUE = 10 << 20 };

/* The ports of machines, in bytes a second; borrowed. */
struct br_ports {
    uint32_t machines;
    const int64_t *up, *down; /* by machine */
};

struct br_flow {
    uint32_t from, to;   /* machines, which differ */
    uint32_t coflow, id; /* no two flows have the same id and coflow */
    uint64_t owner;      /* the caller's own */
    uint64_t key;        /* the order among flows, ties by coflow and id */
    /* Of its coflow: how long the busiest port takes (BR_SHARE_SEBF), bytes left, or the queue. */
    double due;
    br_wide left; /* at `since`, in 1e-9 bytes */
    int64_t rate; /* bytes a second since then */
    int64_t since_ns, end_ns;
};

/* The number of a port: twice its machine's number, and one more if it receives. */
struct br_port {
    int64_t share; /* what each of its flows without a rate got when this was set; it only grows */
    uint32_t port;
};

/* A span in which a flow moved at one rate. */
struct br_moved {
    uint32_t id;
    int64_t start_ns, end_ns, rate;
};

struct br_flows {
    struct br_ports ports;
    enum br_sharing sharing;
    struct br_flow *flow; /* moving now, in their order */
    uint32_t flows, room;
    int64_t next_ns;   /* the first end among them */
    bool changed;      /* since the rates were set */
    int64_t sinks_ns;  /* when a coflow comes into its next queue; else BR_NETWORK_NEVER */
    br_wide *moved_by; /* by coflow, in 1e-9 bytes (BR_SHARE_SINKING) */
    uint32_t coflow_room;
    int64_t *up, *down;    /* by machine, what is left while rates are set */
    uint32_t *ups, *downs; /* by machine, flows without a rate (fair); 0 else */
    double *load;          /* by port, for BR_SHARE_SEBF */
    struct br_port *port;  /* a heap of those with flows without a rate (fair) */
    uint32_t *port_first;  /* by port, for `at_port` (fair) */
    uint32_t *at_port;     /* flows by port, each twice (fair) */
    uint32_t at_room;
    bool record;
    struct br_moved *moved; /* if recorded */
    uint32_t moves, move_room;
    uint64_t work; /* flows looked at; of BR_SHARE_FAIR those of all ports that decide */
};

/* False when memory is out; finish is fine. */
bool br_flows_init(struct br_flows *flows, const struct br_ports *ports);
void br_flows_finish(struct br_flows *flows);
/* No flow moves. */
void br_flows_clear(struct br_flows *flows, enum br_sharing sharing, bool record);
/* So many bytes, at least 1, begin to move; of `flow` the machines, the coflow, the id, the owner
 * and the key count. False when memory is out. O(flows). */
bool br_flows_add(struct br_flows *flows, const struct br_flow *flow, int64_t bytes,
                  int64_t now_ns);
/* Sets the rates if flows have come or gone, or a coflow has sunk. False when memory is out.
 * O(flows + machines), for orders by coflows times log flows, for BR_SHARE_FAIR and ports log
 * machines. */
bool br_flows_share(struct br_flows *flows, int64_t now_ns);
/* Takes away the k-th of the flows, which stays unfinished. O(flows). */
void br_flows_remove(struct br_flows *flows, uint32_t k);
/* Takes away the first flow that ends now; false if there is none. *flow gets it. */
bool br_flows_pop(struct br_flows *flows, int64_t now_ns, struct br_flow *flow, bool *memory);

#endif
