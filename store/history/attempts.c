/* Attempts that failed and were tried again, in a table of their own, which files have from the
 * first of them on. A row belongs to its run, so it follows when a job is renamed. */
#include "base/text/diag.h"
#include "store/history/file.h"

static const char table[] = "CREATE TABLE IF NOT EXISTS lost(run INTEGER NOT NULL,"
                            " stage TEXT NOT NULL, attempt INTEGER NOT NULL)";
/* Rows of runs that are no longer kept. */
static const char forget[] = "DELETE FROM lost WHERE run NOT IN (SELECT id FROM run)";
#define RECENT "(SELECT id FROM run WHERE job = ?1 ORDER BY id DESC LIMIT ?3)"
static const char ended[] = "SELECT count(*), 0 FROM sample WHERE run IN " RECENT
                            " AND stage IN (SELECT id FROM stage WHERE job = ?1 AND (name = ?2 OR"
                            " (name > ?2 || char(31) AND name < ?2 || ' ')))";
static const char counts[] = "SELECT count(*), coalesce(sum(attempt = 1), 0) FROM lost"
                             " WHERE stage = ?2 AND run IN " RECENT;

static sqlite3_stmt *attempts_prepare(struct br_history *history, const char *text)
{
    sqlite3_stmt *statement = NULL;
    return sqlite3_prepare_v2(history->database.db, text, -1, &statement, NULL) == SQLITE_OK
               ? statement
               : NULL;
}

bool br_history_write_lost(struct br_history *history, const char *stage, uint32_t attempt)
{
    if (!br_database_run(&history->database, table) || !br_database_run(&history->database, forget))
        return false;
    sqlite3_stmt *statement =
        attempts_prepare(history, "INSERT INTO lost(run, stage, attempt) VALUES(?1, ?2, ?3)");
    if (!statement)
        return false;
    sqlite3_bind_int64(statement, 1, history->run);
    sqlite3_bind_text(statement, 2, stage, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, attempt);
    bool good = sqlite3_step(statement) == SQLITE_DONE;
    return sqlite3_finalize(statement) == SQLITE_OK && good;
}

/* The two numbers of the statement's only row. */
static bool attempts_count(struct br_history *history, const char *text, const char *stage,
                           uint64_t *first, uint64_t *second)
{
    sqlite3_stmt *statement = attempts_prepare(history, text);
    if (!statement)
        return false;
    if (sqlite3_bind_parameter_count(statement)) {
        sqlite3_bind_text(statement, 1, history->job, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 2, stage, -1, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 3, BR_HISTORY_RECENT);
    }
    bool good = sqlite3_step(statement) == SQLITE_ROW;
    if (good) {
        *first = (uint64_t)sqlite3_column_int64(statement, 0);
        *second = (uint64_t)sqlite3_column_int64(statement, 1);
    }
    return sqlite3_finalize(statement) == SQLITE_OK && good;
}

enum br_status br_history_attempts(struct br_history *history, const char *stage,
                                   struct br_history_attempts *attempts, struct br_diag *diag)
{
    uint64_t has = 0, none;
    *attempts = (struct br_history_attempts){0};
    bool good =
        attempts_count(history, ended, stage, &attempts->ended, &none) &&
        attempts_count(history, "SELECT count(*), 0 FROM sqlite_master WHERE name = 'lost'", stage,
                       &has, &none) &&
        (!has || attempts_count(history, counts, stage, &attempts->lost, &attempts->lost_first));
    return good ? BR_OK : br_database_fail(&history->database, diag);
}
