/* The driver holds one end of a line, the guard the other: a word means that all is well, its end
 * without one that the driver has died. */
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

enum { LINE, TOKENS };

static void keep_only(int line, int tokens)
{
    /* The first must not be in the way of the second. */
    if (tokens >= 0)
        tokens = fcntl(tokens, F_DUPFD, TOKENS + 1);
    dup2(line, LINE);
    if (tokens >= 0)
        dup2(tokens, TOKENS);
    close_range(tokens >= 0 ? TOKENS + 1 : TOKENS, ~0U, 0);
}

static void watch(int from, const char *mark, const char *const *files,
                  const struct br_jobserver *jobserver)
{
    char word;
    pid_t own = getpid();
    ssize_t got;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    prctl(PR_SET_NAME, "bigrocks-guard");
    keep_only(from, jobserver ? br_jobserver_way(jobserver) : -1);
    if (chdir("/") || write(LINE, &own, sizeof own) != sizeof own)
        return;
    while ((got = read(LINE, &word, 1)) < 0 && errno == EINTR)
        continue;
    if (got != 0)
        return;
    br_kill_marked(mark);
    for (; files && *files; files++)
        remove(*files);
    if (jobserver)
        br_jobserver_settle(jobserver, TOKENS);
}

struct br_guard br_guard_start(const char *mark, const char *const *files,
                               const struct br_jobserver *jobserver)
{
    struct br_guard guard = {-1, 0};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return guard;
    /* By a child that ends at once, so that it is nobody's child: neither the driver nor a signal
     * to its group or terminal touches it. */
    pid_t between = fork();
    if (between == 0) {
        close(ends[1]);
        setsid();
        if (fork() == 0)
            watch(ends[0], mark, files, jobserver);
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
