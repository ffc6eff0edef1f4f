/* The clocks of the simulator, and the options of a run. */
#ifndef BR_CLUSTER_COFLOW_CLOCKS_CLOCK_H
#define BR_CLUSTER_COFLOW_CLOCKS_CLOCK_H

#include "base/process/stop.h"
#include "cluster/coflow/fabric/coordinator.h"
#include "cluster/coflow/fabric/policy.h"

/* The speed of a port that the common simulator has: 1 MiB in a tick of 8 ms. */
#define BR_COFLOW_PORT_RATE 131072.0 /* bytes a millisecond */

enum br_coflow_clock {
    /* Fluid, without ticks: decides at arrivals, ends of coflows and pilots, and when a policy
     * asked for it; what a flow leaves free when it ends is given on at once. A completion time
     * counts from the arrival. */
    BR_CLOCK_EXACT,
    /* As the published simulator of Varys and Aalo: flows are whole MiB, ticks are 8 ms, coflows
     * are admitted at epochs of 1280 ticks (also those that arrive within the epoch), and rates
     * change at epochs that admit, and when a coflow leaves. What a flow leaves free when it ends
     * nobody has until then. A completion time counts from the epoch's beginning. */
    BR_CLOCK_EPOCHS,
};

struct br_coflow_options {
    struct br_coflow_setup policy; /* without a fabric */
    enum br_coflow_clock clock;
    double port_rate; /* bytes a millisecond, of the exact clock; 0: the usual one */
    /* For the exact clock: */
    struct br_coordinator coordinator;
    uint32_t failures;
    const struct br_coflow_failure *failure; /* borrowed */
    const struct br_stop *stop;              /* may be NULL; ends early, with outcome->cut */
};

#endif
