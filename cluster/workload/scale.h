/* Durations of jobs, and of all jobs of a workload, times a factor. */
#ifndef BR_CLUSTER_WORKLOAD_SCALE_H
#define BR_CLUSTER_WORKLOAD_SCALE_H

#include "cluster/workload/workload.h"

/* Multiplies the durations of a finished job that nobody else uses yet, each rounded to a
 * nanosecond; what is beyond 73 years stays there. */
void br_dag_scale(struct br_dag *dag, double factor);
/* Multiplies the declared and the recorded durations of all jobs. */
void br_workload_scale_durations(struct br_workload *workload, double factor);

#endif
