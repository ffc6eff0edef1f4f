/* Rows of JSON in an output with very many of them, written piece by piece into a buffer of our
 * own: a call of the C library per piece would take most of the time. Call br_row_flush before
 * writing to the FILE itself. */
#ifndef BR_EMIT_WRITE_ROW_H
#define BR_EMIT_WRITE_ROW_H

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "emit/write/write.h"

enum { BR_ROW_SIZE = 1 << 13 };

struct br_row {
    FILE *out; /* borrowed */
    size_t used;
    char text[BR_ROW_SIZE];
};

/* Passes the written text to the FILE; errors stay in its flag. */
static inline void br_row_flush(struct br_row *row)
{
    fwrite(row->text, 1, row->used, row->out);
    row->used = 0;
}

/* Makes room for this many bytes, far fewer than the buffer holds. */
static inline char *br_row_room(struct br_row *row, size_t size)
{
    assert(size <= BR_ROW_SIZE);
    if (BR_ROW_SIZE - row->used < size)
        br_row_flush(row);
    return row->text + row->used;
}

/* A short literal text: a word of the format. */
__attribute__((always_inline)) static inline void br_row_say(struct br_row *row, const char *text)
{
    const size_t size = strlen(text); /* usually known to the compiler */
    memcpy(br_row_room(row, size), text, size);
    row->used += size;
}

static inline void br_row_char(struct br_row *row, char c)
{
    *br_row_room(row, 1) = c;
    row->used++;
}

static inline void br_row_count(struct br_row *row, uint64_t count)
{
    row->used += (size_t)br_count_format(count, br_row_room(row, BR_COUNT_TEXT));
}

static inline void br_row_seconds(struct br_row *row, int64_t ns)
{
    row->used += (size_t)br_seconds_format(ns, br_row_room(row, BR_SECONDS_TEXT));
}

/* As by BR_QUOTE_JSON. These write like br_write_text, br_write_task, br_write_machine and
 * br_write_ratio. */
void br_row_text(struct br_row *row, const char *text);
/* A task of this stage. */
void br_row_task(struct br_row *row, const struct br_stage *stage, uint32_t task);
void br_row_machine(struct br_row *row, const struct br_cluster *cluster, uint32_t machine);
void br_row_ratio(struct br_row *row, int64_t numerator, int64_t denominator);
void br_row_decimal(struct br_row *row, struct br_decimal value);

#endif
