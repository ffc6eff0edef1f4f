/* Recorded arrivals. The column of times is found by its name; a file without a header has one
 * number per line. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/sort.h"
#include "cluster/workload/command/workloads.h"
#include "parsers/text/lines.h"
#include "parsers/text/value.h"
#include "cluster/workload/make.h"

enum { LONGEST_LINE = 1 << 16, COLUMNS_MOST = 200 };

struct table {
    struct br_lines lines;
    struct cli_recorded *recorded;
    struct br_diag *diag;
    uint32_t time, job; /* columns; UINT32_MAX: none */
    uint32_t fields;
    char *field[COLUMNS_MOST];
};

void cli_recorded_finish(struct cli_recorded *recorded)
{
    free(recorded->time_ns);
    free(recorded->name);
    br_arena_finish(&recorded->arena);
    *recorded = (struct cli_recorded){0};
}

static char *recorded_trim(char *text)
{
    text += strspn(text, " \t\"");
    size_t length = strlen(text);
    while (length && strchr(" \t\"", text[length - 1]))
        text[--length] = 0;
    return text;
}

static void recorded_split(struct table *table)
{
    char *p = table->lines.line;
    table->fields = 0;
    for (char *word; table->fields < COLUMNS_MOST && (word = strsep(&p, ","));)
        table->field[table->fields++] = recorded_trim(word);
}

static struct br_pos recorded_place(const struct table *table)
{
    return (struct br_pos){table->lines.number, 0};
}

static bool is_among(const char *word, const char *const *words)
{
    while (*words && strcasecmp(word, *words) != 0)
        words++;
    return *words;
}

static enum br_status recorded_read_head(struct table *table)
{
    static const char *const times[] = {"arrival",  "arrival_s",   "submit",
                                        "submit_s", "submit_time", "time",
                                        "time_s",   "seconds",     NULL};
    static const char *const jobs[] = {"job", "file", "name", "id", NULL};
    int64_t ns;
    if (br_seconds_parse(table->field[0], &ns) == BR_DECIMAL_OK && table->fields == 1) {
        table->time = 0; /* no header */
        return BR_OK;
    }
    for (uint32_t k = 0; k < table->fields; k++) {
        if (table->time == UINT32_MAX && is_among(table->field[k], times))
            table->time = k;
        else if (table->job == UINT32_MAX && is_among(table->field[k], jobs))
            table->job = k;
    }
    if (table->time == UINT32_MAX && table->fields == 1)
        table->time = 0;
    if (table->time == UINT32_MAX)
        return br_fail_at(table->diag, recorded_place(table), BR_BAD_INPUT,
                          "call the column of seconds arrival, submit or time",
                          "no column of the table is known as one of arrivals");
    return BR_OK;
}

static enum br_status add_time(struct table *table, const char *text)
{
    struct cli_recorded *recorded = table->recorded;
    int64_t ns;
    br_value_place(table->diag, recorded_place(table));
    enum br_status status = br_value_seconds(text, "time", "an arrival", &ns, table->diag);
    if (status)
        return status;
    if (!br_grow(&recorded->time_ns, recorded->count, &recorded->room, sizeof ns))
        return br_fail_memory(table->diag);
    recorded->time_ns[recorded->count] = ns;
    return BR_OK;
}

static enum br_status recorded_read_row(struct table *table)
{
    struct cli_recorded *recorded = table->recorded;
    bool named = table->job != UINT32_MAX;
    uint32_t need = named && table->job > table->time ? table->job : table->time;
    if (table->fields <= need)
        return br_fail_at(table->diag, recorded_place(table), BR_BAD_INPUT,
                          "fill the columns of the head", "the row has %" PRIu32 " fields",
                          table->fields);
    enum br_status status = add_time(table, table->field[table->time]);
    if (!status && named) {
        if (!br_grow(&recorded->name, recorded->count, &recorded->name_room,
                     sizeof *recorded->name) ||
            !(recorded->name[recorded->count] =
                  br_arena_text(&recorded->arena, table->field[table->job])))
            status = br_fail_memory(table->diag);
    }
    recorded->count += !status;
    return status;
}

static enum br_status recorded_read_table(struct table *table)
{
    bool more = false, head = true;
    enum br_status status;
    while (!(status = br_lines_next(&table->lines, &more, table->diag)) && more) {
        int64_t ns;
        if (table->lines.line[strspn(table->lines.line, " \t")] == 0 || table->lines.line[0] == '#')
            continue;
        recorded_split(table);
        bool first = head;
        head = false;
        status = first ? recorded_read_head(table) : BR_OK;
        if (!status && (!first || !br_seconds_parse(table->field[table->time], &ns)))
            status = recorded_read_row(table);
        if (status)
            break;
    }
    if (!status && !table->recorded->count)
        status = br_fail_at(table->diag, BR_NO_POS, BR_BAD_INPUT, "write a time in seconds a line",
                            "there is no arrival in the file");
    return status;
}

enum br_status cli_recorded_read(const char *path, struct cli_recorded *recorded,
                                 struct br_diag *diag)
{
    struct br_source source;
    *recorded = (struct cli_recorded){0};
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    struct table table = {.lines = br_lines_of(&source, LONGEST_LINE),
                          .recorded = recorded,
                          .diag = diag,
                          .time = UINT32_MAX,
                          .job = UINT32_MAX};
    status = recorded_read_table(&table);
    br_lines_finish(&table.lines);
    br_source_close(&source);
    if (!status) {
        br_value_place(diag, BR_NO_POS);
        br_diag_file(diag, NULL);
    }
    return status;
}

/* ---- Giving them to jobs ---- */

/* "q1" of "jobs/q1.xml": its length and its start. */
static const char *stem(const char *path, size_t *length)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    *length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    return name;
}

static uint64_t hash_stem(const char *name)
{
    size_t length;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const char *p = stem(name, &length); length--; p++)
        hash = (hash ^ (unsigned char)*p) * UINT64_C(1099511628211);
    return br_hash_number(hash);
}

static uint64_t recorded_hash_name(const void *context, uint32_t number)
{
    return hash_stem(((const struct cli_recorded *)context)->name[number]);
}

static bool recorded_equal_name(const void *context, uint32_t number, const void *key)
{
    size_t a, b;
    const char *name = stem(((const struct cli_recorded *)context)->name[number], &a);
    const char *wanted = stem(key, &b);
    return a == b && memcmp(name, wanted, a) == 0;
}

static enum br_status by_file(const struct cli_recorded *recorded, const char *path,
                              const struct br_workload *workload, int64_t *time,
                              struct br_diag *diag)
{
    static const struct br_index_keys keys = {recorded_hash_name, recorded_equal_name};
    struct br_index index = {0};
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < recorded->count && !status; k++)
        if (br_index_find(&index, &keys, recorded, recorded->name[k],
                          hash_stem(recorded->name[k])) == UINT32_MAX &&
            !br_index_add(&index, &keys, recorded, k))
            status = br_fail_memory(diag);
    for (uint32_t j = 0; j < workload->jobs && !status; j++) {
        const char *file = workload->dag[workload->job[j].dag].path;
        uint32_t k = br_index_find(&index, &keys, recorded, file, hash_stem(file));
        if (k == UINT32_MAX) {
            br_diag_file(diag, path);
            status = br_fail(diag, BR_BAD_INPUT, "with --count the times are taken in their order",
                             "the table has no arrival of '%.200s'", file);
        } else {
            time[j] = recorded->time_ns[k];
        }
    }
    br_index_finish(&index);
    return status;
}

static enum br_status recorded_in_order(const struct cli_recorded *recorded, const char *path,
                                        const struct br_workload *workload, int64_t *time,
                                        struct br_diag *diag)
{
    uint32_t count = recorded->count;
    if (count < workload->jobs) {
        br_diag_file(diag, path);
        return br_fail(diag, BR_BAD_INPUT, "ask for fewer jobs by --count",
                       "the file has %" PRIu32 " arrivals for %" PRIu32 " jobs", count,
                       workload->jobs);
    }
    struct br_sort_item *item = malloc(2 * (size_t)count * sizeof *item);
    if (!item)
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < count; k++)
        item[k] = (struct br_sort_item){br_sort_key(recorded->time_ns[k]), k};
    br_sort(item, item + count, count);
    for (uint32_t j = 0; j < workload->jobs; j++)
        time[j] = recorded->time_ns[item[j].item];
    free(item);
    return BR_OK;
}

enum br_status cli_recorded_apply(const struct cli_recorded *recorded, const char *path,
                                  bool by_name, struct br_workload *workload, struct br_diag *diag)
{
    int64_t *time = calloc((size_t)workload->jobs + 1, sizeof *time), first = INT64_MAX;
    if (!time)
        return br_fail_memory(diag);
    enum br_status status = by_name && recorded->name
                                ? by_file(recorded, path, workload, time, diag)
                                : recorded_in_order(recorded, path, workload, time, diag);
    for (uint32_t j = 0; j < workload->jobs; j++)
        if (time[j] < first)
            first = time[j];
    for (uint32_t j = 0; j < workload->jobs; j++)
        time[j] -= first;
    if (!status)
        br_workload_arrive_at(workload, time);
    free(time);
    return status;
}
