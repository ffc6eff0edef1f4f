/* Histories in an SQLite file.
 *
 * Samples wait in memory and go to the file many at a time, so that neither a run of a thousand
 * tasks a second nor several runs at once wait for the disk or for each other. Estimates are
 * robust: a median is not moved by the one run in which the machine was busy. All figures are
 * integers, so that equal files give equal estimates.
 */
#include "predict/history.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/diag.h"

#ifndef BR_HISTORY_SQLITE

static enum br_status fail_missing(struct br_diag *diag)
{
    return br_fail(diag, BR_SYSTEM, "install libsqlite3-dev and build again",
                   "this build of the program keeps no histories");
}

bool br_history_is_there(void)
{
    return false;
}

enum br_status br_history_open(const char *path, const char *job, struct br_history **history,
                               struct br_diag *diag)
{
    *history = NULL;
    return fail_missing(diag);
}

enum br_status br_history_close(struct br_history *history, struct br_diag *diag)
{
    return BR_OK;
}

enum br_status br_history_add(struct br_history *history, const struct br_history_sample *sample,
                              struct br_diag *diag)
{
    return fail_missing(diag);
}

enum br_status br_history_flush(struct br_history *history, struct br_diag *diag)
{
    return BR_OK;
}

enum br_status br_history_estimate(struct br_history *history, const char *stage,
                                   struct br_history_estimate *estimate, struct br_diag *diag)
{
    return fail_missing(diag);
}

enum br_status br_history_durations(struct br_history *history, const char *stage,
                                    int64_t **wall_ns, uint32_t *samples, struct br_diag *diag)
{
    *wall_ns = NULL;
    *samples = 0;
    return fail_missing(diag);
}

enum br_status br_history_read(struct br_history *history,
                               void (*row)(void *context, const struct br_history_row *row),
                               void *context, struct br_diag *diag)
{
    return fail_missing(diag);
}

enum br_status br_history_jobs(struct br_history *history, br_history_each_job *job, void *context,
                               struct br_diag *diag)
{
    return fail_missing(diag);
}

enum br_status br_history_stages(struct br_history *history, br_history_each_job *stage,
                                 void *context, struct br_diag *diag)
{
    return fail_missing(diag);
}

enum br_status br_history_use(struct br_history *history, const char *job, struct br_diag *diag)
{
    return fail_missing(diag);
}

const char *br_history_job(const struct br_history *history)
{
    return NULL;
}

#else

#include <sqlite3.h>
#include <time.h>

#include "base/collections/grow.h"
#include "base/collections/sort.h"

/* "bgrk", so that other programs' files are told apart; and the form of the tables. */
#define APPLICATION "1650946667"
#define VERSION "1"
enum { WAITING_MOST = 1024, BUSY_MS = 10000 };

static const char tables[] =
    "CREATE TABLE run(id INTEGER PRIMARY KEY AUTOINCREMENT, job TEXT NOT NULL,"
    " began INTEGER NOT NULL);" /* seconds since 1970 */
    "CREATE TABLE stage(id INTEGER PRIMARY KEY, job TEXT NOT NULL, name TEXT NOT NULL,"
    " UNIQUE(job, name));"
    "CREATE TABLE sample(stage INTEGER NOT NULL REFERENCES stage,"
    " run INTEGER NOT NULL REFERENCES run, task INTEGER NOT NULL, wall_ns INTEGER NOT NULL,"
    " cpu_ns INTEGER, mem_bytes INTEGER);"
    "CREATE INDEX sample_stage ON sample(stage, run);"
    "CREATE INDEX sample_run ON sample(run);"
    "CREATE INDEX run_job ON run(job);"
    "PRAGMA application_id = " APPLICATION ";"
    "PRAGMA user_version = " VERSION ";";

enum statement {
    BEGIN_RUN,
    ADD_STAGE,
    ADD_SAMPLE,
    ESTIMATE,
    READ,
    JOBS,
    STAGES,
    FORGET_SAMPLES,
    FORGET_RUNS,
    STATEMENTS
};
static const char *const statement_text[STATEMENTS] = {
    [BEGIN_RUN] = "INSERT INTO run(job, began) VALUES(?1, ?2)",
    [ADD_STAGE] = "INSERT INTO stage(job, name) VALUES(?1, ?2) ON CONFLICT DO NOTHING",
    [ADD_SAMPLE] = "INSERT INTO sample SELECT id, ?3, ?4, ?5, ?6, ?7 FROM stage"
                   " WHERE job = ?1 AND name = ?2",
    [ESTIMATE] = "WITH it(id) AS (SELECT id FROM stage WHERE job = ?1 AND name = ?2)"
                 " SELECT run, wall_ns, cpu_ns, mem_bytes FROM sample"
                 " WHERE stage = (SELECT id FROM it) AND run IN"
                 " (SELECT DISTINCT run FROM sample WHERE stage = (SELECT id FROM it)"
                 "  ORDER BY run DESC LIMIT ?3)"
                 " ORDER BY run",
    [READ] =
        "SELECT sample.run, stage.job, stage.name, sample.wall_ns"
        " FROM sample JOIN stage ON sample.stage = stage.id WHERE sample.run IN"
        " (SELECT id FROM (SELECT id FROM run WHERE job = ?1 ORDER BY id DESC LIMIT ?2)"
        "  UNION SELECT id FROM (SELECT id FROM run WHERE job <> ?1 ORDER BY id DESC LIMIT ?3))"
        " ORDER BY sample.run, sample.stage, sample.rowid",
    [JOBS] = "SELECT job, count(*), NULL FROM run GROUP BY job ORDER BY max(id) DESC",
    [STAGES] =
        "SELECT stage.job, last.runs, stage.name FROM stage JOIN (SELECT job, count(*) AS runs,"
        " max(id) AS latest FROM run GROUP BY job) AS last ON last.job = stage.job"
        " ORDER BY last.latest DESC, stage.id",
#define OLD "(SELECT id FROM run WHERE job = ?1 ORDER BY id DESC LIMIT -1 OFFSET ?2)"
    [FORGET_SAMPLES] = "DELETE FROM sample WHERE run IN " OLD,
    [FORGET_RUNS] = "DELETE FROM run WHERE id IN " OLD,
};

struct br_history {
    sqlite3 *db;
    char *path, *job;
    sqlite3_stmt *statement[STATEMENTS];
    int64_t run;                       /* 0: none yet */
    struct br_history_sample *waiting; /* their stages are ours */
    uint32_t samples, room;
};

bool br_history_is_there(void)
{
    return true;
}

static enum br_status fail(const struct br_history *history, struct br_diag *diag)
{
    int code = history->db ? sqlite3_errcode(history->db) : SQLITE_NOMEM;
    bool foreign = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
    br_diag_file(diag, history->path);
    return br_fail(diag, foreign ? BR_BAD_INPUT : BR_SYSTEM,
                   foreign               ? "give a file that --history made"
                   : code == SQLITE_BUSY ? "another program holds it for long"
                                         : NULL,
                   "the history cannot be used: %s",
                   history->db ? sqlite3_errmsg(history->db) : "out of memory");
}

static bool run_text(struct br_history *history, const char *text)
{
    return sqlite3_exec(history->db, text, NULL, NULL, NULL) == SQLITE_OK;
}

/* The one number that a query gives. */
static bool read_number(struct br_history *history, const char *text, int64_t *number)
{
    sqlite3_stmt *statement = NULL;
    bool good = sqlite3_prepare_v2(history->db, text, -1, &statement, NULL) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_ROW;
    if (good)
        *number = sqlite3_column_int64(statement, 0);
    return sqlite3_finalize(statement) == SQLITE_OK && good;
}

/* The change to the log needs the file alone, and SQLite does not wait for that as for other locks.
 */
static bool use_log(struct br_history *history)
{
    const int step_ms = 5;
    int status = SQLITE_BUSY;
    for (int waited_ms = 0; status == SQLITE_BUSY && waited_ms < BUSY_MS; waited_ms += step_ms) {
        status = sqlite3_exec(history->db, "PRAGMA journal_mode = WAL;", NULL, NULL, NULL);
        if (status == SQLITE_BUSY)
            sqlite3_sleep(step_ms);
    }
    return status == SQLITE_OK;
}

/* Makes the tables in an empty file, and looks whether others are ours. Inside a transaction, since
 * two programs may do so at once. */
static enum br_status prepare_file(struct br_history *history, struct br_diag *diag)
{
    if (!run_text(history, "BEGIN IMMEDIATE"))
        return fail(history, diag);
    int64_t there, application, version;
    if (!read_number(history, "SELECT count(*) FROM sqlite_master", &there) ||
        (there == 0 && !run_text(history, tables)) ||
        !read_number(history, "PRAGMA application_id", &application) ||
        !read_number(history, "PRAGMA user_version", &version))
        return fail(history, diag);
    if (application != strtoll(APPLICATION, NULL, 10) || version != strtoll(VERSION, NULL, 10)) {
        br_diag_file(diag, history->path);
        return br_fail(diag, BR_BAD_INPUT, "give a file that --history of this version made",
                       "this is another kind of database");
    }
    return run_text(history, "COMMIT") ? BR_OK : fail(history, diag);
}

static enum br_status open_file(struct br_history *history, struct br_diag *diag)
{
    if (sqlite3_open_v2(history->path, &history->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                        NULL) != SQLITE_OK)
        return fail(history, diag);
    sqlite3_busy_timeout(history->db, BUSY_MS);
    enum br_status status = prepare_file(history, diag);
    /* A crash of the machine may cost the last samples, never the file. */
    if (!status && (!use_log(history) || !run_text(history, "PRAGMA synchronous = NORMAL;")))
        status = fail(history, diag);
    for (int k = 0; k < STATEMENTS && !status; k++)
        if (sqlite3_prepare_v3(history->db, statement_text[k], -1, SQLITE_PREPARE_PERSISTENT,
                               &history->statement[k], NULL) != SQLITE_OK)
            status = fail(history, diag);
    return status;
}

static void release(struct br_history *history)
{
    for (uint32_t k = 0; k < history->samples; k++)
        free((char *)history->waiting[k].stage);
    free(history->waiting);
    for (int k = 0; k < STATEMENTS; k++)
        sqlite3_finalize(history->statement[k]);
    sqlite3_close(history->db);
    free(history->path);
    free(history->job);
    free(history);
}

enum br_status br_history_open(const char *path, const char *job, struct br_history **result,
                               struct br_diag *diag)
{
    struct br_history *history = calloc(1, sizeof *history);
    *result = NULL;
    if (!history)
        return br_fail_memory(diag);
    history->path = strdup(path);
    history->job = strdup(job);
    enum br_status status =
        history->path && history->job ? open_file(history, diag) : br_fail_memory(diag);
    if (status)
        release(history);
    else
        *result = history;
    return status;
}

/* Runs a statement whose parameters are bound. Every failed binding shows in the step. */
static bool step(struct br_history *history, enum statement which)
{
    int code = sqlite3_step(history->statement[which]);
    sqlite3_reset(history->statement[which]);
    return code == SQLITE_DONE || code == SQLITE_ROW;
}

static bool begin_run(struct br_history *history)
{
    sqlite3_stmt *statement = history->statement[BEGIN_RUN];
    sqlite3_bind_text(statement, 1, history->job, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, (int64_t)time(NULL));
    if (!step(history, BEGIN_RUN))
        return false;
    history->run = sqlite3_last_insert_rowid(history->db);
    return true;
}

static void bind_known(sqlite3_stmt *statement, int at, int64_t value)
{
    if (value < 0)
        sqlite3_bind_null(statement, at);
    else
        sqlite3_bind_int64(statement, at, value);
}

static bool write_sample(struct br_history *history, const struct br_history_sample *sample)
{
    sqlite3_stmt *statement = history->statement[ADD_STAGE];
    sqlite3_bind_text(statement, 1, history->job, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, sample->stage, -1, SQLITE_STATIC);
    if (!step(history, ADD_STAGE))
        return false;
    statement = history->statement[ADD_SAMPLE];
    sqlite3_bind_text(statement, 1, history->job, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, sample->stage, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, history->run);
    sqlite3_bind_int64(statement, 4, sample->task);
    sqlite3_bind_int64(statement, 5, sample->wall_ns);
    bind_known(statement, 6, sample->cpu_ns);
    bind_known(statement, 7, sample->mem_bytes);
    return step(history, ADD_SAMPLE);
}

enum br_status br_history_flush(struct br_history *history, struct br_diag *diag)
{
    if (!history->samples)
        return BR_OK;
    int64_t run = history->run;
    bool good = run_text(history, "BEGIN IMMEDIATE") && (run || begin_run(history));
    for (uint32_t k = 0; k < history->samples && good; k++)
        good = write_sample(history, &history->waiting[k]);
    enum br_status status = good && run_text(history, "COMMIT") ? BR_OK : fail(history, diag);
    if (status) {
        run_text(history, "ROLLBACK");
        history->run = run;
    }
    for (uint32_t k = 0; k < history->samples; k++)
        free((char *)history->waiting[k].stage);
    history->samples = 0; /* also those that could not be written, or they would pile up */
    return status;
}

enum br_status br_history_add(struct br_history *history, const struct br_history_sample *sample,
                              struct br_diag *diag)
{
    if (!br_grow(&history->waiting, history->samples, &history->room, sizeof *history->waiting))
        return br_fail_memory(diag);
    struct br_history_sample copy = *sample;
    copy.stage = strdup(sample->stage);
    if (!copy.stage)
        return br_fail_memory(diag);
    history->waiting[history->samples++] = copy;
    return history->samples < WAITING_MOST ? BR_OK : br_history_flush(history, diag);
}

static bool forget(struct br_history *history, enum statement which)
{
    sqlite3_bind_text(history->statement[which], 1, history->job, -1, SQLITE_STATIC);
    sqlite3_bind_int64(history->statement[which], 2, BR_HISTORY_KEPT);
    return step(history, which);
}

enum br_status br_history_close(struct br_history *history, struct br_diag *diag)
{
    if (!history)
        return BR_OK;
    enum br_status status = br_history_flush(history, diag);
    if (!status && history->run &&
        !(run_text(history, "BEGIN IMMEDIATE") && forget(history, FORGET_SAMPLES) &&
          forget(history, FORGET_RUNS) && run_text(history, "COMMIT")))
        status = fail(history, diag);
    release(history);
    return status;
}

/* ---- Estimates ---- */

/* A list of numbers of at least 0. */
struct numbers {
    struct br_sort_item *item, *scratch;
    uint32_t count, room, scratch_room;
};

static bool add_number(struct numbers *numbers, int64_t value)
{
    if (!br_grow(&numbers->item, numbers->count, &numbers->room, sizeof *numbers->item))
        return false;
    numbers->item[numbers->count] = (struct br_sort_item){(uint64_t)value, numbers->count};
    numbers->count++;
    return true;
}

/* The middle one, of two the lesser. */
static int64_t median(struct numbers *numbers)
{
    br_sort(numbers->item, numbers->scratch, numbers->count);
    return (int64_t)numbers->item[(numbers->count - 1) / 2].key;
}

struct samples {
    struct numbers wall, cpu;
    int64_t mem_bytes;
    uint32_t runs;
    int64_t last_run;
};

static bool add_row(sqlite3_stmt *statement, struct samples *samples)
{
    int64_t run = sqlite3_column_int64(statement, 0), wall = sqlite3_column_int64(statement, 1);
    if (samples->runs == 0 || run != samples->last_run)
        samples->runs++;
    samples->last_run = run;
    if (wall < 0)
        wall = 0;
    if (sqlite3_column_type(statement, 3) != SQLITE_NULL &&
        sqlite3_column_int64(statement, 3) > samples->mem_bytes)
        samples->mem_bytes = sqlite3_column_int64(statement, 3);
    int64_t cpu = sqlite3_column_int64(statement, 2);
    bool known = sqlite3_column_type(statement, 2) != SQLITE_NULL && wall > 0 && cpu >= 0 &&
                 cpu < INT64_MAX / 1000;
    return add_number(&samples->wall, wall) &&
           (!known || add_number(&samples->cpu, cpu * 1000 / wall));
}

static bool summarise(struct samples *samples, struct br_history_estimate *estimate)
{
    struct numbers *wall = &samples->wall, *cpu = &samples->cpu;
    wall->scratch = calloc((size_t)wall->count + 1, sizeof *wall->scratch);
    cpu->scratch = calloc((size_t)cpu->count + 1, sizeof *cpu->scratch);
    bool good = wall->scratch && cpu->scratch;
    if (good && wall->count) {
        estimate->runs = samples->runs;
        estimate->samples = wall->count;
        estimate->mem_bytes = samples->mem_bytes;
        estimate->wall_ns = median(wall);
        estimate->cpu_milli = cpu->count ? median(cpu) : -1;
        for (uint32_t k = 0; k < wall->count; k++) {
            int64_t distance = (int64_t)wall->item[k].key - estimate->wall_ns;
            wall->item[k].key = (uint64_t)(distance < 0 ? -distance : distance);
        }
        estimate->spread_ns = median(wall);
    }
    return good;
}

/* Reads all that the stage has of the last runs; the lists in *samples are the caller's to free. */
static enum br_status read_samples(struct br_history *history, const char *stage,
                                   struct samples *samples, struct br_diag *diag)
{
    sqlite3_stmt *statement = history->statement[ESTIMATE];
    sqlite3_bind_text(statement, 1, history->job, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, stage, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, BR_HISTORY_RECENT);
    int code = SQLITE_DONE;
    bool room = true;
    while (room && (code = sqlite3_step(statement)) == SQLITE_ROW)
        room = add_row(statement, samples);
    sqlite3_reset(statement);
    if (!room)
        return br_fail_memory(diag);
    return code == SQLITE_DONE ? BR_OK : fail(history, diag);
}

static void free_samples(struct samples *samples)
{
    free(samples->wall.item);
    free(samples->wall.scratch);
    free(samples->cpu.item);
    free(samples->cpu.scratch);
}

enum br_status br_history_estimate(struct br_history *history, const char *stage,
                                   struct br_history_estimate *estimate, struct br_diag *diag)
{
    struct samples samples = {.mem_bytes = -1};
    *estimate = (struct br_history_estimate){.cpu_milli = -1, .mem_bytes = -1};
    enum br_status status = read_samples(history, stage, &samples, diag);
    if (!status && !summarise(&samples, estimate))
        status = br_fail_memory(diag);
    free_samples(&samples);
    return status;
}

enum br_status br_history_durations(struct br_history *history, const char *stage,
                                    int64_t **wall_ns, uint32_t *samples, struct br_diag *diag)
{
    struct samples found = {.mem_bytes = -1};
    *wall_ns = NULL;
    *samples = 0;
    enum br_status status = read_samples(history, stage, &found, diag);
    if (!status && found.wall.count) {
        *wall_ns = malloc(found.wall.count * sizeof **wall_ns);
        status = *wall_ns ? BR_OK : br_fail_memory(diag);
    }
    for (uint32_t k = 0; *wall_ns && k < found.wall.count; k++)
        (*wall_ns)[k] = (int64_t)found.wall.item[k].key;
    *samples = *wall_ns ? found.wall.count : 0;
    free_samples(&found);
    return status;
}

static enum br_status each_job(struct br_history *history, enum statement which,
                               br_history_each_job *job, void *context, struct br_diag *diag)
{
    sqlite3_stmt *statement = history->statement[which];
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        struct br_history_job row = {(const char *)sqlite3_column_text(statement, 0),
                                     (uint32_t)sqlite3_column_int64(statement, 1),
                                     (const char *)sqlite3_column_text(statement, 2)};
        if (row.name && (row.stage || which == JOBS))
            job(context, &row);
    }
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? BR_OK : fail(history, diag);
}

enum br_status br_history_jobs(struct br_history *history, br_history_each_job *job, void *context,
                               struct br_diag *diag)
{
    return each_job(history, JOBS, job, context, diag);
}

enum br_status br_history_stages(struct br_history *history, br_history_each_job *stage,
                                 void *context, struct br_diag *diag)
{
    return each_job(history, STAGES, stage, context, diag);
}

const char *br_history_job(const struct br_history *history)
{
    return history->job;
}

enum br_status br_history_use(struct br_history *history, const char *job, struct br_diag *diag)
{
    char *name = strdup(job);
    if (!name)
        return br_fail_memory(diag);
    free(history->job);
    history->job = name;
    return BR_OK;
}

enum br_status br_history_read(struct br_history *history,
                               void (*row)(void *context, const struct br_history_row *row),
                               void *context, struct br_diag *diag)
{
    sqlite3_stmt *statement = history->statement[READ];
    sqlite3_bind_text(statement, 1, history->job, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, BR_HISTORY_RECENT);
    sqlite3_bind_int64(statement, 3, BR_HISTORY_OTHERS);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *job = (const char *)sqlite3_column_text(statement, 1);
        const char *stage = (const char *)sqlite3_column_text(statement, 2);
        int64_t wall_ns = sqlite3_column_int64(statement, 3);
        if (job && stage)
            row(context, &(struct br_history_row){sqlite3_column_int64(statement, 0), job, stage,
                                                  wall_ns > 0 ? wall_ns : 0});
    }
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? BR_OK : fail(history, diag);
}

#endif
