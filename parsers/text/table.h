/* Tables with commas (RFC 4180), read by rows. A field in quotes may hold commas, line ends and,
 * doubled, quotes. */
#ifndef BR_PARSERS_TEXT_TABLE_H
#define BR_PARSERS_TEXT_TABLE_H

#include "parsers/text/lines.h"

enum { BR_TABLE_COLUMNS = 100 };

struct br_table {
    struct br_lines lines;
    struct br_diag *diag;
    uint32_t first; /* line that the row begins in */
    char *joined;   /* the row so far, if it has several lines */
    size_t joined_room;
    uint32_t fields;
    char *field[BR_TABLE_COLUMNS];     /* of the current row; may be changed */
    uint32_t column[BR_TABLE_COLUMNS]; /* start of the field, in bytes from 1 */
};

/* Starts before the first row. */
struct br_table br_table_of(struct br_source *source, struct br_diag *diag);
/* Moves to the next row that is not blank and splits it; *more is false at the end. BR_BAD_INPUT
 * with the place for unclosed quotes, for text after a quoted field, and for rows longer than 1
 * MiB. */
enum br_status br_table_next(struct br_table *table, bool *more);
/* The place of a column of the current row; 0: of the row. */
struct br_pos br_table_place(const struct br_table *table, uint32_t column);
void br_table_finish(struct br_table *table);

/* Blanks at both ends taken off, in place. */
char *br_table_trim(char *text);

#endif
