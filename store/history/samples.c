/* Histories in an SQLite file.
 *
 * Samples wait in memory and are written to the file many at a time, so that neither a run of a
 * thousand tasks a second nor concurrent runs wait for the disk or for each other. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/collections/grow.h"
#include "base/text/diag.h"
#include "store/history/file.h"
#include "store/history/way.h"

enum { WAITING_MOST = 1024 };

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
    "CREATE INDEX run_job ON run(job);";

static const char *const statement_text[BR_HISTORY_STATEMENTS] = {
    [BR_HISTORY_BEGIN_RUN] = "INSERT INTO run(job, began) VALUES(?1, ?2)",
    [BR_HISTORY_ADD_STAGE] = "INSERT INTO stage(job, name) VALUES(?1, ?2) ON CONFLICT DO NOTHING",
    [BR_HISTORY_ADD_SAMPLE] = "INSERT INTO sample SELECT id, ?3, ?4, ?5, ?6, ?7 FROM stage"
                              " WHERE job = ?1 AND name = ?2",
    [BR_HISTORY_ESTIMATE] = "WITH it(id) AS (SELECT id FROM stage WHERE job = ?1 AND name = ?2)"
                            " SELECT run, wall_ns, cpu_ns FROM sample"
                            " WHERE stage = (SELECT id FROM it) AND run IN"
                            " (SELECT DISTINCT run FROM sample WHERE stage = (SELECT id FROM it)"
                            "  ORDER BY run DESC LIMIT ?3)"
                            " ORDER BY run",
    [BR_HISTORY_MEMORY] = "SELECT max(mem_bytes) FROM sample WHERE stage ="
                          " (SELECT id FROM stage WHERE job = ?1 AND name = ?2)",
#define WAYS                                                                                       \
    "WITH it(id, name) AS (SELECT id, name FROM stage WHERE job = ?1 AND name = ?2"                \
    " UNION ALL SELECT id, name FROM stage WHERE job = ?1 AND name >= ?4 AND name < ?5)"
    [BR_HISTORY_ESTIMATE_WAYS] = WAYS " SELECT run, wall_ns, cpu_ns, name FROM sample"
                                      " JOIN it ON it.id = sample.stage WHERE run IN"
                                      " (SELECT DISTINCT run FROM sample"
                                      "  WHERE stage IN (SELECT id FROM it)"
                                      "  ORDER BY run DESC LIMIT ?3)"
                                      " ORDER BY run, sample.rowid",
    [BR_HISTORY_MEMORY_WAYS] = WAYS " SELECT max(mem_bytes) FROM sample"
                                    " WHERE stage IN (SELECT id FROM it)",
    [BR_HISTORY_READ] =
        "SELECT sample.run, stage.job, stage.name, sample.wall_ns"
        " FROM sample JOIN stage ON sample.stage = stage.id WHERE sample.run IN"
        " (SELECT id FROM (SELECT id FROM run WHERE job = ?1 ORDER BY id DESC LIMIT ?2)"
        "  UNION SELECT id FROM (SELECT id FROM run WHERE job <> ?1 ORDER BY id DESC LIMIT ?3))"
        " ORDER BY sample.run, sample.stage, sample.rowid",
    [BR_HISTORY_JOBS] = "SELECT job, count(*), NULL FROM run GROUP BY job ORDER BY max(id) DESC",
    [BR_HISTORY_STAGES] =
        "SELECT stage.job, last.runs, stage.name FROM stage JOIN (SELECT job, count(*) AS runs,"
        " max(id) AS latest FROM run GROUP BY job) AS last ON last.job = stage.job"
        " ORDER BY last.latest DESC, stage.id",
#define OLD "(SELECT id FROM run WHERE job = ?1 ORDER BY id DESC LIMIT -1 OFFSET ?2)"
    /* Samples that are not the largest of their stage; among equals the last one is. */
    [BR_HISTORY_THIN_SAMPLES] =
        "DELETE FROM sample WHERE run IN " OLD " AND EXISTS (SELECT 1 FROM sample AS other"
        " WHERE other.stage = sample.stage AND (coalesce(other.mem_bytes, -1), other.rowid) >"
        " (coalesce(sample.mem_bytes, -1), sample.rowid))",
    [BR_HISTORY_FORGET_SAMPLES] = "DELETE FROM sample WHERE run IN " OLD,
    [BR_HISTORY_FORGET_RUNS] = "DELETE FROM run WHERE id IN " OLD
                               " AND NOT EXISTS (SELECT 1 FROM sample WHERE sample.run = run.id)",
    [BR_HISTORY_RUNS] =
        "SELECT run.job, run.id, run.began, count(sample.run), total(sample.wall_ns)"
        " FROM run LEFT JOIN sample ON sample.run = run.id"
        " GROUP BY run.id ORDER BY run.id",
    [BR_HISTORY_SAMPLES] = "SELECT sample.run, stage.job, stage.name, sample.wall_ns"
                           " FROM stage JOIN sample ON sample.stage = stage.id WHERE stage.job = ?1"
                           " ORDER BY sample.run, sample.stage, sample.rowid",
    /* Stages without a sample left. */
    [BR_HISTORY_FORGET_STAGES] = "DELETE FROM stage WHERE job = ?1 AND NOT EXISTS"
                                 " (SELECT 1 FROM sample WHERE sample.stage = stage.id)",
    [BR_HISTORY_HAS] = "SELECT count(*) FROM run WHERE job = ?1",
    /* Renames a job; the new name may have runs already. */
    [BR_HISTORY_RENAME_STAGES] = "INSERT INTO stage(job, name) SELECT ?2, name FROM stage"
                                 " WHERE job = ?1 ON CONFLICT DO NOTHING",
    [BR_HISTORY_RENAME_SAMPLES] =
        "UPDATE sample SET stage = (SELECT new.id FROM stage AS old JOIN stage AS new"
        " ON new.name = old.name AND new.job = ?2 WHERE old.id = sample.stage)"
        " WHERE stage IN (SELECT id FROM stage WHERE job = ?1)",
    [BR_HISTORY_RENAME_RUNS] = "UPDATE run SET job = ?2 WHERE job = ?1",
};

static const struct br_database_form histories = {
    .application = 1650946667, /* "bgrk" */
    .version = 1,
    .tables = tables,
    .what = "history",
    .option = "--history",
    .maker = "'bigrocks run JOB --history FILE' makes one",
    .statement = statement_text,
    .statements = BR_HISTORY_STATEMENTS,
};

bool br_history_is_there(void)
{
    return true;
}

static void samples_drop(struct br_history_sample *sample)
{
    free((char *)sample->stage);
    free((char *)sample->reader);
}

static void samples_release(struct br_history *history)
{
    for (uint32_t k = 0; k < history->samples; k++)
        samples_drop(&history->waiting[k]);
    free(history->waiting);
    br_history_sizes_free(history->sizes);
    br_database_close(&history->database);
    free(history->job);
    free(history);
}

typedef enum br_status open_database(struct br_database *database,
                                     const struct br_database_form *form, const char *path,
                                     struct br_diag *diag);

static enum br_status samples_open_file(open_database *open, const char *path, const char *job,
                                        struct br_history **result, struct br_diag *diag)
{
    struct br_history *history = calloc(1, sizeof *history);
    *result = NULL;
    if (!history)
        return br_fail_memory(diag);
    history->job = strdup(job);
    enum br_status status =
        history->job ? open(&history->database, &histories, path, diag) : br_fail_memory(diag);
    if (status)
        samples_release(history);
    else
        *result = history;
    return status;
}

enum br_status br_history_open(const char *path, const char *job, struct br_history **history,
                               struct br_diag *diag)
{
    return samples_open_file(br_database_open, path, job, history, diag);
}

enum br_status br_history_open_to_read(const char *path, const char *job,
                                       struct br_history **history, struct br_diag *diag)
{
    return samples_open_file(br_database_open_to_read, path, job, history, diag);
}

enum br_status br_history_hold(struct br_history *history, struct br_diag *diag)
{
    return br_database_run(&history->database, "BEGIN")
               ? BR_OK
               : br_database_fail(&history->database, diag);
}

void br_history_let_go(struct br_history *history)
{
    br_database_run(&history->database, "COMMIT"); /* nothing was written, so nothing can fail */
}

static bool begin_run(struct br_history *history)
{
    sqlite3_stmt *statement = history->database.statement[BR_HISTORY_BEGIN_RUN];
    sqlite3_bind_text(statement, 1, history->job, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, (int64_t)time(NULL));
    if (!br_database_step(&history->database, BR_HISTORY_BEGIN_RUN))
        return false;
    history->run = sqlite3_last_insert_rowid(history->database.db);
    return true;
}

static void bind_known(sqlite3_stmt *statement, int at, int64_t value)
{
    if (value < 0)
        sqlite3_bind_null(statement, at);
    else
        sqlite3_bind_int64(statement, at, value);
}

static bool history_write_sample(struct br_history *history, const struct br_history_sample *sample)
{
    sqlite3_stmt *statement = history->database.statement[BR_HISTORY_ADD_STAGE];
    sqlite3_bind_text(statement, 1, history->job, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, sample->stage, -1, SQLITE_STATIC);
    if (!br_database_step(&history->database, BR_HISTORY_ADD_STAGE))
        return false;
    statement = history->database.statement[BR_HISTORY_ADD_SAMPLE];
    assert(history->run > 0);
    sqlite3_bind_text(statement, 1, history->job, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, sample->stage, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, history->run);
    sqlite3_bind_int64(statement, 4, sample->task);
    sqlite3_bind_int64(statement, 5, sample->wall_ns);
    bind_known(statement, 6, sample->cpu_ns);
    bind_known(statement, 7, sample->mem_bytes);
    return br_database_step(&history->database, BR_HISTORY_ADD_SAMPLE);
}

enum br_status br_history_flush(struct br_history *history, struct br_diag *diag)
{
    if (!history->samples)
        return BR_OK;
    int64_t run = history->run;
    bool good =
        br_database_run(&history->database, "BEGIN IMMEDIATE") && (run || begin_run(history));
    for (uint32_t k = 0; k < history->samples && good; k++) {
        const struct br_history_sample *sample = &history->waiting[k];
        good = sample->lost ? br_history_write_lost(history, sample->stage, sample->lost)
                            : history_write_sample(history, sample) &&
                                  (!sample->reader || br_history_write_size(history, sample->reader,
                                                                            sample->input_bytes));
    }
    enum br_status status = good && br_database_run(&history->database, "COMMIT")
                                ? BR_OK
                                : br_database_fail(&history->database, diag);
    if (status) {
        br_database_run(&history->database, "ROLLBACK");
        history->run = run;
    }
    for (uint32_t k = 0; k < history->samples; k++)
        samples_drop(&history->waiting[k]);
    history->samples = 0; /* including those that could not be written, or they would accumulate */
    return status;
}

enum br_status br_history_add(struct br_history *history, const struct br_history_sample *sample,
                              struct br_diag *diag)
{
    if (!br_grow(&history->waiting, history->samples, &history->room, sizeof *history->waiting))
        return br_fail_memory(diag);
    assert(history->samples < WAITING_MOST);
    struct br_history_sample copy = *sample;
    const bool sized = sample->reader && sample->input_bytes > 0 && !sample->lost;
    copy.stage = strdup(sample->stage);
    copy.reader = sized ? strdup(sample->reader) : NULL;
    if (!copy.stage || (sized && !copy.reader)) {
        samples_drop(&copy);
        return br_fail_memory(diag);
    }
    history->waiting[history->samples++] = copy;
    return history->samples < WAITING_MOST ? BR_OK : br_history_flush(history, diag);
}

static bool samples_forget(struct br_history *history, enum br_history_statement which,
                           uint32_t kept)
{
    sqlite3_bind_text(history->database.statement[which], 1, history->job, -1, SQLITE_STATIC);
    sqlite3_bind_int64(history->database.statement[which], 2, kept);
    return br_database_step(&history->database, which);
}

bool br_history_forget(struct br_history *history, uint32_t kept)
{
    return samples_forget(history, BR_HISTORY_FORGET_SAMPLES, kept) &&
           samples_forget(history, BR_HISTORY_FORGET_RUNS, kept);
}

/* A command answered a hundred times by a compiler cache still needs its memory at the next miss.
 */
static bool thin_out(struct br_history *history)
{
    return samples_forget(history, BR_HISTORY_THIN_SAMPLES, BR_HISTORY_KEPT) &&
           samples_forget(history, BR_HISTORY_FORGET_RUNS, BR_HISTORY_KEPT) &&
           br_history_forget(history, BR_HISTORY_PEAKS);
}

enum br_status br_history_close(struct br_history *history, struct br_diag *diag)
{
    if (!history)
        return BR_OK;
    enum br_status status = br_history_flush(history, diag);
    if (!status && history->run &&
        !(br_database_run(&history->database, "BEGIN IMMEDIATE") && thin_out(history) &&
          br_database_run(&history->database, "COMMIT")))
        status = br_database_fail(&history->database, diag);
    samples_release(history);
    return status;
}

/* The duration of a row of the history's job, as it would be at the expected size. */
static bool samples_scale(const struct br_history *history, struct br_history_row *row)
{
    struct br_history_way way;
    if (!history->sizes || strcmp(row->job, history->job) != 0)
        return true;
    if (!br_history_way_read(row->stage, &way))
        return false;
    row->wall_ns = br_history_scaled(history, way.stage, row->run, row->wall_ns);
    free(way.text);
    return true;
}

/* Passes on the rows of a statement whose parameters are bound. */
static enum br_status read_rows(struct br_history *history, enum br_history_statement which,
                                void (*row)(void *context, const struct br_history_row *row),
                                void *context, struct br_diag *diag)
{
    sqlite3_stmt *statement = history->database.statement[which];
    int code = SQLITE_DONE;
    bool room = true;
    while (room && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *job = (const char *)sqlite3_column_text(statement, 1);
        const char *stage = (const char *)sqlite3_column_text(statement, 2);
        int64_t wall_ns = sqlite3_column_int64(statement, 3);
        struct br_history_row one = {sqlite3_column_int64(statement, 0), job, stage,
                                     wall_ns > 0 ? wall_ns : 0};
        if (!job || !stage)
            continue;
        room = which != BR_HISTORY_READ || samples_scale(history, &one);
        if (room)
            row(context, &one);
    }
    sqlite3_reset(statement);
    if (!room)
        return br_fail_memory(diag);
    return code == SQLITE_DONE ? BR_OK : br_database_fail(&history->database, diag);
}

enum br_status br_history_read(struct br_history *history,
                               void (*row)(void *context, const struct br_history_row *row),
                               void *context, struct br_diag *diag)
{
    sqlite3_stmt *statement = history->database.statement[BR_HISTORY_READ];
    sqlite3_bind_text(statement, 1, history->job, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, BR_HISTORY_RECENT);
    sqlite3_bind_int64(statement, 3, BR_HISTORY_OTHERS);
    return read_rows(history, BR_HISTORY_READ, row, context, diag);
}

enum br_status br_history_samples(struct br_history *history,
                                  void (*row)(void *context, const struct br_history_row *row),
                                  void *context, struct br_diag *diag)
{
    sqlite3_stmt *statement = history->database.statement[BR_HISTORY_SAMPLES];
    sqlite3_bind_text(statement, 1, history->job, -1, SQLITE_STATIC);
    return read_rows(history, BR_HISTORY_SAMPLES, row, context, diag);
}
