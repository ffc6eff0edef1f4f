/* psql's frame around a plan: the title QUERY PLAN, rules, borders, a mark at the end of each line
 * of a multi-line value, and the number of rows. Or quotes, if psql writes CSV. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "parsers/queries/explain.h"
#include "parsers/queries/paste.h"
#include "parsers/text/begin.h"

#define TITLE "QUERY PLAN"
#define RECORD "[ RECORD "
#define BARE_RECORD "* Record "

enum state {
    OUTSIDE,
    TITLED,   /* the line after the title decides */
    DRAWN,    /* with rules and borders */
    BARRED,   /* with only a right border */
    PLAIN,    /* unaligned */
    EXPANDED, /* a record per row, after the column's name and a border */
    BARE,     /* such records without borders */
};

/* Length of the border, or part of a rule, at the start of the text; 0: none. */
static size_t border(const char *text)
{
    static const char *const borders[] = {"│", "║", "┃"};
    for (size_t k = 0; k < sizeof borders / sizeof borders[0]; k++)
        if (strncmp(text, borders[k], 3) == 0)
            return 3;
    return *text == '|';
}

static size_t rule(const char *text)
{
    if (strchr("-+ ", *text) && *text)
        return 1;
    /* The box drawing characters of Unicode, U+2500 to U+257F. */
    bool drawn = strncmp(text, "\xe2\x94", 2) == 0 || strncmp(text, "\xe2\x95", 2) == 0;
    return drawn && text[2] && !border(text) ? 3 : 0;
}

static bool queries_table_is_rule(const char *line)
{
    size_t part, used = 0;
    while ((part = rule(line + used)))
        used += part;
    used += line[used] == '\r';
    return used >= 4 && line[used] == 0 && line[strspn(line, " \r")];
}

static bool is_title(const char *line)
{
    const char *p = line + strspn(line, " ");
    p += *p == '"' ? 1 : border(p);
    p += strspn(p, " ");
    if (strncmp(p, TITLE, sizeof TITLE - 1) != 0)
        return false;
    p += sizeof TITLE - 1;
    p += strspn(p, " ");
    p += *p == '"' ? 1 : border(p);
    return p[strspn(p, " \r")] == 0;
}

static bool is_record(const char *line)
{
    const char *p = line;
    size_t part;
    if (strncmp(line, BARE_RECORD, sizeof BARE_RECORD - 1) == 0)
        return true;
    while (*p != '[' && (part = rule(p)))
        p += part;
    return p != line && strncmp(p, RECORD, sizeof RECORD - 1) == 0;
}

static bool is_footer(const char *line)
{
    size_t digits = strspn(line + (*line == '('), "0123456789");
    const char *close = strchr(line, ')'); /* "rows" in the language of psql */
    return *line == '(' && digits && line[1 + digits] == ' ' && close &&
           close[1 + strspn(close + 1, " \r")] == 0;
}

static void queries_table_blank(char *from, size_t length)
{
    memset(from, ' ', length);
}

/* Blanks a word at the line's end out. */
static bool queries_table_cut(char *line, const char *word)
{
    size_t length = strlen(line), end = strlen(word);
    while (length && strchr(" \r", line[length - 1]))
        length--;
    if (length < end || strncmp(line + length - end, word, end) != 0)
        return false;
    queries_table_blank(line + length - end, end);
    return true;
}

/* A border at the line's end. */
static void cut_border(char *line)
{
    static const char *const borders[] = {"|", "│", "║", "┃"};
    for (size_t k = 0; k < sizeof borders / sizeof borders[0]; k++)
        if (queries_table_cut(line, borders[k]))
            return;
}

/* The borders of a line, and the mark of a continued value. */
static void queries_table_clean(char *line, bool right)
{
    char *p = line + strspn(line, " ");
    size_t left = border(p);
    if (left)
        queries_table_blank(p, left);
    if (left || right)
        cut_border(line);
    if (!queries_table_cut(line, "+"))
        queries_table_cut(line, "↵");
}

/* A record's line: the column's name up to the border, and the outer borders if there are any. */
static bool clean_record(char *line)
{
    size_t outer = border(line);
    char *from = line + outer + strspn(line + outer, " ");
    bool goes_on = from != line && *from == ':'; /* in the old style */
    while (*from && !goes_on && !border(from))
        from++;
    if (!*from)
        return false;
    queries_table_blank(line, (size_t)(from - line) + (goes_on ? 1 : border(from)));
    if (outer)
        cut_border(line);
    if (!queries_table_cut(line, "+"))
        queries_table_cut(line, "↵");
    return true;
}

/* Does the rule below the title end with a bar's crossing, and begin with none? */
static bool is_barred(const char *line)
{
    size_t length = strlen(line);
    while (length && strchr(" \r", line[length - 1]))
        length--;
    return *line == '-' && length && line[length - 1] == '+';
}

/* The column's name, or blanks instead. */
static bool clean_bare(char *line)
{
    size_t width = sizeof TITLE - 1;
    if (strncmp(line, TITLE, width) != 0 && strspn(line, " ") < width)
        return false;
    queries_table_blank(line, width);
    if (!queries_table_cut(line, "+"))
        queries_table_cut(line, "↵");
    return true;
}

static enum state next_state(enum state state, char *line)
{
    bool drawn = state == DRAWN || state == BARRED;
    if (is_title(line) || is_record(line)) {
        state = is_title(line) ? TITLED : *line == '*' ? BARE : EXPANDED;
        queries_table_blank(line, strlen(line));
    } else if (state == TITLED && line[strspn(line, " \r")]) {
        state = !queries_table_is_rule(line) ? PLAIN : is_barred(line) ? BARRED : DRAWN;
        if (state != PLAIN)
            queries_table_blank(line, strlen(line));
    } else if (is_footer(line) || (drawn && queries_table_is_rule(line)) ||
               (state == BARE && !clean_bare(line)) ||
               (state == EXPANDED && !queries_table_is_rule(line) && !clean_record(line))) {
        state = OUTSIDE;
    } else if (state == EXPANDED && queries_table_is_rule(line)) {
        queries_table_blank(line, strlen(line));
    } else if (drawn) {
        queries_table_clean(line, state == BARRED);
    }
    if (state == OUTSIDE)
        queries_table_blank(line, strlen(line));
    return state;
}

/* The mark at the start of the text where psql has broken a line to make it fit; 0: none. */
static size_t mark(const char *text)
{
    return *text == '.' ? 1 : strncmp(text, "…", 3) == 0 ? 3 : 0;
}

/* The mark at the line's end, ignoring blanks after it; NULL: there is none. */
static char *mark_at_end(char *line)
{
    size_t length = strlen(line);
    while (length && strchr(" \r", line[length - 1]))
        length--;
    if (length >= 1 && line[length - 1] == '.')
        return line + length - 1;
    return length >= 3 && mark(line + length - 3) == 3 ? line + length - 3 : NULL;
}

/* Joins the line to the one before it that was broken at `broken`, if it begins with the mark, or
 * if psql had no room for one; leaves empty lines, so that the number of lines stays. True if it
 * has. */
static bool queries_table_join(char *broken, char *line, bool unmarked)
{
    assert(broken < line);
    char *rest = line + strspn(line, " ");
    size_t width = mark(rest), lines = 0;
    if (!width && !unmarked)
        return false;
    rest = unmarked ? line : rest + width;
    for (char *p = broken; p < rest; p++)
        lines += *p == '\n';
    size_t length = strlen(rest), gap = (size_t)(rest - broken);
    assert(lines <= gap);
    memmove(broken, rest, length + 1);
    queries_table_blank(broken + length, gap - lines);
    memset(broken + length + gap - lines, '\n', lines);
    return true;
}

/* Removes the quotes of values, with doubled quotes inside as in CSV. Blanks fill the freed room.
 */
static void queries_table_unquote(char *text)
{
    bool quoted = false;
    for (char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        char *to = line, *end = line + length;
        if (!quoted && *line != '"') {
            line += length + (*end == '\n');
            continue;
        }
        for (char *from = line; from < end; from++) {
            if (*from != '"')
                *to++ = *from;
            else if (quoted && from + 1 < end && from[1] == '"')
                *to++ = *from++;
            else
                quoted = !quoted;
        }
        assert(to <= end);
        queries_table_blank(to, (size_t)(end - to));
        line = end + (*end == '\n');
    }
}

bool br_table_is_there(const char *text)
{
    char line[512];
    for (const char *p = text; *p;) {
        size_t length = strcspn(p, "\n");
        size_t kept = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, p, kept);
        line[kept] = 0;
        /* A title may stand in the middle of a long blank line. */
        const char *title = length > kept ? strstr(p, TITLE) : NULL;
        if (is_title(line) || is_record(line) ||
            (title && title < p + length && strspn(p, " ") == (size_t)(title - p)))
            return true;
        p += length + (p[length] == '\n');
    }
    return false;
}

enum br_status br_table_refuse_page(const char *text, struct br_diag *diag)
{
    static const char *const begins[] = {"<table", "\\begin{", "[options=\"header\"", ".TS", ".LP"};
    text = br_text_begin(text);
    for (size_t k = 0; k < sizeof begins / sizeof *begins; k++)
        if (strncmp(text, begins[k], strlen(begins[k])) == 0 && strstr(text, TITLE))
            return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, "write it by psql -P format=aligned",
                              "this is a plan that psql has made a page of");
    return BR_OK;
}

void br_table_unwrap(char *text)
{
    enum state state = OUTSIDE;
    bool table = br_table_is_there(text), unmarked = false, bare = false;
    char *broken = NULL; /* the place of the previous line, if it continues */
    size_t rule_width = 0;
    for (char *line = text; table && *line;) {
        size_t length = strcspn(line, "\n");
        char end = line[length];
        line[length] = 0;
        size_t width = br_paste_width(line);
        bool below_title = state == TITLED && queries_table_is_rule(line);
        rule_width = below_title ? width : rule_width;
        bare = below_title ? strchr(" |.", line[length + (end == '\n')]) == NULL : bare;
        state = next_state(state, line);
        char *piece = broken && queries_table_join(broken, line, unmarked) ? broken : line;
        size_t size = strcspn(piece, "\n");
        char behind = piece[size];
        piece[size] = 0;
        broken = state != OUTSIDE && state != TITLED && state != PLAIN ? mark_at_end(piece) : NULL;
        piece[size] = behind;
        unmarked = state == DRAWN && bare && width == rule_width + 1; /* without borders */
        line[length] = end;
        line += length + (end == '\n');
    }
    /* Each row may have quotes, or only those that need them; a value in another form begins with
     * its own mark. */
    if (!strchr("[{<-", *br_text_begin(text)))
        queries_table_unquote(text);
}
