/* Files that list, while a build runs, further inputs and outputs of commands (dyndep): Fortran and
 * C++ modules. Internal to this room. */
#ifndef BR_PARSERS_NINJA_DYNDEP_H
#define BR_PARSERS_NINJA_DYNDEP_H

#include "parsers/ninja/build.h"
#include "parsers/ninja/ninja.h"

/* Which of these files are read: one made by a command that is still to run may change. */
struct br_ninja_ready {
    const struct br_ninja_set
        *pending; /* commands, by first outputs, whose files are not read; NULL: see below */
    const struct br_ninja_set *made; /* without `pending`: reads only files of these commands, and
                                        files that nothing makes; NULL: all that exist */
};

/* May be called again, for files that exist by now. Adds the contents of files that exist and are
 * ready to the statements that name them: outputs, and inputs to those that are found. A file that
 * ninja would refuse leaves its statements open, and these read the file itself, so that they are
 * out of date with it. *open: the number of open statements. BR_SYSTEM (memory); BR_BAD_INPUT if a
 * binding cannot be expanded. */
enum br_status br_ninja_dyndep_load(struct br_ninja *ninja, const char *folder,
                                    const struct br_ninja_ready *ready, uint32_t *open,
                                    struct br_diag *diag);
/* The error for an open statement: what is wrong in its file or missing, and what to do. */
enum br_status br_ninja_dyndep_fail(const struct br_ninja *ninja, const char *folder, uint32_t edge,
                                    struct br_diag *diag);

#endif
