/* A .ninja_deps: the files that compilers have reported to read, by output. Internal to this room.
 */
#ifndef BR_PARSERS_NINJA_DEPS_H
#define BR_PARSERS_NINJA_DEPS_H

#include <stdio.h>

#include "parsers/ninja.h"

struct br_ninja_deps {
    FILE *file;
    char **path; /* by number; malloc's */
    uint32_t paths, room;
    struct br_index by_path;
    uint32_t *input; /* of the record that is being made */
    uint32_t inputs, input_room;
};

/* Opens the file at the path to add to it, or makes one; one that is of another version or damaged
 * is begun anew from there. BR_SYSTEM. */
enum br_status br_ninja_deps_open(struct br_ninja_deps *deps, const char *path,
                                  struct br_diag *diag);
/* Adds what the depfile names as read, for an output with this time. No depfile: nothing is read.
 * BR_BAD_INPUT (it is no depfile), BR_SYSTEM. */
enum br_status br_ninja_deps_add(struct br_ninja_deps *deps, const char *output, int64_t mtime_ns,
                                 const char *depfile, struct br_diag *diag);
/* Releases it; BR_SYSTEM where not everything could be written. */
enum br_status br_ninja_deps_close(struct br_ninja_deps *deps, struct br_diag *diag);

#endif
