/* Undoes the effects of copying a plan. The number of lines stays the same, so that places stay. */
#include "parsers/queries/paste.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/text/begin.h"

static bool paste_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static char *paste_next_line(char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

/* ---- Comments ---- */

/* The end of the comment that begins here; NULL: none does. A psql rule without a title is one. */
static const char *past_comment(const char *text)
{
    if (paste_begins(text, "/*"))
        return br_text_past(text + 2, "*/");
    if (*text == '#' || paste_begins(text, "//") || paste_begins(text, "--"))
        return text + strcspn(text, "\n");
    return NULL;
}

/* The end of the comments at the start of the text. */
static const char *past_comments(const char *text)
{
    for (const char *next = text; next; next = past_comment(br_text_begin(text)))
        text = next;
    return text;
}

const char *br_paste_begin(const char *text)
{
    return br_text_begin(past_comments(text));
}

static void blank_comments(char *text)
{
    for (const char *end = past_comments(text); text < end; text++)
        if (*text != '\n')
            *text = ' ';
}

/* ---- Before each line ---- */

/* Removes the first bytes of a line; blanks at its end replace them. */
static void paste_shed(char *line, size_t count)
{
    size_t length = strcspn(line, "\n");
    assert(count <= length);
    memmove(line, line + count, length - count);
    memset(line + length - count, ' ', count);
}

/* The marks of a quoting mail before a line, which begins with its mark. */
static size_t quotation(const char *line)
{
    size_t length = strspn(line, "> ");
    while (line[length - 1] != '>')
        length--;
    return length + (line[length] == ' ');
}

static void shed_quotations(char *text)
{
    if (*br_text_begin(text) != '>')
        return;
    for (char *line = text; *line; line = paste_next_line(line))
        if (*line == '>')
            paste_shed(line, quotation(line));
}

/* Single quotes around each line, as pgAdmin may copy them; quotes inside are doubled, as in SQL.
 */
static void shed_quotes(char *text)
{
    if (*br_text_begin(text) != '\'')
        return;
    for (char *line = text; *line; line = paste_next_line(line)) {
        size_t length = strcspn(line, "\r\n");
        while (length && line[length - 1] == ' ')
            length--;
        if (length < 2 || *line != '\'' || line[length - 1] != '\'')
            continue;
        line[length - 1] = ' ';
        paste_shed(line, 1);
    }
}

/* The number before a line, with the blank after it; 0: there is none. */
static size_t paste_number(const char *line, unsigned long *value, char *mark)
{
    size_t blanks = strspn(line, " "), digits = strspn(line + blanks, "0123456789");
    size_t length = blanks + digits;
    if (digits == 0 || digits > 6 || !strchr(".:)|\t", line[length]) || !line[length])
        return 0;
    *mark = line[length++];
    *value = strtoul(line + blanks, NULL, 10);
    return length + (line[length] == ' ');
}

/* Numbered lines, at least two in sequence. */
static void shed_numbers(char *text)
{
    for (char *line = text; *line; line = paste_next_line(line)) {
        unsigned long first, value;
        char mark, other, *to = paste_next_line(line);
        if (!paste_number(line, &first, &mark) || !paste_number(to, &value, &other) ||
            other != mark || value != first + 1)
            continue;
        size_t length;
        for (value = first;
             (length = paste_number(line, &value, &other)) && other == mark && value == first;
             first++) {
            paste_shed(line, length);
            to = line;
            line = paste_next_line(line);
        }
        line = to;
    }
}

/* ---- Lines broken by a terminal ---- */

size_t br_paste_width(const char *line)
{
    size_t width = 0;
    for (; *line && *line != '\n' && *line != '\r'; line++)
        width += ((unsigned char)*line & 0xc0) != 0x80;
    return width;
}

static bool paste_has(const char *line, const char *word)
{
    return memmem(line, strcspn(line, "\n"), word, strlen(word)) != NULL;
}

/* Does it end with all figures of a node? */
static bool is_complete(const char *line)
{
    size_t length = strcspn(line, "\r\n");
    return length && line[length - 1] == ')' && paste_has(line, " loops=");
}

/* Does it end with psql's mark for a broken line? */
static bool is_marked(const char *line)
{
    size_t length = strcspn(line, "\r\n");
    return (length && line[length - 1] == '.') ||
           (length >= 3 && strncmp(line + length - 3, "…", 3) == 0);
}

/* Do figures of a node begin on this line and continue on the next? */
static bool breaks_figures(const char *line, const char *next)
{
    bool begun = paste_has(line, " (cost=") || paste_has(line, " (actual ");
    return begun && !is_complete(line) && !is_marked(line) && !paste_has(next, " (cost=") &&
           (paste_has(next, "rows=") || paste_has(next, "width=") || paste_has(next, "loops=") ||
            *next == ')');
}

/* A psql rule, and the rest of it. */
static bool breaks_rule(const char *line, const char *next)
{
    size_t length = strcspn(line, "\r\n"), rest = strcspn(next, "\r\n");
    return length > 3 && strspn(line, "-") == length && rest && strspn(next, "-") == rest;
}

/* The width of the terminal; 0: it has broken no line. psql marks the lines that it breaks itself.
 */
static size_t broken_at(char *text)
{
    size_t most = 0;
    for (char *line = text; *line; line = paste_next_line(line)) {
        size_t width = br_paste_width(line);
        most = width > most ? width : most;
    }
    for (char *line = text, *next; *line; line = next) {
        next = paste_next_line(line);
        if (br_paste_width(line) == most && breaks_rule(line, next))
            return most;
        if (br_paste_width(line) == most && breaks_figures(line, next) && *next &&
            !strchr(" .|+\n\r", *next) && (unsigned char)*next < 128)
            return most;
    }
    return 0;
}

static void paste_join_lines(char *text)
{
    size_t width = broken_at(text), joined = 0;
    char *to = text, *next;
    for (char *line = text; width && *line; line = next) {
        size_t length = strcspn(line, "\n");
        bool broken = br_paste_width(line) == width && line[length] && !is_complete(line);
        next = paste_next_line(line);
        assert(to <= line);
        memmove(to, line, length);
        to += length;
        if (broken) {
            joined++;
            continue;
        }
        for (joined += line[length] == '\n'; joined; joined--)
            *to++ = '\n';
    }
    if (width)
        *to = 0;
}

void br_paste_clean(char *text)
{
    shed_quotations(text);
    shed_quotes(text);
    shed_numbers(text);
    paste_join_lines(text);
    blank_comments(text);
}

/* ---- Recognition ---- */

/* "0.00..8.00 ", or without the second number if there is only one. */
static bool is_range(const char *text, bool single)
{
    size_t length = strspn(text, "0123456789.");
    return *text >= '0' && *text <= '9' && (single || memmem(text, length, "..", 2));
}

bool br_paste_has_figures(const char *text)
{
    static const char *const starts[] = {"(cost=", "(actual time=", "(actual rows="};
    for (size_t s = 0; s < 3; s++)
        for (const char *at = strstr(text, starts[s]); at; at = strstr(at + 1, starts[s]))
            if (is_range(at + strlen(starts[s]), s == 2))
                return true;
    return false;
}

/* ---- Tabs ---- */

bool br_paste_has_tabs(const char *text)
{
    for (const char *line = text; *line; line += *line == '\n') {
        if (line[strspn(line, " ")] == '\t')
            return true;
        line += strcspn(line, "\n");
    }
    return false;
}

char *br_paste_expand(const char *text, unsigned k, bool *known)
{
    static const struct {
        size_t width;
        bool stops; /* to the next multiple of it */
    } ways[] = {{8, true}, {4, true}, {4, false}, {8, false}, {2, false}};
    *known = k < sizeof ways / sizeof ways[0];
    size_t size = strlen(text), tabs = 0;
    for (const char *p = text; *p; p++)
        tabs += *p == '\t';
    char *copy = *known ? malloc(size + 8 * tabs + 1) : NULL;
    if (!copy)
        return NULL;
    char *to = copy, *begin = copy;
    bool before = true;
    for (const char *p = text; *p; p++) {
        before = p == text || p[-1] == '\n' || (before && strchr(" \t", p[-1]));
        if (p == text || p[-1] == '\n')
            begin = to;
        if (*p != '\t' || !before) {
            *to++ = *p;
            continue;
        }
        size_t column = (size_t)(to - begin), width = ways[k].width;
        size_t count = ways[k].stops ? width - column % width : width;
        memset(to, ' ', count);
        to += count;
    }
    assert((size_t)(to - copy) <= size + 8 * tabs);
    *to = 0;
    return copy;
}
