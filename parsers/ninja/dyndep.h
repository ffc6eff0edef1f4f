/* Files that tell while a build runs what commands read and write besides (dyndep): Fortran and C++
 * modules. Internal to this room. */
#ifndef BR_PARSERS_NINJA_DYNDEP_H
#define BR_PARSERS_NINJA_DYNDEP_H

#include "parsers/ninja/build.h"
#include "parsers/ninja/ninja.h"

/* Which of these files are read: what a command makes that is still to run is not what it will be.
 */
struct br_ninja_ready {
    const struct br_ninja_set *pending; /* commands by first outputs whose files are not read; NULL:
                                           see below */
    const struct br_ninja_set *made; /* without the former: only files of these commands are read,
                                        and such that nothing makes; NULL: all that are there */
};

/* May be called again, for files that are there by now. Adds what the files say that are there and
 * ready to the statements that name them: outputs, and inputs to those that are found. A file that
 * ninja would refuse leaves its statements open, and these read the file itself, so that they are
 * out of date when it is. *open: the number of statements that are. BR_SYSTEM (memory);
 * BR_BAD_INPUT if a binding cannot be expanded. */
enum br_status br_ninja_dyndep_load(struct br_ninja *ninja, const char *folder,
                                    const struct br_ninja_ready *ready, uint32_t *open,
                                    struct br_diag *diag);
/* The failure for a statement that is open: what is wrong in its file or missing, and what to do.
 */
enum br_status br_ninja_dyndep_fail(const struct br_ninja *ninja, const char *folder, uint32_t edge,
                                    struct br_diag *diag);

#endif
