#include "store/database/database.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/diag.h"

enum { BUSY_MS = 10000 };

enum br_status br_database_fail(const struct br_database *database, struct br_diag *diag)
{
    const struct br_database_form *form = database->form;
    const int code = database->db ? sqlite3_errcode(database->db) : SQLITE_NOMEM;
    const bool foreign = code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR;
    char hint[80] = "another program holds it for long";
    if (code == SQLITE_CANTOPEN)
        strcpy(hint, "is there such a folder, and is it writable?");
    if (foreign)
        snprintf(hint, sizeof hint, "give a file that %s made, or remove it", form->option);
    br_diag_file(diag, database->path);
    return br_fail(diag, foreign ? BR_BAD_INPUT : BR_SYSTEM,
                   foreign || code == SQLITE_BUSY || code == SQLITE_CANTOPEN ? hint : NULL,
                   "the %s cannot be used: %s", form->what,
                   database->db ? sqlite3_errmsg(database->db) : "out of memory");
}

bool br_database_run(struct br_database *database, const char *text)
{
    return sqlite3_exec(database->db, text, NULL, NULL, NULL) == SQLITE_OK;
}

bool br_database_step(struct br_database *database, int which)
{
    assert(which >= 0 && which < database->form->statements);
    const int code = sqlite3_step(database->statement[which]);
    return sqlite3_reset(database->statement[which]) == SQLITE_OK &&
           (code == SQLITE_DONE || code == SQLITE_ROW);
}

/* The one number that a query gives. */
static bool database_read_number(struct br_database *database, const char *text, int64_t *number)
{
    sqlite3_stmt *statement = NULL;
    const bool good = sqlite3_prepare_v2(database->db, text, -1, &statement, NULL) == SQLITE_OK &&
                      sqlite3_step(statement) == SQLITE_ROW;
    if (good)
        *number = sqlite3_column_int64(statement, 0);
    return sqlite3_finalize(statement) == SQLITE_OK && good;
}

/* The change to the log needs the file alone, and SQLite does not wait for that as for other locks.
 */
static bool use_log(struct br_database *database)
{
    const int step_ms = 5;
    int status = SQLITE_BUSY;
    for (int waited_ms = 0; status == SQLITE_BUSY && waited_ms < BUSY_MS; waited_ms += step_ms) {
        status = sqlite3_exec(database->db, "PRAGMA journal_mode = WAL;", NULL, NULL, NULL);
        if (status == SQLITE_BUSY)
            sqlite3_sleep(step_ms);
    }
    return status == SQLITE_OK;
}

/* Gives an empty file its tables and its numbers. */
static bool make_tables(struct br_database *database)
{
    const struct br_database_form *form = database->form;
    char numbers[120];
    snprintf(numbers, sizeof numbers,
             "PRAGMA application_id = %" PRId64 "; PRAGMA user_version = %" PRId64 ";",
             form->application, form->version);
    return br_database_run(database, form->tables) && br_database_run(database, numbers);
}

/* Are the tables ours? A file has none if its maker was killed before they were whole. */
static enum br_status database_check_file(struct br_database *database, struct br_diag *diag)
{
    const struct br_database_form *form = database->form;
    int64_t application, version;
    if (!database_read_number(database, "PRAGMA application_id", &application) ||
        !database_read_number(database, "PRAGMA user_version", &version))
        return br_database_fail(database, diag);
    int64_t there = 1;
    if (application == 0 && version == 0 &&
        !database_read_number(database, "SELECT count(*) FROM sqlite_master", &there))
        return br_database_fail(database, diag);
    if (there == 0) {
        br_diag_file(diag, database->path);
        return br_fail(diag, BR_SYSTEM, form->maker, "this %s holds nothing yet", form->what);
    }
    if (application != form->application || version != form->version) {
        char hint[80];
        snprintf(hint, sizeof hint, "give a file that %s of this version made", form->option);
        br_diag_file(diag, database->path);
        return br_fail(diag, BR_BAD_INPUT, hint, "this is another kind of database");
    }
    return BR_OK;
}

/* Makes the tables in an empty file, and looks whether others are ours. Inside a transaction, since
 * two programs may do so at once. */
static enum br_status prepare_file(struct br_database *database, struct br_diag *diag)
{
    int64_t there;
    if (!br_database_run(database, "BEGIN IMMEDIATE") ||
        !database_read_number(database, "SELECT count(*) FROM sqlite_master", &there) ||
        (there == 0 && !make_tables(database)))
        return br_database_fail(database, diag);
    enum br_status status = database_check_file(database, diag);
    if (status)
        return status;
    return br_database_run(database, "COMMIT") ? BR_OK : br_database_fail(database, diag);
}

static enum br_status open_to_write(struct br_database *database, struct br_diag *diag)
{
    if (sqlite3_open_v2(database->path, &database->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                        NULL) != SQLITE_OK)
        return br_database_fail(database, diag);
    sqlite3_busy_timeout(database->db, BUSY_MS);
    enum br_status status = prepare_file(database, diag);
    /* A crash of the machine may cost what was written last, never the file. */
    if (!status &&
        (!use_log(database) || !br_database_run(database, "PRAGMA synchronous = NORMAL;")))
        status = br_database_fail(database, diag);
    return status;
}

/* ---- To read alone ---- */

/* The path as a URI with the query behind it; NULL when memory is out. Two slashes at its begin
 * would be those before a host. */
static char *make_uri(const char *path, const char *query)
{
    static const char hex[] = "0123456789ABCDEF";
    const size_t room = strlen("file:") + 3 * strlen(path) + strlen(query) + 1;
    char *uri = malloc(room);
    if (!uri)
        return NULL;
    size_t used = (size_t)snprintf(uri, room, "file:");
    for (const char *at = path; *at; at++)
        if (strchr("%?#", *at) || (*at == '/' && at == path + 1)) {
            uri[used++] = '%';
            uri[used++] = hex[(unsigned char)*at >> 4];
            uri[used++] = hex[(unsigned char)*at & 15];
        } else
            uri[used++] = *at;
    assert(used + strlen(query) < room);
    snprintf(uri + used, room - used, "%s", query);
    return uri;
}

/* May files be made and removed beside the file? SQLite needs some while others write it. */
static bool may_write_beside(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    const bool may = folder && access(folder, W_OK | X_OK) == 0;
    free(folder);
    return may;
}

/* Is there a log of what has not come into the file itself yet, or a journal of what must leave it
 * again? */
static bool has_log(const char *path)
{
    static const char *const suffix[] = {"-wal", "-journal"};
    bool has = false;
    for (size_t k = 0; k < sizeof suffix / sizeof *suffix && !has; k++) {
        struct stat log;
        char *name = NULL;
        has = asprintf(&name, "%s%s", path, suffix[k]) < 0 ||
              (stat(name, &log) == 0 && log.st_size > 0);
        free(name);
    }
    return has;
}

/* A process that may write file and folder shares them with writers as they do themselves, and
 * tidies up if it is the last. Any other would leave SQLite's files behind, or needs them and
 * cannot make them. */
static enum br_status open_to_read(struct br_database *database, struct br_diag *diag)
{
    const char *path = database->path, *query = "?immutable=1";
    int flags = SQLITE_OPEN_READONLY;
    if (access(path, F_OK) != 0) {
        br_diag_file(diag, path);
        return br_fail(diag, BR_SYSTEM, database->form->maker, "there is no such %s",
                       database->form->what);
    }
    if (access(path, W_OK) == 0 && may_write_beside(path)) {
        flags = SQLITE_OPEN_READWRITE;
        query = "";
    } else if (has_log(path))
        query = "";
    char *uri = make_uri(path, query);
    if (!uri)
        return br_fail_memory(diag);
    const int code = sqlite3_open_v2(uri, &database->db, flags | SQLITE_OPEN_URI, NULL);
    free(uri);
    if (code != SQLITE_OK)
        return br_database_fail(database, diag);
    sqlite3_busy_timeout(database->db, BUSY_MS);
    return br_database_run(database, "PRAGMA query_only = true")
               ? database_check_file(database, diag)
               : br_database_fail(database, diag);
}

static enum br_status database_open_file(struct br_database *database, struct br_diag *diag)
{
    const struct br_database_form *form = database->form;
    enum br_status status =
        database->reads ? open_to_read(database, diag) : open_to_write(database, diag);
    for (int k = 0; k < form->statements && !status; k++)
        if (sqlite3_prepare_v3(database->db, form->statement[k], -1, SQLITE_PREPARE_PERSISTENT,
                               &database->statement[k], NULL) != SQLITE_OK)
            status = br_database_fail(database, diag);
    return status;
}

static enum br_status open_as(struct br_database *database, const struct br_database_form *form,
                              const char *path, bool reads, struct br_diag *diag)
{
    *database = (struct br_database){.form = form, .reads = reads};
    database->path = strdup(path);
    database->statement = calloc((size_t)form->statements, sizeof(sqlite3_stmt *));
    return database->path && database->statement ? database_open_file(database, diag)
                                                 : br_fail_memory(diag);
}

enum br_status br_database_open(struct br_database *database, const struct br_database_form *form,
                                const char *path, struct br_diag *diag)
{
    return open_as(database, form, path, false, diag);
}

enum br_status br_database_open_to_read(struct br_database *database,
                                        const struct br_database_form *form, const char *path,
                                        struct br_diag *diag)
{
    return open_as(database, form, path, true, diag);
}

void br_database_close(struct br_database *database)
{
    for (int k = 0; database->statement && k < database->form->statements; k++)
        sqlite3_finalize(database->statement[k]);
    free(database->statement);
    sqlite3_close(database->db);
    free(database->path);
    *database = (struct br_database){0};
}
