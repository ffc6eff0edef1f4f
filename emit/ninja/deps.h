/* A .ninja_deps: the files that compilers have reported as read, by output. Internal to this room.
 */
#ifndef BR_EMIT_NINJA_DEPS_H
#define BR_EMIT_NINJA_DEPS_H

#include <stdio.h>

#include "parsers/ninja/ninja.h"
#include "parsers/ninja/depfile.h"

struct br_ninja_deps {
    FILE *file;
    char **path; /* by number; malloc's */
    uint32_t paths, room;
    struct br_index by_path;
    char *text; /* the last depfile read */
    struct br_ninja_depfile depfile;
};

/* Opens the file at the path for appending, or creates one; a file of another version is begun
 * anew, a damaged one is cut at the damage. BR_SYSTEM. */
enum br_status br_ninja_deps_open(struct br_ninja_deps *deps, const char *path,
                                  struct br_diag *diag);
/* Reads the depfile with this path; *there: it exists, else nothing is read. BR_BAD_INPUT if it is
 * malformed, or larger than ninja keeps. */
enum br_status br_ninja_deps_read(struct br_ninja_deps *deps, const char *depfile, bool *there,
                                  struct br_diag *diag);
/* Records that an output with this time was made from the files of the last depfile read. */
enum br_status br_ninja_deps_add(struct br_ninja_deps *deps, const char *output, int64_t mtime_ns,
                                 struct br_diag *diag);
/* Releases it; BR_SYSTEM if not everything could be written. */
enum br_status br_ninja_deps_close(struct br_ninja_deps *deps, struct br_diag *diag);

#endif
