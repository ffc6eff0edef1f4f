/* What was measured, as durations and demands of jobs. */
#ifndef BR_RUNTIME_PREDICT_MEASURED_H
#define BR_RUNTIME_PREDICT_MEASURED_H

#include "store/history/history.h"

/* Demands of a task by the estimate: the whole cores that it keeps busy, at least 1, and the most
 * memory of one, rounded up to MiB. -1 if unknown. */
int64_t br_history_cores(const struct br_history_estimate *estimate);
int64_t br_history_mem(const struct br_history_estimate *estimate);
/* A duration as a whole number, at most about a hundred years. */
int64_t br_whole_ns(double ns);

#endif
