/* The enforcer's options, as the command line gives them. */
#ifndef BR_CLI_OPTIONS_ENFORCER_H
#define BR_CLI_OPTIONS_ENFORCER_H

#include <bigrocks/runtime.h>

#include "cli/options/settings.h"

/* The name of the k-th value of enum br_fairness, and a line on it; NULL past the end. */
extern const struct br_names cli_fairness;

/* The options that the settings ask for; others are as in br_runtime_options_default(). Overbooking
 * is not among them. */
struct br_runtime_options cli_enforcer_options(const struct cli_enforcer_settings *settings);

/* Declares the resources of --fungible in the cluster. BR_USAGE, with the option's name. */
enum br_status cli_declare_fungible(const struct cli_enforcer_settings *settings,
                                    struct br_cluster *cluster, struct br_diag *diag);

#endif
