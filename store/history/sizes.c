/* Sizes of what stages read, in a table of their own, which files have from the first of them on. A
 * row belongs to its run, so it follows when a job is renamed.
 *
 * Durations of a run with a recorded size are brought to the present one. [Grandl16, 6] normalizes
 * by the size; ours where the file tells more: of runs of several sizes the line of least squares
 * through the mean durations, which may not fall with the size nor be below 0 at none; of one size
 * alone in proportion, which is also right for a line through 0. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/numbers/real.h"
#include "base/text/diag.h"
#include "store/history/file.h"

static const char table[] = "CREATE TABLE IF NOT EXISTS size(run INTEGER NOT NULL,"
                            " stage TEXT NOT NULL, bytes INTEGER NOT NULL, UNIQUE(run, stage))";
/* Rows of runs that are no longer kept. */
static const char forget[] = "DELETE FROM size WHERE run NOT IN (SELECT id FROM run)";
static const char insert[] = "INSERT OR IGNORE INTO size(run, stage, bytes) VALUES(?1, ?2, ?3)";
static const char exists[] = "SELECT 1 FROM sqlite_master WHERE name = 'size'";
/* By stage and run, ascending, with the mean duration of the stage's own name; NULL: it has none
 * there, as if all its tasks ran in ways. */
static const char sizes[] =
    "SELECT size.stage, size.run, size.bytes, (SELECT avg(wall_ns) FROM sample WHERE run = size.run"
    " AND stage = (SELECT id FROM stage WHERE job = ?1 AND name = size.stage))"
    " FROM size WHERE bytes > 0 AND run IN (SELECT id FROM run WHERE job = ?1"
    " ORDER BY id DESC LIMIT ?2) ORDER BY size.stage, size.run";

/* However far sizes are apart. */
static const double most = 1000;
static const double longest_ns = 3e18;

/* A run of a stage: its durations times the factor are those at the present size. */
struct br_history_size {
    const char *stage; /* borrowed from `names` */
    int64_t run;
    double bytes, wall_ns; /* wall_ns: the mean; 0: unknown */
    double factor;
};
struct br_history_sizes {
    struct br_history_size *size; /* by stage, then run */
    uint32_t count, room;
    char **name;
    uint32_t names, name_room;
};

static sqlite3_stmt *sizes_prepare(struct br_history *history, const char *text)
{
    sqlite3_stmt *statement = NULL;
    return sqlite3_prepare_v2(history->database.db, text, -1, &statement, NULL) == SQLITE_OK
               ? statement
               : NULL;
}

bool br_history_write_size(struct br_history *history, const char *stage, int64_t bytes)
{
    if (!br_database_run(&history->database, table) || !br_database_run(&history->database, forget))
        return false;
    sqlite3_stmt *statement = sizes_prepare(history, insert);
    if (!statement)
        return false;
    sqlite3_bind_int64(statement, 1, history->run);
    sqlite3_bind_text(statement, 2, stage, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, bytes);
    bool good = sqlite3_step(statement) == SQLITE_DONE;
    return sqlite3_finalize(statement) == SQLITE_OK && good;
}

void br_history_sizes_free(struct br_history_sizes *of)
{
    for (uint32_t k = 0; of && k < of->names; k++)
        free(of->name[k]);
    free(of ? of->name : NULL);
    free(of ? of->size : NULL);
    free(of);
}

/* ---- The model of a stage ---- */

/* The mean duration at a size, in units of no matter: at + per x size. */
struct line {
    double at, per;
};

static struct line sizes_fit(const struct br_history_size *size, uint32_t count)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, first = 0;
    bool differ = false;
    for (uint32_t k = 0; k < count; k++) {
        if (size[k].wall_ns <= 0)
            continue;
        first = n == 0 ? size[k].bytes : first;
        differ |= size[k].bytes != first;
        n++;
        x += size[k].bytes / first;
        y += size[k].wall_ns;
        xx += size[k].bytes / first * (size[k].bytes / first);
        xy += size[k].bytes / first * size[k].wall_ns;
    }
    struct line line = {0, 1};
    if (!differ)
        return line;
    line.per = (n * xy - x * y) / (n * xx - x * x) / first;
    line.at = (y - line.per * first * x) / n;
    if (line.per < 0)
        line = (struct line){y / n, 0};
    else if (line.at < 0)
        line = (struct line){0, xy / xx / first};
    return line;
}

/* Sets the factors of the runs of one stage. */
static void sizes_scale(struct br_history_size *size, uint32_t count, double bytes)
{
    struct line line = sizes_fit(size, count);
    double now = line.at + line.per * bytes;
    for (uint32_t k = 0; k < count; k++) {
        double then = line.at + line.per * size[k].bytes;
        double factor = then > 0 && now > 0 ? now / then : 1;
        size[k].factor = factor > most ? most : factor < 1 / most ? 1 / most : factor;
    }
}

/* ---- All stages ---- */

static bool sizes_add(struct br_history_sizes *of, sqlite3_stmt *statement)
{
    const char *stage = (const char *)sqlite3_column_text(statement, 0);
    if (!stage)
        return true;
    if (!of->names || strcmp(of->name[of->names - 1], stage) != 0) {
        char *name = strdup(stage);
        if (!name || !br_grow(&of->name, of->names, &of->name_room, sizeof *of->name)) {
            free(name);
            return false;
        }
        of->name[of->names++] = name;
    }
    if (!br_grow(&of->size, of->count, &of->room, sizeof *of->size))
        return false;
    double wall_ns = sqlite3_column_double(statement, 3);
    of->size[of->count++] =
        (struct br_history_size){.stage = of->name[of->names - 1],
                                 .run = sqlite3_column_int64(statement, 1),
                                 .bytes = (double)sqlite3_column_int64(statement, 2),
                                 .wall_ns = wall_ns > 0 && wall_ns < longest_ns ? wall_ns : 0,
                                 .factor = 1};
    return true;
}

static enum br_status sizes_read(struct br_history *history, struct br_history_sizes *of,
                                 struct br_diag *diag)
{
    sqlite3_stmt *statement = sizes_prepare(history, exists);
    bool there = statement && sqlite3_step(statement) == SQLITE_ROW, room = true;
    bool good = sqlite3_finalize(statement) == SQLITE_OK && statement;
    if (!good)
        return br_database_fail(&history->database, diag);
    if (!there)
        return BR_OK;
    statement = sizes_prepare(history, sizes);
    if (!statement)
        return br_database_fail(&history->database, diag);
    sqlite3_bind_text(statement, 1, history->job, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, BR_HISTORY_KEPT);
    int code = SQLITE_DONE;
    while (room && (code = sqlite3_step(statement)) == SQLITE_ROW)
        room = sizes_add(of, statement);
    sqlite3_finalize(statement);
    if (!room)
        return br_fail_memory(diag);
    return code == SQLITE_DONE ? BR_OK : br_database_fail(&history->database, diag);
}

/* The first row of the stage, or of the one behind it. O(log n). */
static uint32_t sizes_find(const struct br_history_sizes *of, const char *stage)
{
    uint32_t low = 0, high = of->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(of->size[middle].stage, stage) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t sizes_count(const struct br_history_sizes *of, uint32_t first, const char *stage)
{
    uint32_t count = 0;
    while (first + count < of->count && strcmp(of->size[first + count].stage, stage) == 0)
        count++;
    return count;
}

enum br_status br_history_expect(struct br_history *history, const struct br_history_input *input,
                                 uint32_t inputs, uint32_t *scaled, struct br_diag *diag)
{
    struct br_history_sizes *of = calloc(1, sizeof *of);
    *scaled = 0;
    br_history_sizes_free(history->sizes);
    history->sizes = of;
    if (!of)
        return br_fail_memory(diag);
    enum br_status status = sizes_read(history, of, diag);
    for (uint32_t k = 0; k < inputs && !status; k++) {
        uint32_t first = sizes_find(of, input[k].stage);
        uint32_t count = sizes_count(of, first, input[k].stage);
        if (!count || input[k].bytes <= 0)
            continue;
        sizes_scale(of->size + first, count, (double)input[k].bytes);
        for (uint32_t r = first; r < first + count; r++)
            if (of->size[r].factor != 1) {
                ++*scaled;
                break;
            }
    }
    return status;
}

int64_t br_history_scaled(const struct br_history *history, const char *stage, int64_t run,
                          int64_t wall_ns)
{
    const struct br_history_sizes *of = history->sizes;
    if (!of || !of->count)
        return wall_ns;
    for (uint32_t k = sizes_find(of, stage); k < of->count && strcmp(of->size[k].stage, stage) == 0;
         k++)
        if (of->size[k].run == run && of->size[k].factor != 1) {
            double ns = (double)wall_ns * of->size[k].factor;
            return ns < longest_ns ? br_real_whole(ns) : (int64_t)longest_ns;
        }
    return wall_ns;
}
