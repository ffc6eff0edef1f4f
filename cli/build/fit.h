/* Commands that need more than the machine has. */
#ifndef BR_CLI_BUILD_FIT_H
#define BR_CLI_BUILD_FIT_H

#include "cli/inputs/load.h"

/* Called before anything was measured: does the machine have the amounts that the user demands for
 * commands? Else BR_USAGE, with the command and both amounts. */
enum br_status cli_check_demand(const struct br_input *input, struct br_diag *diag);

/* Reduces demands for memory or processors beyond the first machine's to all that it has. A command
 * with too much memory also gets all processors, and so runs alone; this is reported unless quiet.
 * A figure measured on another machine, or beside other commands, is better tried than refused.
 * BR_SYSTEM (memory). */
enum br_status cli_fit_commands(struct br_input *input, bool quiet, struct br_diag *diag);

#endif
