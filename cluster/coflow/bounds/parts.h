/* The load of each coflow at each port, in the port's time. Bounds are made of it. */
#ifndef BR_CLUSTER_COFLOW_BOUNDS_PARTS_H
#define BR_CLUSTER_COFLOW_BOUNDS_PARTS_H

#include "cluster/coflow/clocks/clock.h"

struct br_coflow_part {
    uint32_t port; /* uplinks, then downlinks */
    double ms;     /* above 0 */
};

struct br_coflow_parts {
    uint32_t coflows, ports;
    double *release_ms, *busiest_ms; /* by coflow */
    uint64_t *first;                 /* of a coflow's parts; one more ends the last */
    struct br_coflow_part *part;     /* of a coflow by port */
    double releases_ms;              /* sum over the coflows that have parts */
};

/* For the clock, whose arrivals and sizes count: of the epochs' clock those of its epochs.
 * BR_SYSTEM (memory); finish also then. O(flows). */
enum br_status br_coflow_parts_make(const struct br_coflows *trace,
                                    const struct br_coflow_options *options,
                                    struct br_coflow_parts *parts, struct br_diag *diag);
void br_coflow_parts_finish(struct br_coflow_parts *parts);

#endif
