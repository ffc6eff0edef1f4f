/* The journal. One write call a record, so that a record is there whole or not at all even where
 * this program is killed; the sums are for machines that die with half of a block written, and for
 * disks.
 */
#include "runtime/drivers/common/journal.h"

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

#include "base/collections/index.h"
#include "base/invariant.h"
#include "planner/model/dag.h"
#include "runtime/drivers/common/family.h"
#include "runtime/drivers/common/proc.h"

#define MAGIC "bigrocks-journal/2"

/* A record: 16 hexadecimal digits, a blank, the text filled up with blanks, a line's end. */
enum {
    SUM = 16,
    SHORT = 48, /* of a task */
    LONG = 192, /* of the run, and of a session; a multiple of the short one */
};

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

static uint64_t sum_record(uint64_t seed, const char *text)
{
    return mix(seed, br_hash_text(text));
}

/* Writes the record whole or not at all, so that the next one is in its place. */
static enum br_status add(struct br_journal *journal, uint32_t size, const char *text,
                          struct br_diag *diag)
{
    char record[LONG + 1];
    uint32_t room = size - SUM - 2, length = (uint32_t)strlen(text);
    /* Records are whole, and at multiples of the short length, or those behind them are lost. */
    assert((size == SHORT || size == LONG) && length <= room && journal->size % SHORT == 0);
    errno = EIO;
    if (journal->broken)
        return fail_file(diag, "cannot be written");
    memset(record + SUM + 1, ' ', room);
    memcpy(record + SUM + 1, text, length < room ? length : room);
    record[SUM + 1 + room] = '\0';
    snprintf(record, SUM + 1, "%016" PRIx64, sum_record(journal->seed, record + SUM + 1));
    record[SUM] = ' ';
    record[size - 1] = '\n';
    ssize_t written = write(journal->file, record, size);
    if (written != (ssize_t)size) {
        int error = written < 0 ? errno : ENOSPC;
        journal->broken = !journal->regular || ftruncate(journal->file, (off_t)journal->size);
        errno = error;
        return fail_file(diag, "cannot be written");
    }
    journal->size += size;
    journal->unsynced = true;
    return BR_OK;
}

static enum br_status add_task(struct br_journal *journal, const char *word,
                               const struct br_dag *dag, uint32_t task, struct br_diag *diag)
{
    char text[SHORT];
    uint32_t stage = br_dag_task_stage(dag, task);
    if (journal->file < 0)
        return BR_OK;
    /* Only the session that has opened the journal writes, after its own record, and under the name
     * of the run. */
    assert(journal->size >= 2 * LONG && journal->seed == br_hash_text(journal->run));
    /* By numbers: the first record says that it is this very job. */
    snprintf(text, sizeof text, "%-8s %010" PRIu32 " %010" PRIu32, word, stage,
             task - dag->stage[stage].first_task);
    return add(journal, SHORT, text, diag);
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
    /* A file that cannot be synchronised (a pipe, a device) is as safe as it gets. */
    if (fdatasync(journal->file) && errno != EINVAL && errno != EROFS)
        return fail_file(diag, "cannot be written");
    return BR_OK;
}

/* ---- Sessions ---- */

/* Who writes: a process of a machine that has booted at some time, and the tasks' mark. */
struct session {
    char boot[40], host[64], mark[BR_MARK];
    long pid;
    uint64_t start;
};

static void name_boot(char boot[40])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file || fscanf(file, "%39s", boot) != 1)
        strcpy(boot, "-");
    if (file)
        fclose(file);
}

static enum br_status add_session(struct br_journal *journal, const char *mark,
                                  struct br_diag *diag)
{
    char boot[40], host[64] = "-", text[LONG];
    struct br_proc own = {.start = 0};
    name_boot(boot);
    br_proc_read(getpid(), &own);
    if (gethostname(host, sizeof host) || !*host)
        strcpy(host, "-");
    host[sizeof host - 1] = '\0';
    snprintf(text, sizeof text, "session  %ld %" PRIu64 " %s %s %.40s", (long)getpid(), own.start,
             boot, strchr(mark, '=') + 1, host);
    enum br_status status = add(journal, LONG, text, diag);
    return status ? status : br_journal_sync(journal, diag);
}

static bool read_session(const char *text, struct session *session)
{
    char name[BR_MARK / 2 + 1];
    if (sscanf(text, "session %ld %" SCNu64 " %39s %32s %63s", &session->pid, &session->start,
               session->boot, name, session->host) != 5)
        return false;
    snprintf(session->mark, sizeof session->mark, "BIGROCKS_SESSION=%s", name);
    return true;
}

/* Is it still there? Its number may be another one here than where it runs. One on another machine
 * is not to be seen, and neither is what it runs. */
static bool lives(const struct session *session)
{
    char boot[40];
    uint32_t count;
    bool found = false;
    name_boot(boot);
    if (strcmp(boot, session->boot) != 0)
        return false;
    struct br_proc *all = br_proc_list(&count);
    for (uint32_t k = 0; k < count && !found; k++)
        found = all[k].start == session->start && !all[k].over && all[k].pid != getpid() &&
                br_proc_is_known_as(all[k].pid, (pid_t)session->pid);
    free(all);
    return found;
}

/* ---- Opening ---- */

static void seed_sums(struct br_journal *journal)
{
    journal->seed = br_hash_text(journal->run);
}

static enum br_status begin(struct br_journal *journal, const struct br_dag *dag, const char *mark,
                            struct br_diag *diag)
{
    char text[LONG];
    /* The first session's name is the run's. */
    snprintf(journal->run, sizeof journal->run, "%.39s", strchr(mark, '=') + 1);
    snprintf(text, sizeof text, MAGIC " job %016" PRIx64 " run %s", sum_job(dag), journal->run);
    enum br_status status = add(journal, LONG, text, diag);
    seed_sums(journal);
    return status;
}

/* The text of the record of that size at the place, or NULL where there is none; cuts the blanks at
 * its end. */
static char *record_at(char *at, const char *end, uint32_t size, uint64_t seed)
{
    if ((size_t)(end - at) < size || at[size - 1] != '\n' || at[SUM] != ' ')
        return NULL;
    char sum[SUM + 1], *text = at + SUM + 1, *stop = at + size - 1;
    *stop = '\0';
    snprintf(sum, sizeof sum, "%016" PRIx64, sum_record(seed, text));
    bool good = strlen(text) == (size_t)(stop - text) && memcmp(at, sum, SUM) == 0;
    if (!good) {
        *stop = '\n';
        return NULL;
    }
    while (stop > text && stop[-1] == ' ')
        *--stop = '\0';
    return text;
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

static enum br_status replay_head(struct br_journal *journal, const struct br_dag *dag, char *text,
                                  size_t size, struct br_diag *diag)
{
    static const char hint[] = "give the journal of an earlier run, or begin a new one";
    uint64_t sum;
    int run = -1;
    bool alike = size > SUM + sizeof MAGIC && memcmp(text + SUM + 1, MAGIC, sizeof MAGIC - 2) == 0;
    char *head = record_at(text, text + size, LONG, 0);
    if (!head && alike && text[SUM + sizeof MAGIC - 1] != MAGIC[sizeof MAGIC - 2])
        return br_fail(diag, BR_BAD_INPUT, hint, "the journal is of another version of bigrocks");
    if (!head && alike)
        return br_fail(diag, BR_BAD_INPUT, "begin a new one; all tasks run again then",
                       "the journal's first record is damaged (bytes 0 to %d)", LONG - 1);
    if (!head || sscanf(head, MAGIC " job %" SCNx64 " run %n", &sum, &run) != 1 || run < 0 ||
        strlen(head + run) >= sizeof journal->run)
        return br_fail(diag, BR_BAD_INPUT, hint, "the file is no journal");
    if (sum != sum_job(dag))
        return br_fail(diag, BR_NO, "go on with the very job of that run, or begin a new journal",
                       "the journal is of another job, or the job has changed since");
    snprintf(journal->run, sizeof journal->run, "%s", head + run);
    seed_sums(journal);
    return BR_OK;
}

/* Takes in what the file holds; *used ends after its last record. */
static enum br_status replay(struct br_journal *journal, const struct br_dag *dag, char *text,
                             size_t size, bool *done, struct session *last,
                             struct br_journal_found *found, size_t *used, struct br_diag *diag)
{
    enum br_status status = replay_head(journal, dag, text, size, diag);
    if (status)
        return status;
    uint8_t *started = calloc((size_t)dag->tasks + 1, 1);
    if (!started)
        return br_fail_memory(diag);
    char *end = text + size, *record;
    *used = LONG;
    for (char *at = text + LONG; end - at >= SHORT;) {
        uint32_t task, taken = SHORT;
        bool good = false;
        if ((record = record_at(at, end, SHORT, journal->seed))) {
            char *word = record;
            good = find_task(dag, word + strcspn(word, " "), &task);
            if (good && strncmp(word, "started ", 8) == 0)
                started[task] = true;
            else if (good && strncmp(word, "finished ", 9) == 0)
                done[task] = true;
        } else if ((record = record_at(at, end, LONG, journal->seed))) {
            good = read_session(record, last);
            taken = LONG;
        }
        if (!good && !found->damaged++)
            found->damaged_at = (uint64_t)(at - text);
        at += taken;
        if (good)
            *used = (size_t)(at - text);
    }
    for (uint32_t t = 0; t < dag->tasks; t++)
        found->in_flight += started[t] && !done[t];
    free(started);
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

/* Goes on with what the file holds: reads it, sees that nobody else does, and makes room. */
static enum br_status go_on(struct br_journal *journal, const struct br_dag *dag, bool *done,
                            struct br_journal_found *found, struct br_diag *diag)
{
    char *text = NULL;
    size_t size = (size_t)journal->size, used = 0;
    struct session last = {.mark = ""};
    enum br_status status = read_all(journal->file, size, &text, diag);
    if (!status)
        status = replay(journal, dag, text, size, done, &last, found, &used, diag);
    free(text);
    if (status)
        return status;
    if (*last.mark && lives(&last))
        return br_fail(diag, BR_NO, "wait for it, or take another file",
                       "the run that the journal, or what it was copied from, is of still goes on "
                       "(process %ld)",
                       last.pid);
    if (*last.mark)
        found->orphans = br_kill_marked(last.mark);
    assert(used >= LONG && used <= size);
    /* A record that a crash has cut. */
    if (used < size && ftruncate(journal->file, (off_t)used))
        return fail_file(diag, "cannot be written");
    journal->size = used;
    return BR_OK;
}

static enum br_status take_file(struct br_journal *journal, bool resume, const struct br_dag *dag,
                                const char *mark, bool *done, struct br_journal_found *found,
                                struct br_diag *diag)
{
    struct stat state;
    errno = lock_file(journal->file);
    if (errno) {
        if (errno == EWOULDBLOCK)
            return br_fail(diag, BR_NO, "wait for it, or take another file",
                           "a run that still goes on uses the journal");
        return fail_file(diag, "cannot be locked");
    }
    if (fstat(journal->file, &state))
        return fail_file(diag, "cannot be read");
    journal->regular = S_ISREG(state.st_mode);
    journal->size = journal->regular ? (uint64_t)state.st_size : 0;
    if (journal->size && !resume)
        return br_fail(diag, BR_USAGE, "add --resume to go on with it, or remove it",
                       "the journal holds an earlier run");
    enum br_status status =
        journal->size ? go_on(journal, dag, done, found, diag) : begin(journal, dag, mark, diag);
    return status ? status : add_session(journal, mark, diag);
}

enum br_status br_journal_open(struct br_journal *journal, const char *path, bool resume,
                               const struct br_dag *dag, const char *mark, bool *done,
                               struct br_journal_found *found, struct br_diag *diag)
{
    br_diag_file(diag, path);
    *found = (struct br_journal_found){0};
    *journal =
        (struct br_journal){.file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)};
    if (journal->file < 0)
        return fail_file(diag, "cannot be opened");
    enum br_status status = take_file(journal, resume, dag, mark, done, found, diag);
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
    *journal = (struct br_journal){.file = -1};
}
