/* The pipe of make is shared with all its children, and so are its flags: our own opening decides
 * whether a read waits. Held tokens are counted in memory shared with a guard. */
#include "runtime/jobserver/jobserver.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/diag.h"

enum { MOST = 4096 }; /* fits into every pipe */

/* Shared with the guard. */
struct held {
    uint32_t count;
    char token[MOST];
};

struct br_jobserver {
    int from, to;       /* without waiting; our own openings */
    int pipe[2];        /* of one that we have made, or -1; children inherit an unnamed one */
    uint32_t processes; /* of one that we have made; else 0 */
    bool announced;     /* MAKEFLAGS are ours */
    char *before;       /* the previous value; NULL: it was not set */
    struct held *held;
};

/* ---- What MAKEFLAGS say ---- */

/* The end of the options: at " -- ", after which come variables from make's command line. */
static const char *end_of_options(const char *makeflags)
{
    for (const char *at = makeflags; (at = strstr(at, "--")); at += 2)
        if ((at == makeflags || at[-1] == ' ') && (at[2] == ' ' || !at[2]))
            return at;
    return makeflags + strlen(makeflags);
}

/* The last option that names a jobserver, since later ones win; *size includes its name. */
static char *find_option(const char *makeflags, size_t *size)
{
    static const char *const name[] = {"--jobserver-auth=", "--jobserver-fds="};
    const char *end = end_of_options(makeflags);
    char *last = NULL;
    for (int k = 0; k < 2; k++)
        for (const char *at = makeflags; (at = strstr(at, name[k])) && at < end; at++)
            if ((at == makeflags || at[-1] == ' ') && (!last || at > last)) {
                last = (char *)at;
                *size = strlen(name[k]);
            }
    return last;
}

void br_jobserver_strip(char *makeflags)
{
    size_t size;
    for (char *at; (at = find_option(makeflags, &size));) {
        char *end = at + strcspn(at, " ");
        end += *end == ' ';
        memmove(at, end, strlen(end) + 1);
    }
    /* "-j", "-j8": the number belongs to the option. */
    for (char *at = makeflags; (at = strstr(at, "-j")) && at < end_of_options(makeflags);) {
        char *end = at + 2 + strspn(at + 2, "0123456789");
        if ((at == makeflags || at[-1] == ' ') && (*end == ' ' || !*end))
            memmove(at, end + (*end == ' '), strlen(end + (*end == ' ')) + 1);
        else
            at = end;
    }
}

static struct br_jobserver *runtime_jobserver_create(void)
{
    struct br_jobserver *jobserver = calloc(1, sizeof *jobserver);
    if (!jobserver)
        return NULL;
    jobserver->from = jobserver->to = jobserver->pipe[0] = jobserver->pipe[1] = -1;
    jobserver->held = mmap(NULL, sizeof *jobserver->held, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (jobserver->held == MAP_FAILED) {
        free(jobserver);
        return NULL;
    }
    return jobserver;
}

static bool is_pipe(int fd)
{
    struct stat there;
    return fd >= 0 && fstat(fd, &there) == 0 && S_ISFIFO(there.st_mode);
}

/* Opens both ends without waiting. */
static bool open_ends(struct br_jobserver *jobserver, const char *from, const char *to)
{
    jobserver->from = open(from, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    jobserver->to = open(to, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    return is_pipe(jobserver->from) && is_pipe(jobserver->to);
}

static bool open_pipe(struct br_jobserver *jobserver, int from, int to)
{
    char path[2][32];
    if (!is_pipe(from) || !is_pipe(to))
        return false;
    snprintf(path[0], sizeof path[0], "/proc/self/fd/%d", from);
    snprintf(path[1], sizeof path[1], "/proc/self/fd/%d", to);
    return open_ends(jobserver, path[0], path[1]);
}

enum br_status br_jobserver_join(const char *makeflags, struct br_jobserver **result,
                                 struct br_diag *diag)
{
    size_t size;
    int from, to;
    const char *option = makeflags ? find_option(makeflags, &size) : NULL;
    *result = NULL;
    if (!option)
        return BR_OK;
    struct br_jobserver *jobserver = runtime_jobserver_create();
    if (!jobserver)
        return br_fail_memory(diag);
    size_t length = strcspn(option, " ");
    char *value = strndup(option + size, length - size);
    bool good = false;
    if (value && strncmp(value, "fifo:", 5) == 0)
        good = open_ends(jobserver, value + 5, value + 5);
    else if (value && sscanf(value, "%d,%d", &from, &to) == 2)
        good = open_pipe(jobserver, from, to);
    free(value);
    if (!good) {
        br_jobserver_destroy(jobserver);
        return br_fail(diag, BR_NO, "begin the line in the Makefile with '+'",
                       "make has a jobserver and does not let this command use it");
    }
    *result = jobserver;
    return BR_OK;
}

/* ---- One of our own ---- */

/* Either form is an unnamed pipe. If a named one is wanted, its name is that of our descriptor in
 * /proc, which exists as long as this process: no file is left behind, however this program ends.
 */
static bool make_pipe(struct br_jobserver *jobserver, enum br_jobserver_form form, char *auth,
                      size_t size)
{
    const bool named = form == BR_JOBSERVER_FIFO;
    if (pipe2(jobserver->pipe, named ? O_CLOEXEC : 0))
        return false;
    if (named)
        snprintf(auth, size, "fifo:/proc/%ld/fd/%d", (long)getpid(), jobserver->pipe[0]);
    else
        snprintf(auth, size, "%d,%d", jobserver->pipe[0], jobserver->pipe[1]);
    return open_pipe(jobserver, jobserver->pipe[0], jobserver->pipe[1]);
}

/* Options of one letter come first in MAKEFLAGS, without a dash. */
static bool announce(struct br_jobserver *jobserver, const char *auth)
{
    const char *before = getenv("MAKEFLAGS");
    char *own = NULL, *all = NULL;
    jobserver->before = before ? strdup(before) : NULL;
    own = strdup(before ? before : "");
    if (own)
        br_jobserver_strip(own);
    const char *rest = own ? end_of_options(own) : "";
    const int options = own ? (int)(rest - own) : 0;
    const char *blank = options && own[options - 1] == ' ' ? "" : " ";
    bool good = own && (!before || jobserver->before) &&
                asprintf(&all, "%.*s%s-j%" PRIu32 " --jobserver-auth=%s%s%s", options, own, blank,
                         jobserver->processes, auth, *rest ? " " : "", rest) >= 0 &&
                setenv("MAKEFLAGS", all, 1) == 0;
    jobserver->announced = good;
    free(own);
    free(all);
    return good;
}

static void runtime_jobserver_fill(const struct br_jobserver *jobserver, uint32_t count)
{
    while (count-- && write(jobserver->to, "+", 1) == 1)
        ;
}

enum br_status br_jobserver_create(enum br_jobserver_form form, uint32_t processes,
                                   struct br_jobserver **result, struct br_diag *diag)
{
    char auth[64];
    struct br_jobserver *jobserver = runtime_jobserver_create();
    *result = NULL;
    if (!jobserver)
        return br_fail_memory(diag);
    jobserver->processes = processes < 1 ? 1 : processes > MOST ? MOST : processes;
    const bool good = make_pipe(jobserver, form, auth, sizeof auth) && announce(jobserver, auth);
    int error = errno;
    if (!good) {
        br_jobserver_destroy(jobserver);
        return br_fail(diag, BR_SYSTEM, NULL, "no jobserver can be made: %s", strerror(error));
    }
    runtime_jobserver_fill(jobserver, jobserver->processes - 1);
    *result = jobserver;
    return BR_OK;
}

void br_jobserver_destroy(struct br_jobserver *jobserver)
{
    if (!jobserver)
        return;
    br_jobserver_keep(jobserver, 0, false);
    const int fd[] = {jobserver->from, jobserver->to, jobserver->pipe[0], jobserver->pipe[1]};
    for (int k = 0; k < 4; k++)
        if (fd[k] >= 0)
            close(fd[k]);
    if (jobserver->announced && jobserver->before)
        setenv("MAKEFLAGS", jobserver->before, 1);
    else if (jobserver->announced)
        unsetenv("MAKEFLAGS");
    free(jobserver->before);
    munmap(jobserver->held, sizeof *jobserver->held);
    free(jobserver);
}

/* ---- Tokens ---- */

bool br_jobserver_take(struct br_jobserver *jobserver)
{
    struct held *held = jobserver->held;
    ssize_t got;
    if (held->count == MOST)
        return false;
    while ((got = read(jobserver->from, &held->token[held->count], 1)) < 0 && errno == EINTR)
        continue;
    held->count += got == 1;
    return got == 1;
}

static bool runtime_jobserver_give(struct held *held, int to)
{
    assert(held->count > 0);
    ssize_t put;
    while ((put = write(to, &held->token[held->count - 1], 1)) < 0 && errno == EINTR)
        continue;
    held->count--; /* a token that nobody takes is no loss: the maker of the pipe is gone */
    return put == 1;
}

/* Tokens that a killed program has taken along. */
static void mend(const struct br_jobserver *jobserver)
{
    assert(jobserver->processes > 0);
    int there = 0;
    if (jobserver->held->count >= jobserver->processes)
        return;
    uint32_t all = jobserver->processes - 1 - jobserver->held->count;
    if (ioctl(jobserver->from, FIONREAD, &there) == 0 && there >= 0 && (uint32_t)there < all)
        runtime_jobserver_fill(jobserver, all - (uint32_t)there);
}

void br_jobserver_keep(struct br_jobserver *jobserver, uint32_t held, bool idle)
{
    while (jobserver->held->count > held && runtime_jobserver_give(jobserver->held, jobserver->to))
        ;
    if (idle && jobserver->processes)
        mend(jobserver);
}

uint32_t br_jobserver_held(const struct br_jobserver *jobserver)
{
    return jobserver->held->count;
}

int br_jobserver_watch(const struct br_jobserver *jobserver)
{
    return jobserver->from;
}

int br_jobserver_way(const struct br_jobserver *jobserver)
{
    return jobserver->to;
}

void br_jobserver_settle(const struct br_jobserver *jobserver, int way)
{
    while (jobserver->held->count && runtime_jobserver_give(jobserver->held, way))
        ;
}
