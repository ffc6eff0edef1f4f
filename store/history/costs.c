/* The planner's costs and the durations of queries, in a table of their own, which files have from
 * the first such query on. */
#include <stdlib.h>
#include <time.h>

#include "base/collections/grow.h"
#include "base/text/diag.h"
#include "store/history/file.h"

static const char table[] =
    "CREATE TABLE IF NOT EXISTS query_cost(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " began INTEGER NOT NULL, cost INTEGER NOT NULL, wall_ns INTEGER NOT NULL,"
    " UNIQUE(cost, wall_ns) ON CONFLICT REPLACE)";

/* A statement of its own, since other files lack the table; NULL if preparing it fails. */
static sqlite3_stmt *costs_prepare(struct br_history *history, const char *text)
{
    sqlite3_stmt *statement = NULL;
    return sqlite3_prepare_v2(history->database.db, text, -1, &statement, NULL) == SQLITE_OK
               ? statement
               : NULL;
}

static bool costs_add(struct br_history *history, const struct br_history_cost *cost,
                      uint32_t count)
{
    if (!br_database_run(&history->database, table))
        return false;
    sqlite3_stmt *statement =
        costs_prepare(history, "INSERT INTO query_cost(began, cost, wall_ns) VALUES(?1, ?2, ?3)");
    bool good = statement;
    for (uint32_t k = 0; k < count && good; k++) {
        sqlite3_bind_int64(statement, 1, (int64_t)time(NULL));
        sqlite3_bind_int64(statement, 2, cost[k].cost);
        sqlite3_bind_int64(statement, 3, cost[k].wall_ns);
        good = sqlite3_step(statement) == SQLITE_DONE;
        sqlite3_reset(statement);
    }
    return sqlite3_finalize(statement) == SQLITE_OK && good;
}

enum br_status br_history_add_costs(struct br_history *history, const struct br_history_cost *cost,
                                    uint32_t count, struct br_diag *diag)
{
    bool good = br_database_run(&history->database, "BEGIN IMMEDIATE") &&
                costs_add(history, cost, count) && br_database_run(&history->database, "COMMIT");
    if (good)
        return BR_OK;
    enum br_status status = br_database_fail(&history->database, diag);
    br_database_run(&history->database, "ROLLBACK");
    return status;
}

enum br_status br_history_costs(struct br_history *history, struct br_history_cost **cost,
                                uint32_t *count, struct br_diag *diag)
{
    uint32_t room = 0;
    *cost = NULL;
    *count = 0;
    sqlite3_stmt *statement =
        costs_prepare(history, "SELECT 1 FROM sqlite_master WHERE name = 'query_cost'");
    int code = statement ? sqlite3_step(statement) : SQLITE_ERROR;
    sqlite3_finalize(statement);
    if (code == SQLITE_DONE)
        return BR_OK;
    statement =
        costs_prepare(history, "SELECT cost, wall_ns FROM query_cost WHERE cost > 0 AND wall_ns > 0"
                               " ORDER BY id DESC LIMIT 100");
    bool grown = true;
    while (statement && (code = sqlite3_step(statement)) == SQLITE_ROW &&
           (grown = br_grow(cost, *count, &room, sizeof **cost)))
        (*cost)[(*count)++] = (struct br_history_cost){sqlite3_column_int64(statement, 0),
                                                       sqlite3_column_int64(statement, 1)};
    enum br_status status = BR_OK;
    if (!grown)
        status = br_fail_memory(diag);
    else if (!statement || code != SQLITE_DONE)
        status = br_database_fail(&history->database, diag);
    sqlite3_finalize(statement);
    return status;
}
