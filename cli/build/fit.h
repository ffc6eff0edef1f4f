/* Commands that need more than the machine has. */
#ifndef BR_CLI_BUILD_FIT_H
#define BR_CLI_BUILD_FIT_H

#include "cli/common/load.h"

/* A command that demands more memory or more processors than the first machine has gets all that
 * there is of it; one of more memory all processors, too, and so runs alone, which is said unless
 * quiet. What was measured on another machine, or beside other commands, is better tried than never
 * built. BR_SYSTEM (memory). */
enum br_status cli_fit_commands(struct br_input *input, bool quiet, struct br_diag *diag);

#endif
