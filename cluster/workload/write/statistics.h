/* Statistics of a workload as JSON, `bigrocks-workload-statistics/1`. */
#ifndef BR_CLUSTER_WORKLOAD_WRITE_STATISTICS_H
#define BR_CLUSTER_WORKLOAD_WRITE_STATISTICS_H

#include <stdio.h>

#include "cluster/workload/statistics.h"

/* Unknown values are null. BR_SYSTEM if writing fails. */
enum br_status br_emit_workload_statistics(const struct br_workload *workload,
                                           const struct br_workload_statistics *statistics,
                                           FILE *out, struct br_diag *diag);

#endif
