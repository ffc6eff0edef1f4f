/* Writing what recorded jobs could gain, for `bigrocks workload --potential`. */
#ifndef BR_CLUSTER_WORKLOAD_POTENTIAL_POTENTIALS_H
#define BR_CLUSTER_WORKLOAD_POTENTIAL_POTENTIALS_H

#include <stdio.h>

#include "base/text/named.h"
#include "cluster/workload/potential/potential.h"

/* The formats. */
extern const struct br_names br_potential_formats;

/* Writes them. BR_USAGE for an unknown format; BR_SYSTEM if writing fails or memory is out. */
enum br_status br_emit_potential(const char *format, const struct br_workload *workload,
                                 const struct br_potential *potential, FILE *out,
                                 struct br_diag *diag);

#endif
