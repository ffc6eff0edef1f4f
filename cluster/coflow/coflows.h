/* A trace of coflows: groups of flows between the ports of a fabric, of which each ends with its
 * last flow [Chowdhury14]. */
#ifndef BR_CLUSTER_COFLOW_COFLOWS_H
#define BR_CLUSTER_COFLOW_COFLOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"
#include "base/text/diag.h"

/* Bytes of the trace's "MB", and of the published simulators'. */
#define BR_COFLOW_MB 1048576.0

enum {
    BR_COFLOW_PORTS_MOST = 100000,
    BR_COFLOWS_MOST = 10000000,
};
/* Flows of a trace. Arrays of this many are what a simulation needs at least. */
#define BR_COFLOW_FLOWS_MOST UINT64_C(100000000)
/* Bytes of a flow, a petabyte: sums of all flows stay exact enough. */
#define BR_COFLOW_BYTES_MOST 0x1p50

/* The flows of a coflow are a matrix of senders and receivers: flow r * senders + s goes from
 * uplink up[s] to downlink down[r]. One without bytes is no flow. */
struct br_coflow {
    uint64_t id; /* as in the file */
    int64_t arrival_ms;
    uint32_t senders, receivers;
    const uint32_t *up, *down; /* ports, ascending */
    uint64_t first;            /* of its flows, among those of the trace */
    uint32_t line;             /* of the file; 0: none */
};

struct br_coflows {
    struct br_arena arena;
    uint32_t ports, coflows, room;
    struct br_coflow *coflow; /* after br_coflows_finish by arrival, else as in the file */
    uint64_t flows, flow_room;
    double *bytes;   /* by flow */
    uint32_t joined; /* lines that br_coflows_join made part of another */
};

void br_coflows_destroy(struct br_coflows *trace);
/* An empty trace; NULL when memory is out. */
struct br_coflows *br_coflows_create(uint32_t ports);

/* One end of a coflow as it is read. */
struct br_coflow_end {
    uint32_t port;
    double bytes; /* of a receiver: all that it receives */
};
/* Adds a coflow whose receivers get an equal part of their bytes from every sender. Ends are sorted
 * by port in place, and those of one port become one. BR_BAD_INPUT if there is no sender or no
 * receiver, or there are too many flows; BR_SYSTEM (memory). O(flows). */
enum br_status br_coflows_add(struct br_coflows *trace, const struct br_coflow *about,
                              struct br_coflow_end *sender, struct br_coflow_end *receiver,
                              struct br_diag *diag);
/* Makes one coflow of those of one id, which comes when the first of them did: what they carry from
 * a port to a port adds up. Before br_coflows_finish. BR_BAD_INPUT if there are too many flows;
 * BR_SYSTEM (memory). O(coflows + flows x log ports). */
enum br_status br_coflows_join(struct br_coflows *trace, struct br_diag *diag);
/* Sorts the coflows by arrival; those of one arrival keep their order. */
enum br_status br_coflows_finish(struct br_coflows *trace, struct br_diag *diag);

/* Flows with bytes of a coflow, their sum, and the greatest over the least of them. */
uint64_t br_coflow_width(const struct br_coflows *trace, const struct br_coflow *coflow);
double br_coflow_bytes(const struct br_coflows *trace, const struct br_coflow *coflow);
double br_coflow_skew(const struct br_coflows *trace, const struct br_coflow *coflow);
/* The bytes of its busiest port. */
double br_coflow_bottleneck(const struct br_coflows *trace, const struct br_coflow *coflow);

static inline uint64_t br_coflow_cells(const struct br_coflow *coflow)
{
    return (uint64_t)coflow->senders * coflow->receivers;
}

#endif
