/* The linear program's bound, from a program of its own.
 *
 * bigrocks never links the LP solver (see docs/licensing.md); it starts bigrocks-bound as a child,
 * writes the job to it in the native form with the cluster inside, and reads one JSON object. The
 * child gets a time limit to keep by itself, and a hard one from outside; its memory is limited;
 * writing and reading go on together, so that neither side waits for the other. Whatever goes
 * wrong costs this bound only, and the answer says what it was.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/launch.h"
#include "base/stop.h"
#include "cli/bounds/lp_bound.h"
#include "cli/common/progress.h"
#include "cli/common/say.h"
#include "emit/emit.h"
#include "planner/check/certificate.h"

#define PROGRAM "bigrocks-bound"
enum { ANSWER_MOST = 1 << 26, COMPLAINT_MOST = 256, LOOK_MS = 20 };
/* Work is counted, so that the bound is the same every time; this ends a solver whose steps take
 * longer than one would think, with what it has proven. */
static const int64_t work_guard_ns = INT64_C(60000000000);
/* A busy machine lets a program have at least about this part of a processor. */
static const int64_t processor_share = 16;
static const int64_t milli_ns = 1000000, second_ns = INT64_C(1000000000);

/* What came out of a stream, NUL-terminated; NULL where nothing did. */
struct words {
    char *text;
    size_t used, room;
};

/* A running child: our ends of its standard streams (-1: closed) and what came out of them. */
struct child {
    pid_t pid;
    int in, out, err;
    const char *job;
    size_t job_size, written;
    struct words answer, complaint;
};

static bool executable(const char *path)
{
    return access(path, X_OK) == 0;
}

/* Where the program is: as the environment says; beside this program, which is where both are
 * installed; where the build leaves it; along PATH. */
bool cli_bound_program(char *path)
{
    const char *given = getenv("BIGROCKS_BOUND");
    if (given && *given) {
        snprintf(path, PATH_MAX, "%s%s", strchr(given, '/') ? "" : "./", given);
        return executable(path);
    }
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = NULL;
    if (length > 0) {
        self[length] = '\0';
        slash = strrchr(self, '/');
    }
    if (slash) {
        *slash = '\0';
        static const char *const beside[] = {"/" PROGRAM, "/../lp/" PROGRAM};
        for (size_t k = 0; k < sizeof beside / sizeof *beside; k++) {
            int size = snprintf(path, PATH_MAX, "%s%s", self, beside[k]);
            if (size < PATH_MAX && executable(path))
                return true;
        }
    }
    for (const char *folder = getenv("PATH"); folder && *folder;) {
        size_t size = strcspn(folder, ":");
        int used = snprintf(path, PATH_MAX, "%.*s/" PROGRAM, (int)size, folder);
        if (size && used < PATH_MAX && executable(path))
            return true;
        folder += size + (folder[size] == ':');
    }
    return false;
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Half of the memory there is, so that a solver that grows without end fails before the machine
 * does; and a bound on its processor time, should this program be killed before it. The limits
 * are set before the child has read a byte of its job. */
static void limit(pid_t pid, int64_t time_limit_ns)
{
/* Under the address sanitizer a program reserves far more than it uses. */
#ifndef BR_ADDRESS_SANITIZER
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages > 0 && size > 0) {
        rlim_t bytes = (rlim_t)pages / 2 * (rlim_t)size;
        prlimit(pid, RLIMIT_AS, &(struct rlimit){bytes, bytes}, NULL);
    }
#endif
    rlim_t seconds = (rlim_t)(time_limit_ns / second_ns) * 4 + 10;
    prlimit(pid, RLIMIT_CPU, &(struct rlimit){seconds, seconds}, NULL);
}

/* What the child is told of its limits. */
struct effort {
    const char *limit, *seconds;
    const char *work; /* NULL: the time alone */
};

/* Returns 0, or the errno of what failed; then nothing is left behind. */
static int start(struct child *child, const char *program, const struct effort *effort,
                 int64_t guard_ns)
{
    char parent[32];
    const char *words[] = {PROGRAM, effort->limit, effort->seconds, "--parent", parent, NULL,
                           NULL,    NULL};
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}}, error = 0;
    if (effort->work) {
        words[5] = "--work";
        words[6] = effort->work;
    }
    snprintf(parent, sizeof parent, "%ld", (long)getpid());
    for (int k = 0; k < 3 && !error; k++)
        if (pipe2(pipes[k], O_CLOEXEC))
            error = errno;
    if (!error)
        error = br_launch(&(struct br_launch){.program = program,
                                              .argv = (char *const *)words,
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
    limit(child->pid, guard_ns);
    fcntl(child->in, F_SETFL, O_NONBLOCK);
    fcntl(child->out, F_SETFL, O_NONBLOCK);
    fcntl(child->err, F_SETFL, O_NONBLOCK);
    return 0;
}

static void feed(struct child *child)
{
    ssize_t size = write(child->in, child->job + child->written, child->job_size - child->written);
    if (size > 0)
        child->written += (size_t)size;
    /* A child that does not want all of its job may still know an answer. */
    bool gone = size < 0 && errno != EAGAIN && errno != EINTR;
    if (gone || child->written == child->job_size)
        close_end(&child->in);
}

/* Makes room for more words; false where there are more than anyone would read. */
static bool widen(struct words *words, size_t most)
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
    bool keep = widen(words, most);
    ssize_t size = read(*fd, keep ? words->text + words->used : spill,
                        keep ? words->room - words->used - 1 : sizeof spill);
    if (size > 0 && keep)
        words->used += (size_t)size;
    if (keep)
        words->text[words->used] = '\0';
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
        close_end(fd);
}

enum ending { ENDED, LATE, STOPPED };

/* Writes and reads until both ends are done, the time is over, or the flag is raised. */
static enum ending converse(struct child *child, int64_t began_ns, int64_t limit_ns,
                            const struct br_stop *stop, struct cli_progress *progress)
{
    while (child->out >= 0 || child->err >= 0) {
        int64_t past = cli_now_ns() - began_ns;
        if (br_stopped(stop))
            return STOPPED;
        if (past >= limit_ns)
            return LATE;
        cli_progress_wait(progress, "tightening the bound", past, limit_ns);
        /* poll skips negative descriptors. */
        struct pollfd ends[3] = {
            {child->in, POLLOUT, 0}, {child->out, POLLIN, 0}, {child->err, POLLIN, 0}};
        int64_t wait_ms = (limit_ns - past) / milli_ns + 1;
        if (poll(ends, 3, wait_ms > LOOK_MS ? LOOK_MS : (int)wait_ms) <= 0)
            continue;
        if (ends[0].revents)
            feed(child);
        if (ends[1].revents)
            drain(&child->out, &child->answer, ANSWER_MOST);
        if (ends[2].revents)
            drain(&child->err, &child->complaint, COMPLAINT_MOST);
    }
    return ENDED;
}

/* Waits for the child's end; kills it, with whatever it started, when its time is over. */
static int reap(struct child *child, enum ending *ending, int64_t began_ns, int64_t limit_ns)
{
    int state = 0;
    while (*ending == ENDED) {
        pid_t ended = waitpid(child->pid, &state, WNOHANG);
        if (ended == child->pid)
            return state;
        if (ended < 0 && errno != EINTR)
            return -1;
        if (cli_now_ns() - began_ns >= limit_ns)
            *ending = LATE;
        nanosleep(&(struct timespec){0, 2 * milli_ns}, NULL);
    }
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL);
    while (waitpid(child->pid, &state, 0) < 0 && errno == EINTR)
        continue;
    return state;
}

/* The first line of what the child complained, or how it ended. */
static void describe_failure(struct child *child, int state, struct cli_lp_bound *bound)
{
    const char *complaint = "";
    if (child->complaint.text) {
        child->complaint.text[strcspn(child->complaint.text, "\n")] = '\0';
        complaint = child->complaint.text;
    }
    if (strncmp(complaint, PROGRAM ": ", strlen(PROGRAM ": ")) == 0)
        complaint += strlen(PROGRAM ": ");
    if (*complaint)
        snprintf(bound->why, sizeof bound->why, "not available (" PROGRAM ": %.200s)", complaint);
    else if (WIFSIGNALED(state))
        snprintf(bound->why, sizeof bound->why, "not available (" PROGRAM " died of signal %d)",
                 WTERMSIG(state));
    else
        snprintf(bound->why, sizeof bound->why, "not available (" PROGRAM " ended with status %d)",
                 WEXITSTATUS(state));
}

/* Only what is proven counts, whatever the child may say. */
static void take_answer(struct child *child, int state, const struct br_dag *dag,
                        const struct br_cluster *cluster, struct cli_lp_bound *bound)
{
    struct br_diag diag = {0};
    struct br_bound_answer *answer = &bound->answer;
    const char *text = child->answer.text ? child->answer.text : "";
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
        describe_failure(child, state, bound);
    else if (br_parse_bound(text, child->answer.used, dag, answer, &diag))
        snprintf(bound->why, sizeof bound->why, "not available (" PROGRAM "'s answer: %.200s)",
                 diag.what);
    else if (!answer->certificate)
        snprintf(bound->why, sizeof bound->why, "not used (it comes without a proof)");
    else if (br_certificate_verify(answer->certificate, dag, cluster, answer->lower_bound_ns,
                                   &diag))
        snprintf(bound->why, sizeof bound->why, "not used (its proof fails: %.200s)", diag.what);
    else
        bound->found = true;
    if (!bound->found) {
        br_certificate_destroy(answer->certificate);
        answer->certificate = NULL;
    }
}

/* The job as the child reads it. */
static bool write_job(const struct br_dag *dag, const struct br_cluster *cluster, char **text,
                      size_t *size)
{
    *text = NULL;
    FILE *out = open_memstream(text, size);
    if (!out)
        return false;
    struct br_emit_input input = {.dag = dag, .cluster = cluster};
    bool written = br_emit_job("xml", &input, out, NULL) == BR_OK;
    return fclose(out) == 0 && written && *text;
}

void cli_bound_child(const struct br_dag *dag, const struct br_cluster *cluster, int64_t limit_ns,
                     bool by_processor, const char *work, const struct br_stop *stop,
                     struct cli_progress *progress, struct cli_lp_bound *bound)
{
    char program[PATH_MAX], seconds[BR_SECONDS_TEXT], *job = NULL;
    bool by_work = limit_ns < 0;
    struct effort effort = {by_processor ? "--cpu-limit" : "--time-limit", seconds,
                            by_work ? work : NULL};
    int64_t guard_ns = by_work ? work_guard_ns : limit_ns;
    br_seconds_format(guard_ns, seconds, sizeof seconds);
    struct child *child = calloc(1, sizeof *child);
    size_t job_size = 0;
    *bound = (struct cli_lp_bound){0};
    if (limit_ns == 0) {
        snprintf(bound->why, sizeof bound->why, "not asked for (no time for it)");
        goto out;
    }
    if (!child || !cli_bound_program(program)) {
        snprintf(bound->why, sizeof bound->why, "not available (%s)",
                 child ? PROGRAM " not found" : "out of memory");
        goto out;
    }
    if (!write_job(dag, cluster, &job, &job_size)) {
        snprintf(bound->why, sizeof bound->why, "not available (out of memory)");
        goto out;
    }
    child->job = job;
    child->job_size = job_size;
    struct sigaction ignore, before;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before);
    int error = start(child, program, &effort, guard_ns);
    if (error) {
        snprintf(bound->why, sizeof bound->why, "not available (%.150s: %s)", program,
                 strerror(error));
    } else {
        /* A child that keeps its limit needs a moment more to start and to answer. */
        int64_t began = cli_now_ns(), hard = guard_ns + guard_ns / 4 + second_ns;
        if (by_processor)
            hard *= processor_share;
        enum ending ending = converse(child, began, hard, stop, progress);
        close_end(&child->in);
        int state = reap(child, &ending, began, hard);
        close_end(&child->out);
        close_end(&child->err);
        if (ending == STOPPED)
            snprintf(bound->why, sizeof bound->why, "not available (interrupted)");
        else if (ending == LATE)
            snprintf(bound->why, sizeof bound->why, "not available (stopped at the time limit)");
        else
            take_answer(child, state, dag, cluster, bound);
    }
    sigaction(SIGPIPE, &before, NULL);
out:
    free(job);
    if (child) {
        free(child->answer.text);
        free(child->complaint.text);
    }
    free(child);
}
