/* bigrocks deadline TABLE --beside ...: does a job fit beside others? */
#ifndef BR_CLUSTER_DEADLINE_COMMAND_BESIDE_H
#define BR_CLUSTER_DEADLINE_COMMAND_BESIDE_H

#include "cli/options/settings.h"

/* Prints the need of each job, whether the job of the table at `path` fits beside the others, and
 * the earliest deadline with which it does. BR_NO: it does not fit. */
enum br_status cli_beside(const struct cli_settings *settings, const char *path,
                          struct br_diag *diag);

#endif
