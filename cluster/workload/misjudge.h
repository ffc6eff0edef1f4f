/* A workload whose users misjudge their jobs: what was declared becomes what is true, and what is
 * declared from then on is off. */
#ifndef BR_CLUSTER_WORKLOAD_MISJUDGE_H
#define BR_CLUSTER_WORKLOAD_MISJUDGE_H

#include "cluster/workload/workload.h"

/* Draws a number from least..most (above -1) for each stage of each dag, by the seed, and declares
 * durations and demands by that part above what they are. Demands stay within a machine on which
 * the stage fits now. Recorded durations stand. The workload is finished, and nobody else uses its
 * dags yet. BR_SYSTEM (memory). O(tasks + demands x classes x resources). */
enum br_status br_workload_misjudge(struct br_workload *workload, const struct br_cluster *cluster,
                                    uint64_t seed, double least, double most, struct br_diag *diag);

#endif
