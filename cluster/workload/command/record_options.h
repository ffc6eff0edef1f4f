/* Options for reading workloads: the records of clusters, and the job files that workloads name. */
#ifndef BR_CLUSTER_WORKLOAD_COMMAND_RECORD_OPTIONS_H
#define BR_CLUSTER_WORKLOAD_COMMAND_RECORD_OPTIONS_H

#include "cli/options/settings.h"
#include "cluster/workload/read/options.h"

/* The options in the settings. */
struct br_workload_options cli_workload_options(const struct cli_settings *settings);

#endif
