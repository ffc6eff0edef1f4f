/* The journal. Each record is one write call, so a record is there whole or not at all, even if
 * this program is killed. The checksums are for disk faults and for machines that crash with half
 * of a block written.
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
#include "base/text/text.h"
#include "planner/model/dag.h"
#include "runtime/drivers/common/family.h"
#include "runtime/drivers/common/proc.h"
#include "runtime/drivers/common/record.h"

#define MAGIC "bigrocks-journal/3"

/* A journal without jobs is cut from this size on. */
enum { CUT_FROM = 1 << 20 };

static enum br_status journal_fail_file(struct br_diag *diag, const char *what)
{
    return br_fail(diag, BR_SYSTEM, NULL, "the journal %s: %s", what, strerror(errno));
}

static uint64_t journal_mix(uint64_t sum, uint64_t value)
{
    return br_hash_number(sum ^ value);
}

static int compare_places(const void *a, const void *b)
{
    uint64_t x = ((const uint64_t *)a)[1], y = ((const uint64_t *)b)[1];
    return (x > y) - (x < y);
}

static int compare_sums(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Of whichever choice of alternatives: a run may go on with another one. */
static uint64_t job_sum(const struct br_dag *dag)
{
    return dag->given ? dag->given : br_dag_fingerprint(dag, true);
}

/* Numbers the jobs by their checksums, so that their order does not matter, equal ones in the order
 * given; and computes the sum of all. */
static enum br_status sum_jobs(struct br_journal_job *jobs, uint32_t count, uint64_t *sum,
                               struct br_diag *diag)
{
    uint64_t(*key)[2] = malloc(((size_t)count + 1) * sizeof *key);
    *sum = 0;
    if (!key)
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < count; k++) {
        key[k][0] = job_sum(jobs[k].dag);
        key[k][1] = k;
    }
    qsort(key, count, sizeof *key, compare_sums);
    for (uint32_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && key[to][0] == key[from][0]; to++)
            *sum = count == 1 ? key[to][0] : journal_mix(*sum, key[to][0]);
        qsort(&key[from], to - from, sizeof *key, compare_places);
    }
    for (uint32_t k = 0; k < count; k++) {
        jobs[key[k][1]].number = k;
        jobs[k].in_flight = 0;
    }
    free(key);
    return BR_OK;
}

/* Writes the record whole or not at all, so that the next one is in its place. */
static enum br_status journal_add(struct br_journal *journal, uint32_t size, const char *text,
                                  struct br_diag *diag)
{
    char record[BR_RECORD_LONG + 1];
    /* Records stand at multiples of the short length, or those after them are lost. */
    assert((size == BR_RECORD_SHORT || size == BR_RECORD_LONG) &&
           journal->size % BR_RECORD_SHORT == 0);
    errno = EIO;
    if (journal->broken)
        return journal_fail_file(diag, "cannot be written");
    br_record_write(record, size, journal->seed, text);
    ssize_t written = write(journal->file, record, size);
    if (written != (ssize_t)size) {
        int error = written < 0 ? errno : ENOSPC;
        journal->broken = !journal->regular || ftruncate(journal->file, (off_t)journal->size);
        errno = error;
        return journal_fail_file(diag, "cannot be written");
    }
    journal->size += size;
    journal->unsynced = true;
    return BR_OK;
}

/* Writes the duration of a task, or its alternative, after the text of its record, with as many
 * digits as fit. */
static void tell_lasted(char text[BR_RECORD_SHORT], int64_t lasted_ns)
{
    enum { ROOM = BR_RECORD_SHORT - BR_RECORD_SUM - 2 };
    uint32_t used = (uint32_t)strlen(text), zeros = 0;
    char lasted[32];
    assert(used < BR_RECORD_SHORT);
    for (int64_t ns = lasted_ns; ns > 0; ns = ns / 10 + (ns % 10 >= 5), zeros++) {
        int length = zeros ? snprintf(lasted, sizeof lasted, " %" PRId64 "e%" PRIu32, ns, zeros)
                           : snprintf(lasted, sizeof lasted, " %" PRId64, ns);
        if (used + (uint32_t)length <= ROOM) {
            memcpy(text + used, lasted, (size_t)length + 1);
            return;
        }
    }
}

static enum br_status journal_add_task(struct br_journal *journal, const char *word,
                                       uint32_t number, uint32_t task, int64_t lasted_ns,
                                       struct br_diag *diag)
{
    char text[BR_RECORD_SHORT];
    if (journal->file < 0)
        return BR_OK;
    /* Only the session that opened the journal writes, after its own record, under the run's name.
     */
    assert(journal->size >= 2 * BR_RECORD_LONG && journal->seed == br_hash_text(journal->run));
    assert(number < journal->numbers);
    /* By numbers: the record of the job says that it is this very job. */
    snprintf(text, sizeof text, "%-8s %" PRIu32 " %" PRIu32, word, number, task);
    tell_lasted(text, lasted_ns);
    return journal_add(journal, BR_RECORD_SHORT, text, diag);
}

enum br_status br_journal_started(struct br_journal *journal, uint32_t number, uint32_t task,
                                  uint32_t alternative, struct br_diag *diag)
{
    return journal_add_task(journal, "started", number, task, alternative, diag);
}

enum br_status br_journal_finished(struct br_journal *journal, uint32_t number, uint32_t task,
                                   int64_t lasted_ns, struct br_diag *diag)
{
    return journal_add_task(journal, "finished", number, task, lasted_ns, diag);
}

enum br_status br_journal_sync(struct br_journal *journal, struct br_diag *diag)
{
    if (journal->file < 0 || !journal->unsynced)
        return BR_OK;
    journal->unsynced = false;
    /* A file that cannot be synchronised (a pipe, a device) is as safe as possible. */
    if (fdatasync(journal->file) && errno != EINVAL && errno != EROFS)
        return journal_fail_file(diag, "cannot be written");
    return BR_OK;
}

/* ---- Sessions ---- */

static void name_boot(char boot[40])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file || fscanf(file, "%39s", boot) != 1)
        strcpy(boot, "-");
    if (file)
        fclose(file);
}

static enum br_status add_session(struct br_journal *journal, struct br_diag *diag)
{
    char boot[40], host[64] = "-", text[BR_RECORD_LONG];
    struct br_proc own = {.start = 0};
    name_boot(boot);
    br_proc_read(getpid(), &own);
    assert(strchr(journal->mark, '='));
    if (gethostname(host, sizeof host) || !*host)
        strcpy(host, "-");
    host[sizeof host - 1] = '\0';
    snprintf(text, sizeof text, "session  %ld %" PRIu64 " %s %s %.40s", (long)getpid(), own.start,
             boot, strchr(journal->mark, '=') + 1, host);
    enum br_status status = journal_add(journal, BR_RECORD_LONG, text, diag);
    return status ? status : br_journal_sync(journal, diag);
}

/* Does it still live? Its pid may differ here from where it runs. A session on another machine
 * cannot be seen, nor can its processes. */
static bool lives(const struct br_session *session)
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

static enum br_status journal_begin(struct br_journal *journal, uint64_t sum, struct br_diag *diag)
{
    char text[BR_RECORD_LONG];
    assert(journal->size == 0 && strchr(journal->mark, '='));
    /* The first session's name is the run's. */
    snprintf(journal->run, sizeof journal->run, "%.39s", strchr(journal->mark, '=') + 1);
    snprintf(text, sizeof text, MAGIC " job %016" PRIx64 " run %s", sum, journal->run);
    enum br_status status = journal_add(journal, BR_RECORD_LONG, text, diag);
    seed_sums(journal);
    return status;
}

static enum br_status journal_read_head(struct br_journal *journal, uint64_t own, char *text,
                                        size_t size, struct br_diag *diag)
{
    static const char hint[] = "give the journal of an earlier run, or begin a new one";
    const size_t at = BR_RECORD_SUM + 1, version = sizeof MAGIC - 2;
    uint64_t sum;
    int run = -1;
    bool alike = size >= at + sizeof MAGIC && memcmp(text + at, MAGIC, version) == 0;
    char *head = br_record_read(text, text + size, BR_RECORD_LONG, 0);
    if (!head && alike && text[at + version] != MAGIC[version])
        return br_fail(diag, BR_BAD_INPUT, hint, "the journal is of another version of bigrocks");
    if (!head && alike)
        return br_fail(diag, BR_BAD_INPUT, "begin a new one; all tasks run again then",
                       "the journal's first record is damaged (bytes 0 to %d)", BR_RECORD_LONG - 1);
    if (!head || sscanf(head, MAGIC " job %" SCNx64 " run %n", &sum, &run) != 1 || run < 0 ||
        strlen(head + run) >= sizeof journal->run)
        return br_fail(diag, BR_BAD_INPUT, hint, "the file is no journal");
    if (sum != own)
        return br_fail(diag, BR_NO, "go on with the very job of that run, or begin a new journal",
                       "the journal is of another job, or the job has changed since");
    snprintf(journal->run, sizeof journal->run, "%s", head + run);
    seed_sums(journal);
    return BR_OK;
}

/* Fills in the job's past. */
static void journal_take_up(const struct br_past *past, struct br_journal_job *job)
{
    for (uint32_t t = 0; past->state && t < past->tasks; t++) {
        job->done[t] = past->state[t] & BR_PAST_FINISHED;
        if (job->lasted_ns)
            job->lasted_ns[t] = past->lasted_ns[t];
        job->in_flight += past->state[t] == BR_PAST_STARTED;
    }
}

/* Reads the contents of the file. */
static enum br_status journal_replay(struct br_journal *journal, struct br_journal_job *jobs,
                                     uint32_t count, uint64_t sum, char *text, size_t size,
                                     struct br_diag *diag)
{
    enum br_status status = journal_read_head(journal, sum, text, size, diag);
    assert(journal->past.jobs == 0);
    for (uint32_t number = 0; number < count && !status; number++) {
        struct br_past past = {0};
        for (uint32_t k = 0; k < count; k++)
            if (jobs[k].number == number)
                past.tasks = jobs[k].dag->tasks;
        if (!br_replay_add(&journal->past, &past))
            status = br_fail_memory(diag);
    }
    assert(status || journal->past.jobs == count);
    if (!status)
        status = br_replay_read(&journal->past, text, size, BR_RECORD_LONG, journal->seed, diag);
    for (uint32_t k = 0; k < count && !status; k++)
        journal_take_up(&journal->past.past[jobs[k].number], &jobs[k]);
    return status;
}

static enum br_status journal_read_all(int file, size_t size, char **text, struct br_diag *diag)
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
            return journal_fail_file(diag, "cannot be read");
        used += (size_t)more;
    }
    return BR_OK;
}

/* 0, or an errno. A process that a killed run was about to start holds the lock until it executes
 * its program, so this tries for the lock for up to a second. */
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

/* Continues the run in the file: reads it, checks that no other session lives, and makes room. */
static enum br_status journal_go_on(struct br_journal *journal, struct br_journal_job *jobs,
                                    uint32_t count, uint64_t sum, struct br_journal_found *found,
                                    struct br_diag *diag)
{
    char *text = NULL;
    size_t size = (size_t)journal->size;
    struct br_replay *past = &journal->past;
    enum br_status status = journal_read_all(journal->file, size, &text, diag);
    if (!status)
        status = journal_replay(journal, jobs, count, sum, text, size, diag);
    free(text);
    if (status)
        return status;
    found->damaged = past->damaged;
    found->damaged_at = past->damaged_at;
    if (*past->last.mark && lives(&past->last))
        return br_fail(diag, BR_NO, "wait for it, or take another file",
                       "the run of this journal, or of the one that it was copied from, still goes "
                       "on (process %ld)",
                       past->last.pid);
    if (*past->last.mark)
        found->orphans = br_kill_marked(past->last.mark);
    assert(past->used >= BR_RECORD_LONG && past->used <= size);
    /* A record that a crash has cut. */
    if (past->used < size && ftruncate(journal->file, (off_t)past->used))
        return journal_fail_file(diag, "cannot be written");
    journal->size = past->used;
    return BR_OK;
}

static enum br_status journal_take_file(struct br_journal *journal, bool resume,
                                        struct br_journal_job *jobs, uint32_t count,
                                        struct br_journal_found *found, struct br_diag *diag)
{
    struct stat state;
    uint64_t sum;
    errno = lock_file(journal->file);
    if (errno) {
        if (errno == EWOULDBLOCK)
            return br_fail(diag, BR_NO, "wait for it, or take another file",
                           "a run that still goes on uses the journal");
        return journal_fail_file(diag, "cannot be locked");
    }
    if (fstat(journal->file, &state))
        return journal_fail_file(diag, "cannot be read");
    journal->regular = S_ISREG(state.st_mode);
    journal->size = journal->regular ? (uint64_t)state.st_size : 0;
    if (journal->size && !resume)
        return br_fail(diag, BR_USAGE, "add --resume to go on with it, or remove it",
                       "the journal holds an earlier run");
    enum br_status status = sum_jobs(jobs, count, &sum, diag);
    if (!status)
        status = journal->size ? journal_go_on(journal, jobs, count, sum, found, diag)
                               : journal_begin(journal, sum, diag);
    journal->numbers = journal->past.jobs > count ? journal->past.jobs : count;
    if (count)
        br_replay_finish(&journal->past);
    return status ? status : add_session(journal, diag);
}

enum br_status br_journal_open(struct br_journal *journal, const char *path, bool resume,
                               struct br_journal_job *jobs, uint32_t count, const char *mark,
                               struct br_journal_found *found, struct br_diag *diag)
{
    br_diag_file(diag, path);
    *found = (struct br_journal_found){0};
    *journal = (struct br_journal){
        .file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666), .mark = mark};
    if (journal->file < 0)
        return journal_fail_file(diag, "cannot be opened");
    enum br_status status = journal_take_file(journal, resume, jobs, count, found, diag);
    if (status)
        br_journal_close(journal);
    else
        br_diag_file(diag, NULL);
    return status;
}

enum br_status br_journal_look(const char *path, const struct br_dag *dag, bool *done, uint32_t *by,
                               struct br_diag *diag)
{
    struct br_journal journal = {.file = open(path, O_RDONLY | O_CLOEXEC)};
    const struct br_past whole = {.tasks = dag->tasks};
    struct br_diag why = {0};
    struct stat state;
    char *text = NULL;
    enum br_status status = BR_OK;
    const bool read = journal.file >= 0 && !fstat(journal.file, &state) && S_ISREG(state.st_mode) &&
                      !journal_read_all(journal.file, (size_t)state.st_size, &text, &why) &&
                      !journal_read_head(&journal, job_sum(dag), text, (size_t)state.st_size, &why);
    if (read && !br_replay_add(&journal.past, &whole))
        status = br_fail_memory(diag);
    if (read && !status)
        status = br_replay_read(&journal.past, text, (uint64_t)state.st_size, BR_RECORD_LONG,
                                journal.seed, diag);
    const struct br_past *past = read && !status ? &journal.past.past[0] : NULL;
    for (uint32_t t = 0; past && past->state && t < past->tasks; t++) {
        done[t] = past->state[t] & BR_PAST_FINISHED;
        by[t] = past->by[t];
    }
    br_replay_finish(&journal.past);
    free(text);
    br_journal_close(&journal);
    return status;
}

/* ---- Jobs that come and go ---- */

enum br_status br_journal_add(struct br_journal *journal, const char *name,
                              struct br_journal_job *job, struct br_diag *diag)
{
    char text[BR_RECORD_LONG];
    uint64_t sum = job_sum(job->dag), hash = br_hash_text(name);
    uint32_t number = br_replay_find(&journal->past, hash);
    job->in_flight = 0;
    if (journal->file < 0)
        return BR_OK;
    if (number != UINT32_MAX) {
        const struct br_past *past = &journal->past.past[number];
        if (past->sum != sum || past->tasks != job->dag->tasks)
            return br_fail(diag, BR_NO, "submit it once more, under another name",
                           "the job has changed since it was begun");
        journal_take_up(past, job);
        br_replay_drop(&journal->past, number);
        assert(number < journal->numbers);
        job->number = number;
        journal->open++;
        return BR_OK;
    }
    /* The name is for people, and may be cut. */
    snprintf(text, sizeof text,
             "job      %010" PRIu32 " %016" PRIx64 " %016" PRIx64 " %010" PRIu32 " %.100s",
             journal->numbers, sum, hash, job->dag->tasks, name);
    br_text_screen(text);
    text[BR_RECORD_LONG - BR_RECORD_SUM - 2] = '\0';
    enum br_status status = journal_add(journal, BR_RECORD_LONG, text, diag);
    if (status)
        return status;
    job->number = journal->numbers++;
    journal->open++;
    return BR_OK;
}

/* Nothing in the file matters any more: keeps only its first record, with this session's. */
static enum br_status journal_cut(struct br_journal *journal, struct br_diag *diag)
{
    assert(journal->open == 0);
    if (!journal->regular || journal->broken)
        return BR_OK;
    if (ftruncate(journal->file, BR_RECORD_LONG))
        return journal_fail_file(diag, "cannot be written");
    journal->size = BR_RECORD_LONG;
    journal->numbers = 0;
    return add_session(journal, diag);
}

enum br_status br_journal_settle(struct br_journal *journal, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    if (journal->file < 0)
        return BR_OK;
    if (!journal->open) {
        br_replay_finish(&journal->past);
        return journal_cut(journal, diag);
    }
    for (uint32_t k = 0; k < journal->past.jobs && !status; k++)
        if (journal->past.past[k].state)
            status = journal_add_task(journal, "dropped", k, 0, 0, diag);
    br_replay_finish(&journal->past);
    return status;
}

enum br_status br_journal_drop(struct br_journal *journal, uint32_t number, struct br_diag *diag)
{
    enum br_status status = journal_add_task(journal, "dropped", number, 0, 0, diag);
    if (journal->file < 0)
        return BR_OK;
    assert(journal->open > 0);
    journal->open--;
    if (!status && !journal->open && journal->size >= CUT_FROM)
        status = journal_cut(journal, diag);
    return status;
}

void br_journal_close(struct br_journal *journal)
{
    if (journal->file >= 0)
        close(journal->file);
    br_replay_finish(&journal->past);
    *journal = (struct br_journal){.file = -1};
}
