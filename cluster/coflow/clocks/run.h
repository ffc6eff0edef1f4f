/* The state that both clocks share: a policy on a fabric, and the record of the run. Internal. */
#ifndef BR_CLUSTER_COFLOW_CLOCKS_RUN_H
#define BR_CLUSTER_COFLOW_CLOCKS_RUN_H

#include "cluster/coflow/clocks/clock.h"
#include "cluster/coflow/fabric/rates.h"
#include "cluster/coflow/fabric/state.h"
#include "cluster/coflow/coflow_outcome.h"

/* Ends that are less than a nanosecond apart are one to the exact clock. */
#define BR_SAME_MS 1e-6

struct br_coflow_run {
    const struct br_coflows *trace;
    const struct br_coflow_options *options;
    const struct br_coflow_row *row;
    struct br_fabric fabric;
    void *policy;
    struct br_coflow_outcome *outcome;
    uint32_t arrived, active;
    double span_bytes; /* since the last span */
    struct br_diag *diag;
};

/* The coflow is there from now on; its completion time counts from start_ms. One without flows
 * leaves at once. BR_SYSTEM (memory). */
enum br_status br_run_arrive(struct br_coflow_run *run, uint32_t coflow, double start_ms);
void br_run_leave(struct br_coflow_run *run, uint32_t coflow, double end_ms);
/* A flow has ended. */
void br_run_flow(struct br_coflow_run *run, const struct br_grant *grant);
/* The last pilot of the coflow has ended; notes what it is believed to have then. */
void br_run_pilots(struct br_coflow_run *run, uint32_t coflow);
void br_run_decide(struct br_coflow_run *run);
/* When the next port fails or comes back, after now; INFINITY: none does. */
double br_run_next_failure(const struct br_coflow_run *run, double now_ms);
bool br_run_port_fails(const struct br_coflow_run *run, uint32_t port, double now_ms);
/* Ends a span of the record. */
enum br_status br_run_span(struct br_coflow_run *run, double end_ms);

typedef enum br_status br_coflow_clock_run(struct br_coflow_run *run);
br_coflow_clock_run br_run_exact, br_run_epochs;
/* The clocks of policies that share by flow. */
br_coflow_clock_run br_run_max_min, br_run_shares;

#endif
