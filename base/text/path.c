/* Paths as text. */
#include "base/text/path.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

void br_path_shorten(char *path)
{
    char *part[2048]; /* starts of the parts that ".." could still remove */
    size_t parts = 0;
    char *from = path, *to = path;
    if (!*path)
        return; /* there is no room for a '.' */
    if (*from == '/')
        from++, to++;
    while (*from) {
        size_t n = strcspn(from, "/"), step = n + (from[n] == '/');
        assert(to <= from);
        bool up = n == 2 && from[0] == '.' && from[1] == '.';
        if (n == 0 || (n == 1 && *from == '.')) {
            from += step;
        } else if (up && parts) {
            to = part[--parts];
            from += step;
        } else {
            /* A ".." with nothing to remove stays, and so does one too deep to remember. */
            if (!up && parts < sizeof part / sizeof *part)
                part[parts++] = to;
            memmove(to, from, step);
            to += step, from += step;
        }
    }
    if (to > path + 1 && to[-1] == '/')
        to--;
    if (to == path)
        *to++ = '.';
    *to = '\0';
}
