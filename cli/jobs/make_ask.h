/* What make would do, asked of make itself. */
#ifndef BR_CLI_JOBS_MAKE_ASK_H
#define BR_CLI_JOBS_MAKE_ASK_H

#include <stdbool.h>

#include "base/text/diag.h"

struct cli_make_question {
    const char *folder, *file;   /* file: NULL: what make takes by itself */
    const char *const *argument; /* targets, and NAME=VALUE */
    uint32_t arguments;
    bool dirty; /* only what is out of date; else all but the Makefiles */
    bool whole; /* makes that recipes call are not asked */
};

/* Lets $MAKE, or the make along PATH, print what it would do (a dry run with its database), in a
 * form that br_parse_make reads, into *fd, the caller's to close. As ever, it makes Makefiles anew
 * that are out of date, and runs lines that call make. Also the environment of recipes is there,
 * as far as it differs from ours. BR_SYSTEM where there is no make, BR_BAD_INPUT where it refuses
 * and has said why, or where CMake wrote the build. */
enum br_status cli_make_ask(const struct cli_make_question *question, int *fd,
                            struct br_diag *diag);

#endif
