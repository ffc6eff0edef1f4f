/* Flows that share by pairs of ports: all flows from one uplink to one downlink move alike, so a
 * pair has one count of bytes that each of its flows has moved since the beginning, and a heap of
 * the counts at which they end. Internal; both clocks give pairs their rates. */
#ifndef BR_CLUSTER_COFLOW_CLOCKS_PAIRS_H
#define BR_CLUSTER_COFLOW_CLOCKS_PAIRS_H

#include "cluster/coflow/clocks/run.h"

struct br_due {
    double moved; /* of the pair, at which the flow ends */
    struct br_grant grant;
};

struct br_pair {
    uint32_t size, room; /* live flows */
    double rate;         /* of each, in the clock's unit of time */
    double moved;        /* by each, until `since` */
    double since;
    double next; /* when the first of them ends; INFINITY: never at this rate */
    struct br_due *heap;
};

struct br_pairs {
    struct br_coflow_run *run;
    /* Ports count by what the trace uses: `ups` senders' ports, `downs` receivers' ports. */
    uint32_t ups, downs;
    uint32_t *up_at, *down_at;     /* by port: its place among those */
    uint32_t *up_port, *down_port; /* and back */
    double now;
    double same;          /* ends within that time are one */
    struct br_pair *pair; /* by uplink and downlink */
    uint32_t *up, *down;  /* live flows at a port */
    double *first;        /* by uplink: the first end among its pairs */
    double ended_bytes;   /* of flows that have ended */
};

/* BR_SYSTEM (memory); finish also then. O(ups * downs). */
enum br_status br_pairs_init(struct br_pairs *pairs, struct br_coflow_run *run, double same);
void br_pairs_finish(struct br_pairs *pairs);

static inline struct br_pair *br_pair_of(const struct br_pairs *pairs, uint32_t up, uint32_t down)
{
    return &pairs->pair[(size_t)up * pairs->downs + down];
}

/* Accounts for what the pair's flows have moved until now. */
static inline void br_pair_settle(const struct br_pairs *pairs, struct br_pair *pair)
{
    pair->moved += pair->rate * (pairs->now - pair->since);
    pair->since = pairs->now;
}

/* Finds the first end among the uplink's pairs. O(downs). */
void br_pairs_renew_first(struct br_pairs *pairs, uint32_t up);
/* Calls with each pair of which flows have come or ended. */
typedef void br_pair_visit(void *context, uint32_t up, uint32_t down);
/* The flows of a coflow that has arrived, with the rate that the pair has; its `next` is left. */
enum br_status br_pairs_enter(struct br_pairs *pairs, uint32_t coflow, br_pair_visit *visit,
                              void *context);
/* Ends the flows that are due, and coflows with them at that time. */
void br_pairs_end(struct br_pairs *pairs, double now_ms, br_pair_visit *visit, void *context);

#endif
