/* The files that commands have read in earlier runs: by .ninja_deps and by depfiles. Internal to
 * this room. */
#ifndef BR_PARSERS_NINJA_FOUND_H
#define BR_PARSERS_NINJA_FOUND_H

#include "parsers/ninja/ninja.h"

struct br_ninja_found;

/* Reads the build's .ninja_deps, if there is one. `folder` is the build's, and borrowed. BR_SYSTEM.
 */
enum br_status br_ninja_found_open(struct br_ninja_found **found, const struct br_ninja *ninja,
                                   const char *folder, struct br_diag *diag);
/* Adds to the edge's found files those that other statements build. As in ninja, a record older
 * than the edge's output, or a depfile for another one, is ignored. To be called once per edge.
 * BR_SYSTEM; BR_BAD_INPUT if its bindings cannot be expanded. */
enum br_status br_ninja_find_inputs(struct br_ninja_found *found, struct br_ninja *ninja,
                                    uint32_t edge, struct br_diag *diag);
/* NULL is fine. */
void br_ninja_found_close(struct br_ninja_found *found);

#endif
