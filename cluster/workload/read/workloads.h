/* Reading workloads from files: our own forms, and the records that clusters keep. One file and one
 * row of the table in workloads.c per format; the format is recognised from the content. */
#ifndef BR_CLUSTER_WORKLOAD_READ_WORKLOADS_H
#define BR_CLUSTER_WORKLOAD_READ_WORKLOADS_H

#include "base/text/named.h"
#include "cluster/workload/read/options.h"
#include "cluster/workload/workload.h"

/* The formats of workloads. */
extern const struct br_names br_workload_formats;

/* Reads a workload from the file, or from standard input if path is "-", and finishes it; the
 * caller destroys it. On failure *workload is NULL and the diagnostic has file, line and column.
 * options may be NULL. */
enum br_status br_parse_workload(const char *path, const struct br_workload_options *options,
                                 struct br_workload **workload, struct br_diag *diag);
/* The name of the format recognised from a file's first bytes; NULL if none is, or the file cannot
 * be read. */
const char *br_workload_recognise(const char *path);

#endif
