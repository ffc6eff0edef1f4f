/* Slurm's own programs are its interface: they are there wherever Slurm is, and need no library. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#include "base/diag.h"
#include "planner/dag.h"
#include "runtime/slurm/slurm.h"

extern char **environ;

struct br_slurm_need *br_slurm_needs(struct br_arena *arena, const struct br_dag *dag)
{
    struct br_slurm_need *need = br_arena_array(arena, dag->stages, sizeof *need);
    for (uint32_t s = 0; need && s < dag->stages; s++)
        need[s].cpus = 1;
    for (uint32_t d = 0; need && d < dag->demands; d++) {
        const struct br_demand *demand = &dag->demand[d];
        const char *name = dag->resource[demand->resource].name;
        double amount = (double)demand->amount.mantissa * pow(10, demand->amount.exponent);
        if (strcmp(name, "cpu") == 0 && amount > 1)
            need[demand->stage].cpus = amount < 1e6 ? (uint32_t)ceil(amount) : 1000000;
        if (strcmp(name, "mem") == 0 && amount > 0)
            need[demand->stage].kib = amount < 1e18 ? (int64_t)ceil(amount / 1024) : INT64_MAX;
    }
    return need;
}

/* Both outputs go to unnamed files, so that neither can block the other. */
static int open_file(void)
{
    const char *folder = getenv("TMPDIR");
    return open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static char *read_all(int file)
{
    off_t size = lseek(file, 0, SEEK_END);
    char *text = size < 0 ? NULL : malloc((size_t)size + 1);
    ssize_t got = text ? pread(file, text, (size_t)size, 0) : 0;
    if (text)
        text[got > 0 ? got : 0] = '\0';
    return text;
}

static enum br_status fail_program(const char *name, int error, int state, int complaints,
                                   struct br_diag *diag)
{
    if (error)
        return br_fail(diag, BR_SYSTEM, "is Slurm installed?", "%s: %s", name, strerror(error));
    char *text = read_all(complaints), *last = text;
    for (char *p = text; p && *p; p++)
        if (*p == '\n') {
            *p = '\0';
            if (p[1])
                last = p + 1;
        }
    enum br_status status =
        br_fail(diag, BR_SYSTEM, NULL, "%s failed (status %d): %.300s", name,
                WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state), last ? last : "");
    free(text);
    return status;
}

enum br_status br_slurm_ask(const char *const *argv, char **text, struct br_diag *diag)
{
    int out = open_file(), complaints = open_file(), state = 0, error = 0;
    posix_spawn_file_actions_t actions;
    pid_t pid;
    *text = NULL;
    if (out < 0 || complaints < 0 || posix_spawn_file_actions_init(&actions)) {
        if (out >= 0)
            close(out);
        if (complaints >= 0)
            close(complaints);
        return br_fail(diag, BR_SYSTEM, NULL, "no temporary file: %s", strerror(errno));
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    /* Ctrl-C at the terminal is not meant for it. */
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, out, 1);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, complaints, 2);
    if (!error)
        error = posix_spawnp(&pid, argv[0], &actions, &attributes, (char *const *)argv, environ);
    while (!error && waitpid(pid, &state, 0) < 0)
        if (errno != EINTR)
            error = errno;
    enum br_status status = BR_OK;
    if (error || !WIFEXITED(state) || WEXITSTATUS(state) != 0)
        status = fail_program(argv[0], error, state, complaints, diag);
    else if (!(*text = read_all(out)))
        status = br_fail_memory(diag);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(out);
    close(complaints);
    return status;
}
