/* The lock is on the folder itself, so nothing is left behind. The kernel releases it when this
 * program and its guard have ended in any way: a build started right after kill -9 begins when
 * nothing of the one before runs. A build that one of our commands starts in the same folder finds
 * the folder's name in its environment, and takes no lock: it would wait for itself. */
#include "cli/build/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/terminal/say.h"

/* Tasks do not inherit what begins with BIGROCKS_. */
static const char mark[] = "BUILD_OF_BIGROCKS";

/* Is the folder that of the build that started us? From now on it is marked as ours. */
static bool is_ours(int folder)
{
    struct stat state;
    char held[64] = "";
    const char *outer = getenv(mark);
    if (fstat(folder, &state) == 0)
        snprintf(held, sizeof held, "%ju:%ju", (uintmax_t)state.st_dev, (uintmax_t)state.st_ino);
    if (outer && strcmp(outer, held) == 0)
        return true;
    setenv(mark, held, 1);
    return false;
}

int cli_build_lock(const char *folder, bool quiet)
{
    int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0)
        return -1;
    int error = is_ours(lock) ? ENOLCK : flock(lock, LOCK_EX | LOCK_NB) ? errno : 0;
    if (error == EWOULDBLOCK) {
        if (!quiet)
            cli_say("another build runs in '%.200s'; waiting for its end", folder);
        do {
            error = flock(lock, LOCK_EX) ? errno : 0;
        } while (error == EINTR);
    }
    if (!error)
        return lock;
    close(lock);
    return -1;
}

void cli_build_unlock(int lock)
{
    if (lock < 0)
        return;
    flock(lock, LOCK_UN); /* kept open for the guard, which may end later */
    close(lock);
}
