/* Runs a trace of coflows under a policy. */
#ifndef BR_CLUSTER_COFLOW_CLOCKS_ENGINE_H
#define BR_CLUSTER_COFLOW_CLOCKS_ENGINE_H

#include "cluster/coflow/clocks/clock.h"
#include "cluster/coflow/coflow_outcome.h"

/* BR_SYSTEM (memory). Release the outcome also then. */
enum br_status br_coflow_simulate(const struct br_coflows *trace,
                                  const struct br_coflow_options *options,
                                  struct br_coflow_outcome *outcome, struct br_diag *diag);

#endif
