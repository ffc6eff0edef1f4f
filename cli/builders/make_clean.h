/* Removes the traces that asking make leaves in its answer. Internal to this room. */
#ifndef BR_CLI_BUILDERS_MAKE_CLEAN_H
#define BR_CLI_BUILDERS_MAKE_CLEAN_H

#include "base/text/diag.h"

/* Removes from *fd, which becomes another file, what a build would not have: the folder along PATH
 * and the flags of the dry run in MAKEFLAGS. The path of our script becomes `make`. O(bytes).
 */
enum br_status cli_make_clean(int *fd, const char *folder, const char *make, struct br_diag *diag);

#endif
