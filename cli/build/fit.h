/* Commands that need more than the machine has. */
#ifndef BR_CLI_BUILD_FIT_H
#define BR_CLI_BUILD_FIT_H

#include "cli/common/load.h"

/* Before anything was measured: does the machine have what the user says that commands demand? Else
 * BR_USAGE, which tells the command and both amounts. */
enum br_status cli_check_demand(const struct br_input *input, struct br_diag *diag);

/* A command that demands more memory or more processors than the first machine has gets all that
 * there is of it; one of more memory all processors, too, and so runs alone, which is said unless
 * quiet. What was measured on another machine, or beside other commands, is better tried than never
 * built. BR_SYSTEM (memory). */
enum br_status cli_fit_commands(struct br_input *input, bool quiet, struct br_diag *diag);

#endif
