/* The Gantt chart as a picture: `neato -n2 -Tsvg` as a child, fed and read at once, without a
 * shell or temporary files. The chart goes to the child through a socket pair rather than a pipe,
 * since writing to a child that died must not raise SIGPIPE in the caller's process. */
#include "emit/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"

extern char **environ;

static const char install[] = "install Graphviz (on Debian: apt-get install graphviz)";

struct child {
    pid_t pid;
    int in, out, err; /* our ends; -1 where closed */
    char said[400];   /* the beginning of its standard error */
    size_t said_used;
};

static void shut(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static enum br_status start(struct child *child, struct br_diag *diag)
{
    static char program[] = "neato", pinned[] = "-n2", svg[] = "-Tsvg";
    char *const arguments[] = {program, pinned, svg, NULL};
    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, fault = 0;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) || pipe2(out, O_CLOEXEC) ||
        pipe2(err, O_CLOEXEC))
        fault = errno;
    if (!fault && !(fault = posix_spawn_file_actions_init(&actions))) {
        if (!(fault = posix_spawnattr_init(&attributes))) {
            posix_spawnattr_setsigmask(&attributes, &none);
            posix_spawnattr_setsigdefault(&attributes, &defaults);
            posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
            fault = posix_spawn_file_actions_adddup2(&actions, in[1], STDIN_FILENO);
            if (!fault)
                fault = posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
            if (!fault)
                fault = posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
            if (!fault)
                fault =
                    posix_spawnp(&child->pid, program, &actions, &attributes, arguments, environ);
            posix_spawnattr_destroy(&attributes);
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    shut(&in[1]);
    shut(&out[1]);
    shut(&err[1]);
    child->in = in[0];
    child->out = out[0];
    child->err = err[0];
    if (fault == 0)
        return BR_OK;
    shut(&child->in);
    shut(&child->out);
    shut(&child->err);
    return br_fail(diag, BR_SYSTEM, install, "neato cannot be started: %s", strerror(fault));
}

/* Hands the text over as fast as the child takes it. */
static void feed(struct child *child, const char *text, size_t size, size_t *sent)
{
    ssize_t n = send(child->in, text + *sent, size - *sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0)
        *sent += (size_t)n;
    /* A child that takes no more will say why when it exits. */
    if (*sent == size || (n < 0 && errno != EAGAIN && errno != EINTR))
        shut(&child->in);
}

/* Reads what is there; the picture goes to `to`, complaints are kept. */
static void drain(struct child *child, int *fd, FILE *to)
{
    char buffer[1 << 16];
    ssize_t n = read(*fd, buffer, sizeof buffer);
    if (n == 0 || (n < 0 && errno != EINTR)) {
        shut(fd);
    } else if (n > 0 && to) {
        fwrite(buffer, 1, (size_t)n, to);
    } else if (n > 0) {
        size_t room = sizeof child->said - 1 - child->said_used;
        size_t kept = (size_t)n < room ? (size_t)n : room;
        memcpy(child->said + child->said_used, buffer, kept);
        child->said_used += kept;
    }
}

static void converse(struct child *child, const char *text, size_t size, FILE *out)
{
    size_t sent = 0;
    while (child->in >= 0 || child->out >= 0 || child->err >= 0) {
        struct pollfd ends[] = {
            {child->in, POLLOUT, 0}, {child->out, POLLIN, 0}, {child->err, POLLIN, 0}};
        if (poll(ends, 3, -1) < 0) {
            if (errno == EINTR)
                continue;
            break;
        }
        if (ends[0].revents)
            feed(child, text, size, &sent);
        if (ends[1].revents)
            drain(child, &child->out, out);
        if (ends[2].revents)
            drain(child, &child->err, NULL);
    }
    shut(&child->in);
    shut(&child->out);
    shut(&child->err);
}

static enum br_status finish(struct child *child, struct br_diag *diag)
{
    int status = 0;
    while (waitpid(child->pid, &status, 0) < 0)
        if (errno != EINTR)
            return br_fail(diag, BR_SYSTEM, NULL, "neato cannot be waited for: %s",
                           strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return BR_OK;
    child->said[strcspn(child->said, "\r\n")] = 0; /* its first line */
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && !child->said[0])
        return br_fail(diag, BR_SYSTEM, install, "neato cannot be started");
    return br_fail(diag, BR_SYSTEM, install, "neato failed (%s %d)%s%s",
                   WIFSIGNALED(status) ? "signal" : "status",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                   child->said[0] ? ": " : "", child->said);
}

enum br_status br_emit_svg(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return br_fail_memory(diag);
    enum br_status status = br_emit_gantt(input, memory, diag);
    bool lost = ferror(memory) != 0;
    if (fclose(memory) != 0 || lost)
        status = status ? status : br_fail_memory(diag);
    struct child child = {0};
    if (!status)
        status = start(&child, diag);
    if (!status) {
        converse(&child, text, size, out);
        status = finish(&child, diag);
    }
    free(text);
    return status;
}
