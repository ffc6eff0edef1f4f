/* Validity of texts, by the table of well-formed byte sequences in the Unicode standard (3.9). */
#include "base/text/text.h"

#include <assert.h>
#include <string.h>

/* Length of the valid sequence at p, 0 if there is none. */
static size_t sequence(const unsigned char *p, size_t rest)
{
    unsigned char low = 0x80, high = 0xbf;
    size_t length;
    if (p[0] == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    if (p[0] >= 0xc2 && p[0] <= 0xdf) {
        length = 2;
    } else if (p[0] >= 0xe0 && p[0] <= 0xef) {
        length = 3;
        if (p[0] == 0xe0)
            low = 0xa0; /* overlong */
        if (p[0] == 0xed)
            high = 0x9f; /* surrogates */
    } else if (p[0] >= 0xf0 && p[0] <= 0xf4) {
        length = 4;
        if (p[0] == 0xf0)
            low = 0x90;
        if (p[0] == 0xf4)
            high = 0x8f;
    } else {
        return 0;
    }
    if (rest < length || p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (p[i] < 0x80 || p[i] > 0xbf)
            return 0;
    if (length == 3 && p[0] == 0xef && p[1] == 0xbf && p[2] >= 0xbe)
        return 0; /* U+FFFE and U+FFFF, which XML cannot hold */
    return length;
}

size_t br_text_utf8_length(const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t at = 0;
    while (at < size) {
        size_t n = sequence(p + at, size - at);
        assert(n <= size - at);
        if (n == 0)
            break;
        at += n;
    }
    return at;
}

static bool is_valid(const char *text, bool lines)
{
    size_t size = strlen(text);
    for (const char *p = text; *p; p++)
        if (lines ? (unsigned char)*p < 0x20 && !strchr("\t\n\r", *p)
                  : (unsigned char)*p < 0x20 || *p == 0x7f)
            return false;
    return br_text_utf8_length(text, size) == size;
}

bool br_text_is_plain(const char *text)
{
    return is_valid(text, false);
}

bool br_text_is_lines(const char *text)
{
    return is_valid(text, true);
}

/* Length of a sequence that controls a terminal instead of showing a character; 0 if it is none. By
 * Unicode's Cc, Bidi_Control, and the separators of lines and paragraphs. */
static size_t command_length(const unsigned char *p)
{
    if (p[0] < 0x20 || p[0] == 0x7f)
        return 1;
    if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f)
        return 2; /* U+0080 to U+009F */
    if (p[0] == 0xd8 && p[1] == 0x9c)
        return 2; /* U+061C */
    if (p[0] != 0xe2)
        return 0;
    bool turns = p[1] == 0x80 && ((p[2] >= 0x8e && p[2] <= 0x8f) || (p[2] >= 0xa8 && p[2] <= 0xae));
    bool isolates = p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
    return turns || isolates ? 3 : 0; /* U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069 */
}

void br_text_screen(char *text)
{
    const unsigned char *from = (const unsigned char *)text;
    size_t rest = strlen(text);
    while (rest) {
        size_t length = sequence(from, rest);
        size_t hidden = length ? command_length(from) : 1;
        if (hidden) {
            *text++ = '?';
            length = hidden;
        } else {
            memmove(text, from, length);
            text += length;
        }
        assert(length > 0 && length <= rest);
        from += length;
        assert((const unsigned char *)text <= from);
        rest -= length;
    }
    *text = 0;
}
