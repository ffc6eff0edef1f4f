/* After a run of a build, ninja itself finds what has been built as up to date. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emit/ninja/record.h"
#include "cli/common/say.h"
#include "cli/jobs/ninja_record.h"

static const char *attribute(const struct br_dag *dag, const char *name)
{
    for (uint32_t a = 0; a < dag->attributes; a++)
        if (dag->attribute[a].owner == BR_OWNER_JOB && strcmp(dag->attribute[a].name, name) == 0)
            return dag->attribute[a].value;
    return NULL;
}

enum br_status cli_run_ninja_open(struct cli_run_ninja *ninja, const struct br_dag *dag,
                                  struct br_diag *diag)
{
    *ninja = (struct cli_run_ninja){
        .dag = dag, .folder = attribute(dag, "ninja.folder"), .file = attribute(dag, "ninja.file")};
    if (!ninja->folder)
        return BR_OK;
    ninja->start_ns = malloc(dag->tasks * sizeof *ninja->start_ns);
    ninja->end_ns = malloc(dag->tasks * sizeof *ninja->end_ns);
    if (!ninja->start_ns || !ninja->end_ns) {
        ninja->folder = NULL; /* the caller closes it */
        return br_fail_memory(diag);
    }
    for (uint32_t t = 0; t < dag->tasks; t++)
        ninja->start_ns[t] = ninja->end_ns[t] = -1;
    ninja->began_ns = INT64_MAX;
    return BR_OK;
}

void cli_run_ninja_ended(struct cli_run_ninja *ninja, const struct br_task_end *end)
{
    struct timespec now;
    if (!ninja->folder)
        return;
    /* The run began this long ago, or somewhat less, as the end is told a little late. Too early a
     * time would make outputs look older than what they were made from. */
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t began_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - end->end_ns;
    if (began_ns < ninja->began_ns)
        ninja->began_ns = began_ns;
    ninja->start_ns[end->task] = end->start_ns;
    /* Builds are planned by these: an end that may have been long ago is taken as early as it can
     * be, so that no pause is taken for work. */
    ninja->end_ns[end->task] = end->end_ns - end->unseen_ns;
}

void cli_run_ninja_resumed(struct cli_run_ninja *ninja, uint32_t task)
{
    if (ninja->folder)
        ninja->end_ns[task] = 0;
}

/* The version of the log that this machine's ninja reads. */
static uint32_t log_version(void)
{
    int major = 0, minor = 0;
    /* A fixed text, and $NINJA is the user's own. NOLINTNEXTLINE(cert-env33-c) */
    FILE *said = popen("exec \"${NINJA:-ninja}\" --version 2>/dev/null", "re");
    if (!said)
        return 7;
    bool known = fscanf(said, "%d.%d", &major, &minor) == 2 && major == 1;
    pclose(said);
    return known && minor < 12 ? 5 : known && minor < 13 ? 6 : 7;
}

void cli_run_ninja_close(struct cli_run_ninja *ninja)
{
    struct br_diag diag = {0};
    bool any = false;
    for (uint32_t t = 0; ninja->folder && t < ninja->dag->tasks; t++)
        any |= ninja->end_ns[t] >= 0;
    const struct br_ninja_record record = {.folder = ninja->folder,
                                           .file = ninja->file,
                                           .dag = ninja->dag,
                                           .began_ns = ninja->began_ns,
                                           .start_ns = ninja->start_ns,
                                           .end_ns = ninja->end_ns,
                                           .version = any ? log_version() : 0};
    if (any && br_ninja_write_logs(&record, &diag)) {
        cli_say("ninja will build again some or all of what this run has built:");
        cli_say_diag(&diag);
    }
    free(ninja->start_ns);
    free(ninja->end_ns);
    *ninja = (struct cli_run_ninja){0};
}
