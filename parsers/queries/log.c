/* What auto_explain writes into a server's log: a line that ends in "plan:", and the plan below it,
 * each line behind a tab. A client that is sent it gets the lines without tabs. */
#include <string.h>

#include "parsers/queries/explain.h"

/* "... LOG:  duration: 12.345 ms  plan:" */
static bool announces(const char *line, size_t length)
{
    static const char begin[] = "duration: ", end[] = " ms  plan:";
    while (length && strchr(" \r", line[length - 1]))
        length--;
    if (length < sizeof end - 1 ||
        strncmp(line + length - (sizeof end - 1), end, sizeof end - 1) != 0)
        return false;
    for (size_t k = 0; k + sizeof begin - 1 < length; k++)
        if (strncmp(line + k, begin, sizeof begin - 1) == 0)
            return true;
    return false;
}

bool br_log_is_there(const char *text)
{
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        if (announces(line, length))
            return true;
        line += length + (line[length] == '\n');
    }
    return false;
}

void br_log_unwrap(char *text)
{
    enum { OUTSIDE, TABBED, BRACED, OPEN } state = OUTSIDE;
    for (char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        char *next = line + length + (line[length] == '\n');
        if (announces(line, length)) {
            state = *next == '\t' ? TABBED : *next == '{' ? BRACED : OPEN;
            memset(line, ' ', length);
        } else if (state == TABBED && *line == '\t') {
            *line = ' ';
        } else if (state == OUTSIDE || state == TABBED) {
            state = OUTSIDE;
            memset(line, ' ', length);
        } else if (state == BRACED && *line == '}') {
            state = OUTSIDE;
        }
        line = next;
    }
}
