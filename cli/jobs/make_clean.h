/* What a question to make leaves in its answer. Internal to this room. */
#ifndef BR_CLI_JOBS_MAKE_CLEAN_H
#define BR_CLI_JOBS_MAKE_CLEAN_H

#include "base/text/diag.h"

/* Takes out of *fd, which becomes another file, what a build would not have: the folder along PATH
 * and the flags of the dry run in MAKEFLAGS. What names our script names `make` instead. O(bytes).
 */
enum br_status cli_make_clean(int *fd, const char *folder, const char *make, struct br_diag *diag);

#endif
