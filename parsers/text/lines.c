/* Lines of a source through one buffer, which grows to the longest line. */
#include "parsers/text/lines.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

struct br_lines br_lines_of(struct br_source *source, size_t longest)
{
    return (struct br_lines){.source = source, .longest = longest};
}

void br_lines_finish(struct br_lines *lines)
{
    free(lines->buffer);
    *lines = (struct br_lines){0};
}

/* Moves the rest to the front, makes room after it, and reads into that. */
static enum br_status text_lines_fill(struct br_lines *lines, struct br_diag *diag)
{
    assert(lines->start <= lines->end && lines->end <= lines->room);
    size_t left = lines->end - lines->start;
    if (left + 1 >= lines->room) {
        size_t room = lines->room ? lines->room * 2 : (size_t)BR_SOURCE_PREFIX * 2;
        char *larger = realloc(lines->buffer, room);
        if (!larger)
            return br_fail_memory(diag);
        lines->buffer = larger;
        lines->room = room;
    }
    memmove(lines->buffer, lines->buffer + lines->start, left);
    lines->start = 0;
    lines->end = left;
    assert(left + 1 < lines->room);
    ssize_t n = br_source_read(lines->source, lines->buffer + left, lines->room - left - 1);
    if (n < 0)
        return br_source_fail(lines->source, diag);
    lines->end += (size_t)n;
    lines->over = n == 0;
    return BR_OK;
}

static enum br_status text_lines_check(const struct br_lines *lines, struct br_diag *diag)
{
    size_t valid = br_text_utf8_length(lines->line, lines->length);
    struct br_pos pos = {lines->number, (uint32_t)valid + 1};
    if (valid == lines->length)
        return BR_OK;
    if (lines->line[valid] == 0)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "is this a text file?",
                          "there is a NUL byte in the text");
    return br_fail_at(diag, pos, BR_BAD_INPUT, "save the file as UTF-8",
                      "the text is not valid UTF-8");
}

enum br_status br_lines_next(struct br_lines *lines, bool *more, struct br_diag *diag)
{
    size_t seen = 0; /* bytes from the start without a line end */
    const char *newline;
    *more = false;
    for (;;) {
        size_t left = lines->end - lines->start;
        newline =
            left > seen ? memchr(lines->buffer + lines->start + seen, '\n', left - seen) : NULL;
        seen = newline ? (size_t)(newline - lines->buffer) - lines->start : left;
        const struct br_pos pos = {lines->number + 1, 1};
        if (seen > lines->longest)
            return br_fail_at(diag, pos, BR_BAD_INPUT, "is this the file that you meant?",
                              "the line is longer than %zu KiB", lines->longest >> 10);
        if (newline || lines->over)
            break;
        enum br_status status = text_lines_fill(lines, diag);
        if (status)
            return status;
    }
    if (!newline && seen == 0)
        return BR_OK;
    if (lines->number == UINT32_MAX)
        return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, "split the file",
                          "the file has too many lines");
    lines->number++;
    lines->line = lines->buffer + lines->start;
    lines->length = seen;
    lines->start += seen + (newline != NULL);
    assert(lines->start <= lines->end);
    lines->line[seen] = 0;
    if (lines->length && lines->line[lines->length - 1] == '\r')
        lines->line[--lines->length] = 0;
    if (lines->number == 1 && strncmp(lines->line, "\xef\xbb\xbf", 3) == 0) {
        lines->line += 3;
        lines->length -= 3;
    }
    *more = true;
    return text_lines_check(lines, diag);
}
