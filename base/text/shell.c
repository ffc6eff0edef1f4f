/* Single quotes: the only form in which POSIX makes every character literal. A single quote itself
 * ends them, is written after a backslash, and begins them again. */
#include "base/text/shell.h"

#include <string.h>

bool br_shell_is_plain(const char *text, size_t size)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./=,:+@%";
    for (size_t k = 0; k < size; k++)
        if (!text[k] || !strchr(plain, text[k]))
            return false;
    return size > 0;
}

bool br_shell_quote(const char *text, size_t size, br_shell_put *put, void *to)
{
    const char *end = text + size, *mark;
    if (!put(to, "'", 1))
        return false;
    for (; (mark = memchr(text, '\'', (size_t)(end - text))); text = mark + 1)
        if (!put(to, text, (size_t)(mark - text)) || !put(to, "'\\''", 4))
            return false;
    return put(to, text, (size_t)(end - text)) && put(to, "'", 1);
}

static bool shell_put_file(void *to, const char *text, size_t size)
{
    return fwrite(text, 1, size, to) == size;
}

void br_shell_write(FILE *out, const char *text)
{
    br_shell_quote(text, strlen(text), shell_put_file, out);
}
