/* The lines of a source, one after the other, in memory that does not grow with the file. */
#ifndef BR_PARSERS_TEXT_LINES_H
#define BR_PARSERS_TEXT_LINES_H

#include "parsers/text/source.h"

struct br_lines {
    struct br_source *source; /* borrowed */
    size_t longest;           /* bytes; longer lines are refused */
    char *buffer;             /* the current line, and text read beyond it */
    size_t room, start, end;  /* of text not yet passed on */
    bool over;                /* the source is at its end */
    char *line;      /* the current line, NUL-terminated, without its end; may be changed */
    size_t length;   /* of it */
    uint32_t number; /* of it, from 1 */
};

/* Starts before the first line. */
struct br_lines br_lines_of(struct br_source *source, size_t longest);
/* Moves to the next line; *more is false at the end. A byte order mark and carriage returns at ends
 * of lines are dropped. Refused with their place: lines that are too long, NUL bytes, and invalid
 * UTF-8. O(1) per byte. */
enum br_status br_lines_next(struct br_lines *lines, bool *more, struct br_diag *diag);
void br_lines_finish(struct br_lines *lines);

#endif
