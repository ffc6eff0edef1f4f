/* The lock is on the folder, so it leaves nothing behind, and ends with the process. */
#include "base/process/own_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The folder of a path. */
static bool folder_of(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    int size = slash ? snprintf(folder, PATH_MAX, "%.*s", (int)(slash - path) + 1, path)
                     : snprintf(folder, PATH_MAX, ".");
    if (size < PATH_MAX)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

int br_folder_lock(const char *path)
{
    enum { TRIES = 200 };
    static const struct timespec pause = {.tv_nsec = 10000000};
    char folder[PATH_MAX];
    if (!folder_of(path, folder))
        return -1;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == EACCES)
        return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (int tries = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB); tries++) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            break; /* this file system has no locks */
        if (tries == TRIES) {
            close(fd);
            errno = EWOULDBLOCK;
            return -1;
        }
        nanosleep(&pause, NULL);
    }
    return fd;
}

bool br_own_file_note(struct br_own_file *file, const char *path)
{
    char folder[PATH_MAX], whole[PATH_MAX];
    const char *slash = strrchr(path, '/');
    file->fd = -1;
    if (!folder_of(path, folder) || !realpath(folder, whole))
        return false;
    int size = snprintf(file->path, sizeof file->path, "%s/%s", whole, slash ? slash + 1 : path);
    if (size < (int)sizeof file->path)
        file->fd = open(file->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    else
        errno = ENAMETOOLONG;
    return file->fd >= 0;
}

void br_own_file_remove(struct br_own_file *file)
{
    struct stat own, there;
    if (file->fd < 0)
        return;
    assert(file->path[0] == '/');
    int lock = br_folder_lock(file->path);
    if (fstat(file->fd, &own) == 0 && lstat(file->path, &there) == 0 &&
        there.st_dev == own.st_dev && there.st_ino == own.st_ino)
        unlink(file->path);
    if (lock >= 0)
        close(lock);
    close(file->fd);
    file->fd = -1;
}
