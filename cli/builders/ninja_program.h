/* Finds the ninja of a build. Each version keeps a log of its own. */
#ifndef BR_CLI_BUILDERS_NINJA_PROGRAM_H
#define BR_CLI_BUILDERS_NINJA_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* The ninja of the build in the folder: $NINJA, else the one that CMake or meson was configured
 * with, else the one along PATH. It is never bigrocks-ninja, which would ask itself. */
void cli_ninja_program(const char *folder, char program[PATH_MAX]);
/* The version of the log that this ninja writes: 5 to 7. */
uint32_t cli_ninja_log_version(const char *folder);
/* Is the program bigrocks-ninja, by its name? */
bool cli_is_own_ninja(const char *program);

#endif
