/* The journal. One write call a line, so that a line is there whole or not at all even where this
 * program is killed; the sums are for machines that die with half of a block written. */
#include "runtime/local/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/index.h"
#include "planner/dag.h"

#define MAGIC "bigrocks-journal/1"

static enum br_status fail_file(struct br_diag *diag, const char *what)
{
    return br_fail(diag, BR_SYSTEM, NULL, "the journal %s: %s", what, strerror(errno));
}

static uint64_t mix(uint64_t sum, uint64_t value)
{
    return br_hash_number(sum ^ value);
}

/* A number for the job: its tasks, edges and commands; not durations and demands, which may be
 * known better when the run goes on. */
static uint64_t sum_job(const struct br_dag *dag)
{
    uint64_t sum = mix(dag->stages, dag->edges);
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        sum = mix(sum, br_hash_text(stage->id));
        sum = mix(sum, stage->tasks);
        sum = mix(sum, stage->command ? br_hash_text(stage->command) : 0);
    }
    for (uint32_t e = 0; e < dag->edges; e++)
        sum = mix(mix(sum, (uint64_t)dag->edge[e].parent << 32 | dag->edge[e].child),
                  dag->edge[e].type);
    return sum;
}

/* The sum of a line is that of its text; it stands before it. */
enum { SUM_TEXT = 17 }; /* 16 hexadecimal digits and a blank */

static enum br_status add_line(struct br_journal *journal, const char *word, const char *text,
                               struct br_diag *diag)
{
    size_t size = strlen(word) + strlen(text) + SUM_TEXT + 3;
    if (size > journal->room) {
        char *line = realloc(journal->line, size * 2);
        if (!line)
            return br_fail_memory(diag);
        journal->line = line;
        journal->room = size * 2;
    }
    char *content = journal->line + SUM_TEXT;
    sprintf(content, "%s %s", word, text);
    char sum[SUM_TEXT + 1];
    snprintf(sum, sizeof sum, "%016" PRIx64 " ", br_hash_text(content));
    memcpy(journal->line, sum, SUM_TEXT);
    size_t length = strlen(journal->line);
    journal->line[length++] = '\n';
    ssize_t written = write(journal->file, journal->line, length);
    if (written != (ssize_t)length) {
        if (written >= 0)
            errno = ENOSPC;
        return fail_file(diag, "cannot be written");
    }
    journal->unsynced = true;
    return BR_OK;
}

static enum br_status add_task(struct br_journal *journal, const char *word,
                               const struct br_dag *dag, uint32_t task, struct br_diag *diag)
{
    char text[64];
    uint32_t stage = br_dag_task_stage(dag, task);
    if (journal->file < 0)
        return BR_OK;
    /* By numbers: the first line says that it is this very job. */
    snprintf(text, sizeof text, "%" PRIu32 " %" PRIu32, stage, task - dag->stage[stage].first_task);
    return add_line(journal, word, text, diag);
}

enum br_status br_journal_started(struct br_journal *journal, const struct br_dag *dag,
                                  uint32_t task, struct br_diag *diag)
{
    return add_task(journal, "started", dag, task, diag);
}

enum br_status br_journal_finished(struct br_journal *journal, const struct br_dag *dag,
                                   uint32_t task, struct br_diag *diag)
{
    return add_task(journal, "finished", dag, task, diag);
}

enum br_status br_journal_sync(struct br_journal *journal, struct br_diag *diag)
{
    if (journal->file < 0 || !journal->unsynced)
        return BR_OK;
    journal->unsynced = false;
    /* What cannot be synchronised (a pipe, a device) is as safe as it gets. */
    if (fdatasync(journal->file) && errno != EINVAL && errno != EROFS)
        return fail_file(diag, "cannot be written");
    return BR_OK;
}

/* ---- Opening ---- */

static enum br_status begin(struct br_journal *journal, const struct br_dag *dag,
                            struct br_diag *diag)
{
    char text[128];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(journal->run, sizeof journal->run, "%" PRIx64 "-%lx",
             (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec, (long)getpid());
    snprintf(text, sizeof text, "job %016" PRIx64 " run %s", sum_job(dag), journal->run);
    enum br_status status = add_line(journal, MAGIC, text, diag);
    return status ? status : br_journal_sync(journal, diag);
}

/* The content of the next line, or NULL where there is no whole one; *at ends after it. */
static char *next_line(char **at, char *end)
{
    char *line = *at, *stop = memchr(line, '\n', (size_t)(end - line));
    uint64_t sum;
    if (!stop || stop - line < SUM_TEXT)
        return NULL;
    *stop = '\0';
    char *after;
    sum = strtoull(line, &after, 16);
    if (after != line + SUM_TEXT - 1 || br_hash_text(line + SUM_TEXT) != sum) {
        *stop = '\n';
        return NULL;
    }
    *at = stop + 1;
    return line + SUM_TEXT;
}

static bool find_task(const struct br_dag *dag, const char *text, uint32_t *task)
{
    uint32_t stage, index;
    if (sscanf(text, "%" SCNu32 " %" SCNu32, &stage, &index) != 2 || stage >= dag->stages ||
        index >= dag->stage[stage].tasks)
        return false;
    *task = dag->stage[stage].first_task + index;
    return true;
}

/* Takes in what the file holds; *used ends after its last whole line. */
static enum br_status replay(struct br_journal *journal, const struct br_dag *dag, char *text,
                             size_t size, bool *done, uint32_t *in_flight, size_t *used,
                             struct br_diag *diag)
{
    char *at = text, *line = next_line(&at, text + size);
    uint64_t sum;
    int run = -1;
    if (!line) {
        /* A run that died before its first line was whole has done nothing. */
        *used = 0;
        bool torn = !memchr(text, '\n', size) && size < 128;
        return torn ? BR_OK
                    : br_fail(diag, BR_BAD_INPUT, "give the journal of an earlier run",
                              "the file is no journal");
    }
    if (sscanf(line, MAGIC " job %" SCNx64 " run %n", &sum, &run) != 1 || run < 0 ||
        strlen(line + run) >= sizeof journal->run)
        return br_fail(diag, BR_BAD_INPUT, "give the journal of an earlier run",
                       "the file is no journal");
    if (sum != sum_job(dag))
        return br_fail(diag, BR_NO, "go on with the very job of that run, or begin a new journal",
                       "the journal is of another job, or the job has changed since");
    snprintf(journal->run, sizeof journal->run, "%s", line + run);
    uint8_t *started = calloc(dag->tasks, 1);
    if (!started)
        return br_fail_memory(diag);
    while ((line = next_line(&at, text + size))) {
        uint32_t task;
        if (strncmp(line, "started ", 8) == 0 && find_task(dag, line + 8, &task))
            started[task] = true;
        else if (strncmp(line, "finished ", 9) == 0 && find_task(dag, line + 9, &task))
            done[task] = true;
    }
    *in_flight = 0;
    for (uint32_t t = 0; t < dag->tasks; t++)
        *in_flight += started[t] && !done[t];
    free(started);
    *used = (size_t)(at - text);
    return BR_OK;
}

static enum br_status read_all(int file, size_t size, char **text, struct br_diag *diag)
{
    size_t used = 0;
    *text = malloc(size + 1);
    if (!*text)
        return br_fail_memory(diag);
    while (used < size) {
        ssize_t more = pread(file, *text + used, size - used, (off_t)used);
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0)
            return fail_file(diag, "cannot be read");
        used += (size_t)more;
    }
    return BR_OK;
}

/* 0, or why not. A process that a killed run was about to start holds the lock until it has become
 * another program, so the lock is asked for again for a second. */
static int lock_file(int file)
{
    static const struct timespec pause = {.tv_nsec = 10000000};
    for (uint32_t tries = 0; flock(file, LOCK_EX | LOCK_NB); tries++) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || tries == 100)
            return errno;
        nanosleep(&pause, NULL);
    }
    return 0;
}

static enum br_status take_file(struct br_journal *journal, bool resume, const struct br_dag *dag,
                                bool *done, uint32_t *in_flight, struct br_diag *diag)
{
    struct stat state;
    char *text = NULL;
    size_t used = 0;
    *in_flight = 0;
    errno = lock_file(journal->file);
    if (errno) {
        if (errno == EWOULDBLOCK)
            return br_fail(diag, BR_NO, "wait for it, or take another file",
                           "a run that still goes on uses the journal");
        return fail_file(diag, "cannot be locked");
    }
    if (fstat(journal->file, &state))
        return fail_file(diag, "cannot be read");
    if (!S_ISREG(state.st_mode) || state.st_size == 0)
        return begin(journal, dag, diag);
    if (!resume)
        return br_fail(diag, BR_USAGE, "add --resume to go on with it, or remove it",
                       "the journal holds an earlier run");
    enum br_status status = read_all(journal->file, (size_t)state.st_size, &text, diag);
    if (!status)
        status = replay(journal, dag, text, (size_t)state.st_size, done, in_flight, &used, diag);
    free(text);
    if (!status && used < (size_t)state.st_size && ftruncate(journal->file, (off_t)used))
        status = fail_file(diag, "cannot be written");
    return !status && !used ? begin(journal, dag, diag) : status;
}

enum br_status br_journal_open(struct br_journal *journal, const char *path, bool resume,
                               const struct br_dag *dag, bool *done, uint32_t *in_flight,
                               struct br_diag *diag)
{
    br_diag_file(diag, path);
    *journal =
        (struct br_journal){.file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)};
    if (journal->file < 0)
        return fail_file(diag, "cannot be opened");
    enum br_status status = take_file(journal, resume, dag, done, in_flight, diag);
    if (status)
        br_journal_close(journal);
    else
        br_diag_file(diag, NULL);
    return status;
}

void br_journal_close(struct br_journal *journal)
{
    if (journal->file >= 0)
        close(journal->file);
    free(journal->line);
    *journal = (struct br_journal){.file = -1};
}
