/* A .ninja_log: how long the command took that built a file. Internal to this room. */
#ifndef BR_PARSERS_NINJA_LOG_H
#define BR_PARSERS_NINJA_LOG_H

#include "parsers/ninja/ninja.h"

/* Reads the log, if there is one. Writes to duration_ns[node] how long the node's command took in
 * its last run, and to hash[node] (NULL: not wanted) its hash; -1 and 0 if the log does not know.
 * As ninja does, it skips truncated lines. Errors: BR_SYSTEM if the file exists and cannot be read,
 * BR_BAD_INPUT for a version other than 5, 6 and 7. */
enum br_status br_ninja_read_log(const struct br_ninja *ninja, const char *path,
                                 int64_t *duration_ns, uint64_t *hash, struct br_diag *diag);

/* The folder in which ninja keeps its files: the build's, or its variable "builddir" there. */
void br_ninja_state_folder(const struct br_ninja *ninja, const char *folder, char *path,
                           size_t size);

#endif
