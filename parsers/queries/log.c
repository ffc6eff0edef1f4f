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

/* By auto_explain.log_format; the text of the query comes first, in quotation marks by YAML alone.
 */
static const char *form_of(const char *plan)
{
    static const char yaml[] = "Query Text: \"";
    plan += *plan == '\t';
    return *plan == '{'                                ? "JSON"
           : *plan == '<'                              ? "XML"
           : strncmp(plan, yaml, sizeof yaml - 1) == 0 ? "YAML"
                                                       : "text";
}

enum br_status br_log_check(const char *text, struct br_diag *diag)
{
    const char *first = NULL;
    uint32_t number = 1;
    for (const char *line = text; *line; number++) {
        size_t length = strcspn(line, "\n");
        const char *next = line + length + (line[length] == '\n');
        if (announces(line, length)) {
            const char *form = form_of(next);
            struct br_pos pos = {number, 0};
            if (*form == 'X' || *form == 'Y')
                return br_fail_at(
                    diag, pos, BR_BAD_INPUT,
                    "let auto_explain.log_format be text or json, or cut the plan out",
                    "plans in %s are not read from a log", form);
            if (first && strcmp(first, form) != 0)
                return br_fail_at(diag, pos, BR_BAD_INPUT, "make a file of those of each form",
                                  "the log has plans as %s and as %s", first, form);
            first = form;
        }
        line = next;
    }
    return BR_OK;
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
