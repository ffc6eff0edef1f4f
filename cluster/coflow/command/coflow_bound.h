/* Lower bounds for `bigrocks coflow`. */
#ifndef CLI_MANY_COFLOW_BOUND_H
#define CLI_MANY_COFLOW_BOUND_H

#include "cli/common/settings.h"
#include "cluster/coflow/bounds/bound.h"

/* Sets the best bound on the mean completion time: that of ports and, if the user asks for it, that
 * of the linear program over the order. A bound that cannot be computed is reported on standard
 * error, and costs nothing else. BR_SYSTEM (memory). */
enum br_status cli_coflow_bound(const struct cli_settings *settings, const struct br_coflows *trace,
                                const struct br_coflow_options *options, double *average_cct_s,
                                struct br_diag *diag);

#endif
