/* Help texts of the program. */
#ifndef BR_CLI_HELP_H
#define BR_CLI_HELP_H

#include <stdio.h>

#include "cli/options/commands.h"

/* The sub-command of this name; NULL, with a suggestion in the diagnostic, if there is none. */
const struct cli_command *cli_command_find(const char *name, struct br_diag *diag);
/* Help on one sub-command, or the overview if command is NULL. */
void cli_help_print(const struct cli_command *command, FILE *out);
/* The manual page of a sub-command, or of the program if NULL, in the syntax of scdoc. */
void cli_manual_print(const struct cli_command *command, FILE *out);
/* The version, and what the program was built with. */
void cli_print_version(FILE *out);

#endif
