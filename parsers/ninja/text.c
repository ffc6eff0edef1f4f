/* Scripts and statements from edges. A statement without variables means the same at every place of
 * a file, so the file can be reordered. */
#include "parsers/ninja/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/shell.h"

static bool ninja_text_add(struct br_ninja_text *to, const char *text)
{
    return br_ninja_add(to, text, strlen(text));
}

static bool ninja_text_put(void *to, const char *text, size_t size)
{
    return br_ninja_add(to, text, size);
}

static const char index_mark[] = "{index}";

/* As a word of a script. Jobs would replace {index}, so it is split in two. */
static bool add_quoted(struct br_ninja_text *to, const char *text, size_t size)
{
    for (const char *mark; (mark = memmem(text, size, index_mark, strlen(index_mark)));) {
        const size_t part = (size_t)(mark - text) + 1;
        if (!br_shell_quote(text, part, ninja_text_put, to))
            return false;
        text += part;
        size -= part;
    }
    return br_shell_quote(text, size, ninja_text_put, to);
}

/* Replaces the text by the edge's value for the key; "" if it has none. */
static enum br_status read_key(const struct br_ninja *ninja, uint32_t edge, enum br_ninja_key key,
                               enum br_ninja_form form, struct br_ninja_text *text,
                               struct br_diag *diag)
{
    text->used = 0;
    enum br_status status = br_ninja_binding(ninja, edge, key, form, text, diag);
    return status || ninja_text_add(text, "") ? status : br_fail_memory(diag);
}

static const char *ninja_text_path_of(const struct br_ninja *ninja, uint32_t at)
{
    return ninja->node[ninja->path[at]].path;
}

/* ---- The script ---- */

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

static bool ninja_text_add_folder(struct br_ninja_text *to, const char *path)
{
    size_t n = folder_length(path);
    return n == 0 || (ninja_text_add(to, "[ -d ") && add_quoted(to, path, n) &&
                      ninja_text_add(to, " ] || mkdir -p ") && add_quoted(to, path, n) &&
                      ninja_text_add(to, " || exit\n"));
}

/* Every folder of an output, each once; outputs in one folder are usually adjacent. */
static bool ninja_text_add_folders(const struct br_ninja *ninja, const struct br_ninja_edge *edge,
                                   struct br_ninja_text *to)
{
    for (uint32_t k = edge->first[BR_NINJA_OUT]; k < edge->first[BR_NINJA_IN]; k++) {
        const char *path = ninja_text_path_of(ninja, k);
        const char *last = k > edge->first[BR_NINJA_OUT] ? ninja_text_path_of(ninja, k - 1) : NULL;
        size_t n = folder_length(path);
        if (last && folder_length(last) == n && strncmp(last, path, n) == 0)
            continue;
        if (!ninja_text_add_folder(to, path))
            return false;
    }
    return true;
}

static enum br_status add_response(const struct br_ninja *ninja, uint32_t edge,
                                   struct br_ninja_text *to, struct br_ninja_text *text,
                                   struct br_diag *diag)
{
    enum br_status status = read_key(ninja, edge, BR_NINJA_RSPFILE, BR_NINJA_PLAIN, text, diag);
    if (status || !text->used)
        return status;
    char *file = strdup(text->text);
    status = file ? read_key(ninja, edge, BR_NINJA_RSPFILE_CONTENT, BR_NINJA_VALUE, text, diag)
                  : br_fail_memory(diag);
    if (!status && !(ninja_text_add(to, "printf %s ") && add_quoted(to, text->text, text->used) &&
                     ninja_text_add(to, " >") && add_quoted(to, file, strlen(file)) &&
                     ninja_text_add(to, " || exit\n")))
        status = br_fail_memory(diag);
    free(file);
    return status;
}

/* A command that cannot be the last line of a script unchanged: several lines, {index}, which jobs
 * replace, or a text that looks like one written here. */
static const char eval_begin[] = "eval \"$(printf -- '", eval_end[] = "')\"";

static bool add_command(struct br_ninja_text *to, const char *command)
{
    if (!strchr(command, '\n') && !strstr(command, index_mark) &&
        strncmp(command, eval_begin, strlen(eval_begin)) != 0)
        return ninja_text_add(to, command);
    bool good = ninja_text_add(to, eval_begin);
    for (const char *at = command; *at && good; at++)
        good = *at == '\n'   ? ninja_text_add(to, "\\n")
               : *at == '%'  ? ninja_text_add(to, "%%")
               : *at == '\\' ? ninja_text_add(to, "\\\\")
               : *at == '\'' ? ninja_text_add(to, "\\047")
               : *at == '{'  ? ninja_text_add(to, "\\173")
                             : br_ninja_add(to, at, 1);
    return good && ninja_text_add(to, eval_end);
}

/* The character of a printf escape; skips it. */
static char take_escape(const char **at)
{
    assert(**at == '\\' || **at == '%');
    const char *from = *at;
    *at += 2;
    if (from[0] == '%' || from[1] == '\\')
        return from[1];
    if (from[1] == 'n')
        return '\n';
    *at += 2;
    return from[1] == '1' ? '{' : '\'';
}

bool br_ninja_command_of(const char *script, struct br_ninja_text *to)
{
    const char *line = strrchr(script, '\n'), *end;
    line = line ? line + 1 : script;
    to->used = 0;
    const size_t size = strlen(line), begin = strlen(eval_begin), last = strlen(eval_end);
    if (size < begin + last || strncmp(line, eval_begin, begin) != 0)
        return ninja_text_add(to, line);
    end = line + size - last;
    bool good = true;
    for (const char *at = line + begin; at < end && good;) {
        char c = *at;
        if (c == '\\' || c == '%')
            c = take_escape(&at);
        else
            at++;
        good = br_ninja_add(to, &c, 1);
    }
    return good && ninja_text_add(to, "");
}

enum br_status br_ninja_script(const struct br_ninja *ninja, uint32_t edge, const char *folder,
                               struct br_ninja_text *to, struct br_diag *diag)
{
    struct br_ninja_text text = {0};
    const struct br_ninja_edge *it = &ninja->edge[edge];
    enum br_status status = BR_OK;
    if (!(ninja_text_add(to, "cd ") && add_quoted(to, folder, strlen(folder)) &&
          ninja_text_add(to, " || exit\n") && ninja_text_add_folders(ninja, it, to)))
        status = br_fail_memory(diag);
    if (!status)
        status = add_response(ninja, edge, to, &text, diag);
    if (!status)
        status = read_key(ninja, edge, BR_NINJA_COMMAND, BR_NINJA_VALUE, &text, diag);
    if (!status && !add_command(to, text.text))
        status = br_fail_memory(diag);
    free(text.text);
    return status;
}

/* ---- The statement ---- */

bool br_ninja_add_path(struct br_ninja_text *to, const char *path)
{
    bool good = true;
    for (; *path && good; path++)
        good = (!strchr("$ :", *path) || ninja_text_add(to, "$")) && br_ninja_add(to, path, 1);
    return good;
}

static bool ninja_text_add_run(const struct br_ninja *ninja, const struct br_ninja_edge *edge,
                               enum br_ninja_run run, const char *mark, struct br_ninja_text *to)
{
    bool good = edge->first[run] == edge->first[run + 1] || ninja_text_add(to, mark);
    for (uint32_t k = edge->first[run]; k < edge->first[run + 1] && good; k++)
        good = ninja_text_add(to, " ") && br_ninja_add_path(to, ninja_text_path_of(ninja, k));
    return good;
}

/* "  key = value", of a value that is escaped already. */
static bool add_let(struct br_ninja_text *to, const char *key, const char *value)
{
    return ninja_text_add(to, "  ") && ninja_text_add(to, key) && ninja_text_add(to, " = ") &&
           (*value != ' ' || ninja_text_add(to, "$")) && ninja_text_add(to, value) &&
           ninja_text_add(to, "\n");
}

/* The value of the key as a build.ninja must write it. */
static enum br_status ninja_text_read_source(const struct br_ninja *ninja, uint32_t edge,
                                             enum br_ninja_key key, struct br_ninja_text *text,
                                             struct br_diag *diag)
{
    if (key != BR_NINJA_DEPFILE && key != BR_NINJA_RSPFILE && key != BR_NINJA_DYNDEP)
        return read_key(ninja, edge, key, BR_NINJA_SOURCE, text, diag);
    enum br_status status = read_key(ninja, edge, key, BR_NINJA_PLAIN, text, diag);
    if (status || !strchr(text->text, '$'))
        return status;
    struct br_ninja_text plain = *text;
    bool good = true;
    *text = (struct br_ninja_text){0};
    for (const char *c = plain.text; *c && good; c++)
        good = (*c != '$' || ninja_text_add(text, "$")) && br_ninja_add(text, c, 1);
    free(plain.text);
    return good ? BR_OK : br_fail_memory(diag);
}

/* A command, or the content of a response file, with a line for each input needs the rule's
 * $in_newline, which statements do not have: such a statement has a rule of its own. */
static enum br_status add_own_rule(const struct br_ninja *ninja, uint32_t edge, const char *rule,
                                   bool command, bool content, struct br_ninja_text *to,
                                   struct br_diag *diag)
{
    static const enum br_ninja_key key[] = {BR_NINJA_COMMAND, BR_NINJA_RSPFILE,
                                            BR_NINJA_RSPFILE_CONTENT};
    struct br_ninja_text text = {0};
    enum br_status status = BR_OK;
    if (!(ninja_text_add(to, "rule ") && ninja_text_add(to, rule) && ninja_text_add(to, "\n") &&
          (command || ninja_text_add(to, "  command = :\n"))))
        status = br_fail_memory(diag);
    for (size_t k = !command; k < (content ? sizeof key / sizeof *key : 1) && !status; k++) {
        status = ninja_text_read_source(ninja, edge, key[k], &text, diag);
        if (!status && text.used && !add_let(to, br_ninja_key_name[key[k]], text.text))
            status = br_fail_memory(diag);
    }
    free(text.text);
    return status;
}

/* Does the value of the key have a line for each input? */
static enum br_status has_lines(const struct br_ninja *ninja, uint32_t edge, enum br_ninja_key key,
                                struct br_ninja_text *text, bool *lines, struct br_diag *diag)
{
    enum br_status status = ninja_text_read_source(ninja, edge, key, text, diag);
    *lines = !status && strstr(text->text, "$in_newline");
    return status;
}

/* With the contents of dyndep files, if `told`. */
static bool add_files(const struct br_ninja *ninja, const struct br_ninja_edge *it,
                      const char *rule, bool told, struct br_ninja_text *to)
{
    const bool outputs = it->first[BR_NINJA_IMPLICIT_OUT] < it->first[BR_NINJA_DYNDEP_OUT];
    const bool inputs = it->first[BR_NINJA_IMPLICIT] < it->first[BR_NINJA_ORDER_ONLY];
    return ninja_text_add(to, "build") && ninja_text_add_run(ninja, it, BR_NINJA_OUT, "", to) &&
           ninja_text_add_run(ninja, it, BR_NINJA_IMPLICIT_OUT, " |", to) &&
           (!told || ninja_text_add_run(ninja, it, BR_NINJA_DYNDEP_OUT, outputs ? "" : " |", to)) &&
           ninja_text_add(to, ": ") && ninja_text_add(to, rule) &&
           ninja_text_add_run(ninja, it, BR_NINJA_IN, "", to) &&
           ninja_text_add_run(ninja, it, BR_NINJA_IMPLICIT, " |", to) &&
           (!told || ninja_text_add_run(ninja, it, BR_NINJA_FOUND, inputs ? "" : " |", to)) &&
           ninja_text_add_run(ninja, it, BR_NINJA_ORDER_ONLY, " ||", to) &&
           ninja_text_add_run(ninja, it, BR_NINJA_VALIDATION, " |@", to) &&
           ninja_text_add(to, "\n");
}

/* A description may be coloured; only its text is kept. Drops sequences that control a terminal
 * (ECMA-48: ESC, '[', parameters, a last letter) and other control characters. */
static void strip_controls(struct br_ninja_text *text)
{
    char *to = text->text;
    for (const char *at = text->text; *at; at++) {
        if (at[0] == '\033' && at[1] == '[') {
            at += 2;
            at += strspn(at, "0123456789;:<=>? !\"#$%&'()*+,-./");
            if (!*at)
                break;
        } else if ((unsigned char)*at >= ' ' || *at == '\t') {
            *to++ = *at;
        }
    }
    *to = '\0';
    text->used = (uint32_t)(to - text->text);
}

enum br_status br_ninja_statement(const struct br_ninja *ninja, uint32_t edge,
                                  enum br_ninja_saying saying, struct br_ninja_text *to,
                                  struct br_diag *diag)
{
    const struct br_ninja_edge *it = &ninja->edge[edge];
    struct br_ninja_text text = {0};
    char own[256];
    const char *rule = ninja->rule[it->rule].name;
    bool content = false, command = false;
    enum br_status status = has_lines(ninja, edge, BR_NINJA_RSPFILE_CONTENT, &text, &content, diag);
    if (!status && saying != BR_NINJA_NO_COMMANDS)
        status = has_lines(ninja, edge, BR_NINJA_COMMAND, &text, &command, diag);
    if (!status && (content || command)) {
        snprintf(own, sizeof own, "%.200s.statement-%" PRIu32, rule, edge);
        status = add_own_rule(ninja, edge, own, command, content, to, diag);
        rule = own;
    }
    if (!status && !add_files(ninja, it, rule, saying == BR_NINJA_NAMED_COMMANDS, to))
        status = br_fail_memory(diag);
    for (int key = 0; key < BR_NINJA_KEYS && !status && it->rule != BR_NINJA_PHONY; key++) {
        bool elsewhere = (key == BR_NINJA_COMMAND && saying == BR_NINJA_NO_COMMANDS) ||
                         (key == BR_NINJA_DESCRIPTION && saying == BR_NINJA_NAMED_COMMANDS) ||
                         (key == BR_NINJA_DYNDEP && saying == BR_NINJA_NAMED_COMMANDS) ||
                         (key == BR_NINJA_COMMAND && command) ||
                         (content && (key == BR_NINJA_RSPFILE || key == BR_NINJA_RSPFILE_CONTENT));
        if (elsewhere)
            continue;
        status = ninja_text_read_source(ninja, edge, (enum br_ninja_key)key, &text, diag);
        if (!status && key == BR_NINJA_DESCRIPTION)
            strip_controls(&text);
        if (!status && text.used && !add_let(to, br_ninja_key_name[key], text.text))
            status = br_fail_memory(diag);
    }
    if (!status && saying == BR_NINJA_NAMED_COMMANDS &&
        !(ninja_text_add(to, "  description = ") &&
          br_ninja_add_path(to, br_ninja_first_output(ninja, edge)) && ninja_text_add(to, "\n")))
        status = br_fail_memory(diag);
    free(text.text);
    return status;
}

/* One statement per output, since a missing output makes its whole statement out of date. */
enum br_status br_ninja_made(const struct br_ninja *ninja, uint32_t edge, struct br_ninja_text *to,
                             struct br_diag *diag)
{
    const struct br_ninja_edge *it = &ninja->edge[edge];
    bool good = true;
    for (uint32_t k = it->first[BR_NINJA_OUT]; k < it->first[BR_NINJA_IN] && good; k++)
        good = ninja_text_add(to, "build ") &&
               br_ninja_add_path(to, ninja_text_path_of(ninja, k)) &&
               ninja_text_add(to, ": phony") &&
               ninja_text_add_run(ninja, it, BR_NINJA_VALIDATION, " |@", to) &&
               ninja_text_add(to, "\n");
    return good ? BR_OK : br_fail_memory(diag);
}

/* ---- Around the statements ---- */

/* A variable of the file that matters beyond its statements. */
static bool ninja_text_add_variable(const struct br_ninja *ninja, const char *name,
                                    struct br_ninja_text *to)
{
    const char *value = br_ninja_find_variable(ninja, BR_NINJA_TOP, name);
    if (!value)
        return true;
    bool good = ninja_text_add(to, name) && ninja_text_add(to, " = ");
    for (; *value && good; value++)
        good = (*value != '$' || ninja_text_add(to, "$")) && br_ninja_add(to, value, 1);
    return good && ninja_text_add(to, "\n");
}

static uint64_t ninja_text_hash_rule(const void *ninja, uint32_t rule)
{
    return br_hash_text(((const struct br_ninja *)ninja)->rule[rule].name);
}

static bool ninja_text_is_rule(const void *ninja, uint32_t rule, const void *name)
{
    return strcmp(((const struct br_ninja *)ninja)->rule[rule].name, name) == 0;
}

/* Every name once, except those of ninja itself: statements have all values of their rules, so
 * rules of several scopes need not be distinguished. */
static bool add_rules(const struct br_ninja *ninja, struct br_ninja_text *to)
{
    static const struct br_index_keys keys = {ninja_text_hash_rule, ninja_text_is_rule};
    struct br_index named = {0};
    bool good = br_index_add(&named, &keys, ninja, BR_NINJA_PHONY);
    for (uint32_t r = BR_NINJA_PHONY + 1; r < ninja->rules && good; r++) {
        const char *name = ninja->rule[r].name;
        if (br_index_find(&named, &keys, ninja, name, br_hash_text(name)) == UINT32_MAX)
            good = br_index_add(&named, &keys, ninja, r) && ninja_text_add(to, "rule ") &&
                   ninja_text_add(to, name) && ninja_text_add(to, "\n  command = :\n");
    }
    br_index_finish(&named);
    return good;
}

enum br_status br_ninja_head(const struct br_ninja *ninja, struct br_ninja_text *to,
                             struct br_diag *diag)
{
    bool good = ninja_text_add_variable(ninja, "ninja_required_version", to) &&
                ninja_text_add_variable(ninja, "builddir", to);
    for (uint32_t p = 0; p < ninja->pools && good; p++) {
        char depth[32];
        snprintf(depth, sizeof depth, "%" PRIu32, ninja->pool[p].depth);
        if (strcmp(ninja->pool[p].name, "console") != 0)
            good = ninja_text_add(to, "pool ") && ninja_text_add(to, ninja->pool[p].name) &&
                   ninja_text_add(to, "\n") && add_let(to, "depth", depth);
    }
    return good && add_rules(ninja, to) ? BR_OK : br_fail_memory(diag);
}

enum br_status br_ninja_defaults(const struct br_ninja *ninja, struct br_ninja_text *to,
                                 struct br_diag *diag)
{
    bool good = !ninja->targets || ninja_text_add(to, "default");
    for (uint32_t k = 0; k < ninja->targets && good; k++)
        good = ninja_text_add(to, " ") && br_ninja_add_path(to, ninja->node[ninja->target[k]].path);
    return good && (!ninja->targets || ninja_text_add(to, "\n")) ? BR_OK : br_fail_memory(diag);
}
