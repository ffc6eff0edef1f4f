/* The sub-commands as a list. The program is run from it; helps, manual pages and completions are
 * made from it. */
#include <string.h>
#include <unistd.h>

#include "base/text/options.h"
#include "cli/help.h"

#define ROW(BIT, name) &cli_##name,
#define NO_ROW(BIT, name)
#ifdef BR_CLUSTER
const struct cli_command *const cli_commands[] = {CLI_COMMANDS(ROW, ROW) NULL};
#else
const struct cli_command *const cli_commands[] = {CLI_COMMANDS(ROW, NO_ROW) NULL};
#endif
#undef ROW

const struct cli_command *cli_command_find(const char *name, struct br_diag *diag)
{
    struct br_suggestion suggestion = {.word = name};
    for (uint32_t k = 0; cli_commands[k]; k++) {
        if (strcmp(cli_commands[k]->name, name) == 0)
            return cli_commands[k];
        br_suggestion_offer(&suggestion, cli_commands[k]->name);
    }
    char hint[160] = "'bigrocks help' lists them";
    if (access(name, R_OK) == 0)
        snprintf(hint, sizeof hint, "did you mean 'bigrocks plan %.100s'?", name);
    else if (suggestion.best)
        snprintf(hint, sizeof hint, "did you mean '%s'?", suggestion.best);
    br_fail(diag, BR_USAGE, hint, "unknown sub-command '%.100s'", name);
    return NULL;
}
