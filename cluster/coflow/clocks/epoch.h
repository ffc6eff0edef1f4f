/* The published simulator's units of time. Internal. */
#ifndef BR_CLUSTER_COFLOW_CLOCKS_EPOCH_H
#define BR_CLUSTER_COFLOW_CLOCKS_EPOCH_H

#include "cluster/coflow/clocks/run.h"

enum { BR_TICK_MS = BR_FABRIC_TICK_MS, BR_EPOCH_TICKS = 1280 };
#define BR_EPOCH_MS ((int64_t)BR_TICK_MS * BR_EPOCH_TICKS)

/* The epoch from this one on in which something happens: if no coflow is there, the one that admits
 * the next. */
int64_t br_epoch_next(const struct br_coflow_run *run, int64_t epoch);

#endif
