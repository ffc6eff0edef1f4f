/* A lock on the folder is held while a server checks whether the socket's name is free, gives the
 * name to its socket, or takes it back. Else a server could find the name left over, wait, and
 * remove the one that another server has created meanwhile. */
#include "cli/admission/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/diag.h"

static enum br_status fail_socket(const struct cli_listener *listener, const char *hint,
                                  const char *what, struct br_diag *diag)
{
    int error = errno;
    br_diag_file(diag, listener->address.sun_path);
    return br_fail(diag, BR_SYSTEM, hint, "%s: %s", what, strerror(error));
}

/* Makes a folder for the socket in the user's runtime folder, in that of temporary files, or in
 * /tmp: the first that can be written and leaves room in a socket's path. */
static bool listener_make_folder(struct cli_listener *listener)
{
    enum { LONGEST = 60 };
    const char *const base[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp"};
    for (int k = 0; k < 3; k++) {
        if (!base[k] || *base[k] != '/' || strlen(base[k]) > LONGEST)
            continue;
        snprintf(listener->folder, sizeof listener->folder, "%s/bigrocks-XXXXXX", base[k]);
        if (mkdtemp(listener->folder))
            return true; /* else it may be another user's, or gone */
    }
    listener->folder[0] = '\0';
    return false;
}

enum br_status cli_listener_choose(struct cli_listener *listener, const char *given,
                                   struct br_diag *diag)
{
    char path[PATH_MAX];
    if (given)
        return cli_admission_address(given, &listener->address, diag);
    if (!listener_make_folder(listener))
        return br_fail(diag, BR_SYSTEM, "give --socket PATH", "no folder for the socket: %s",
                       strerror(errno));
    snprintf(path, sizeof path, "%.*s/socket", PATH_MAX - 16, listener->folder);
    return cli_admission_address(path, &listener->address, diag);
}

/* Is the socket's file left over from a server that died? Then connecting is refused. Any other
 * answer, or none at once, means that the server lives. */
static bool is_left_over(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool refused = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
                   errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return refused;
}

/* The socket gets its name only when it listens, so that clients that see the name are heard. It is
 * created under another name in the same folder, reached by a descriptor, since a longer path has
 * no room. False with errno. */
static bool appear(struct cli_listener *listener, int folder)
{
    const char *path = listener->address.sun_path;
    struct sockaddr_un hidden = {.sun_family = AF_UNIX};
    snprintf(hidden.sun_path, sizeof hidden.sun_path, "/proc/self/fd/%d/.bigrocks-%ld", folder,
             (long)getpid());
    unlink(hidden.sun_path);   /* left by a process that died here with this pid */
    mode_t mask = umask(0177); /* for this user alone */
    bool done = bind(listener->fd, (const struct sockaddr *)&hidden, sizeof hidden) == 0;
    umask(mask);
    if (!done)
        return false;
    done = listen(listener->fd, SOMAXCONN) == 0 && link(hidden.sun_path, path) == 0;
    int error = errno;
    unlink(hidden.sun_path);
    errno = error;
    return done && br_own_file_note(&listener->name, path);
}

/* With the folder locked. */
static bool listener_take_name(struct cli_listener *listener, int folder)
{
    const char *path = listener->address.sun_path;
    struct stat there;
    if (lstat(path, &there) == 0) {
        if (!S_ISSOCK(there.st_mode) || !is_left_over(&listener->address)) {
            errno = EADDRINUSE;
            return false;
        }
        unlink(path);
    }
    return appear(listener, folder);
}

enum br_status cli_listener_open(struct cli_listener *listener, struct br_diag *diag)
{
    listener->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener->fd < 0)
        return fail_socket(listener, NULL, "no socket can be made", diag);
    int folder = br_folder_lock(listener->address.sun_path);
    if (folder < 0 && errno == EWOULDBLOCK)
        return fail_socket(listener, "give --socket PATH in a folder of its own",
                           "another program keeps the folder locked", diag);
    bool done = folder >= 0 && listener_take_name(listener, folder);
    int error = errno;
    if (folder >= 0)
        close(folder);
    errno = error;
    return done ? BR_OK
                : fail_socket(listener, error == EADDRINUSE ? "give another --socket PATH" : NULL,
                              "a server cannot be here", diag);
}

void cli_listener_close(struct cli_listener *listener)
{
    br_own_file_remove(
        &listener->name); /* held while it answers, so that nobody takes the socket for left over */
    if (listener->fd >= 0)
        close(listener->fd);
    if (listener->folder[0])
        rmdir(listener->folder);
    listener->fd = -1;
    listener->folder[0] = '\0';
}
