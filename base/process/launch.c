/* posix_spawn shares this program's memory until the other one runs, so its cost does not depend on
 * this program's size. */
#include "base/process/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static int set_files(posix_spawn_file_actions_t *actions, const struct br_launch *how)
{
    int error = 0;
    for (int fd = 0; fd < 3 && !error; fd++)
        error = how->stream[fd] < 0
                    ? posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDONLY, 0)
                    : posix_spawn_file_actions_adddup2(actions, how->stream[fd], fd);
    if (how->directory && !error)
        error = posix_spawn_file_actions_addchdir_np(actions, how->directory);
    return error;
}

static void set_signals(posix_spawnattr_t *attributes, bool foreground)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigemptyset(&all);
    for (int number = 1; number < 32; number++)
        if (number != SIGKILL && number != SIGSTOP)
            sigaddset(&all, number);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
    posix_spawnattr_setpgroup(attributes, 0);
    const int flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    posix_spawnattr_setflags(attributes,
                             (short)(foreground ? flags : flags | POSIX_SPAWN_SETPGROUP));
}

int br_launch(const struct br_launch *how, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    set_signals(&attributes, how->foreground);
    error = set_files(&actions, how);
    if (!error)
        error = posix_spawnp(pid, how->program, &actions, &attributes, how->argv,
                             how->environment ? how->environment : environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

int br_unnamed_file(void)
{
    const char *folder = getenv("TMPDIR");
    int fd =
        open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
    /* Some file systems have no nameless files. */
    if (fd < 0)
        fd = memfd_create("output", MFD_CLOEXEC);
    return fd;
}

void br_raise_descriptors(void)
{
    const rlim_t most = 65536;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max &&
        limit.rlim_cur < most) {
        limit.rlim_cur = limit.rlim_max < most ? limit.rlim_max : most;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}
