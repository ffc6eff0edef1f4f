#include "parsers/text/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/text/value.h"

enum { LONGEST_LINE = 1 << 20 };

struct br_table br_table_of(struct br_source *source, struct br_diag *diag)
{
    return (struct br_table){.lines = br_lines_of(source, LONGEST_LINE), .diag = diag};
}

void br_table_finish(struct br_table *table)
{
    br_lines_finish(&table->lines);
    free(table->joined);
    table->joined = NULL;
}

char *br_table_trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length && strchr(" \t", text[length - 1]))
        text[--length] = 0;
    return text;
}

/* Is a quote open at the end of the text? */
static bool text_table_is_open(const char *text, bool open)
{
    for (; *text; text++)
        open ^= *text == '"';
    return open;
}

static bool text_table_append(struct br_table *table, size_t *used)
{
    const struct br_lines *lines = &table->lines;
    size_t need = *used + lines->length + 2;
    if (need > table->joined_room) {
        char *larger = realloc(table->joined, need * 2);
        if (!larger)
            return false;
        table->joined = larger;
        table->joined_room = need * 2;
    }
    if (*used)
        table->joined[(*used)++] = '\n';
    memcpy(table->joined + *used, lines->line, lines->length + 1);
    *used += lines->length;
    assert(*used + 1 < table->joined_room);
    return true;
}

struct br_pos br_table_place(const struct br_table *table, uint32_t column)
{
    return (struct br_pos){table->first, column};
}

/* The next row as one text; NULL at the end. */
static enum br_status next_row(struct br_table *table, char **text)
{
    bool more;
    size_t used = 0;
    *text = NULL;
    enum br_status status = br_lines_next(&table->lines, &more, table->diag);
    if (status || !more)
        return status;
    table->first = table->lines.number;
    bool open = text_table_is_open(table->lines.line, false);
    if (!open) {
        *text = table->lines.line;
        return BR_OK;
    }
    while (open) {
        if (!text_table_append(table, &used))
            return br_fail_memory(table->diag);
        if (used > LONGEST_LINE)
            return br_fail_at(table->diag, br_table_place(table, 0), BR_BAD_INPUT,
                              "close the quote", "the row is longer than 1 MiB");
        status = br_lines_next(&table->lines, &more, table->diag);
        if (!status && !more)
            status = br_fail_at(table->diag, br_table_place(table, 0), BR_BAD_INPUT, "add a \"",
                                "a quote is not closed");
        if (status)
            return status;
        open = text_table_is_open(table->lines.line, open);
    }
    if (!text_table_append(table, &used))
        return br_fail_memory(table->diag);
    *text = table->joined;
    return BR_OK;
}

/* Takes the quotes off a field that begins at *p, in place. */
static enum br_status text_table_unquote(struct br_table *table, char *text, char **p)
{
    char *from = *p + 1, *to = *p;
    for (; *from && (from[0] != '"' || from[1] == '"'); from++) {
        from += from[0] == '"';
        *to++ = *from;
    }
    assert(to < from);
    if (*from != '"' || (from[1] && from[1] != ','))
        return br_fail_at(table->diag, br_table_place(table, (uint32_t)(from - text) + 1),
                          BR_BAD_INPUT, "double the quotes inside of quotes",
                          "there is text behind a quoted field");
    *p = from + 1;
    *to = 0; /* before the closing quote's place, or on it */
    return BR_OK;
}

static enum br_status text_table_split(struct br_table *table, char *text)
{
    char *p = text;
    table->fields = 0;
    for (;;) {
        if (table->fields == BR_TABLE_COLUMNS)
            return br_fail_at(table->diag, br_table_place(table, 0), BR_BAD_INPUT, NULL,
                              "a row has more than %d fields", BR_TABLE_COLUMNS);
        table->field[table->fields] = p;
        table->column[table->fields++] = (uint32_t)(p - text) + 1;
        if (*p == '"') {
            enum br_status status = text_table_unquote(table, text, &p);
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

enum br_status br_table_next(struct br_table *table, bool *more)
{
    char *text;
    enum br_status status;
    do
        status = next_row(table, &text);
    while (!status && text && text[strspn(text, " \t")] == 0);
    *more = !status && text;
    return *more ? text_table_split(table, text) : status;
}
