/* Rows in an SQLite file.
 *
 * Readers never wait (the log is written ahead), and writers wait for each other. All calls on one
 * file take turns, so that threads may share it.
 */
#include "store/file.h"

#include <bigrocks/store.h>

#include "base/text/diag.h"

#ifndef BR_STORE_SQLITE

static enum br_status fail_missing(struct br_diag *diag)
{
    return br_fail(diag, BR_SYSTEM, "install libsqlite3-dev and build again",
                   "this build keeps no plans");
}

bool br_store_file_is_there(void)
{
    return false;
}

enum br_status br_store_file_open(const char *path, struct br_store_file **file,
                                  struct br_diag *diag)
{
    *file = NULL;
    return fail_missing(diag);
}

void br_store_file_close(struct br_store_file *file)
{
}

enum br_status br_store_file_find(struct br_store_file *file, const struct br_store_keys *keys,
                                  enum br_store_which which, struct br_store_row *row,
                                  struct br_diag *diag)
{
    return fail_missing(diag);
}

enum br_status br_store_file_put(struct br_store_file *file, const struct br_store_row *row,
                                 bool *written, struct br_diag *diag)
{
    return fail_missing(diag);
}

enum br_status br_store_file_count(struct br_store_file *file, uint64_t *plans,
                                   struct br_diag *diag)
{
    return fail_missing(diag);
}

#else

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* "bgrp", so that other programs' files, and histories, are told apart; and the form of the tables.
 */
#define APPLICATION "1650946672"
#define VERSION "1"
enum { BUSY_MS = 10000 };

static const char tables[] =
    "CREATE TABLE plan(id INTEGER PRIMARY KEY AUTOINCREMENT," /* ascends with time */
    " form INTEGER NOT NULL, details INTEGER NOT NULL, cluster INTEGER NOT NULL,"
    " job TEXT NOT NULL, method TEXT NOT NULL, bound_method TEXT NOT NULL, seed INTEGER NOT NULL,"
    " placements INTEGER NOT NULL, effort INTEGER NOT NULL, makespan_ns INTEGER NOT NULL, cells "
    "BLOB NOT NULL,"
    " certificate TEXT, sum INTEGER NOT NULL, UNIQUE(form, details, cluster));"
    "CREATE INDEX plan_cluster ON plan(form, cluster);"
    "CREATE INDEX plan_form ON plan(form);"
    "PRAGMA application_id = " APPLICATION ";"
    "PRAGMA user_version = " VERSION ";";

enum statement {
    FIND_SAME = BR_STORE_SAME,
    FIND_CLUSTER = BR_STORE_CLUSTER,
    FIND_NEWEST = BR_STORE_NEWEST,
    FIND_ID,
    PUT,
    FORGET,
    COUNT,
    BEGIN,
    COMMIT,
    ROLLBACK,
    STATEMENTS
};
#define COLUMNS                                                                                    \
    "SELECT id, form, details, cluster, job, method, bound_method, seed, effort, makespan_ns,"     \
    " placements, cells, certificate, sum FROM plan"
static const char *const statement_text[STATEMENTS] = {
    [FIND_SAME] = COLUMNS " WHERE form = ?1 AND details = ?2 AND cluster = ?3",
    [FIND_CLUSTER] = COLUMNS " WHERE form = ?1 AND cluster = ?3 ORDER BY id DESC LIMIT 1",
    [FIND_NEWEST] = COLUMNS " WHERE form = ?1 ORDER BY id DESC LIMIT 1",
    [FIND_ID] = "SELECT id FROM plan WHERE form = ?1 AND details = ?2 AND cluster = ?3",
    [PUT] = ("INSERT OR REPLACE INTO plan(form, details, cluster, job, method, bound_method, seed,"
             " effort, makespan_ns, cells, certificate, sum, placements)"
             " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"),
    [FORGET] = ("DELETE FROM plan WHERE id IN"
                " (SELECT id FROM plan WHERE form = ?1 ORDER BY id DESC LIMIT -1 OFFSET ?2)"),
    [COUNT] = "SELECT count(*) FROM plan",
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
};

struct br_store_file {
    sqlite3 *db;
    char *path;
    pthread_mutex_t lock; /* guards all the rest */
    sqlite3_stmt *statement[STATEMENTS];
};

bool br_store_file_is_there(void)
{
    return true;
}

static enum br_status fail(const struct br_store_file *file, struct br_diag *diag)
{
    const int code = file->db ? sqlite3_errcode(file->db) : SQLITE_NOMEM;
    const bool foreign = code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR;
    br_diag_file(diag, file->path);
    return br_fail(diag, foreign ? BR_BAD_INPUT : BR_SYSTEM,
                   foreign               ? "give a file that --store made, or remove it"
                   : code == SQLITE_BUSY ? "another program holds it for long"
                                         : NULL,
                   "the store of plans cannot be used: %s",
                   file->db ? sqlite3_errmsg(file->db) : "out of memory");
}

static bool run_text(struct br_store_file *file, const char *text)
{
    return sqlite3_exec(file->db, text, NULL, NULL, NULL) == SQLITE_OK;
}

/* The one number that a query gives. */
static bool read_number(struct br_store_file *file, const char *text, int64_t *number)
{
    sqlite3_stmt *statement = NULL;
    const bool good = sqlite3_prepare_v2(file->db, text, -1, &statement, NULL) == SQLITE_OK &&
                      sqlite3_step(statement) == SQLITE_ROW;
    if (good)
        *number = sqlite3_column_int64(statement, 0);
    return sqlite3_finalize(statement) == SQLITE_OK && good;
}

/* The change to the log needs the file alone, and SQLite does not wait for that as for other locks.
 */
static bool use_log(struct br_store_file *file)
{
    const int step_ms = 5;
    int status = SQLITE_BUSY;
    for (int waited_ms = 0; status == SQLITE_BUSY && waited_ms < BUSY_MS; waited_ms += step_ms) {
        status = sqlite3_exec(file->db, "PRAGMA journal_mode = WAL;", NULL, NULL, NULL);
        if (status == SQLITE_BUSY)
            sqlite3_sleep(step_ms);
    }
    return status == SQLITE_OK;
}

/* Makes the tables in an empty file, and looks whether others are ours. Inside a transaction, since
 * two programs may do so at once. */
static enum br_status prepare_file(struct br_store_file *file, struct br_diag *diag)
{
    int64_t there, application, version;
    if (!run_text(file, "BEGIN IMMEDIATE") ||
        !read_number(file, "SELECT count(*) FROM sqlite_master", &there) ||
        (there == 0 && !run_text(file, tables)) ||
        !read_number(file, "PRAGMA application_id", &application) ||
        !read_number(file, "PRAGMA user_version", &version))
        return fail(file, diag);
    if (application != strtoll(APPLICATION, NULL, 10) || version != strtoll(VERSION, NULL, 10)) {
        br_diag_file(diag, file->path);
        return br_fail(diag, BR_BAD_INPUT, "give a file that --store of this version made",
                       "this is another kind of database");
    }
    return run_text(file, "COMMIT") ? BR_OK : fail(file, diag);
}

static enum br_status open_file(struct br_store_file *file, struct br_diag *diag)
{
    if (sqlite3_open_v2(file->path, &file->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK)
        return fail(file, diag);
    sqlite3_busy_timeout(file->db, BUSY_MS);
    enum br_status status = prepare_file(file, diag);
    /* A crash of the machine may cost the last plans, never the file. */
    if (!status && (!use_log(file) || !run_text(file, "PRAGMA synchronous = NORMAL;")))
        status = fail(file, diag);
    for (int k = 0; k < STATEMENTS && !status; k++)
        if (sqlite3_prepare_v3(file->db, statement_text[k], -1, SQLITE_PREPARE_PERSISTENT,
                               &file->statement[k], NULL) != SQLITE_OK)
            status = fail(file, diag);
    return status;
}

void br_store_file_close(struct br_store_file *file)
{
    if (!file)
        return;
    for (int k = 0; k < STATEMENTS; k++)
        sqlite3_finalize(file->statement[k]);
    sqlite3_close(file->db);
    pthread_mutex_destroy(&file->lock);
    free(file->path);
    free(file);
}

enum br_status br_store_file_open(const char *path, struct br_store_file **result,
                                  struct br_diag *diag)
{
    struct br_store_file *file = calloc(1, sizeof *file);
    *result = NULL;
    if (!file)
        return br_fail_memory(diag);
    pthread_mutex_init(&file->lock, NULL);
    file->path = strdup(path);
    enum br_status status = file->path ? open_file(file, diag) : br_fail_memory(diag);
    if (status)
        br_store_file_close(file);
    else
        *result = file;
    return status;
}

/* ---- Rows ---- */

static void bind_keys(sqlite3_stmt *statement, const struct br_store_keys *keys)
{
    sqlite3_bind_int64(statement, 1, (int64_t)keys->form);
    sqlite3_bind_int64(statement, 2, (int64_t)keys->details);
    sqlite3_bind_int64(statement, 3, (int64_t)keys->cluster);
}

/* A copy of the column's bytes with a NUL behind them; NULL when memory is out. */
static char *copy_column(struct br_arena *arena, sqlite3_stmt *statement, int column,
                         uint64_t *size)
{
    const void *bytes = sqlite3_column_blob(statement, column);
    *size = (uint64_t)sqlite3_column_bytes(statement, column);
    char *copy = br_arena_alloc(arena, (size_t)*size + 1);
    if (copy && bytes)
        memcpy(copy, bytes, (size_t)*size);
    return copy;
}

/* False when memory is out. */
static bool read_row(sqlite3_stmt *statement, struct br_store_row *row)
{
    uint64_t size;
    row->id = sqlite3_column_int64(statement, 0);
    row->keys = (struct br_store_keys){(uint64_t)sqlite3_column_int64(statement, 1),
                                       (uint64_t)sqlite3_column_int64(statement, 2),
                                       (uint64_t)sqlite3_column_int64(statement, 3)};
    row->job = copy_column(&row->arena, statement, 4, &size);
    row->method = copy_column(&row->arena, statement, 5, &size);
    row->bound_method = copy_column(&row->arena, statement, 6, &size);
    row->seed = (uint64_t)sqlite3_column_int64(statement, 7);
    row->effort = sqlite3_column_int64(statement, 8);
    row->makespan_ns = sqlite3_column_int64(statement, 9);
    row->cells = (unsigned char *)copy_column(&row->arena, statement, 11, &row->cells_size);
    row->placements = (uint64_t)sqlite3_column_int64(statement, 10);
    const bool proven = sqlite3_column_type(statement, 12) != SQLITE_NULL;
    if (proven)
        row->certificate = copy_column(&row->arena, statement, 12, &row->certificate_size);
    if (!row->job || !row->method || !row->bound_method || !row->cells ||
        (proven && !row->certificate))
        return false;
    if ((uint64_t)sqlite3_column_int64(statement, 13) != br_store_row_sum(row))
        row->cells_size = 0;
    return true;
}

enum br_status br_store_file_find(struct br_store_file *file, const struct br_store_keys *keys,
                                  enum br_store_which which, struct br_store_row *row,
                                  struct br_diag *diag)
{
    sqlite3_stmt *statement = file->statement[which];
    *row = (struct br_store_row){0};
    pthread_mutex_lock(&file->lock);
    bind_keys(statement, keys);
    const int code = sqlite3_step(statement);
    enum br_status status = BR_OK;
    if (code == SQLITE_ROW && !read_row(statement, row))
        status = br_fail_memory(diag);
    else if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = fail(file, diag);
    sqlite3_reset(statement);
    pthread_mutex_unlock(&file->lock);
    if (status)
        br_store_row_finish(row);
    return status;
}

/* Runs a statement whose parameters are bound. Every failed binding shows in the step. */
static bool step(struct br_store_file *file, enum statement which)
{
    const int code = sqlite3_step(file->statement[which]);
    return sqlite3_reset(file->statement[which]) == SQLITE_OK &&
           (code == SQLITE_DONE || code == SQLITE_ROW);
}

/* The id of the row with these keys; 0: none is there. */
static bool find_id(struct br_store_file *file, const struct br_store_keys *keys, int64_t *id)
{
    sqlite3_stmt *statement = file->statement[FIND_ID];
    bind_keys(statement, keys);
    const int code = sqlite3_step(statement);
    *id = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    return sqlite3_reset(statement) == SQLITE_OK && (code == SQLITE_ROW || code == SQLITE_DONE);
}

static bool write_row(struct br_store_file *file, const struct br_store_row *row)
{
    sqlite3_stmt *statement = file->statement[PUT];
    bind_keys(statement, &row->keys);
    sqlite3_bind_text(statement, 4, row->job, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 5, row->method, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 6, row->bound_method, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 7, (int64_t)row->seed);
    sqlite3_bind_int64(statement, 8, row->effort);
    sqlite3_bind_int64(statement, 9, row->makespan_ns);
    int code = sqlite3_bind_blob64(statement, 10, row->cells, row->cells_size, SQLITE_STATIC);
    if (code == SQLITE_OK && row->certificate)
        code = sqlite3_bind_text64(statement, 11, row->certificate, row->certificate_size,
                                   SQLITE_STATIC, SQLITE_UTF8);
    sqlite3_bind_int64(statement, 12, (int64_t)br_store_row_sum(row));
    sqlite3_bind_int64(statement, 13, (int64_t)row->placements);
    const bool good = code == SQLITE_OK && step(file, PUT);
    sqlite3_clear_bindings(statement);
    return good;
}

static bool forget(struct br_store_file *file, const struct br_store_row *row)
{
    sqlite3_bind_int64(file->statement[FORGET], 1, (int64_t)row->keys.form);
    sqlite3_bind_int64(file->statement[FORGET], 2, BR_STORE_KEPT);
    return step(file, FORGET);
}

enum br_status br_store_file_put(struct br_store_file *file, const struct br_store_row *row,
                                 bool *written, struct br_diag *diag)
{
    int64_t id = 0;
    enum br_status status = BR_OK;
    pthread_mutex_lock(&file->lock);
    const bool begun = step(file, BEGIN);
    bool good = begun && find_id(file, &row->keys, &id);
    *written = id == row->id;
    if (good && *written)
        good = write_row(file, row) && forget(file, row);
    good = good && step(file, COMMIT);
    if (!good) {
        status = fail(file, diag);
        if (begun && !sqlite3_get_autocommit(file->db))
            step(file, ROLLBACK);
    }
    pthread_mutex_unlock(&file->lock);
    return status;
}

enum br_status br_store_file_count(struct br_store_file *file, uint64_t *plans,
                                   struct br_diag *diag)
{
    enum br_status status = BR_OK;
    pthread_mutex_lock(&file->lock);
    if (sqlite3_step(file->statement[COUNT]) == SQLITE_ROW)
        *plans = (uint64_t)sqlite3_column_int64(file->statement[COUNT], 0);
    else
        status = fail(file, diag);
    sqlite3_reset(file->statement[COUNT]);
    pthread_mutex_unlock(&file->lock);
    return status;
}

#endif
