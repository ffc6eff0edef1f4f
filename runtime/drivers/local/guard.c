/* The driver holds one end of a pipe, the guard the other: a byte means that all is well; the end
 * without one means that the driver has died. */
#include "runtime/drivers/local/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/drivers/common/family.h"
#include "runtime/jobserver/jobserver.h"

enum { LINE, TOKENS, FILE_KEPT, LOCK, KEPT };

/* Keeps only these descriptors (-1: there is none), in the order of the enum. */
static void keep_only(int line, int tokens, int file, int lock)
{
    int kept[KEPT] = {line, tokens, file, lock};
    for (int k = 0; k < KEPT; k++) /* none is in the way of another */
        kept[k] = kept[k] < 0 ? -1 : fcntl(kept[k], F_DUPFD, KEPT);
    for (int k = 0; k < KEPT; k++)
        if (kept[k] < 0 || dup2(kept[k], k) < 0)
            close(k);
    close_range(KEPT, ~0U, 0);
}

static void guard_watch(int from, const char *mark, const struct br_own_file *file,
                        const char *folder, const struct br_jobserver *jobserver, int lock)
{
    char word;
    pid_t own = getpid();
    ssize_t got;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    prctl(PR_SET_NAME, "bigrocks-guard", 0L, 0L, 0L);
    struct br_own_file name = {.fd = -1};
    if (file)
        name = *file;
    keep_only(from, jobserver ? br_jobserver_way(jobserver) : -1, name.fd, lock);
    name.fd = name.fd < 0 ? -1 : FILE_KEPT;
    if (chdir("/") || write(LINE, &own, sizeof own) != sizeof own)
        return;
    while ((got = read(LINE, &word, 1)) < 0 && errno == EINTR)
        continue;
    if (got != 0)
        return;
    br_kill_marked(mark);
    br_own_file_remove(&name);
    if (folder)
        rmdir(folder);
    if (jobserver)
        br_jobserver_settle(jobserver, TOKENS);
}

struct br_guard br_guard_start(const char *mark, const struct br_own_file *file, const char *folder,
                               const struct br_jobserver *jobserver, int lock)
{
    struct br_guard guard = {-1, 0};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return guard;
    /* Forked by a child that ends at once, so it has no parent here: neither the driver nor a
     * signal to its group or terminal touches it. */
    pid_t between = fork();
    if (between == 0) {
        close(ends[1]);
        setsid();
        if (fork() == 0)
            guard_watch(ends[0], mark, file, folder, jobserver, lock);
        _exit(0);
    }
    close(ends[0]);
    while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR)
        continue;
    guard.line = ends[1];
    ssize_t got;
    while ((got = recv(guard.line, &guard.pid, sizeof guard.pid, MSG_WAITALL)) < 0 &&
           errno == EINTR)
        continue;
    if (got != sizeof guard.pid)
        br_guard_end(&guard);
    return guard;
}

void br_guard_end(struct br_guard *guard)
{
    if (guard->line < 0)
        return;
    while (send(guard->line, "q", 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
        continue;
    close(guard->line);
    *guard = (struct br_guard){-1, 0};
}
