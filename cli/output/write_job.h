/* A job, written as the options say. */
#ifndef BR_CLI_OUTPUT_WRITE_JOB_H
#define BR_CLI_OUTPUT_WRITE_JOB_H

#include <bigrocks/cluster.h>
#include <bigrocks/dag.h>

#include "base/text/diag.h"
#include "cli/options/settings.h"

/* Writes the job, with the cluster (NULL: none), to the file and in the format of the settings; XML
 * by default. */
enum br_status cli_write_job(const struct cli_output_settings *settings, const struct br_dag *dag,
                             const struct br_cluster *cluster, struct br_diag *diag);

#endif
