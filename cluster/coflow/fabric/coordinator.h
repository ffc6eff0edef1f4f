/* A coordinator that hears of the fabric and tells rates with delay [Jajoo19, 5 and 9.3].
 *
 * Agents report ends of flows, and in every interval the bytes that they have sent if the policy
 * goes by those (br_coflow_row.reports). At the boundaries of intervals the coordinator looks at
 * the fabric, if a coflow has come or gone, its pilots have ended, a flow has sent what the policy
 * wants to know, or a port fails or comes back. Such a round takes its processor time for every
 * report, every flow that gets a rate, and every agent that is told; then rates travel to the
 * agents, who go by the last ones that they have. One round is under way at a time. A report that
 * is lost is sent again an interval later; an agent whose rates are lost sends nothing until the
 * round that it then asks for. */
#ifndef BR_CLUSTER_COFLOW_FABRIC_COORDINATOR_H
#define BR_CLUSTER_COFLOW_FABRIC_COORDINATOR_H

#include "base/numbers/rng.h"
#include "base/text/diag.h"
#include "cluster/coflow/coflow_outcome.h"

struct br_coordinator {
    double interval_ms; /* 0: there is none, decisions are at once */
    double latency_ms;  /* of a report, and of rates */
    double loss;        /* of messages, a part */
    double report_us, rate_us, update_us;
    uint64_t seed;
};

/* A time without a machine's port, up and down, or without the coordinator. */
struct br_coflow_failure {
    uint32_t port; /* BR_FAILS_COORDINATOR */
    double at_ms, until_ms;
};
#define BR_FAILS_COORDINATOR UINT32_MAX

/* "NAME=NUMBER:..." of interval, latency, loss, report, rate, update. BR_USAGE if malformed. */
enum br_status br_coordinator_read(const char *text, struct br_coordinator *coordinator,
                                   struct br_diag *diag);
/* "PORT:at=SECONDS:for=SECONDS" or "coordinator:at=...". BR_USAGE if malformed. */
enum br_status br_coflow_failure_read(const char *text, size_t length,
                                      struct br_coflow_failure *failure, struct br_diag *diag);

/* The coordinator at work. */
struct br_desk {
    const struct br_coordinator *is;
    const struct br_coflow_failure *failure;
    uint32_t failures, ports;
    struct br_rng rng;
    bool reports;
    uint8_t *heard;            /* by agent: something since the last boundary */
    uint32_t waiting, senders; /* agents of those; agents that send */
    double round_ms, tell_ms;  /* when the next round begins and ends; INFINITY: not yet */
    double ready_ms;           /* when the last round ends, or has ended */
    uint64_t told_heard;       /* reports up to the last round */
    struct br_coordinator_figures figures;
};

/* False when memory is out. */
bool br_desk_init(struct br_desk *desk, const struct br_coordinator *is, uint32_t ports,
                  bool reports);
void br_desk_finish(struct br_desk *desk);
/* The agent of the port reports something. */
void br_desk_note(struct br_desk *desk, uint32_t port);
/* It reports something that asks for a round. */
void br_desk_hear(struct br_desk *desk, uint32_t port, double now_ms);
/* Time has passed, while some coflow was there or not. */
void br_desk_pass(struct br_desk *desk, double from_ms, double to_ms, bool active);
/* The round has found rates of so many flows for so many agents. */
void br_desk_begin(struct br_desk *desk, double now_ms, uint64_t flows, uint32_t agents);
/* Does a message get through? */
bool br_desk_reaches(struct br_desk *desk);

#endif
