/* A picture of what jobs are like: how many have at most so many tasks, stages, levels, edges,
 * barriers, and parts between cuts. [Grandl16] draws the same of production's. */
#ifndef BR_CLUSTER_WORKLOAD_POTENTIAL_STRUCTURE_H
#define BR_CLUSTER_WORKLOAD_POTENTIAL_STRUCTURE_H

#include <stdio.h>

#include "cluster/workload/workload.h"

/* Writes it as SVG. BR_BAD_INPUT if there is no job; BR_SYSTEM if writing fails or memory is out.
 * O(jobs log jobs), and a measure of each kind of job. */
enum br_status br_emit_structure(const struct br_workload *workload, FILE *out,
                                 struct br_diag *diag);

#endif
