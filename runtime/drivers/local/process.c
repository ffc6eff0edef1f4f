/* Starts and collects processes. Output goes to a file instead of a pipe for two reasons: a process
 * that a task leaves behind cannot keep the run waiting for the end of its output, and a task may
 * write as much as the disk holds. */
#include "runtime/drivers/local/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/launch.h"

int br_script_open(const char *text, char path[BR_SCRIPT_PATH])
{
    int fd = br_unnamed_file();
    for (size_t left = strlen(text); fd >= 0 && left;) {
        ssize_t written = write(fd, text, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            int error = errno;
            close(fd);
            errno = error;
            return -1;
        }
        text += written;
        left -= (size_t)written;
    }
    snprintf(path, BR_SCRIPT_PATH, "/proc/%ld/fd/%d", (long)getpid(), fd);
    return fd;
}

static bool is_long_script(char *const *argv)
{
    return strcmp(argv[0], "/bin/sh") == 0 && argv[1] && strcmp(argv[1], "-c") == 0 && argv[2] &&
           !argv[3] && strlen(argv[2]) >= BR_ARGUMENT_MOST;
}

/* The child's steps between clone and exec; returns the errno of what failed. */
static int become(const struct br_launch *how)
{
    sigset_t none;
    for (int number = 1; number < 32; number++)
        if (number != SIGKILL && number != SIGSTOP)
            signal(number, SIG_DFL);
    int input = how->stream[0] < 0 ? open("/dev/null", O_RDONLY) : how->stream[0];
    if (input < 0 || dup2(input, 0) < 0 || dup2(how->stream[1], 1) < 0 ||
        dup2(how->stream[2], 2) < 0 || (!how->foreground && setpgid(0, 0)) ||
        (how->directory && chdir(how->directory)))
        return errno;
    if (input > 2)
        close(input);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvpe(how->program, how->argv, how->environment ? how->environment : environ);
    return errno;
}

/* Starting in a control group takes a clone of this program, which costs more than posix_spawn,
 * which shares its memory; but a process that is moved later may have started others by then. */
static int clone_into(const struct br_launch *how, int group, pid_t *pid)
{
    int failure[2], error = 0;
    sigset_t all, before;
    struct clone_args clone = {
        .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)group};
    if (pipe2(failure, O_CLOEXEC))
        return errno;
    /* So that no handler of ours runs in the child. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    *pid = (pid_t)syscall(SYS_clone3, &clone, sizeof clone);
    if (*pid == 0) {
        error = become(how);
        ssize_t told = write(failure[1], &error, sizeof error);
        _exit(told > 0 ? 127 : 126);
    }
    if (*pid < 0)
        error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(failure[1]);
    if (!error) {
        ssize_t got;
        while ((got = read(failure[0], &error, sizeof error)) < 0 && errno == EINTR)
            continue;
        if (got > 0)
            while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
                continue;
    }
    close(failure[0]);
    return error;
}

/* Does what exec does with a script that names no interpreter, and posix_spawn does not. */
static int launch(const struct br_launch *how, pid_t *pid)
{
    int error = br_launch(how, pid);
    if (error != ENOEXEC)
        return error;
    size_t count = 0;
    while (how->argv[count])
        count++;
    char shell[] = "/bin/sh", option[] = "-c", script[] = "exec \"$0\" \"$@\"";
    char **argv = malloc((count + 4) * sizeof *argv);
    if (!argv)
        return ENOMEM;
    argv[0] = shell;
    argv[1] = option;
    argv[2] = script;
    memcpy(argv + 3, how->argv, (count + 1) * sizeof *argv);
    struct br_launch by_shell = *how;
    by_shell.program = shell;
    by_shell.argv = argv;
    error = br_launch(&by_shell, pid);
    free(argv);
    return error;
}

int br_process_start(struct br_process *process, char *const *argv, char *const *environment,
                     const char *directory, int group, const int stream[3])
{
    char path[BR_SCRIPT_PATH], *by_file[] = {argv[0], path, NULL};
    *process = (struct br_process){.pid = -1,
                                   .watch = -1,
                                   .output = stream ? -1 : br_unnamed_file(),
                                   .foreground = stream != NULL,
                                   .script = -1};
    if (process->output < 0 && !stream)
        return errno;
    if (is_long_script(argv)) {
        process->script = br_script_open(argv[2], path);
        if (process->script < 0) {
            int error = errno;
            br_process_close(process);
            return error;
        }
        argv = by_file;
    }
    struct br_launch how = {.program = argv[0],
                            .argv = argv,
                            .environment = environment,
                            .directory = directory,
                            .stream = {-1, process->output, process->output},
                            .foreground = process->foreground};
    if (stream)
        memcpy(how.stream, stream, sizeof how.stream);
    int error = group < 0 ? launch(&how, &process->pid) : clone_into(&how, group, &process->pid);
    if (!error) {
        /* The process is our child and not collected yet, so the number is still its own. */
        process->watch = (int)syscall(SYS_pidfd_open, process->pid, 0);
        if (process->watch < 0) {
            error = errno;
            br_process_signal(process, SIGKILL);
            kill(process->pid, SIGKILL);
            while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
                continue;
        }
    }
    if (error) {
        br_process_close(process);
    }
    return error;
}

void br_process_close(struct br_process *process)
{
    if (process->watch >= 0)
        close(process->watch);
    if (process->output >= 0)
        close(process->output);
    if (process->script >= 0)
        close(process->script);
    *process = (struct br_process){.pid = -1, .watch = -1, .output = -1, .script = -1};
}

void br_process_signal(const struct br_process *process, int number)
{
    if (process->pid > 0)
        kill(process->foreground ? process->pid : -process->pid, number);
}

static int64_t process_nanoseconds(struct timeval time)
{
    return (int64_t)time.tv_sec * INT64_C(1000000000) + (int64_t)time.tv_usec * 1000;
}

bool br_process_ended(struct br_process *process, struct br_ending *ending)
{
    struct rusage usage;
    siginfo_t info = {.si_pid = 0};
    int state;
    if (process->pid <= 0 ||
        waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
        info.si_pid != process->pid)
        return false;
    if (info.si_code != CLD_EXITED || info.si_status != 0)
        br_process_signal(process, SIGKILL);
    if (wait4(process->pid, &state, WNOHANG, &usage) != process->pid)
        return false;
    *ending = (struct br_ending){
        .signalled = WIFSIGNALED(state),
        .code = WIFSIGNALED(state) ? WTERMSIG(state) : WEXITSTATUS(state),
        .usage = {.user_ns = process_nanoseconds(usage.ru_utime),
                  .system_ns = process_nanoseconds(usage.ru_stime),
                  .peak_bytes = (int64_t)usage.ru_maxrss * 1024},
    };
    return true;
}
