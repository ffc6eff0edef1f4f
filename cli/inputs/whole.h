/* Reads text files as a whole; from an endless device or pipe, no more than a limit. */
#ifndef BR_CLI_INPUTS_WHOLE_H
#define BR_CLI_INPUTS_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text/diag.h"

/* Reads the file ("-": standard input) to its end or to its first NUL byte, and reports which. The
 * text, with a NUL behind it, is the caller's to free, also on failure. BR_BAD_INPUT: it is larger
 * than `most` bytes. */
enum br_status cli_whole_read(const char *path, size_t most, char **text, size_t *size,
                              bool *has_nul, struct br_diag *diag);

#endif
