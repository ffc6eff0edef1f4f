/* Estimates from the samples of a history.
 *
 * They are robust: a median is not moved by the one run in which the machine was busy. All figures
 * are integers, so that equal files give equal estimates. */
#include <assert.h>
#include <stdlib.h>

#include "base/collections/grow.h"
#include "base/collections/sort.h"
#include "base/text/diag.h"
#include "store/history/file.h"
#include "store/history/way.h"

/* A list of numbers of at least 0. */
struct numbers {
    struct br_sort_item *item, *scratch;
    uint32_t count, room, scratch_room;
};

static bool estimates_add_number(struct numbers *numbers, int64_t value)
{
    if (!br_grow(&numbers->item, numbers->count, &numbers->room, sizeof *numbers->item))
        return false;
    assert(value >= 0);
    numbers->item[numbers->count] = (struct br_sort_item){(uint64_t)value, numbers->count};
    numbers->count++;
    return true;
}

/* The middle one, the lesser of two. */
static int64_t estimates_median(struct numbers *numbers)
{
    assert(numbers->count > 0);
    br_sort(numbers->item, numbers->scratch, numbers->count);
    return (int64_t)numbers->item[(numbers->count - 1) / 2].key;
}

struct samples {
    struct numbers wall, cpu;
    uint32_t runs;
    int64_t last_run;
};

/* The duration at the expected size and, if the row has the name of the way, as on a machine of
 * speed 1. */
static bool estimates_add_wall(const struct br_history *history, const char *asked,
                               sqlite3_stmt *statement, struct samples *samples, int64_t wall_ns)
{
    const int64_t run = sqlite3_column_int64(statement, 0);
    const char *name = sqlite3_column_count(statement) > 3
                           ? (const char *)sqlite3_column_text(statement, 3)
                           : NULL;
    struct br_history_way way = {.speed = {1, 0}};
    if (name && !br_history_way_read(name, &way))
        return false;
    const char *stage = name ? way.stage : asked;
    if (stage)
        wall_ns = br_history_scaled(history, stage, run, wall_ns);
    free(way.text);
    return estimates_add_number(&samples->wall,
                                name ? br_history_way_normal(way.speed, wall_ns) : wall_ns);
}

static bool estimates_add_row(const struct br_history *history, const char *asked,
                              sqlite3_stmt *statement, struct samples *samples)
{
    int64_t run = sqlite3_column_int64(statement, 0), wall = sqlite3_column_int64(statement, 1);
    assert(samples->runs == 0 || run >= samples->last_run);
    if (samples->runs == 0 || run != samples->last_run)
        samples->runs++;
    samples->last_run = run;
    if (wall < 0)
        wall = 0;
    int64_t cpu = sqlite3_column_int64(statement, 2);
    bool known = sqlite3_column_type(statement, 2) != SQLITE_NULL && wall > 0 && cpu >= 0 &&
                 cpu < INT64_MAX / 1000;
    return estimates_add_wall(history, asked, statement, samples, wall) &&
           (!known || estimates_add_number(&samples->cpu, cpu * 1000 / wall));
}

static bool summarise(struct samples *samples, struct br_history_estimate *estimate)
{
    struct numbers *wall = &samples->wall, *cpu = &samples->cpu;
    wall->scratch = calloc((size_t)wall->count + 1, sizeof *wall->scratch);
    cpu->scratch = calloc((size_t)cpu->count + 1, sizeof *cpu->scratch);
    bool good = wall->scratch && cpu->scratch;
    if (good && wall->count) {
        assert(samples->runs <= wall->count);
        estimate->runs = samples->runs;
        estimate->samples = wall->count;
        estimate->wall_ns = estimates_median(wall);
        estimate->cpu_milli = cpu->count ? estimates_median(cpu) : -1;
        for (uint32_t k = 0; k < wall->count; k++) {
            int64_t distance = (int64_t)wall->item[k].key - estimate->wall_ns;
            wall->item[k].key = (uint64_t)(distance < 0 ? -distance : distance);
        }
        estimate->spread_ns = estimates_median(wall);
    }
    return good;
}

/* The names whose samples are asked for: of one name, or of all ways of a stage by one alternative,
 * on whichever machines. */
struct asked {
    const char *name;     /* NULL: none but those within the bounds */
    char *first, *behind; /* bounds of names; NULL: only the name */
};

static sqlite3_stmt *estimates_bind(struct br_history *history, enum br_history_statement which,
                                    const struct asked *asked)
{
    sqlite3_stmt *statement = history->database.statement[which];
    sqlite3_bind_text(statement, 1, history->job, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, asked->name, -1, SQLITE_STATIC);
    if (asked->first) {
        sqlite3_bind_text(statement, 4, asked->first, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 5, asked->behind, -1, SQLITE_STATIC);
    }
    return statement;
}

/* Reads all their samples of the last runs; the lists in *samples are the caller's to free. */
static enum br_status read_samples(struct br_history *history, const struct asked *asked,
                                   struct samples *samples, struct br_diag *diag)
{
    sqlite3_stmt *statement = estimates_bind(
        history, asked->first ? BR_HISTORY_ESTIMATE_WAYS : BR_HISTORY_ESTIMATE, asked);
    sqlite3_bind_int64(statement, 3, BR_HISTORY_RECENT);
    int code = SQLITE_DONE;
    bool room = true;
    while (room && (code = sqlite3_step(statement)) == SQLITE_ROW)
        room = estimates_add_row(history, asked->name, statement, samples);
    sqlite3_reset(statement);
    if (!room)
        return br_fail_memory(diag);
    return code == SQLITE_DONE ? BR_OK : br_database_fail(&history->database, diag);
}

/* The largest memory of a task of them in all kept runs; -1: unknown. */
static enum br_status estimates_read_memory(struct br_history *history, const struct asked *asked,
                                            int64_t *mem_bytes, struct br_diag *diag)
{
    sqlite3_stmt *statement =
        estimates_bind(history, asked->first ? BR_HISTORY_MEMORY_WAYS : BR_HISTORY_MEMORY, asked);
    const int code = sqlite3_step(statement);
    const bool known = code == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL;
    const int64_t most = known ? sqlite3_column_int64(statement, 0) : -1;
    *mem_bytes = most < 0 ? -1 : most;
    sqlite3_reset(statement);
    return code == SQLITE_ROW ? BR_OK : br_database_fail(&history->database, diag);
}

static void free_samples(struct samples *samples)
{
    free(samples->wall.item);
    free(samples->wall.scratch);
    free(samples->cpu.item);
    free(samples->cpu.scratch);
}

static enum br_status estimate_asked(struct br_history *history, const struct asked *asked,
                                     struct br_history_estimate *estimate, struct br_diag *diag)
{
    struct samples samples = {0};
    *estimate = (struct br_history_estimate){.cpu_milli = -1, .mem_bytes = -1};
    enum br_status status = read_samples(history, asked, &samples, diag);
    if (!status && !summarise(&samples, estimate))
        status = br_fail_memory(diag);
    if (!status && estimate->samples)
        status = estimates_read_memory(history, asked, &estimate->mem_bytes, diag);
    free_samples(&samples);
    return status;
}

enum br_status br_history_estimate(struct br_history *history, const char *stage,
                                   struct br_history_estimate *estimate, struct br_diag *diag)
{
    const struct asked asked = {.name = stage};
    return estimate_asked(history, &asked, estimate, diag);
}

enum br_status br_history_estimate_ways(struct br_history *history, const char *stage,
                                        const char *alternative,
                                        struct br_history_estimate *estimate, struct br_diag *diag)
{
    const struct asked asked = {.name = alternative ? NULL : stage,
                                .first = br_history_way_bound(stage, alternative, false),
                                .behind = br_history_way_bound(stage, alternative, true)};
    const enum br_status status = asked.first && asked.behind
                                      ? estimate_asked(history, &asked, estimate, diag)
                                      : br_fail_memory(diag);
    free(asked.first);
    free(asked.behind);
    return status;
}

enum br_status br_history_durations(struct br_history *history, const char *stage,
                                    int64_t **wall_ns, uint32_t *samples, struct br_diag *diag)
{
    struct samples found = {0};
    *wall_ns = NULL;
    *samples = 0;
    const struct asked asked = {.name = stage};
    enum br_status status = read_samples(history, &asked, &found, diag);
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
