/* Slurm's own programs are its interface: they are there wherever Slurm is, and need no library. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text/diag.h"
#include "base/process/launch.h"
#include "base/roles.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "runtime/drivers/slurm/slurm.h"

/* "NAME:AMOUNT" appended to the text so far, in new memory of the arena. */
static const char *add_amount(struct br_arena *arena, const char *option, const char *before,
                              const char *name, int64_t amount)
{
    size_t size = strlen(before ? before : option) + strlen(name) + 32;
    char *text = br_arena_array(arena, size, 1);
    if (text)
        snprintf(text, size, "%s%s%s:%" PRId64, before ? before : option, before ? "," : "", name,
                 amount);
    return text;
}

bool br_slurm_is_listed(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at++)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

static bool ask_add_demand(struct br_arena *arena, const struct br_dag *dag,
                           const struct br_demand *demand, const struct br_cluster *cluster,
                           const char *licenses, struct br_slurm_need *need)
{
    const char *name = dag->resource[demand->resource].name;
    int64_t amount = br_decimal_ceil(demand->amount);
    int64_t bytes = br_role_bytes(demand->amount, dag->resource[demand->resource].unit);
    if (br_role_is_own_name(BR_ROLE_CPU, name)) {
        if (amount > 1)
            need->cpus = amount < 1000000 ? (uint32_t)amount : 1000000;
    } else if (br_role_is_own_name(BR_ROLE_MEMORY, name)) {
        need->kib = bytes / 1024 + (bytes % 1024 != 0);
    } else if (cluster && amount > 0 && br_cluster_is_generic(cluster, name)) {
        need->generic = add_amount(arena, "--gres=", need->generic, name, amount);
        return need->generic;
    } else if (cluster && amount > 0 && br_slurm_is_listed(licenses, name)) {
        need->licenses = add_amount(arena, "--licenses=", need->licenses, name, amount);
        return need->licenses;
    }
    return true;
}

struct br_slurm_need *br_slurm_needs(struct br_arena *arena, const struct br_dag *dag,
                                     const struct br_cluster *cluster, const char *licenses)
{
    struct br_slurm_need *need = br_arena_array(arena, dag->stages, sizeof *need);
    for (uint32_t s = 0; need && s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        int64_t longest_ns = 0;
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
            longest_ns = dag->duration_ns[t] > longest_ns ? dag->duration_ns[t] : longest_ns;
        need[s].cpus = 1;
        need[s].minutes = cluster ? br_cluster_minutes(cluster, longest_ns) : 0;
    }
    for (uint32_t d = 0; need && d < dag->demands; d++)
        if (!ask_add_demand(arena, dag, &dag->demand[d], cluster, licenses,
                            &need[dag->demand[d].stage]))
            return NULL;
    return need;
}

static char *ask_read_all(int file)
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
    char *text = ask_read_all(complaints), *last = text;
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
    /* Both outputs go to files, so that neither can block the other. */
    int out = br_unnamed_file(), complaints = out < 0 ? -1 : br_unnamed_file(), state = 0;
    const struct br_launch how = {
        .program = argv[0], .argv = (char *const *)argv, .stream = {-1, out, complaints}};
    pid_t pid;
    *text = NULL;
    if (complaints < 0) {
        int error = errno;
        if (out >= 0)
            close(out);
        return br_fail(diag, BR_SYSTEM, NULL, "no temporary file: %s", strerror(error));
    }
    int error = br_launch(&how, &pid);
    while (!error && waitpid(pid, &state, 0) < 0)
        if (errno != EINTR)
            error = errno;
    enum br_status status = BR_OK;
    if (error || !WIFEXITED(state) || WEXITSTATUS(state) != 0)
        status = fail_program(argv[0], error, state, complaints, diag);
    else if (!(*text = ask_read_all(out)))
        status = br_fail_memory(diag);
    close(out);
    close(complaints);
    return status;
}
