/* Statistics of a workload as JSON, `bigrocks-workload-statistics/1`. */
#ifndef BR_EMIT_WORKLOADS_STATISTICS_H
#define BR_EMIT_WORKLOADS_STATISTICS_H

#include <stdio.h>

#include "workload/statistics.h"

/* What is not known is null. BR_SYSTEM where writing fails. */
enum br_status br_emit_workload_statistics(const struct br_workload *workload,
                                           const struct br_workload_statistics *statistics,
                                           FILE *out, struct br_diag *diag);

#endif
