/* The best lower bound of coflows. */
#ifndef BR_CLUSTER_COFLOW_BOUNDS_BEST_BOUND_H
#define BR_CLUSTER_COFLOW_BOUNDS_BEST_BOUND_H

#include "base/process/stop.h"
#include "cluster/coflow/bounds/bound.h"

enum { BR_COFLOW_WHY = 200 }; /* bytes of a reason */

/* Sets the best lower bound on the mean completion time: that of ports and, with `ask`, that of the
 * linear program over the order, which bigrocks-bound solves within limit_ns (below 0: as it
 * likes). If that is not available, `why` says so, else it is empty; it costs nothing else.
 * BR_SYSTEM (memory). */
enum br_status br_coflow_best_bound(const struct br_coflows *trace,
                                    const struct br_coflow_options *options, bool ask,
                                    int64_t limit_ns, double *average_cct_s,
                                    char why[BR_COFLOW_WHY], struct br_diag *diag);

#endif
