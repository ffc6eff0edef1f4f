/* The jobserver of a run or of a server of commands, chosen by the settings. */
#ifndef BR_CLI_INPUTS_JOBSERVER_H
#define BR_CLI_INPUTS_JOBSERVER_H

#include "cli/options/settings.h"
#include "planner/model/cluster/cluster.h"
#include "runtime/jobserver/jobserver.h"

/* The jobserver of $MAKEFLAGS, unless the settings want another or none; NULL if there is none. If
 * it cannot be reached, this says so and returns NULL. */
struct br_jobserver *cli_jobserver_join(const struct cli_settings *settings);
/* A jobserver of our own, if the settings ask for it, with as many processes as the cluster has
 * processors. */
enum br_status cli_jobserver_make(const struct cli_settings *settings,
                                  const struct br_cluster *cluster, struct br_jobserver **jobserver,
                                  struct br_diag *diag);

#endif
