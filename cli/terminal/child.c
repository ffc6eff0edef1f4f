/* Runs commands and waits for them. The kernel counts the usage of a process and of those that it
 * waited for. Processes left behind are not counted, and memory is that of the largest process, not
 * of all together. */
#include "cli/terminal/child.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/clock.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "runtime/drivers/common/family.h"

static int64_t in_ns(struct timeval time)
{
    return (int64_t)time.tv_sec * 1000000000 + (int64_t)time.tv_usec * 1000;
}

static int cli_child_start(char *const *argument, bool beside, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    if (beside)
        error = posix_spawn_file_actions_adddup2(&actions, 2, 1);
    if (!error)
        error = posix_spawnp(pid, argument[0], &actions, NULL, argument, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int cli_child_run(char *const *argument, bool beside, struct cli_usage *usage)
{
    struct rusage used;
    pid_t pid;
    int64_t began_ns = br_now_ns();
    int error = cli_child_start(argument, beside, &pid);
    if (error)
        return error;
    while (wait4(pid, &usage->status, 0, &used) < 0)
        if (errno != EINTR)
            return errno;
    usage->wall_ns = br_now_ns() - began_ns;
    usage->cpu_ns = in_ns(used.ru_utime) + in_ns(used.ru_stime);
    usage->mem_bytes = (int64_t)used.ru_maxrss * 1024;
    return 0;
}

/* Asks the group to end, and kills it a second later. */
static void end_group(pid_t pid, int64_t *asked_ns)
{
    const int64_t patience_ns = 1000000000;
    if (!*asked_ns) {
        *asked_ns = br_now_ns();
        kill(-pid, SIGTERM);
    } else if (br_now_ns() - *asked_ns > patience_ns) {
        kill(-pid, SIGKILL);
    }
}

static int cli_child_wait_for(pid_t pid, int *status)
{
    enum { LOOK_MS = 50 };
    struct pollfd ended = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    int64_t asked_ns = 0;
    int error = 0;
    pid_t got;
    while ((got = waitpid(pid, status, WNOHANG)) == 0) {
        if (cli_interrupted())
            end_group(pid, &asked_ns);
        poll(&ended, 1, LOOK_MS); /* pauses if there is no descriptor */
    }
    if (got < 0)
        error = errno;
    if (cli_interrupted())
        kill(-pid, SIGKILL); /* processes that the command left behind */
    if (ended.fd >= 0)
        close(ended.fd);
    return error;
}

int cli_child_ask(const struct br_launch *how, int *status)
{
    pid_t pid;
    cli_interrupt_catch();
    int error = br_launch(how, &pid);
    if (!error)
        error = cli_child_wait_for(pid, status);
    cli_interrupt_release();
    return error;
}

bool cli_find_program(const char *program, char path[PATH_MAX])
{
    struct stat found;
    for (const char *folder = getenv("PATH"); folder && *folder;) {
        size_t size = strcspn(folder, ":");
        int used = snprintf(path, PATH_MAX, "%.*s/%s", (int)size, folder, program);
        if (size && used < PATH_MAX && access(path, X_OK) == 0 && stat(path, &found) == 0 &&
            S_ISREG(found.st_mode))
            return true;
        folder += size + (folder[size] == ':');
    }
    return false;
}

struct br_guard cli_guard_children(const struct br_own_file *file, const char *folder,
                                   const struct br_jobserver *jobserver)
{
    char mark[BR_MARK];
    br_mark_make(mark);
    char *equals = strchr(mark, '=');
    assert(equals); /* a mark is "name=value" */
    struct br_guard guard = br_guard_start(mark, file, folder, jobserver, -1);
    *equals = '\0';
    if (setenv(mark, equals + 1, 1))
        br_guard_end(&guard); /* no process would be found */
    return guard;
}

int cli_child_exit(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
