/* Walks JSON [RFC 8259]. No library fits: those available build a tree, turn numbers into doubles,
 * and go on with half a text when memory is out. */
#include "parsers/text/json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/decimal.h"
#include "base/text/text.h"

enum { MOST_NESTED = 1000 };

void br_json_restart(struct br_json *json, const char *text, size_t size, uint32_t line)
{
    json->status = BR_OK;
    json->start = json->at = json->counted = json->line_start = text;
    json->end = text + size;
    json->fresh = false;
    json->line = json->first_line = line;
}

void br_json_init(struct br_json *json, const char *text, size_t size, struct br_diag *diag)
{
    *json = (struct br_json){.diag = diag};
    br_json_restart(json, text, size, 1);
}

void br_json_finish(struct br_json *json)
{
    free(json->text);
    free(json->key);
    json->text = json->key = NULL;
}

struct br_pos br_json_pos(struct br_json *json, const char *at)
{
    const char *newline;
    assert(json->start <= at && at <= json->end);
    if (at - json->start < json->counted - at) { /* nearer to the start */
        json->counted = json->line_start = json->start;
        json->line = json->first_line;
    }
    if (at < json->line_start) { /* back over lines, to the beginning of this one */
        while ((newline = memrchr(at, '\n', (size_t)(json->counted - at)))) {
            json->counted = newline;
            json->line--;
        }
        newline = memrchr(json->start, '\n', (size_t)(at - json->start));
        json->line_start = newline ? newline + 1 : json->start;
    }
    if (at < json->counted)
        json->counted = at;
    assert(json->line_start <= json->counted && json->counted <= at);
    while ((newline = memchr(json->counted, '\n', (size_t)(at - json->counted)))) {
        json->counted = json->line_start = newline + 1;
        json->line++;
    }
    json->counted = at;
    assert(json->line_start <= at && json->line >= json->first_line);
    return (struct br_pos){json->line, (uint32_t)(at - json->line_start) + 1};
}

bool br_json_fail(struct br_json *json, const char *at, const char *hint, const char *format, ...)
{
    if (json->status)
        return false;
    char what[sizeof json->diag->what];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    json->status = br_fail_at(json->diag, br_json_pos(json, at), BR_BAD_INPUT, hint, "%s", what);
    return false;
}

bool br_json_take(struct br_json *json, const char *at, enum br_status status)
{
    if (json->status || !status)
        return !json->status;
    json->status = status;
    if (json->diag) {
        struct br_pos pos = br_json_pos(json, at);
        json->diag->line = pos.line;
        json->diag->column = pos.column;
    }
    return false;
}

static bool text_json_is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static bool cut_short(struct br_json *json)
{
    const char *text = json->start;
    while (text < json->end && text_json_is_blank(*text))
        text++;
    if (text == json->end)
        return br_json_fail(json, json->start, "is this the file that you meant?",
                            "the file is empty");
    return br_json_fail(json, json->end, "the file is cut short; write it again",
                        "the text ends in the middle of a value");
}

char br_json_peek(struct br_json *json)
{
    const char *p = json->at;
    while (p < json->end && text_json_is_blank(*p))
        p++;
    json->at = p;
    return (char)(p < json->end ? *p : 0);
}

/* Reports "expected ..., found ..." about the text here. */
static bool unexpected(struct br_json *json, const char *what)
{
    char c = br_json_peek(json);
    if (!c)
        return cut_short(json);
    const char *found = c == '{'                             ? "an object"
                        : c == '['                           ? "an array"
                        : c == '"'                           ? "a string"
                        : c == 't' || c == 'f'               ? "true or false"
                        : c == 'n'                           ? "null"
                        : c == '-' || (c >= '0' && c <= '9') ? "a number"
                                                             : NULL;
    char other[16];
    if (!found) {
        snprintf(other, sizeof other, c > ' ' && c < 127 ? "'%c'" : "byte %d",
                 c > ' ' && c < 127 ? c : (unsigned char)c);
        found = other;
    }
    return br_json_fail(json, json->at, NULL, "expected %s, found %s", what, found);
}

static bool text_json_enter(struct br_json *json, const char *what, char open)
{
    if (json->status)
        return false;
    if (br_json_peek(json) != open)
        return unexpected(json, what);
    json->at++;
    json->fresh = true;
    return true;
}

bool br_json_object(struct br_json *json, const char *what)
{
    return text_json_enter(json, what, '{');
}

bool br_json_array(struct br_json *json, const char *what)
{
    return text_json_enter(json, what, '[');
}

/* Past the comma before the next element; false at the closing character, which is passed. */
static bool text_json_next(struct br_json *json, char close)
{
    if (json->status)
        return false;
    bool fresh = json->fresh;
    json->fresh = false;
    char c = br_json_peek(json);
    if (c == close) {
        json->at++;
        return false;
    }
    if (fresh)
        return true;
    if (c != ',')
        return unexpected(json, close == '}' ? "',' or '}'" : "',' or ']'");
    json->at++;
    return true;
}

bool br_json_item(struct br_json *json)
{
    return text_json_next(json, ']');
}

static bool text_json_keep(struct br_json *json, char **to, size_t *room, const char *from,
                           size_t length)
{
    if (length >= *room) {
        char *larger = realloc(*to, length + length / 2 + 64);
        if (!larger) {
            json->status = br_fail_memory(json->diag);
            return false;
        }
        *to = larger;
        *room = length + length / 2 + 64;
    }
    assert(length < *room);
    memcpy(*to, from, length);
    (*to)[length] = 0;
    return true;
}

/* The four hexadecimal digits at p; -1 if they are no such digits. The text ends with a NUL. */
static int32_t hexadecimal(const char *p)
{
    int32_t value = 0;
    for (int k = 0; k < 4; k++) {
        char c = p[k];
        int32_t digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";

/* The character of the escape at *p (its backslash), and moves *p past it; 0 if it is invalid: our
 * strings cannot hold a NUL. */
static uint32_t escaped(const char **p)
{
    assert(**p == '\\');
    const char *at = *p + 1, *known = *at ? strchr(escapes, *at) : NULL;
    if (known) {
        *p = at + 1;
        return (unsigned char)meanings[known - escapes];
    }
    int32_t c = *at == 'u' ? hexadecimal(at + 1) : -1;
    if (c < 0 || (c >= 0xdc00 && c < 0xe000))
        return 0;
    *p = at + 5;
    if (c < 0xd800 || c >= 0xe000)
        return (uint32_t)c;
    int32_t low = at[5] == '\\' && at[6] == 'u' ? hexadecimal(at + 7) : -1;
    if (low < 0xdc00 || low >= 0xe000)
        return 0; /* half of a pair */
    *p = at + 11;
    return 0x10000 + ((uint32_t)(c - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
}

/* Past the string that begins at json->at, NULL if it is invalid by RFC 8259. */
static const char *string_end(struct br_json *json)
{
    assert(*json->at == '"');
    const char *p = json->at + 1;
    while (p < json->end && *p != '"') {
        const char *at = p;
        if (*p == '\\' && !escaped(&p)) {
            br_json_fail(json, at, "RFC 8259 has a list of them",
                         "there is an invalid escape in a string");
            return NULL;
        }
        if ((unsigned char)*p < ' ' && p == at) {
            br_json_fail(json, at, "write it as \\n, \\t or \\u001f",
                         "there is a control character in a string");
            return NULL;
        }
        p += p == at;
    }
    if (p >= json->end) {
        cut_short(json);
        return NULL;
    }
    size_t size = (size_t)(p - json->at), valid = br_text_utf8_length(json->at, size);
    if (valid < size) {
        br_json_fail(json, json->at + valid, "save the file as UTF-8",
                     "the text is not valid UTF-8");
        return NULL;
    }
    return p + 1;
}

static char *text_json_put_utf8(char *to, uint32_t c)
{
    assert(c > 0 && c < 0x110000);
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    int bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (int k = bytes - 1; k > 0; k--, c >>= 6)
        to[k] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)(lead[bytes] | c);
    return to + bytes;
}

/* Reads the string that begins here. An escape is never shorter than its meaning. */
static bool read_string(struct br_json *json, char **to, size_t *room)
{
    const char *end = string_end(json), *p = json->at + 1;
    if (!end || !text_json_keep(json, to, room, p, (size_t)(end - 1 - p)))
        return false;
    char *put = memchr(*to, '\\', (size_t)(end - 1 - p));
    if (put) { /* seldom */
        for (p += put - *to; p < end - 1;)
            if (*p == '\\')
                put = text_json_put_utf8(put, escaped(&p));
            else
                *put++ = *p++;
        assert(p == end - 1 && put - *to <= p - json->at - 1);
        *put = 0;
    }
    json->at = end;
    return true;
}

bool br_json_string(struct br_json *json, const char *what)
{
    if (json->status)
        return false;
    if (br_json_peek(json) != '"')
        return unexpected(json, what);
    return read_string(json, &json->text, &json->text_room);
}

bool br_json_member(struct br_json *json)
{
    if (!text_json_next(json, '}'))
        return false;
    if (br_json_peek(json) != '"')
        return unexpected(json, "a key in quotation marks");
    if (!read_string(json, &json->key, &json->key_room))
        return false;
    if (br_json_peek(json) != ':')
        return unexpected(json, "':'");
    json->at++;
    return true;
}

static const char *text_json_digits(const char *p)
{
    while (*p >= '0' && *p <= '9')
        p++;
    return p;
}

/* The end of the number at p as the grammar has it, or NULL. The text ends with a NUL. */
static const char *number_end(const char *p)
{
    p += *p == '-';
    const char *whole = p;
    p = text_json_digits(p);
    if (p == whole || (*whole == '0' && p > whole + 1))
        return NULL;
    if (*p == '.') {
        const char *fraction = ++p;
        if ((p = text_json_digits(p)) == fraction)
            return NULL;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '+' || *p == '-';
        const char *exponent = p;
        if ((p = text_json_digits(p)) == exponent)
            return NULL;
    }
    return p;
}

bool br_json_number(struct br_json *json, const char *what)
{
    if (json->status)
        return false;
    char c = br_json_peek(json);
    if (c != '-' && (c < '0' || c > '9'))
        return unexpected(json, what);
    const char *end = number_end(json->at);
    if (!end)
        return br_json_fail(json, json->at, "write a number such as 12.5",
                            "expected %s, found a malformed number", what);
    const char *from = json->at;
    json->at = end;
    return text_json_keep(json, &json->text, &json->text_room, from, (size_t)(end - from));
}

bool br_json_scalar(struct br_json *json, const char *what)
{
    if (json->status)
        return false;
    return br_json_peek(json) == '"' ? br_json_string(json, what) : br_json_number(json, what);
}

bool br_json_count(struct br_json *json, const char *what, uint64_t most, uint64_t *count)
{
    if (!br_json_number(json, what))
        return false;
    uint64_t value = 0;
    const char *p = json->text;
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
            break;
    const char *at = json->at - strlen(json->text);
    if (*p)
        return br_json_fail(json, at, NULL, "expected %s, found %s, which is not a whole number",
                            what, json->text);
    if (value > most)
        return br_json_fail(json, at, NULL, "%s is %s, which is above %" PRIu64, what, json->text,
                            most);
    *count = value;
    return true;
}

bool br_json_seconds(struct br_json *json, const char *what, int64_t *ns)
{
    const int64_t most = INT64_MAX / 4;
    if (!br_json_number(json, what))
        return false;
    if (br_seconds_parse(json->text, ns) || *ns > most || *ns < -most)
        return br_json_fail(json, json->at - strlen(json->text), "times are below 73 years",
                            "%s is %s seconds, which is out of range", what, json->text);
    return true;
}

static bool skip_word(struct br_json *json)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t length = strlen(words[k]);
        if (strncmp(json->at, words[k], length) == 0) {
            json->at += length;
            return true;
        }
    }
    return unexpected(json, "a value");
}

static bool skip(struct br_json *json, uint32_t depth)
{
    char c = (char)(json->status ? 0 : br_json_peek(json));
    if (depth > MOST_NESTED)
        return br_json_fail(json, json->at, "nest less", "values are nested more than %d deep",
                            MOST_NESTED);
    if (c == '{') {
        br_json_object(json, "an object");
        while (br_json_member(json))
            skip(json, depth + 1);
    } else if (c == '[') {
        br_json_array(json, "an array");
        while (br_json_item(json))
            skip(json, depth + 1);
    } else if (c == '"') {
        const char *end = string_end(json);
        json->at = end ? end : json->at;
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        br_json_number(json, "a number");
    } else if (!json->status) {
        skip_word(json);
    }
    return !json->status;
}

bool br_json_skip(struct br_json *json)
{
    return skip(json, 0);
}

bool br_json_done(struct br_json *json)
{
    if (json->status)
        return false;
    if (br_json_peek(json) || json->at < json->end)
        return br_json_fail(json, json->at, "a file holds one plan", "more follows after the end");
    return true;
}

/* Skips a value by its brackets alone: known values are read, and so checked, later. */
static bool text_json_pass(struct br_json *json)
{
    size_t depth = 0;
    char c = br_json_peek(json);
    if (!c)
        return cut_short(json);
    if (c != '{' && c != '[' && c != '"') { /* a word or a number, checked by its reader */
        while (json->at < json->end && !strchr(",]} \t\r\n", *json->at))
            json->at++;
        return true;
    }
    for (const char *p = json->at; p < json->end; p++) {
        if (*p == '"') {
            for (p++; p < json->end && *p != '"'; p++)
                p += *p == '\\';
            if (p >= json->end)
                break;
        } else if (*p == '{' || *p == '[') {
            depth++;
        } else if (*p == '}' || *p == ']') {
            assert(depth > 0);
            depth--;
        }
        if (depth == 0) {
            json->at = p + 1;
            return true;
        }
    }
    return cut_short(json);
}

bool br_json_fields(struct br_json *json, const char *what, struct br_json_field *field,
                    size_t fields)
{
    for (size_t k = 0; k < fields; k++)
        field[k].at = NULL;
    if (!br_json_object(json, what))
        return false;
    const char *start = json->at - 1;
    while (br_json_member(json)) {
        size_t k = 0;
        while (k < fields && strcmp(field[k].name, json->key) != 0)
            k++;
        br_json_peek(json);
        if (k < fields && field[k].at)
            return br_json_fail(json, json->at, "give it once", "'%s' is there twice", json->key);
        if (k < fields)
            field[k].at = json->at;
        if (k < fields ? !text_json_pass(json) : !br_json_skip(json))
            return false;
    }
    for (size_t k = 0; k < fields && !json->status; k++)
        if (field[k].required && !field[k].at)
            br_json_fail(json, start, NULL, "%s has no '%s'", what, field[k].name);
    return !json->status;
}

bool br_json_go(struct br_json *json, const struct br_json_field *field)
{
    if (json->status || !field->at)
        return false;
    assert(json->start <= field->at && field->at <= json->end);
    json->at = field->at;
    return true;
}

bool br_json_each(struct br_json *json, const struct br_json_field *field, const char *what,
                  bool (*item)(void *context, uint32_t k), void *context)
{
    if (!br_json_go(json, field))
        return !json->status;
    br_json_array(json, what);
    for (uint32_t k = 0; br_json_item(json); k++)
        if (!item(context, k))
            return false;
    return !json->status;
}

bool br_json_optional_count(struct br_json *json, const struct br_json_field *field, uint64_t most,
                            uint64_t *value)
{
    if (!br_json_go(json, field))
        return !json->status;
    return br_json_count(json, field->name, most, value);
}

bool br_json_optional_count32(struct br_json *json, const struct br_json_field *field,
                              uint32_t *value)
{
    uint64_t wide = *value;
    bool read = br_json_optional_count(json, field, UINT32_MAX, &wide);
    *value = (uint32_t)wide;
    return read;
}

bool br_json_optional_seconds(struct br_json *json, const struct br_json_field *field, int64_t *ns)
{
    if (!br_json_go(json, field))
        return !json->status;
    return br_json_seconds(json, field->name, ns);
}
