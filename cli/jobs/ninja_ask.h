/* What a build has to do, asked of ninja itself: it alone decides what is out of date. */
#ifndef BR_CLI_JOBS_NINJA_ASK_H
#define BR_CLI_JOBS_NINJA_ASK_H

#include "parsers/ninja/build.h"

/* Adds the commands that $NINJA, or the ninja along PATH, would run for the targets (by a dry run
 * of it, `ninja -n -v`), in order. `file` is the build's, as seen from the folder; NULL:
 * build.ninja. A dry run takes every command for one that changes its outputs, also with "restat".
 * BR_SYSTEM where there is no build or no ninja, BR_BAD_INPUT where it refuses and has said why. */
enum br_status cli_ninja_ask(const char *folder, const char *file, const char *const *target,
                             uint32_t targets, struct br_ninja_commands *commands,
                             struct br_diag *diag);

/* Lets ninja make the build's own file anew; its words go where ours go. BR_NO where that fails. */
enum br_status cli_ninja_remake(const char *folder, const char *file, struct br_diag *diag);

#endif
