/* The jobs of a history, and their upkeep. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/diag.h"
#include "store/history/file.h"

static enum br_status each_job(struct br_history *history, enum br_history_statement which,
                               br_history_each_job *job, void *context, struct br_diag *diag)
{
    sqlite3_stmt *statement = history->database.statement[which];
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        struct br_history_job row = {(const char *)sqlite3_column_text(statement, 0),
                                     (uint32_t)sqlite3_column_int64(statement, 1),
                                     (const char *)sqlite3_column_text(statement, 2)};
        if (row.name && (row.stage || which == BR_HISTORY_JOBS))
            job(context, &row);
    }
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? BR_OK : br_database_fail(&history->database, diag);
}

enum br_status br_history_jobs(struct br_history *history, br_history_each_job *job, void *context,
                               struct br_diag *diag)
{
    return each_job(history, BR_HISTORY_JOBS, job, context, diag);
}

enum br_status br_history_stages(struct br_history *history, br_history_each_job *stage,
                                 void *context, struct br_diag *diag)
{
    return each_job(history, BR_HISTORY_STAGES, stage, context, diag);
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
    br_history_sizes_free(history->sizes); /* were those of the other one */
    history->sizes = NULL;
    return BR_OK;
}

enum br_status br_history_runs(struct br_history *history, br_history_each_run *run, void *context,
                               struct br_diag *diag)
{
    sqlite3_stmt *statement = history->database.statement[BR_HISTORY_RUNS];
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *job = (const char *)sqlite3_column_text(statement, 0);
        const struct br_history_run row = {
            .job = job,
            .run = sqlite3_column_int64(statement, 1),
            .began_s = sqlite3_column_int64(statement, 2),
            .samples = (uint32_t)sqlite3_column_int64(statement, 3),
            .work_s = sqlite3_column_double(statement, 4) / 1e9,
        };
        if (job)
            run(context, &row);
    }
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? BR_OK : br_database_fail(&history->database, diag);
}

/* Ends a transaction: commits, or undoes everything after a failure. */
static enum br_status history_jobs_end(struct br_history *history, bool good, struct br_diag *diag)
{
    if (good && br_database_run(&history->database, "COMMIT"))
        return BR_OK;
    enum br_status status = br_database_fail(&history->database, diag);
    br_database_run(&history->database, "ROLLBACK");
    return status;
}

static bool history_jobs_step_on(struct br_history *history, enum br_history_statement which,
                                 const char *job, const char *name)
{
    sqlite3_stmt *statement = history->database.statement[which];
    sqlite3_bind_text(statement, 1, job, -1, SQLITE_STATIC);
    if (name)
        sqlite3_bind_text(statement, 2, name, -1, SQLITE_STATIC);
    return br_database_step(&history->database, which);
}

static bool count_runs(struct br_history *history, const char *job, int64_t *runs)
{
    sqlite3_stmt *statement = history->database.statement[BR_HISTORY_HAS];
    sqlite3_bind_text(statement, 1, job, -1, SQLITE_STATIC);
    const bool good = sqlite3_step(statement) == SQLITE_ROW;
    *runs = good ? sqlite3_column_int64(statement, 0) : 0;
    return sqlite3_reset(statement) == SQLITE_OK && good;
}

enum br_status br_history_keep(struct br_history *history, uint32_t kept, uint32_t *gone,
                               struct br_diag *diag)
{
    int64_t before = 0, after = 0;
    const bool good = br_database_run(&history->database, "BEGIN IMMEDIATE") &&
                      count_runs(history, history->job, &before) &&
                      br_history_forget(history, kept) &&
                      history_jobs_step_on(history, BR_HISTORY_FORGET_STAGES, history->job, NULL) &&
                      count_runs(history, history->job, &after);
    assert(!good || before >= after);
    *gone = good ? (uint32_t)(before - after) : 0;
    return history_jobs_end(history, good, diag);
}

enum br_status br_history_rename(struct br_history *history, const char *name, bool *joined,
                                 struct br_diag *diag)
{
    int64_t runs = 0;
    char *copy = strdup(name);
    *joined = false;
    if (!copy)
        return br_fail_memory(diag);
    const bool good =
        br_database_run(&history->database, "BEGIN IMMEDIATE") &&
        count_runs(history, name, &runs) &&
        history_jobs_step_on(history, BR_HISTORY_RENAME_STAGES, history->job, name) &&
        history_jobs_step_on(history, BR_HISTORY_RENAME_SAMPLES, history->job, name) &&
        history_jobs_step_on(history, BR_HISTORY_RENAME_RUNS, history->job, name) &&
        history_jobs_step_on(history, BR_HISTORY_FORGET_STAGES, history->job, NULL);
    enum br_status status = history_jobs_end(history, good, diag);
    if (status) {
        free(copy);
        return status;
    }
    *joined = runs > 0 && strcmp(history->job, name) != 0;
    free(history->job);
    history->job = copy;
    return BR_OK;
}
