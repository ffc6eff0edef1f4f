/* The child gets its limits from outside as well: time, processor time and memory. A child that
 * floods its output is read on, and what nobody would want of it is dropped. */
#include "lp/client/child.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/process/clock.h"
#include "base/process/launch.h"
#include "base/process/machine.h"

enum { ANSWER_MOST = 1 << 26, COMPLAINT_MOST = 256, LOOK_MS = 20 };
static const int64_t milli_ns = 1000000;

/* The output of a stream, NUL-terminated; NULL if there was none. */
struct words {
    char *text;
    size_t used, room;
};

/* A running child: our ends of its standard streams (-1: closed) and its output. */
struct child {
    pid_t pid;
    int in, out, err;
    const char *text;
    size_t size, written;
    int64_t began_ns, limit_ns;
    struct words answer, complaint;
};

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Half of the memory there is, so that a solver that grows without end fails before the machine
 * does. The limits are set before the child has read a byte of its job. */
static void limit(pid_t pid, uint64_t processor_seconds)
{
/* Under the address sanitizer a program reserves far more than it uses. */
#ifndef BR_ADDRESS_SANITIZER
    struct br_machine machine;
    br_machine_ask(&machine);
    if (machine.memory_bytes > 0) {
        rlim_t bytes = (rlim_t)machine.memory_bytes / 2;
        prlimit(pid, RLIMIT_AS, &(struct rlimit){bytes, bytes}, NULL);
    }
#endif
    prlimit(pid, RLIMIT_CPU, &(struct rlimit){processor_seconds, processor_seconds}, NULL);
}

/* Returns 0, or the errno of what failed; then nothing is left behind. */
static int client_child_start(struct child *child, const struct br_talk *talk)
{
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}}, error = 0;
    for (int k = 0; k < 3 && !error; k++)
        if (pipe2(pipes[k], O_CLOEXEC))
            error = errno;
    if (!error)
        error = br_launch(&(struct br_launch){.program = talk->program,
                                              .argv = (char *const *)talk->argv,
                                              .stream = {pipes[0][0], pipes[1][1], pipes[2][1]}},
                          &child->pid);
    child->in = pipes[0][1];
    child->out = pipes[1][0];
    child->err = pipes[2][0];
    close_end(&pipes[0][0]);
    close_end(&pipes[1][1]);
    close_end(&pipes[2][1]);
    if (error) {
        close_end(&child->in);
        close_end(&child->out);
        close_end(&child->err);
        return error;
    }
    limit(child->pid, talk->processor_seconds);
    fcntl(child->in, F_SETFL, O_NONBLOCK);
    fcntl(child->out, F_SETFL, O_NONBLOCK);
    fcntl(child->err, F_SETFL, O_NONBLOCK);
    return 0;
}

static void feed(struct child *child)
{
    assert(child->written <= child->size);
    ssize_t size = write(child->in, child->text + child->written, child->size - child->written);
    if (size > 0)
        child->written += (size_t)size;
    /* A child that does not want all of its job may still know an answer. */
    bool gone = size < 0 && errno != EAGAIN && errno != EINTR;
    if (gone || child->written == child->size)
        close_end(&child->in);
}

/* Makes room for more words; false if there are more than anyone would read. */
static bool client_child_widen(struct words *words, size_t most)
{
    if (words->used + 1 < words->room)
        return true;
    size_t room = words->room ? 4 * words->room : COMPLAINT_MOST;
    char *text = room <= most ? realloc(words->text, room) : NULL;
    if (!text)
        return false;
    words->text = text;
    words->room = room;
    return true;
}

/* Reads what there is; what does not fit is read and dropped, so that the child can go on. */
static void drain(int *fd, struct words *words, size_t most)
{
    char spill[4096];
    bool keep = client_child_widen(words, most);
    ssize_t size = read(*fd, keep ? words->text + words->used : spill,
                        keep ? words->room - words->used - 1 : sizeof spill);
    if (size > 0 && keep)
        words->used += (size_t)size;
    assert(!keep || words->used < words->room);
    if (keep)
        words->text[words->used] = '\0';
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
        close_end(fd);
}

/* Writes and reads until both ends are done, the time is over, or the flag is raised. */
static enum br_talk_ending converse(struct child *child, const struct br_stop *stop)
{
    while (child->out >= 0 || child->err >= 0) {
        int64_t past = br_now_ns() - child->began_ns;
        if (br_stopped(stop))
            return BR_TALK_STOPPED;
        if (past >= child->limit_ns)
            return BR_TALK_LATE;
        /* poll skips negative descriptors. */
        struct pollfd ends[3] = {
            {child->in, POLLOUT, 0}, {child->out, POLLIN, 0}, {child->err, POLLIN, 0}};
        int64_t wait_ms = (child->limit_ns - past) / milli_ns + 1;
        if (poll(ends, 3, wait_ms > LOOK_MS ? LOOK_MS : (int)wait_ms) <= 0)
            continue;
        if (ends[0].revents)
            feed(child);
        if (ends[1].revents)
            drain(&child->out, &child->answer, ANSWER_MOST);
        if (ends[2].revents)
            drain(&child->err, &child->complaint, COMPLAINT_MOST);
    }
    return BR_TALK_ENDED;
}

/* Waits for the child's end; kills it, with whatever it started, when its time is over. */
static int reap(const struct child *child, enum br_talk_ending *ending)
{
    int state = 0;
    while (*ending == BR_TALK_ENDED) {
        pid_t ended = waitpid(child->pid, &state, WNOHANG);
        if (ended == child->pid)
            return state;
        if (ended < 0 && errno != EINTR)
            return -1;
        if (br_now_ns() - child->began_ns >= child->limit_ns)
            *ending = BR_TALK_LATE;
        nanosleep(&(struct timespec){0, 2 * milli_ns}, NULL);
    }
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL);
    while (waitpid(child->pid, &state, 0) < 0 && errno == EINTR)
        continue;
    return state;
}

/* A child that ends before it has read all raises SIGPIPE here. The signal is this program's, which
 * may use it for something else, so this thread alone does without it. */
struct pipe_signal {
    sigset_t set, before;
    bool pending; /* one was there before */
};

static void hold_pipe_signal(struct pipe_signal *held)
{
    sigset_t pending;
    sigemptyset(&held->set);
    sigaddset(&held->set, SIGPIPE);
    sigpending(&pending);
    held->pending = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &held->set, &held->before);
}

static void release_pipe_signal(const struct pipe_signal *held)
{
    while (!held->pending && sigtimedwait(&held->set, NULL, &(struct timespec){0, 0}) < 0 &&
           errno == EINTR)
        continue;
    pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}

int br_talk(struct br_talk *talk)
{
    struct child child = {.text = talk->text, .size = talk->size, .limit_ns = talk->limit_ns};
    struct pipe_signal held;
    int error = client_child_start(&child, talk);
    if (error)
        return error;
    child.began_ns = br_now_ns();
    hold_pipe_signal(&held);
    talk->ending = converse(&child, talk->stop);
    release_pipe_signal(&held);
    close_end(&child.in);
    talk->state = reap(&child, &talk->ending);
    close_end(&child.out);
    close_end(&child.err);
    talk->answer = child.answer.text;
    talk->answer_size = child.answer.used;
    talk->complaint = child.complaint.text;
    return 0;
}

void br_talk_finish(struct br_talk *talk)
{
    free(talk->answer);
    free(talk->complaint);
    talk->answer = talk->complaint = NULL;
}
