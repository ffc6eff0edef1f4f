/* How rows of options are written. A sub-command owns those that it alone takes; those that several
 * take stand in options.c, with the set of these. */
#ifndef BR_CLI_OPTIONS_OPTIONS_H
#define BR_CLI_OPTIONS_OPTIONS_H

#include <stddef.h>

#include "base/text/options.h"
#include "cli/options/commands.h"
#include "cli/options/settings.h"

/* A row: its kind, name and the name of its value in help (NULL: it takes none), the member of the
 * settings, and a phrase; then what else struct br_option has. Without .commands it is for the
 * sub-command whose table it stands in. */
#define OPTION(KIND, NAME, ARGUMENT, MEMBER, ...)                                                  \
    {                                                                                              \
        .name = NAME, .argument = ARGUMENT, .kind = BR_OPTION_##KIND,                              \
        .offset = offsetof(struct cli_settings, MEMBER), .help = __VA_ARGS__                       \
    }
#define OPTIONS_END                                                                                \
    {                                                                                              \
        .name = NULL                                                                               \
    }

#endif
