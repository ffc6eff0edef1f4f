/* The world that the options ask for. */
#ifndef BR_CLUSTER_WORKLOAD_COMMAND_WORLD_OPTIONS_H
#define BR_CLUSTER_WORKLOAD_COMMAND_WORLD_OPTIONS_H

#include "base/text/named.h"
#include "cli/options/settings.h"
#include "cluster/workload/world.h"

/* The levels of --errors: of a job, a stage, a task. */
extern const struct br_names cli_error_levels;

/* BR_USAGE, with the option's name, if one is malformed or out of its range. */
enum br_status cli_world_options(const struct cli_simulate_settings *settings,
                                 struct br_world *world, struct br_diag *diag);

#endif
