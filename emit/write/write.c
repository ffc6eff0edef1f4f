/* Escaping texts and writing exact numbers for all outputs. UTF-8 is decoded and checked here, so
 * that every output is valid whatever a job file called its tasks. */
#include "emit/write/write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/wide.h"

#define REPLACEMENT 0xfffdu

/* The next character, and *text moved past it; an invalid byte counts as one character. */
static uint32_t next_character(const char **text)
{
    const unsigned char *p = (const unsigned char *)*text;
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    uint32_t c = *p;
    int more = c < 0x80                ? 0
               : c >= 0xc2 && c < 0xe0 ? 1
               : c >= 0xe0 && c < 0xf0 ? 2
               : c >= 0xf0 && c < 0xf5 ? 3
                                       : -1;
    *text += 1;
    if (more <= 0)
        return more < 0 ? REPLACEMENT : c;
    c &= 0x3fu >> more;
    for (int i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return REPLACEMENT;
        c = c << 6 | (p[i] & 0x3f);
    }
    if (c < least[more] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
        return REPLACEMENT;
    *text += more;
    return c;
}

static void write_put_utf8(FILE *out, uint32_t c)
{
    if (c < 0x80) {
        putc((int)c, out);
    } else if (c < 0x800) {
        putc((int)(0xc0 | c >> 6), out);
        putc((int)(0x80 | (c & 0x3f)), out);
    } else if (c < 0x10000) {
        putc((int)(0xe0 | c >> 12), out);
        putc((int)(0x80 | (c >> 6 & 0x3f)), out);
        putc((int)(0x80 | (c & 0x3f)), out);
    } else {
        putc((int)(0xf0 | c >> 18), out);
        putc((int)(0x80 | (c >> 12 & 0x3f)), out);
        putc((int)(0x80 | (c >> 6 & 0x3f)), out);
        putc((int)(0x80 | (c & 0x3f)), out);
    }
}

/* The invisible characters below U+10000: control characters of the second set, of which U+0085
 * ends lines; zero width and direction; line separators; the byte order mark; annotations. */
static bool is_unseen(uint32_t c)
{
    return (c >= 0x7f && c <= 0x9f) || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
           (c >= 0xfff9 && c <= 0xfffb);
}

static void put_json(FILE *out, uint32_t c)
{
    static const char *const names[] = {
        ['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f", ['\r'] = "\\r",
    };
    if (c == '"' || c == '\\') {
        putc('\\', out);
        putc((int)c, out);
    } else if (c >= 0x20 && !is_unseen(c)) {
        write_put_utf8(out, c);
    } else if (c < sizeof names / sizeof names[0] && names[c]) {
        fputs(names[c], out);
    } else {
        fprintf(out, "\\u%04x", (unsigned)c);
    }
}

/* A question mark could begin a trigraph, and digits after \x would continue the number. */
static void put_c(FILE *out, uint32_t c)
{
    if (c == '"' || c == '\\' || c == '?') {
        putc('\\', out);
        putc((int)c, out);
    } else if (c >= 0x20 && !is_unseen(c)) {
        write_put_utf8(out, c);
    } else if (c < 0x800) {
        if (c >= 0x80)
            fprintf(out, "\\%03o", (unsigned)(0xc0 | c >> 6));
        fprintf(out, "\\%03o", (unsigned)(c < 0x80 ? c : 0x80 | (c & 0x3f)));
    } else {
        fprintf(out, "\\%03o\\%03o\\%03o", (unsigned)(0xe0 | c >> 12),
                (unsigned)(0x80 | (c >> 6 & 0x3f)), (unsigned)(0x80 | (c & 0x3f)));
    }
}

/* XML 1.0 has no way to say the others; pictures of DOT become XML. */
static bool is_writable(uint32_t c)
{
    return (c >= 0x20 || c == '\t' || c == '\n' || c == '\r') && c != 0xfffe && c != 0xffff;
}

static void put_xml(FILE *out, uint32_t c, bool attribute)
{
    bool blank = c == '\t' || c == '\n' || c == '\r';
    if (c == '&')
        fputs("&amp;", out);
    else if (c == '<')
        fputs("&lt;", out);
    else if (c == '>')
        fputs("&gt;", out);
    else if (c == '"' && attribute)
        fputs("&quot;", out);
    else if ((blank && (attribute || c == '\r')) || is_unseen(c))
        fprintf(out, "&#%u;", (unsigned)c); /* else a reader would turn blanks into others */
    else
        write_put_utf8(out, is_writable(c) ? c : REPLACEMENT);
}

static void put_label(FILE *out, uint32_t c)
{
    if (c == '"' || c == '\\') {
        putc('\\', out);
        putc((int)c, out);
    } else if (c == '\n') {
        fputs("\\n", out);
    } else if (c == '&') { /* Graphviz reads entities. */
        fputs("&amp;", out);
    } else if (is_unseen(c)) {
        fprintf(out, "&#%u;", (unsigned)c);
    } else {
        write_put_utf8(out, c < 0x20 ? ' ' : c);
    }
}

static void put_field(FILE *out, uint32_t c)
{
    switch (c) {
    case '\t':
        fputs("\\t", out);
        break;
    case '\n':
        fputs("\\n", out);
        break;
    case '\r':
        fputs("\\r", out);
        break;
    case '\\':
        fputs("\\\\", out);
        break;
    default:
        if (c < 0x20 || is_unseen(c))
            fprintf(out, "\\u%04x", (unsigned)c);
        else
            write_put_utf8(out, c);
    }
}

/* Characters by number: #58; for a colon, which ends a name there. */
static void put_mermaid(FILE *out, uint32_t c)
{
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (c < 0x20)
        putc(' ', out);
    else if (plain || (c >= 0x80 && !is_unseen(c)) || (c < 0x80 && strchr(" _.,/+=@()[]-", (int)c)))
        write_put_utf8(out, is_writable(c) ? c : REPLACEMENT);
    else
        fprintf(out, "#%u;", (unsigned)c);
}

static void put_character(FILE *out, enum br_quote quote, uint32_t c)
{
    switch (quote) {
    case BR_QUOTE_JSON:
        put_json(out, c);
        break;
    case BR_QUOTE_C:
        put_c(out, c);
        break;
    case BR_QUOTE_SCRIPT:
        if (c == '<')
            fputs("\\u003c", out);
        else
            put_json(out, c);
        break;
    case BR_QUOTE_ATTRIBUTE:
    case BR_QUOTE_XML:
        put_xml(out, c, quote == BR_QUOTE_ATTRIBUTE);
        break;
    case BR_QUOTE_DOT: /* a quotation mark is the only thing that DOT escapes */
        if (c == '"')
            putc('\\', out);
        write_put_utf8(out, is_writable(c) ? c : REPLACEMENT);
        break;
    case BR_QUOTE_BRACKETS:
        write_put_utf8(out, is_writable(c) ? c : REPLACEMENT);
        break;
    case BR_QUOTE_LABEL:
        put_label(out, c);
        break;
    case BR_QUOTE_MERMAID:
        put_mermaid(out, c);
        break;
    case BR_QUOTE_CSV:
        if (c == '"')
            putc('"', out);
        put_field(out, c);
        break;
    case BR_QUOTE_TABS:
    case BR_QUOTE_LINE:
        put_field(out, c);
        break;
    }
}

/* The usual characters of names, which every format writes as they are. */
static bool write_is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '-' && c <= '9') || c == '_' ||
           c == ' ';
}

size_t br_text_plain(const char *text)
{
    const char *end = text;
    while (write_is_plain(*end))
        end++;
    return (size_t)(end - text);
}

void br_write_text(FILE *out, enum br_quote quote, const char *text)
{
    br_write_part(out, quote, text, strlen(text));
}

/* Graphviz takes no piece of a text in quotation marks that fills its buffer of 16 KiB; a + joins
 * several. So many bytes of a text, at most three times as long when written, make a piece. */
enum { DOT_PIECE = 4000 };

void br_write_part(FILE *out, enum br_quote quote, const char *text, size_t size)
{
    const bool pieces = quote == BR_QUOTE_DOT || quote == BR_QUOTE_LABEL;
    const char *piece = text;
    /* A spreadsheet would take the field for a formula and calculate it. */
    if ((quote == BR_QUOTE_TABS || quote == BR_QUOTE_CSV) && size && strchr("=+-@", *text)) {
        fprintf(out, "\\u%04x", (unsigned)*text++);
        size--;
    }
    bool odd = false; /* an odd number of backslashes stands before this character */
    for (const char *end = text + size; text < end;) {
        const char *run = text;
        if (pieces && !odd && text - piece >= DOT_PIECE) {
            fputs("\" + \"", out);
            piece = run;
        }
        while (text < end && write_is_plain(*text) && text - run < DOT_PIECE / 4)
            text++;
        if (text > run) {
            fwrite(run, 1, (size_t)(text - run), out);
            odd = false;
            continue;
        }
        uint32_t c = next_character(&text);
        /* DOT cannot say a single backslash before a quotation mark or the end of a line. */
        if (quote == BR_QUOTE_DOT && odd && (c == '"' || c == '\n'))
            putc('\\', out);
        odd = c == '\\' && !odd;
        put_character(out, quote, c);
    }
    if (quote == BR_QUOTE_DOT && odd) /* else it would escape the closing quote */
        putc('\\', out);
}

static uint32_t write_length_of(const char *text, const char *end)
{
    uint32_t length = 0;
    for (; text < end; length++)
        next_character(&text);
    return length;
}

uint32_t br_text_length(const char *text)
{
    return write_length_of(text, text + strlen(text));
}

void br_write_cut_part(FILE *out, enum br_quote quote, const char *text, size_t size,
                       uint32_t characters)
{
    const char *end = text + size, *last = memrchr(text, '/', size);
    const uint32_t length = write_length_of(text, end);
    if (length <= characters) {
        br_write_part(out, quote, text, size);
        return;
    }
    /* A path has no blanks. */
    if (last && last + 1 < end && characters > 1 && !memchr(text, ' ', size)) {
        const char *tail = text;
        for (uint32_t k = length; k >= characters; k--)
            next_character(&tail);
        tail = memchr(tail, '/', (size_t)(end - tail));
        if (tail && tail + 1 < end) {
            write_put_utf8(out, 0x2026);
            br_write_part(out, quote, tail, (size_t)(end - tail));
            return;
        }
        text = last + 1;
        if (write_length_of(text, end) <= characters) {
            br_write_part(out, quote, text, (size_t)(end - text));
            return;
        }
    }
    for (uint32_t k = 0; k + 1 < characters; k++)
        put_character(out, quote, next_character(&text));
    write_put_utf8(out, 0x2026);
}

void br_write_cut(FILE *out, enum br_quote quote, const char *text, uint32_t characters)
{
    br_write_cut_part(out, quote, text, strlen(text), characters);
}

void br_write_count(FILE *out, uint64_t count)
{
    char text[BR_COUNT_TEXT];
    br_count_format(count, text);
    fputs(text, out);
}

static void write_index(FILE *out, uint32_t index)
{
    putc('[', out);
    br_write_count(out, index);
    putc(']', out);
}

void br_write_task(FILE *out, enum br_quote quote, const struct br_dag *dag, uint32_t task)
{
    const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, task)];
    br_write_text(out, quote, stage->id);
    if (stage->tasks > 1)
        write_index(out, task - stage->first_task);
}

void br_write_suffix(const struct br_stage *stage, uint32_t task, uint32_t tasks,
                     char text[BR_SUFFIX])
{
    int used = 0;
    text[0] = '\0';
    if (tasks > 1)
        used = snprintf(text, BR_SUFFIX, " \xc3\x97 %" PRIu32, tasks);
    else if (stage->tasks > 1)
        used = snprintf(text, BR_SUFFIX, "[%" PRIu32 "]", task - stage->first_task);
    if (stage->chosen && strlen(stage->chosen) < 60)
        snprintf(text + used, BR_SUFFIX - (size_t)used, " (%s)", stage->chosen);
}

void br_write_machine(FILE *out, enum br_quote quote, const struct br_cluster *cluster,
                      uint32_t machine)
{
    const struct br_class *cls = &cluster->cls[br_cluster_machine_class(cluster, machine)];
    br_write_text(out, quote, cls->name);
    if (cls->count > 1)
        write_index(out, machine - cls->first_machine);
}

void br_write_seconds(FILE *out, int64_t ns)
{
    char text[BR_SECONDS_TEXT];
    br_seconds_format(ns, text);
    fputs(text, out);
}

void br_write_decimal(FILE *out, struct br_decimal value)
{
    char text[BR_DECIMAL_TEXT];
    br_decimal_format(value, text, sizeof text);
    fputs(text, out);
}

int br_ratio_format(int64_t numerator, int64_t denominator, char text[BR_RATIO_TEXT])
{
    const int64_t unit = 1000000000;
    int64_t whole = numerator / denominator;
    br_wide rest = (br_wide)(numerator % denominator) * unit;
    br_wide half = numerator < 0 ? -(br_wide)denominator : (br_wide)denominator;
    int64_t fraction = (int64_t)((2 * rest + half) / (2 * (br_wide)denominator));
    if (fraction == unit || fraction == -unit) {
        whole += fraction / unit;
        fraction = 0;
    }
    char *at = text, nanoseconds[BR_SECONDS_TEXT]; /* nine decimals, too */
    br_seconds_format(fraction, nanoseconds);
    const char *point = strchr(nanoseconds, '.');
    if (numerator < 0 && (whole != 0 || fraction != 0))
        *at++ = '-';
    at += br_count_format(whole < 0 ? -(uint64_t)whole : (uint64_t)whole, at);
    if (point)
        at = stpcpy(at, point);
    return (int)(at - text);
}

void br_write_ratio(FILE *out, int64_t numerator, int64_t denominator)
{
    char text[BR_RATIO_TEXT];
    br_ratio_format(numerator, denominator, text);
    fputs(text, out);
}

enum br_status br_write_finish(FILE *out, struct br_diag *diag)
{
    errno = 0;
    if (fflush(out) == 0 && !ferror(out))
        return BR_OK;
    int error = errno;
    return br_fail(diag, BR_SYSTEM, "check the free space and the other end of the pipe",
                   "writing failed%s%s", error ? ": " : "", error ? strerror(error) : "");
}
