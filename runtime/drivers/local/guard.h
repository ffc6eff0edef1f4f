/* A small process that removes everything of a session if the driver dies without ending it: by
 * kill -9, or because memory ran out. */
#ifndef BR_RUNTIME_DRIVERS_LOCAL_GUARD_H
#define BR_RUNTIME_DRIVERS_LOCAL_GUARD_H

#include <sys/types.h>

#include "base/process/own_file.h"

struct br_jobserver;

struct br_guard {
    int line;  /* a descriptor; -1: there is none */
    pid_t pid; /* not our child; 0: there is none */
};

/* Starts it, for all processes that carry the mark (family.h). After them it removes the file
 * (NULL: none) and, if empty, the folder (an absolute path, or NULL), and gives back the held
 * tokens of the jobserver (NULL: none). Until then it also holds a copy of the lock (a descriptor
 * of flock's; -1: none), so that nobody else gets it. Call it early, while this program is small
 * and has one thread, since it keeps a copy. If it cannot start, there is none; then a run resumed
 * with the journal finds the rest. */
struct br_guard br_guard_start(const char *mark, const struct br_own_file *file, const char *folder,
                               const struct br_jobserver *jobserver, int lock);
/* Ends the guard: the session has ended normally. */
void br_guard_end(struct br_guard *guard);

#endif
