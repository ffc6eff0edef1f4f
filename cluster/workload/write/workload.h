/* Writing workloads in our own forms, which parsers/workloads reads. A file and a row of the table
 * in workload.c per form. */
#ifndef BR_CLUSTER_WORKLOAD_WRITE_WORKLOAD_H
#define BR_CLUSTER_WORKLOAD_WRITE_WORKLOAD_H

#include <stdio.h>

#include "base/text/named.h"
#include "cluster/workload/workload.h"

/* The forms. */
extern const struct br_names br_workload_forms;

/* Writes a finished workload in the form of that name. `target` is the path of the written file;
 * paths of job files are written relative to its folder, unless they are absolute. NULL: relative
 * to the current folder. Data without a place in the form is left out: a table has no name, no
 * cluster, and no groups without jobs.
 *
 * BR_USAGE for an unknown form; BR_BAD_INPUT if a job does not fit the form, or has no file, such
 * as jobs that came from standard input. O(jobs). */
enum br_status br_emit_workload(const char *form, const struct br_workload *workload,
                                const char *target, FILE *out, struct br_diag *diag);

#endif
