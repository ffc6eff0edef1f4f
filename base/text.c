/* Validity of texts, by the table of well-formed byte sequences in the Unicode standard (3.9). */
#include "base/text.h"

#include <string.h>

/* Length of the valid sequence at p, 0 where there is none. */
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
        if (((unsigned char)*p < 0x20 && !(lines && strchr("\t\n\r", *p))) || *p == 0x7f)
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
