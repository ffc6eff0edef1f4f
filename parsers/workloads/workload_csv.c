/* Workloads as a table with commas (RFC 4180): a head of columns in any order, then a job a line.
 * A field in quotes may hold commas, line ends and, doubled, quotes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/options.h"
#include "parsers/text/begin.h"
#include "parsers/text/lines.h"
#include "parsers/text/value.h"
#include "parsers/workloads/formats.h"
#include "parsers/workloads/rows.h"

enum {
    LONGEST_LINE = 1 << 20,
    COLUMNS_MOST = 100,
    GROUP_WEIGHT = BR_ROW_FIELDS, /* a column beside the fields that both forms have */
};

struct reader {
    struct br_rows rows;
    struct br_lines lines;
    struct br_workload *workload;
    struct br_diag *diag;
    uint32_t first; /* line that the row begins in */
    char *joined;   /* the row so far, where it has several lines */
    size_t joined_room;
    uint32_t columns, role[COLUMNS_MOST]; /* enum br_row_field or GROUP_WEIGHT */
    uint32_t fields;
    char *field[COLUMNS_MOST];
    uint32_t column[COLUMNS_MOST]; /* where the field begins, in bytes from 1 */
    bool *weighed;                 /* by group: a row has given its weight */
    uint32_t weighed_room;
};

/* ---- A row ---- */

/* Whether a quote is open at the end of the text. */
static bool is_open(const char *text, bool open)
{
    for (; *text; text++)
        open ^= *text == '"';
    return open;
}

static bool append(struct reader *reader, size_t *used)
{
    const struct br_lines *lines = &reader->lines;
    size_t need = *used + lines->length + 2;
    if (need > reader->joined_room) {
        char *larger = realloc(reader->joined, need * 2);
        if (!larger)
            return false;
        reader->joined = larger;
        reader->joined_room = need * 2;
    }
    if (*used)
        reader->joined[(*used)++] = '\n';
    memcpy(reader->joined + *used, lines->line, lines->length + 1);
    *used += lines->length;
    return true;
}

static struct br_pos place(const struct reader *reader, uint32_t column)
{
    return (struct br_pos){reader->first, column};
}

/* The next row as one text; NULL at the end. */
static enum br_status next_row(struct reader *reader, char **text)
{
    bool more;
    size_t used = 0;
    *text = NULL;
    enum br_status status = br_lines_next(&reader->lines, &more, reader->diag);
    if (status || !more)
        return status;
    reader->first = reader->lines.number;
    bool open = is_open(reader->lines.line, false);
    if (!open) {
        *text = reader->lines.line;
        return BR_OK;
    }
    while (open) {
        if (!append(reader, &used))
            return br_fail_memory(reader->diag);
        if (used > LONGEST_LINE)
            return br_fail_at(reader->diag, place(reader, 0), BR_BAD_INPUT, "close the quote",
                              "the row is longer than 1 MiB");
        status = br_lines_next(&reader->lines, &more, reader->diag);
        if (!status && !more)
            status = br_fail_at(reader->diag, place(reader, 0), BR_BAD_INPUT, "add a \"",
                                "a quote is not closed");
        if (status)
            return status;
        open = is_open(reader->lines.line, open);
    }
    if (!append(reader, &used))
        return br_fail_memory(reader->diag);
    *text = reader->joined;
    return BR_OK;
}

/* Takes the quotes off a field that begins at *p, in place. */
static enum br_status unquote(struct reader *reader, char *text, char **p)
{
    char *from = *p + 1, *to = *p;
    for (; *from && (from[0] != '"' || from[1] == '"'); from++) {
        from += from[0] == '"';
        *to++ = *from;
    }
    if (*from != '"' || (from[1] && from[1] != ','))
        return br_fail_at(reader->diag, place(reader, (uint32_t)(from - text) + 1), BR_BAD_INPUT,
                          "double the quotes inside of quotes",
                          "there is text behind a quoted field");
    *p = from + 1;
    *to = 0; /* before the closing quote's place, or on it */
    return BR_OK;
}

static enum br_status split(struct reader *reader, char *text)
{
    char *p = text;
    reader->fields = 0;
    for (;;) {
        if (reader->fields == COLUMNS_MOST)
            return br_fail_at(reader->diag, place(reader, 0), BR_BAD_INPUT, NULL,
                              "a row has more than %d fields", COLUMNS_MOST);
        reader->field[reader->fields] = p;
        reader->column[reader->fields++] = (uint32_t)(p - text) + 1;
        if (*p == '"') {
            enum br_status status = unquote(reader, text, &p);
            if (status)
                return status;
        } else {
            p += strcspn(p, ",");
        }
        if (*p == 0)
            return BR_OK;
        *p++ = 0;
    }
}

/* ---- The head ---- */

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length && strchr(" \t", text[length - 1]))
        text[--length] = 0;
    return text;
}

static enum br_status read_name(struct reader *reader, uint32_t k)
{
    const char *name = trim(reader->field[k]);
    struct br_suggestion suggestion = {.word = name};
    char hint[120] = "columns are file, entry, id, arrival, group, weight, deadline, seed, scale, "
                     "parallel, cpu-only";
    uint32_t role = 0;
    while (role < BR_ROW_FIELDS && strcmp(name, br_row_name[role]) != 0)
        br_suggestion_offer(&suggestion, br_row_name[role++]);
    if (role == BR_ROW_FIELDS && strcmp(name, "group_weight") != 0) {
        br_suggestion_offer(&suggestion, "group_weight");
        if (suggestion.best)
            snprintf(hint, sizeof hint, "did you mean '%s'?", suggestion.best);
        return br_fail_at(reader->diag, place(reader, reader->column[k]), BR_BAD_INPUT, hint,
                          "there is no column '%.80s' in workloads", name);
    }
    for (uint32_t before = 0; before < k; before++)
        if (reader->role[before] == role)
            return br_fail_at(reader->diag, place(reader, reader->column[k]), BR_BAD_INPUT,
                              "leave out one of them", "there are two columns '%.80s'", name);
    reader->role[k] = role;
    return BR_OK;
}

static enum br_status read_head(struct reader *reader)
{
    char *text;
    enum br_status status;
    do
        status = next_row(reader, &text);
    while (!status && text && text[strspn(text, " \t")] == 0);
    if (!status && !text)
        status = br_fail_at(reader->diag, BR_NO_POS, BR_BAD_INPUT,
                            "write file,arrival and a job a line", "the workload has no head");
    if (!status)
        status = split(reader, text);
    reader->columns = reader->fields;
    for (uint32_t k = 0; !status && k < reader->columns; k++)
        status = read_name(reader, k);
    return status;
}

/* A head has the columns file and arrival. */
bool br_is_workload_csv(const char *text)
{
    bool file = false, arrival = false;
    for (const char *p = br_text_begin(text); *p && *p != '\n';) {
        p += strspn(p, " \t\"");
        size_t length = strcspn(p, ", \t\"\r\n");
        file |= length == 4 && strncmp(p, "file", 4) == 0;
        arrival |= length == 7 && strncmp(p, "arrival", 7) == 0;
        p += length;
        p += strspn(p, " \t\"\r");
        if (*p == ',')
            p++;
        else if (*p && *p != '\n')
            return false;
    }
    return file && arrival;
}

/* ---- Jobs ---- */

/* The weight of the job's group: the first row that tells it decides, and others may not differ. */
static enum br_status weigh_group(struct reader *reader, const char *group, const char *text)
{
    double weight;
    uint32_t number;
    if (!*text)
        return BR_OK;
    const char *name = group && *group ? group : "default";
    char owner[100];
    snprintf(owner, sizeof owner, "group '%.80s'", name);
    enum br_status status = br_row_number(text, "group_weight", owner, &weight, reader->diag);
    number = status ? BR_NO_GROUP : br_workload_find_group(reader->workload, name);
    if (!status && number == BR_NO_GROUP)
        status = br_workload_add_group(reader->workload, name, weight, &number, reader->diag);
    if (status)
        return status;
    uint32_t old = reader->weighed_room;
    if (number >= old) {
        uint32_t room = number + number / 2 + 16;
        bool *larger = realloc(reader->weighed, room * sizeof *larger);
        if (!larger)
            return br_fail_memory(reader->diag);
        memset(larger + old, 0, (room - old) * sizeof *larger);
        reader->weighed = larger;
        reader->weighed_room = room;
    }
    if (reader->weighed[number] && reader->workload->group[number].weight != weight)
        return br_fail(reader->diag, BR_BAD_INPUT, "a group has one weight",
                       "the weight of group '%.80s' is not as in the rows before", name);
    reader->weighed[number] = true;
    reader->workload->group[number].weight = weight;
    return BR_OK;
}

static enum br_status read_job(struct reader *reader, char *text)
{
    const char *field[BR_ROW_FIELDS + 1] = {0};
    enum br_status status = split(reader, text);
    if (status)
        return status;
    if (reader->fields != reader->columns)
        return br_fail_at(reader->diag, place(reader, 0), BR_BAD_INPUT,
                          "write as many fields as the head has, empty where nothing is to be said",
                          "the row has %" PRIu32 " fields, and the head %" PRIu32, reader->fields,
                          reader->columns);
    for (uint32_t k = 0; k < reader->columns; k++)
        field[reader->role[k]] = reader->field[k];
    br_value_place(reader->diag, place(reader, 1));
    if (field[GROUP_WEIGHT])
        status = weigh_group(reader, field[BR_ROW_GROUP], field[GROUP_WEIGHT]);
    return status ? status
                  : br_rows_add(&reader->rows, field, true, place(reader, 1), reader->diag);
}

enum br_status br_read_workload_csv(struct br_source *source,
                                    const struct br_workload_options *options,
                                    struct br_workload *workload, struct br_diag *diag)
{
    struct reader reader = {
        .lines = br_lines_of(source, LONGEST_LINE), .workload = workload, .diag = diag};
    char *text = NULL;
    enum br_status status = br_rows_begin(&reader.rows, source, options, workload, diag);
    if (!status)
        status = read_head(&reader);
    if (!status)
        status = next_row(&reader, &text);
    while (!status && text) {
        if (text[strspn(text, " \t")])
            status = read_job(&reader, text);
        if (!status)
            status = next_row(&reader, &text);
    }
    br_rows_finish(&reader.rows);
    br_lines_finish(&reader.lines);
    free(reader.joined);
    free(reader.weighed);
    return status;
}
