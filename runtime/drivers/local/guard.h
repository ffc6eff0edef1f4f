/* A small process that sees to it that nothing of a session is left where the driver itself dies
 * without having ended it: of kill -9, or of memory that is out. */
#ifndef BR_RUNTIME_DRIVERS_LOCAL_GUARD_H
#define BR_RUNTIME_DRIVERS_LOCAL_GUARD_H

#include <sys/types.h>

#include "base/process/own_file.h"

struct br_jobserver;

struct br_guard {
    int line;  /* a descriptor; -1: there is none */
    pid_t pid; /* not our child; 0: there is none */
};

/* Starts it, for all processes that carry the mark (family.h); the file (NULL: none) and the folder
 * (an absolute path, or NULL), if that is empty, are removed after them, and the tokens of the
 * jobserver (NULL: none) that are held then are given back. Until then it also holds a copy of the
 * lock (a descriptor of flock's; -1: none), so that nobody else gets it. Call it early, while this
 * program is small and has one thread, since it keeps a copy. Where it cannot be there is none;
 * then a run that goes on with the journal finds what is left. */
struct br_guard br_guard_start(const char *mark, const struct br_own_file *file, const char *folder,
                               const struct br_jobserver *jobserver, int lock);
/* All has ended as it should. */
void br_guard_end(struct br_guard *guard);

#endif
