/* How input files of DAGMan's are recognised: by their first command, and how it goes on. */
#include "parsers/text/begin.h"
#include "parsers/workflows/dagman.h"

#include <string.h>
#include <strings.h>

/* Is the word of the line that begins at `*line` one of these? Moves on behind it. */
static bool next_is(const char **line, const char *const *words)
{
    *line += strspn(*line, " \t");
    const size_t length = strcspn(*line, " \t\r\n");
    bool found = false;
    for (; *words && !found; words++)
        found = strlen(*words) == length && strncasecmp(*line, *words, length) == 0;
    *line += length;
    return found;
}

/* Could the line go on so behind its command? The heads of tables may begin with such a word. */
static bool goes_on_as_dagman(const char *command, size_t length, const char *line)
{
    static const char *const nodes[] = {"JOB", "DATA", "FINAL", "PROVISIONER", "SERVICE", NULL};
    static const char *const options[] = {"DIR", "NOOP", "DONE", "", NULL};
    static const char *const parent[] = {"PARENT", NULL}, *const child[] = {"CHILD", NULL};
    static const char *const none[] = {NULL};
    const char *begin = command;
    if (next_is(&begin, nodes)) {
        next_is(&line, none);
        next_is(&line, none);
        return next_is(&line, options);
    }
    if (length != strlen("PARENT") || strncasecmp(command, parent[0], length) != 0)
        return true;
    bool found = false;
    for (next_is(&line, none); !found && *line && *line != '\n' && *line != '\r';)
        found = next_is(&line, child);
    return found;
}

bool br_is_dagman(const char *text)
{
    for (const char *p = br_text_begin(text); *p; p = br_text_begin(p)) {
        const size_t length = strcspn(p, " \t\r\n");
        if (*p != '#')
            return br_dagman_has_command(p, length) && (p[length] == ' ' || p[length] == '\t') &&
                   goes_on_as_dagman(p, length, p + length);
        p += strcspn(p, "\n");
    }
    return false;
}
