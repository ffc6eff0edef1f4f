/* The jobserver of a run or of a server of commands, as the settings have it. */
#ifndef BR_CLI_COMMON_JOBSERVER_H
#define BR_CLI_COMMON_JOBSERVER_H

#include "cli/common/settings.h"
#include "planner/model/cluster.h"
#include "runtime/jobserver/jobserver.h"

/* The one that $MAKEFLAGS name, unless the settings want another or none; NULL where there is none.
 * One that is not within reach is said, and does without. */
struct br_jobserver *cli_jobserver_join(const struct cli_settings *settings);
/* One of our own, where the settings say so, of as many processes as the cluster has processors. */
enum br_status cli_jobserver_make(const struct cli_settings *settings,
                                  const struct br_cluster *cluster, struct br_jobserver **jobserver,
                                  struct br_diag *diag);

#endif
