/* The linear program's bound, from a program of its own.
 *
 * This library never links the LP solver (see docs/licensing.md). It starts bigrocks-bound as a
 * child, writes the job to it in the native form with the cluster inside, and reads one JSON
 * object. The child gets a time limit to keep by itself, and a hard one from outside. Whatever goes
 * wrong costs this bound only, and the answer says what it was. */
#include "lp/client/program.h"

#include <bigrocks/bound.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/numbers/decimal.h"
#include "emit/data/job_xml.h"
#include "lp/client/child.h"
#include "lp/client/coflows.h"
#include "parsers/plans/bound_json.h"

#define PROGRAM "bigrocks-bound"
static const int64_t second_ns = INT64_C(1000000000);
/* Work is counted, so that the bound is the same every time; this ends a solver whose steps take
 * longer than one would think, with what it has proven. */
static const int64_t work_guard_ns = INT64_C(60000000000);
/* No process starts in less. */
static const int64_t least_ns = 1000;
/* A busy machine lets a program have at least about this part of a processor. */
static const int64_t processor_share = 16;
/* One hundredth, as seconds are written in nanoseconds. */
static const int64_t percent = 10000000;

static bool executable(const char *path)
{
    return access(path, X_OK) == 0;
}

/* Looks in this order: the path that the environment gives; beside the running program, if both are
 * installed; where the build leaves it; along PATH. */
bool br_bound_program_path(char *path)
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

/* The first line of the child's complaint, or how it ended. */
static void describe_failure(const struct br_talk *talk, char why[256])
{
    const char *complaint = "";
    if (talk->complaint) {
        talk->complaint[strcspn(talk->complaint, "\n")] = '\0';
        complaint = talk->complaint;
    }
    if (strncmp(complaint, PROGRAM ": ", strlen(PROGRAM ": ")) == 0)
        complaint += strlen(PROGRAM ": ");
    if (*complaint)
        snprintf(why, 256, "not available (" PROGRAM ": %.200s)", complaint);
    else if (WIFSIGNALED(talk->state))
        snprintf(why, 256, "not available (" PROGRAM " died of signal %d)", WTERMSIG(talk->state));
    else
        snprintf(why, 256, "not available (" PROGRAM " ended with status %d)",
                 WEXITSTATUS(talk->state));
}

/* Has the child ended well? Else says why not. */
static bool has_answered(const struct br_talk *talk, char why[256])
{
    if (talk->ending == BR_TALK_STOPPED)
        snprintf(why, 256, "not available (interrupted)");
    else if (talk->ending == BR_TALK_LATE)
        snprintf(why, 256, "not available (stopped at the time limit)");
    else if (!WIFEXITED(talk->state) || WEXITSTATUS(talk->state) != 0)
        describe_failure(talk, why);
    else
        return true;
    return false;
}

static void take_answer(const struct br_talk *talk, const struct br_dag *dag,
                        struct br_bound_answer *answer)
{
    struct br_diag diag = {0};
    if (!has_answered(talk, answer->why))
        return;
    if (br_parse_bound(talk->answer ? talk->answer : "", talk->answer_size, dag, answer, &diag))
        snprintf(answer->why, sizeof answer->why, "not available (" PROGRAM "'s answer: %.200s)",
                 diag.what);
    else
        answer->found = true;
}

/* The job as the child reads it; the caller's to free. NULL when memory is out. */
static char *client_program_write_job(const struct br_dag *dag, const struct br_cluster *cluster,
                                      size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out)
        return NULL;
    fputs(BR_XML_DECLARATION, out);
    bool written = br_write_job_xml(out, 0, dag, cluster, NULL) == BR_OK && !ferror(out);
    if (fclose(out) == 0 && written)
        return text;
    free(text);
    return NULL;
}

/* Asks the program at the path, with the job as text. */
static void client_program_ask(const char *program, const struct br_bound_limits *limits,
                               const char *job, size_t size, const struct br_dag *dag,
                               struct br_bound_answer *answer)
{
    char seconds[BR_SECONDS_TEXT], work[BR_SECONDS_TEXT], parent[32], number[16];
    bool by_work = limits->limit_ns <= 0;
    int64_t guard_ns = by_work ? work_guard_ns : limits->limit_ns;
    const char *const words[] = {PROGRAM, limits->processor_time ? "--cpu-limit" : "--time-limit",
                                 seconds, "--parent",
                                 parent,  "--threads",
                                 number,  by_work ? "--work" : NULL,
                                 work,    NULL};
    br_seconds_format(guard_ns, seconds);
    br_seconds_format(limits->work_percent * percent, work);
    snprintf(parent, sizeof parent, "%ld", (long)getpid());
    const uint32_t threads = limits->threads > 0 ? limits->threads : 1;
    snprintf(number, sizeof number, "%u", threads);
    /* A child that keeps its limit needs a moment more to start and to answer. */
    struct br_talk talk = {.program = program,
                           .argv = words,
                           .text = job,
                           .size = size,
                           .limit_ns = guard_ns + guard_ns / 4 + second_ns,
                           .processor_seconds = (uint64_t)(guard_ns / second_ns) * 4 * threads + 10,
                           .stop = limits->stop};
    if (limits->processor_time)
        talk.limit_ns = talk.limit_ns < INT64_MAX / processor_share
                            ? talk.limit_ns * processor_share
                            : INT64_MAX;
    int error = br_talk(&talk);
    if (error)
        snprintf(answer->why, sizeof answer->why, "not available (%.150s: %s)", program,
                 strerror(error));
    else
        take_answer(&talk, dag, answer);
    br_talk_finish(&talk);
}

static void client_program_find(void *context, const struct br_dag *dag,
                                const struct br_cluster *cluster,
                                const struct br_bound_limits *limits,
                                struct br_bound_answer *answer)
{
    const char *given = context;
    char path[PATH_MAX], *job;
    size_t size = 0;
    if (limits->limit_ns > 0 && limits->limit_ns < least_ns) {
        snprintf(answer->why, sizeof answer->why, "not asked for (no time for it)");
        return;
    }
    if (given ? !executable(given) : !br_bound_program_path(path)) {
        snprintf(answer->why, sizeof answer->why, "not available (" PROGRAM " not found)");
        return;
    }
    job = client_program_write_job(dag, cluster, &size);
    if (job)
        client_program_ask(given ? given : path, limits, job, size, dag, answer);
    else
        snprintf(answer->why, sizeof answer->why, "not available (out of memory)");
    free(job);
}

void br_bound_coflows(struct br_coflow_talk *asked)
{
    char path[PATH_MAX], seconds[BR_SECONDS_TEXT], parent[32];
    int64_t guard_ns = asked->limit_ns > 0 ? asked->limit_ns : work_guard_ns;
    const char *const words[] = {
        PROGRAM, "--coflows", "--time-limit", seconds, "--parent", parent, "--work", "1", NULL};
    if (!br_bound_program_path(path)) {
        snprintf(asked->why, sizeof asked->why, "not available (" PROGRAM " not found)");
        return;
    }
    br_seconds_format(guard_ns, seconds);
    snprintf(parent, sizeof parent, "%ld", (long)getpid());
    struct br_talk talk = {.program = path,
                           .argv = words,
                           .text = asked->problem,
                           .size = asked->size,
                           .limit_ns = guard_ns + guard_ns / 4 + second_ns,
                           .processor_seconds = (uint64_t)(guard_ns / second_ns) * 4 + 10,
                           .stop = asked->stop};
    int error = br_talk(&talk);
    if (error) {
        snprintf(asked->why, sizeof asked->why, "not available (%.150s: %s)", path,
                 strerror(error));
    } else if (has_answered(&talk, asked->why)) {
        asked->answer = talk.answer;
        asked->answer_size = talk.answer_size;
        talk.answer = NULL;
    }
    br_talk_finish(&talk);
}

struct br_bound_source br_bound_program(const char *path)
{
    return (struct br_bound_source){.find = client_program_find, .context = (void *)path};
}
