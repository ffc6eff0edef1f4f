/* Asks make itself what it would do. */
#ifndef BR_CLI_BUILDERS_MAKE_ASK_H
#define BR_CLI_BUILDERS_MAKE_ASK_H

#include <stdbool.h>

#include "base/text/diag.h"

struct cli_make_question {
    const char *folder, *file;   /* file: NULL: the one that make finds */
    const char *const *argument; /* targets, and NAME=VALUE */
    uint32_t arguments;
    bool dirty; /* only out-of-date targets; else everything but the Makefiles */
    bool whole; /* makes called by recipes are not asked */
};

/* Makes $MAKE, or the make along PATH, print what it would do (a dry run with its database), in a
 * form that br_parse_make reads, into *fd, the caller's to close. As always, make remakes
 * out-of-date Makefiles and runs lines that call make. The environment of recipes is included if it
 * differs from ours. BR_SYSTEM if there is no make; BR_BAD_INPUT if it refuses, after printing why,
 * or if CMake wrote the build. */
enum br_status cli_make_ask(const struct cli_make_question *question, int *fd,
                            struct br_diag *diag);

#endif
