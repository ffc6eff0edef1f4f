/* One build at a time in a folder. */
#ifndef BR_CLI_BUILD_LOCK_H
#define BR_CLI_BUILD_LOCK_H

#include <stdbool.h>

/* Waits until no other build of ours runs in the folder, and says so if it has to (unless quiet).
 * Returns a descriptor that holds the lock until it and its copies are closed, or cli_build_unlock.
 * -1: no lock, since this build is part of one in the same folder, the file system has no locks, or
 * there is no folder, which is reported elsewhere. */
int cli_build_lock(const char *folder, bool quiet);
void cli_build_unlock(int lock);

#endif
