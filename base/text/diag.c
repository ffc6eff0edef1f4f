/* Filling and formatting diagnostics. */
#include "base/text/diag.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text/text.h"

/* A fault is one line, fit for a terminal. Drops a character cut at the end. */
static void make_printable(char *text)
{
    size_t size = strlen(text), back = 1;
    while (back < 4 && back < size && ((unsigned char)text[size - back] & 0xc0) == 0x80)
        back++;
    if (back <= size && (unsigned char)text[size - back] >= 0xc0 &&
        br_text_utf8_length(text + size - back, back) == 0)
        text[size - back] = 0;
    br_text_screen(text);
}

static void diag_fill(struct br_diag *diag, struct br_pos pos, enum br_status status,
                      const char *hint, const char *format, va_list args)
{
    if (!diag)
        return;
    assert(status != BR_OK);
    diag->status = status;
    diag->line = pos.line;
    diag->column = pos.column;
    vsnprintf(diag->what, sizeof diag->what, format, args);
    snprintf(diag->hint, sizeof diag->hint, "%s", hint ? hint : "");
    make_printable(diag->what);
    make_printable(diag->hint);
}

void br_note_fault(struct br_diag *diag, enum br_status status, const char *hint,
                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_fill(diag, diag ? (struct br_pos){diag->line, diag->column} : (struct br_pos){0}, status,
              hint, format, args);
    va_end(args);
}

void br_note_fault_at(struct br_diag *diag, struct br_pos pos, enum br_status status,
                      const char *hint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_fill(diag, pos, status, hint, format, args);
    va_end(args);
}

void br_note_memory(struct br_diag *diag)
{
    br_note_fault(diag, BR_SYSTEM, "try a smaller job, or a machine with more memory",
                  "out of memory");
}

enum br_status br_fail_null(struct br_diag *diag, size_t k, const char *arguments)
{
    for (; k > 0; k--)
        arguments = strchr(arguments, ' ') + 1;
    return br_fail(diag, BR_USAGE, "give what the header says", "%.*s is NULL",
                   (int)strcspn(arguments, ","), arguments);
}

void br_diag_file(struct br_diag *diag, const char *file)
{
    if (diag)
        snprintf(diag->file, sizeof diag->file, "%s", file ? file : "");
}

int br_diag_format(const struct br_diag *diag, char *text, int size)
{
    if (!diag)
        return snprintf(text, text && size > 0 ? (size_t)size : 0, "%s", "");
    char place[sizeof diag->file + 32] = "";
    if (diag->file[0]) {
        if (diag->line && diag->column)
            snprintf(place, sizeof place, "%s:%u:%u: ", diag->file, diag->line, diag->column);
        else if (diag->line)
            snprintf(place, sizeof place, "%s:%u: ", diag->file, diag->line);
        else
            snprintf(place, sizeof place, "%s: ", diag->file);
    }
    br_text_screen(place); /* like the texts; a file may have any name */
    return snprintf(text, text && size > 0 ? (size_t)size : 0, "%s%s%s%s", place, diag->what,
                    diag->hint[0] ? "; " : "", diag->hint);
}
