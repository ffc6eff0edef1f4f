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
                                  enum br_store_which which, int64_t before,
                                  struct br_store_row *row, struct br_diag *diag)
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

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "store/database/database.h"

static const char tables[] =
    "CREATE TABLE plan(id INTEGER PRIMARY KEY AUTOINCREMENT," /* ascends with time */
    " form INTEGER NOT NULL, details INTEGER NOT NULL, cluster INTEGER NOT NULL,"
    " job TEXT NOT NULL, method TEXT NOT NULL, bound_method TEXT NOT NULL, seed INTEGER NOT NULL,"
    " placements INTEGER NOT NULL, effort INTEGER NOT NULL, makespan_ns INTEGER NOT NULL, cells "
    "BLOB NOT NULL,"
    " certificate TEXT, sum INTEGER NOT NULL, UNIQUE(form, details, cluster));"
    "CREATE INDEX plan_cluster ON plan(form, cluster);"
    "CREATE INDEX plan_form ON plan(form);";

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
    [FIND_SAME] = COLUMNS " WHERE form = ?1 AND details = ?2 AND cluster = ?3 AND id < ?4",
    [FIND_CLUSTER] =
        COLUMNS " WHERE form = ?1 AND cluster = ?3 AND id < ?4 ORDER BY id DESC LIMIT 1",
    [FIND_NEWEST] = COLUMNS " WHERE form = ?1 AND id < ?4 ORDER BY id DESC LIMIT 1",
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

static const struct br_database_form form = {
    .application = 1650946672, /* "bgrp" */
    .version = 1,
    .tables = tables,
    .what = "store of plans",
    .option = "--store",
    .maker = "'bigrocks plan JOB --store FILE' makes one",
    .statement = statement_text,
    .statements = STATEMENTS,
};

struct br_store_file {
    pthread_mutex_t lock; /* guards all the rest */
    struct br_database database;
};

bool br_store_file_is_there(void)
{
    return true;
}

void br_store_file_close(struct br_store_file *file)
{
    if (!file)
        return;
    br_database_close(&file->database);
    pthread_mutex_destroy(&file->lock);
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
    enum br_status status = br_database_open(&file->database, &form, path, diag);
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
static bool file_read_row(sqlite3_stmt *statement, struct br_store_row *row)
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
                                  enum br_store_which which, int64_t before,
                                  struct br_store_row *row, struct br_diag *diag)
{
    assert(which <= BR_STORE_NEWEST);
    sqlite3_stmt *statement = file->database.statement[which];
    *row = (struct br_store_row){0};
    pthread_mutex_lock(&file->lock);
    bind_keys(statement, keys);
    sqlite3_bind_int64(statement, 4, before);
    const int code = sqlite3_step(statement);
    enum br_status status = BR_OK;
    if (code == SQLITE_ROW && !file_read_row(statement, row))
        status = br_fail_memory(diag);
    else if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = br_database_fail(&file->database, diag);
    sqlite3_reset(statement);
    pthread_mutex_unlock(&file->lock);
    if (status)
        br_store_row_finish(row);
    return status;
}

/* The id of the row with these keys; 0: none. */
static bool find_id(struct br_store_file *file, const struct br_store_keys *keys, int64_t *id)
{
    sqlite3_stmt *statement = file->database.statement[FIND_ID];
    bind_keys(statement, keys);
    const int code = sqlite3_step(statement);
    *id = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    return sqlite3_reset(statement) == SQLITE_OK && (code == SQLITE_ROW || code == SQLITE_DONE);
}

static bool file_write_row(struct br_store_file *file, const struct br_store_row *row)
{
    sqlite3_stmt *statement = file->database.statement[PUT];
    assert(row->cells || row->cells_size == 0);
    assert((row->certificate != NULL) == (row->certificate_size > 0));
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
    const bool good = code == SQLITE_OK && br_database_step(&file->database, PUT);
    sqlite3_clear_bindings(statement);
    return good;
}

static bool file_forget(struct br_store_file *file, const struct br_store_row *row)
{
    sqlite3_bind_int64(file->database.statement[FORGET], 1, (int64_t)row->keys.form);
    sqlite3_bind_int64(file->database.statement[FORGET], 2, BR_STORE_KEPT);
    return br_database_step(&file->database, FORGET);
}

enum br_status br_store_file_put(struct br_store_file *file, const struct br_store_row *row,
                                 bool *written, struct br_diag *diag)
{
    int64_t id = 0;
    enum br_status status = BR_OK;
    pthread_mutex_lock(&file->lock);
    const bool begun = br_database_step(&file->database, BEGIN);
    bool good = begun && find_id(file, &row->keys, &id);
    *written = id == row->id;
    if (good && *written)
        good = file_write_row(file, row) && file_forget(file, row);
    good = good && br_database_step(&file->database, COMMIT);
    if (!good) {
        status = br_database_fail(&file->database, diag);
        if (begun && !sqlite3_get_autocommit(file->database.db))
            br_database_step(&file->database, ROLLBACK);
    }
    pthread_mutex_unlock(&file->lock);
    return status;
}

enum br_status br_store_file_count(struct br_store_file *file, uint64_t *plans,
                                   struct br_diag *diag)
{
    enum br_status status = BR_OK;
    pthread_mutex_lock(&file->lock);
    if (sqlite3_step(file->database.statement[COUNT]) == SQLITE_ROW)
        *plans = (uint64_t)sqlite3_column_int64(file->database.statement[COUNT], 0);
    else
        status = br_database_fail(&file->database, diag);
    sqlite3_reset(file->database.statement[COUNT]);
    pthread_mutex_unlock(&file->lock);
    return status;
}

#endif
