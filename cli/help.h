/* The texts of the program about itself. */
#ifndef BR_CLI_HELP_H
#define BR_CLI_HELP_H

#include <stdio.h>

#include "cli/common/commands.h"

/* The sub-command of this name; NULL, with a suggestion in the diagnostic, where there is none. */
const struct cli_command *cli_command_find(const char *name, struct br_diag *diag);
/* Help on one sub-command, or the overview where command is NULL. */
void cli_help_print(const struct cli_command *command, FILE *out);
/* The manual page of a sub-command, or with NULL of the program, as scdoc reads it. */
void cli_manual_print(const struct cli_command *command, FILE *out);
/* The version, and what the program was built with. */
void cli_print_version(FILE *out);

#endif
