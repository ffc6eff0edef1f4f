#include "parsers/dot/encoding.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The value begins here: is it one of Graphviz's names of Latin-1? */
static bool is_latin1(const char *value)
{
    static const char *const names[] = {"latin1",     "latin-1",   "l1",        "iso-8859-1",
                                        "iso_8859-1", "iso8859-1", "iso-ir-100"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const size_t length = strlen(names[k]);
        if (strncasecmp(value, names[k], length) == 0 && strchr(" \t\r\n;,]}\"", value[length]))
            return true;
    }
    return false;
}

/* Is there charset=latin1? Graphviz has the attribute of the root alone. */
static bool declares_latin1(const char *text)
{
    static const char word[] = "charset", blanks[] = " \t\r\n";
    for (const char *p = text; (p = strstr(p, word)) != NULL;) {
        p += strlen(word);
        const char *value = p + (*p == '"');
        value += strspn(value, blanks);
        if (*value != '=')
            continue;
        value += 1 + strspn(value + 1, blanks);
        if (is_latin1(value + (*value == '"')))
            return true;
    }
    return false;
}

/* NULL: memory is out. */
static char *utf8_of_latin1(const char *text, size_t size)
{
    char *made = malloc(2 * size + 1), *to = made;
    for (size_t k = 0; made && k < size; k++) {
        const unsigned char c = (unsigned char)text[k];
        if (c < 0x80) {
            *to++ = (char)c;
            continue;
        }
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3f));
    }
    if (made)
        *to = 0;
    return made;
}

enum br_status br_dot_text(struct br_source *source, size_t limit, char **text, bool *latin1,
                           struct br_diag *diag)
{
    size_t size;
    *latin1 = false;
    enum br_status status = br_source_bytes(source, limit, "dot", text, &size, diag);
    if (status)
        return status;
    *latin1 = !memchr(*text, 0, size) && declares_latin1(*text);
    if (*latin1) {
        char *made = utf8_of_latin1(*text, size);
        free(*text);
        *text = made;
        return made ? BR_OK : br_fail_memory(diag);
    }
    status = br_source_check(*text, size, diag);
    if (status) {
        free(*text);
        *text = NULL;
    }
    return status;
}
