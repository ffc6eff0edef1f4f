/* The output of auto_explain: "duration: 12.345 ms  plan:", and the plan in the lines below. A
 * server's log has it in one of three ways:
 *
 * - As lines, each after a tab. A client gets the lines without tabs, and the form of the plan
 * decides where it ends.
 * - In csvlog as a value in quotation marks, with quotation marks doubled.
 * - In jsonlog as the member "message" of an object on one line, with JSON's escapes. */
#include "parsers/queries/log.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/text/json.h"

#define DAMAGED "copy the log as a whole"

enum form { LINES, CSV, JSON };

/* The announcement of a plan: its form, and the rest of the line. */
struct announced {
    enum form form;
    const char *message, *plan;
};

static bool queries_log_ends_before(const char *text, const char *from, const char *end)
{
    size_t length = strlen(end);
    return (size_t)(text - from) >= length && strncmp(text - length, end, length) == 0;
}

/* Does the line of that length announce a plan? */
static bool announces(const char *line, size_t length, struct announced *announced)
{
    static const char begin[] = "duration: ", end[] = " ms  plan:";
    const char *at = memmem(line, length, end, sizeof end - 1);
    const char *number = at;
    while (number && number > line && strchr("0123456789.", number[-1]))
        number--;
    if (!number || number == at || !queries_log_ends_before(number, line, begin))
        return false;
    announced->message = number - (sizeof begin - 1);
    announced->plan = at + sizeof end - 1;
    if (queries_log_ends_before(announced->message, line, "\"message\":\"")) {
        announced->form = JSON;
        return strncmp(announced->plan, "\\n", 2) == 0;
    }
    announced->form = queries_log_ends_before(announced->message, line, ",\"") ? CSV : LINES;
    const char *rest = announced->plan + strspn(announced->plan, " \r");
    announced->plan = line + length + (line[length] == '\n');
    return rest == line + length;
}

bool br_log_is_there(const char *text)
{
    struct announced announced;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        if (announces(line, length, &announced))
            return true;
        line += length + (line[length] == '\n');
    }
    return false;
}

bool br_log_is_server(const char *text)
{
    if (*text == '{')
        return strstr(text, "\"error_severity\":\"LOG\"");
    return *text != '[' && (strstr(text, " LOG:  ") || strstr(text, ",LOG,00000,"));
}

static char *queries_log_next_line(char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

static bool queries_log_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The end of a plan whose lines have tabs, which become blanks. */
static char *end_of_tabbed(char *line)
{
    for (; *line == '\t'; line = queries_log_next_line(line))
        *line = ' ';
    return line;
}

/* Is it a line of YAML, "name: value" or "- value"? */
static bool is_member(const char *line)
{
    size_t length = strcspn(line, "\r\n"), blanks = strspn(line, " ");
    return queries_log_begins(line + blanks, "- ") || memmem(line, length, ": ", 2) ||
           (length && line[length - 1] == ':');
}

/* The end of a plan sent to a client: JSON and XML close what they have opened, the text of a query
 * in YAML is in quotation marks, and a text plan goes on until the next one. */
static char *end_of_open(char *line)
{
    struct announced announced;
    const char *close = *line == '{' ? "}" : *line == '<' ? "</explain>" : NULL;
    bool yaml = queries_log_begins(line, "Query Text: \"") &&
                queries_log_begins(queries_log_next_line(line), "Plan:");
    for (; *line; line = queries_log_next_line(line)) {
        if (close && queries_log_begins(line, close))
            return queries_log_next_line(line);
        if (yaml && !is_member(line))
            return line;
        if (announces(line, strcspn(line, "\n"), &announced))
            return line;
    }
    return line;
}

/* The closing quotation mark of a value; NULL: there is none. */
static char *end_of_quoted(char *from)
{
    while (*from && (*from != '"' || from[1] == '"'))
        from += 1 + (*from == '"');
    return *from ? from : NULL;
}

/* Replaces each doubled quotation mark by one. */
static void queries_log_unquote(char *from)
{
    char *to = from;
    for (; *from; *to++ = *from++)
        from += *from == '"';
    *to = 0;
}

/* Reads the message, which begins at a quotation mark, in place. */
static enum br_status unescape(char *message, size_t size, struct br_log_plan *plan,
                               struct br_diag *diag)
{
    struct br_json json;
    br_json_init(&json, message, size, diag);
    br_json_restart(&json, message, size, plan->line);
    if (br_json_string(&json, "a message")) {
        memcpy(message, json.text, strlen(json.text) + 1);
        plan->text = queries_log_next_line(message);
    }
    br_json_finish(&json);
    return json.status;
}

/* Advances, and counts the lines. */
static void pass_lines(struct br_log *log, const char *from, char *to)
{
    assert(from <= to);
    for (const char *p = from; p < to && (p = memchr(p, '\n', (size_t)(to - p))); p++)
        log->line++;
    log->at = to;
}

/* The plan at `text`, as lines or in quotation marks. */
static enum br_status cut_plan(struct br_log *log, enum form form, char *text,
                               struct br_log_plan *plan, struct br_diag *diag)
{
    char *end = form == CSV     ? end_of_quoted(text)
                : *text == '\t' ? end_of_tabbed(text)
                                : end_of_open(text);
    struct br_pos pos = {plan->line, 0};
    pass_lines(log, log->at, end ? end : text + strlen(text));
    if (!end)
        return br_fail_at(diag, pos, BR_BAD_INPUT, DAMAGED, "the log ends in the middle of a plan");
    plan->text = text;
    if (form == CSV) {
        assert(form != CSV || *end == '"');
        log->at += 1;
        *end = 0;
        queries_log_unquote(text);
    } else if (end > text && end[-1] == '\n') {
        end[-1] = 0;
    } else if (end == text) { /* nothing there */
        text[-1] = 0;
        plan->text = text - 1;
    }
    return BR_OK;
}

enum br_status br_log_next(struct br_log *log, struct br_log_plan *plan, struct br_diag *diag)
{
    struct announced announced;
    size_t length = 0;
    *plan = (struct br_log_plan){.text = NULL};
    while (*log->at && !announces(log->at, length = strcspn(log->at, "\n"), &announced))
        pass_lines(log, log->at, log->at + length + (log->at[length] == '\n'));
    if (!*log->at)
        return BR_OK;
    char *line = log->at, *text = line + (announced.plan - line);
    plan->line = log->line + (announced.form != JSON);
    plan->is_one_line = announced.form == JSON;
    if (announced.form != JSON)
        return cut_plan(log, announced.form, text, plan, diag);
    char *message = line + (announced.message - line) - 1;
    assert(*message == '"');
    pass_lines(log, line, line + length + (line[length] == '\n'));
    return unescape(message, length - (size_t)(message - line), plan, diag);
}
