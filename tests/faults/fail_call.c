/* Runs a program of which one system call fails, or does less than was asked.
 *
 * fail_call CALLS N FAULT [--on] [--report FD] COMMAND...
 *
 * CALLS is one of the groups below. The N-th of them (0: none) in the program, of all its threads
 * together, answers FAULT: the name of an error, or "short" for a read or a write of one byte. With
 * --on all later ones do so as well, as on a disk that stays full. Not counted are the calls of the
 * dynamic loader, and those of children. At the end FD gets how many there were. The status is the
 * program's; 128 and the signal where one ended it; 126 where this system has not what it takes.
 *
 * The kernel asks this program about every such call (seccomp's user notification), so that calls
 * from inside of libraries and of the C library count like others, and sanitizers can look on. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { UNAVAILABLE = 126, CALLS_MOST = 8 };

static const struct group {
    const char *name;
    long call[CALLS_MOST]; /* a negative one ends them */
} groups[] = {
    {"read", {SYS_read, SYS_pread64, SYS_readv, SYS_getdents64, -1}},
    {"write", {SYS_write, SYS_pwrite64, SYS_writev, -1}},
    {"open", {SYS_openat, -1}},
    {"close", {SYS_close, -1}},
    {"sync", {SYS_fsync, SYS_fdatasync, SYS_ftruncate, -1}},
#ifdef SYS_rename
    {"rename", {SYS_rename, SYS_renameat, SYS_renameat2, -1}},
#else
    {"rename", {SYS_renameat, SYS_renameat2, -1}},
#endif
    {"stat", {SYS_newfstatat, SYS_fstat, SYS_statx, SYS_lseek, -1}},
    {"file",
     {SYS_fchmod, SYS_mkdirat, SYS_unlinkat, SYS_fcntl,
#ifdef SYS_mkdir
      SYS_mkdir, SYS_unlink, SYS_access,
#endif
      -1}},
    {"pipe",
     {SYS_pipe2, SYS_socket, SYS_bind, SYS_listen, SYS_accept4, SYS_connect, SYS_socketpair, -1}},
#ifdef SYS_fork
    {"clone", {SYS_clone, SYS_clone3, SYS_fork, SYS_vfork, -1}},
#else
    {"clone", {SYS_clone, SYS_clone3, -1}},
#endif
    {"wait",
     {SYS_ppoll, SYS_wait4, SYS_waitid, SYS_epoll_pwait,
#ifdef SYS_poll
      SYS_poll,
#endif
      -1}},
    {"send", {SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg, -1}},
};

static const struct fault {
    const char *name;
    int error; /* 0: short */
} faults[] = {
    {"short", 0},       {"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EINTR", EINTR},
    {"EMFILE", EMFILE}, {"ENFILE", ENFILE}, {"EAGAIN", EAGAIN}, {"ENOMEM", ENOMEM},
    {"EACCES", EACCES}, {"EPERM", EPERM},   {"EROFS", EROFS},   {"EPIPE", EPIPE},
    {"EDQUOT", EDQUOT},
};

static void complain(const char *what)
{
    fprintf(stderr, "fail_call: %s: %s\n", what, strerror(errno));
}

/* ---- The program's side ---- */

static int install(const struct group *group)
{
    struct sock_filter code[2 * CALLS_MOST + 2];
    unsigned short size = 0;
    code[size++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int k = 0; group->call[k] >= 0; k++) {
        code[size++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)group->call[k], 0, 1);
        code[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    }
    code[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {size, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                        &program);
}

/* Shared by both sides. The program may call nothing between its filter and the first answer, so
 * it waits here, and the other side takes the descriptor by its number. */
struct shared {
    _Atomic int listener; /* 0: not yet; -1: cannot be had */
    _Atomic bool taken;
};

static void become(struct shared *shared, const struct group *group, char **command)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int listener = install(group);
    shared->listener = listener;
    while (listener >= 0 && !shared->taken)
        sched_yield();
    if (listener >= 0)
        execv(command[0], command);
    _exit(UNAVAILABLE);
}

/* ---- The side that answers ---- */

struct watch {
    const struct fault *fault;
    long at;
    bool on;
    pid_t program;
    int process; /* a descriptor of it */
    int listener;
    long calls;
    uint64_t loader, loader_end; /* addresses of the dynamic loader; 0, 0: not known yet */
};

static void find_loader(struct watch *watch)
{
    char path[64], line[4096];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)watch->program);
    FILE *maps = fopen(path, "re");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        if (!strstr(line, "/ld-linux") || sscanf(line, "%lx-%lx", &from, &to) != 2)
            continue;
        if (!watch->loader)
            watch->loader = from;
        watch->loader_end = to;
    }
    if (maps)
        fclose(maps);
}

/* Whether a call is the program's own. A close that fails has closed all the same, which cannot be
 * done from here, so only those of plain files fail, which nobody waits for. */
static bool counts(struct watch *watch, const struct seccomp_notif *call)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%u", (int)watch->program, call->pid);
    if (access(path, F_OK))
        return false; /* a child's */
    if (!watch->loader)
        find_loader(watch);
    if (call->data.nr == SYS_close) {
        struct stat there;
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)watch->program, (int)call->data.args[0]);
        if (stat(path, &there) || !S_ISREG(there.st_mode))
            return false;
    }
    uint64_t at = call->data.instruction_pointer;
    return at < watch->loader || at >= watch->loader_end;
}

/* Does one byte of a read or a write in the program's place; what that returned, or 0 where it is
 * none that can be shortened. */
static int64_t do_one_byte(const struct watch *watch, const struct seccomp_notif *call)
{
    int number = call->data.nr;
    bool reads = number == SYS_read || number == SYS_pread64;
    bool placed = number == SYS_pread64 || number == SYS_pwrite64;
    if ((!reads && number != SYS_write && number != SYS_pwrite64) || call->data.args[2] < 2)
        return 0;
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)call->data.args[1], 1};
    int fd = (int)syscall(SYS_pidfd_getfd, watch->process, (int)call->data.args[0], 0);
    if (fd < 0)
        return 0;
    /* Whoever is to write to a pipe may wait for an answer of ours. */
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    if (reads && poll(&ready, 1, 0) != 1) {
        close(fd);
        return 0;
    }
    off_t place = (off_t)call->data.args[3];
    int64_t done = -1;
    if (reads) {
        done = placed ? pread(fd, &byte, 1, place) : read(fd, &byte, 1);
        if (done == 1 && process_vm_writev(watch->program, &here, 1, &there, 1, 0) != 1)
            complain("cannot write to the program");
    } else if (process_vm_readv(watch->program, &here, 1, &there, 1, 0) == 1) {
        done = placed ? pwrite(fd, &byte, 1, place) : write(fd, &byte, 1);
    }
    int error = errno;
    close(fd);
    return done < 0 ? -error : done;
}

static void answer(struct watch *watch, const struct seccomp_notif *call)
{
    struct seccomp_notif_resp reply = {.id = call->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    bool strikes = counts(watch, call) && (++watch->calls == watch->at ||
                                           (watch->on && watch->at && watch->calls > watch->at));
    if (strikes && watch->fault->error) {
        reply.flags = 0;
        reply.error = -watch->fault->error;
    } else if (strikes) {
        int64_t done = do_one_byte(watch, call);
        reply.flags = done == 0 ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0;
        reply.error = done < 0 ? (int)done : 0;
        reply.val = done > 0 ? done : 0;
    }
    /* The call may be gone by now: a signal came, or the program ended. */
    if (ioctl(watch->listener, SECCOMP_IOCTL_NOTIF_SEND, &reply) && errno != ENOENT)
        complain("cannot answer");
}

/* Answers until nobody is left who could ask, at most some seconds longer than the program lives.
 */
static void serve(struct watch *watch)
{
    enum { PROGRAM, LISTENER };
    struct pollfd wait[] = {[PROGRAM] = {.fd = watch->process, .events = POLLIN},
                            [LISTENER] = {.fd = watch->listener, .events = POLLIN}};
    for (;;) {
        bool over = wait[PROGRAM].fd < 0;
        int ready = poll(wait, 2, over ? 5000 : -1);
        if (ready == 0 || (ready < 0 && errno != EINTR) ||
            wait[LISTENER].revents & (POLLHUP | POLLERR))
            return;
        if (wait[LISTENER].revents & POLLIN) {
            struct seccomp_notif call = {0};
            if (ioctl(watch->listener, SECCOMP_IOCTL_NOTIF_RECV, &call) == 0)
                answer(watch, &call);
        }
        if (!over && wait[PROGRAM].revents & POLLIN)
            wait[PROGRAM].fd = -1;
    }
}

static int usage(void)
{
    fputs("usage: fail_call CALLS N FAULT [--on] [--report FD] COMMAND...\n", stderr);
    return UNAVAILABLE;
}

int main(int count, char **argument)
{
    const struct group *group = NULL;
    struct watch watch = {0};
    int report = -1, at = 4;
    if (count < 5)
        return usage();
    for (size_t k = 0; k < sizeof groups / sizeof groups[0]; k++)
        if (strcmp(groups[k].name, argument[1]) == 0)
            group = &groups[k];
    watch.at = atol(argument[2]);
    for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++)
        if (strcmp(faults[k].name, argument[3]) == 0)
            watch.fault = &faults[k];
    if (strcmp(argument[at], "--on") == 0)
        watch.on = true, at++;
    if (at + 1 < count && strcmp(argument[at], "--report") == 0)
        report = atoi(argument[at + 1]), at += 2;
    if (!group || !watch.fault || at >= count)
        return usage();

    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || (watch.program = fork()) < 0) {
        complain("cannot start");
        return UNAVAILABLE;
    }
    if (watch.program == 0) {
        if (report >= 0)
            close(report);
        become(shared, group, argument + at);
    }
    while (!shared->listener)
        sched_yield();
    watch.process = (int)syscall(SYS_pidfd_open, watch.program, 0);
    watch.listener = shared->listener < 0 || watch.process < 0
                         ? -1
                         : (int)syscall(SYS_pidfd_getfd, watch.process, shared->listener, 0);
    if (watch.listener < 0) {
        complain("this system cannot have its calls watched");
        kill(watch.program, SIGKILL);
        return UNAVAILABLE;
    }
    /* The program's streams are its own business: who waits for their end must not wait for this.
     */
    for (int fd = 0; fd < 2; fd++)
        close(fd);
    shared->taken = true;
    serve(&watch);
    int status = 0;
    while (waitpid(watch.program, &status, 0) < 0 && errno == EINTR)
        continue;
    if (report >= 0)
        dprintf(report, "%ld\n", watch.calls);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
