/* The driver holds one end of a pipe, the guard the other: a word means that all is well, its end
 * without one that the driver has died. */
#include "runtime/local/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/local/family.h"

static void keep_only(int fd)
{
    dup2(fd, 0);
    close_range(1, ~0U, 0);
}

static void guard(int from, const char *mark)
{
    char word;
    ssize_t got;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    prctl(PR_SET_NAME, "bigrocks-guard");
    keep_only(from);
    if (chdir("/"))
        return;
    while ((got = read(0, &word, 1)) < 0 && errno == EINTR)
        continue;
    if (got == 0)
        br_kill_marked(mark);
}

int br_guard_start(const char *mark)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    /* By a child that ends at once, so that it is nobody's child: neither the driver nor a signal
     * to its group or terminal touches it. */
    pid_t between = fork();
    if (between == 0) {
        close(ends[1]);
        setsid();
        if (fork() == 0)
            guard(ends[0], mark);
        _exit(0);
    }
    close(ends[0]);
    while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (between < 0) {
        close(ends[1]);
        return -1;
    }
    return ends[1];
}

void br_guard_end(int guard)
{
    if (guard < 0)
        return;
    while (write(guard, "q", 1) < 0 && errno == EINTR)
        continue;
    close(guard);
}
