/* The cores that a command of a build declares for itself. */
#ifndef BR_PARSERS_READER_CORES_H
#define BR_PARSERS_READER_CORES_H

#include <stdint.h>

/* As many cores as the machine has. */
#define BR_CORES_ALL UINT32_MAX

/* The largest number of cores that one of the shell's commands in the text asks for: a link with
 * -flto=N, -flto-jobs=N or --thinlto-jobs=N (compiling by -c takes one), or a make, ninja, ctest,
 * scons, cargo or "cmake --build" with -j N, --jobs N or --parallel N. "auto" and $(nproc) are
 * BR_CORES_ALL. 1 if nothing is said. O(text). */
uint32_t br_command_cores(const char *command);

#endif
