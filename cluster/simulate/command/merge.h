/* Tables of the shards of a study, put together. */
#ifndef BR_CLUSTER_SIMULATE_COMMAND_MERGE_H
#define BR_CLUSTER_SIMULATE_COMMAND_MERGE_H

#include <stdio.h>

#include "base/text/diag.h"

/* Reads the tables ("csv" or "runs") of shards 1/N to N/N, named in this order, and writes the
 * table of one run over the whole study, byte for byte. BR_BAD_INPUT (a file that is no such table,
 * columns that differ, a shard that is missing or given twice), BR_SYSTEM. Memory: all of the
 * tables. */
enum br_status cli_merge_studies(const char *const *path, uint32_t paths, FILE *out,
                                 struct br_diag *diag);

#endif
