/* A proven lower bound on the mean completion time of every schedule of a trace.
 *
 * A port alone has to move what each coflow has there, and no coflow completes before its part at
 * any port does. If every coflow splits its weight over its ports, the sum of completion times is
 * at least the sum over ports of the least weighted sum that the port alone can have. For a port
 * with weights and arrivals that is bounded by mean busy times [Goemans02]; with equal weights it
 * is what shortest remaining first has [Schrage68]. Weights are searched that make the sum large:
 * the dual of the linear program over the order of coflows that [Agarwal18] is compared with. Every
 * weights tried give a sound bound.
 */
#ifndef BR_CLUSTER_COFLOW_BOUNDS_BOUND_H
#define BR_CLUSTER_COFLOW_BOUNDS_BOUND_H

#include "cluster/coflow/bounds/parts.h"

struct br_coflow_bound {
    double average_cct_s;
    double alone_s;    /* the mean of what each takes alone: a bound, too */
    double one_port_s; /* and that of coflows each at one port, by shortest remaining first */
};

/* `rounds` is how often weights are tried. O(rounds x ends x log coflows). A stop (may be NULL)
 * leaves the best so far. BR_SYSTEM (memory). */
enum br_status br_coflow_bound_make(const struct br_coflow_parts *parts, uint32_t rounds,
                                    const struct br_stop *stop, struct br_coflow_bound *bound,
                                    struct br_diag *diag);

#endif
