/* The statements of a build.ninja: rule, pool, build, default, include, subninja, and variables.
 * The form is that of ninja's manual ("Ninja file reference"). Never stricter than ninja; faults
 * that ninja would report are reported here with the same place. */
#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/text/path.h"
#include "base/text/text.h"
#include "parsers/ninja/ninja.h"
#include "parsers/ninja/store.h"
#include "parsers/text/source.h"

enum { TEXT_LIMIT = 1 << 30, DEEPEST_INCLUDE = 100 };

/* A file being read. */
struct reader {
    struct br_ninja *ninja;
    const char *folder;
    uint32_t file; /* in ninja->file */
    const char *at;
    const char *known; /* a place in the text, and its line and column */
    struct br_pos known_pos;
    uint32_t scope;
    int depth;
    struct br_diag *diag;
};

static struct br_pos ninja_read_place_of(struct reader *reader, const char *at)
{
    if (at < reader->known)
        return (struct br_pos){reader->known_pos.line, 0};
    for (; reader->known < at; reader->known++) {
        reader->known_pos.column++;
        if (*reader->known == '\n')
            reader->known_pos = (struct br_pos){reader->known_pos.line + 1, 1};
    }
    return reader->known_pos;
}

#define FAIL(reader, hint, ...)                                                                    \
    br_fail_at((reader)->diag, ninja_read_place_of(reader, (reader)->at), BR_BAD_INPUT, hint,      \
               __VA_ARGS__)

/* Skips blanks, and line ends after a '$'. */
static void skip_blanks(struct reader *reader)
{
    struct br_ninja_slice name;
    for (;;) {
        reader->at += strspn(reader->at, " ");
        if (reader->at[0] != '$' || (reader->at[1] != '\n' && reader->at[1] != '\r'))
            return;
        size_t length = br_ninja_escape(reader->at, &name);
        if (!length)
            return;
        reader->at += length;
    }
}

static bool at_line_end(const struct reader *reader)
{
    return !*reader->at || *reader->at == '\n' || (reader->at[0] == '\r' && reader->at[1] == '\n');
}

static enum br_status end_line(struct reader *reader)
{
    if (!at_line_end(reader))
        return FAIL(reader, "begin a new line", "there is more on this line than belongs here");
    reader->at += *reader->at == '\r';
    reader->at += *reader->at == '\n';
    return BR_OK;
}

/* Skips comments. Returns the number of blanks at the start of the next line with contents, or 0 if
 * the line is empty and `skip_empty` is not set. */
static size_t begin_line(struct reader *reader, bool skip_empty)
{
    for (;;) {
        size_t blanks = strspn(reader->at, " ");
        const char *at = reader->at + blanks;
        if (*at == '#') {
            at += strcspn(at, "\n");
            reader->at = at + (*at == '\n');
        } else if (*at == '\n' || (*at == '\r' && at[1] == '\n')) {
            if (!skip_empty)
                return 0;
            reader->at = at + (*at == '\r') + 1;
        } else if (!*at) {
            reader->at = at;
            return 0;
        } else {
            return blanks;
        }
    }
}

/* The status of the call that has just failed and reported. */
static enum br_status why(const struct reader *reader)
{
    assert(reader->diag->status);
    return reader->diag->status;
}

/* A name, in the arena; NULL, with a diagnostic, if there is none here or memory is out. */
static const char *ninja_read_name(struct reader *reader, const char *what)
{
    size_t n = strspn(reader->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_.-");
    if (!n) {
        bool tab = *reader->at == '\t';
        FAIL(reader, tab ? "indent by blanks; ninja knows no tabs" : NULL, "expected %s", what);
        return NULL;
    }
    char *name = br_arena_alloc(&reader->ninja->arena, n + 1);
    if (!name) {
        br_fail_memory(reader->diag);
        return NULL;
    }
    memcpy(name, reader->at, n);
    reader->at += n;
    skip_blanks(reader);
    return name;
}

/* The rest of the line, or a path up to the next blank, ':' or '|'. */
static enum br_status read_slice(struct reader *reader, bool path, struct br_ninja_slice *slice)
{
    struct br_ninja_slice name;
    slice->text = reader->at;
    while (!at_line_end(reader) && !(path && strchr(" :|", *reader->at))) {
        size_t length = *reader->at == '$' ? br_ninja_escape(reader->at, &name) : 1;
        if (!length)
            return FAIL(reader, "write $$ for a '$'", "there is no such escape");
        reader->at += length;
    }
    slice->size = (size_t)(reader->at - slice->text);
    if (path)
        skip_blanks(reader);
    return BR_OK;
}

/* "name = value" up to the end of the line. */
static enum br_status read_let(struct reader *reader, const char **name,
                               struct br_ninja_slice *slice)
{
    *name = ninja_read_name(reader, "a variable's name");
    if (!*name)
        return why(reader);
    if (*reader->at != '=')
        return FAIL(reader, NULL, "expected '=' after '%.80s'", *name);
    reader->at++;
    skip_blanks(reader);
    enum br_status status = read_slice(reader, false, slice);
    return status ? status : end_line(reader);
}

/* Expands a text with the values in the scope so far, into the arena. */
static enum br_status ninja_read_evaluate(struct reader *reader, struct br_ninja_slice slice,
                                          uint32_t scope, char **value)
{
    struct br_ninja_text text = {0};
    enum br_status status = br_ninja_expand(reader->ninja, slice, scope, &text, reader->diag);
    *value = NULL;
    if (!status && !(*value = br_arena_text(&reader->ninja->arena, text.text ? text.text : "")))
        status = br_fail_memory(reader->diag);
    free(text.text);
    return status;
}

static enum br_status ninja_read_variable(struct reader *reader, uint32_t scope)
{
    const char *name;
    char *value;
    struct br_ninja_slice slice;
    enum br_status status = read_let(reader, &name, &slice);
    if (!status)
        status = ninja_read_evaluate(reader, slice, reader->scope, &value);
    if (!status && !br_ninja_set_variable(reader->ninja, scope, name, value))
        status = br_fail_memory(reader->diag);
    return status;
}

/* Ninja checks only the rule, so a statement cannot add the half that its rule lacks. */
static enum br_status check_rule(struct reader *reader, const struct br_ninja_rule *rule)
{
    if (!rule->binding[BR_NINJA_COMMAND].text)
        return FAIL(reader, NULL, "the rule '%.80s' has no command", rule->name);
    if (!rule->binding[BR_NINJA_RSPFILE].size != !rule->binding[BR_NINJA_RSPFILE_CONTENT].size)
        return FAIL(
            reader, "let the rule say both",
            "the rule '%.80s' has one of rspfile and rspfile_content, which belong together",
            rule->name);
    return BR_OK;
}

static enum br_status read_rule(struct reader *reader)
{
    uint32_t number;
    const char *name = ninja_read_name(reader, "the rule's name");
    if (!name)
        return why(reader);
    if (!br_ninja_add_rule(reader->ninja, reader->scope, name, &number))
        return br_fail_memory(reader->diag);
    if (number == UINT32_MAX)
        return FAIL(reader, "give one of them another name", "there are two rules '%.80s'", name);
    enum br_status status = end_line(reader);
    while (!status && begin_line(reader, false)) {
        struct br_ninja_slice slice;
        skip_blanks(reader);
        status = read_let(reader, &name, &slice);
        int key = 0;
        while (!status && key < BR_NINJA_KEYS && strcmp(br_ninja_key_name[key], name) != 0)
            key++;
        if (!status && key == BR_NINJA_KEYS)
            status = FAIL(reader, NULL, "a rule knows no variable '%.80s'", name);
        if (!status)
            reader->ninja->rule[number].binding[key] = slice;
    }
    return status ? status : check_rule(reader, &reader->ninja->rule[number]);
}

static enum br_status ninja_read_pool(struct reader *reader)
{
    const char *name = ninja_read_name(reader, "the pool's name"), *key;
    if (!name)
        return why(reader);
    enum br_status status = end_line(reader);
    char *depth = NULL;
    while (!status && begin_line(reader, false)) {
        struct br_ninja_slice slice;
        skip_blanks(reader);
        status = read_let(reader, &key, &slice);
        if (!status && strcmp(key, "depth") != 0)
            status = FAIL(reader, NULL, "a pool knows no variable '%.80s'", key);
        if (!status)
            status = ninja_read_evaluate(reader, slice, reader->scope, &depth);
    }
    if (status)
        return status;
    if (!depth)
        return FAIL(reader, "write 'depth = 4'", "the pool '%.80s' has no depth", name);
    /* Ninja takes the number at the start of the text, and 0, no limit, if there is none: SCons
     * writes 0.5. */
    const long long places = strtoll(depth, NULL, 10);
    if (places < 0)
        return FAIL(reader, "write 'depth = 4'", "the pool '%.80s' has a depth below 0", name);
    return br_ninja_add_pool(reader->ninja, name,
                             places < INT32_MAX ? (uint32_t)places : (uint32_t)INT32_MAX)
               ? BR_OK
               : br_fail_memory(reader->diag);
}

/* A run of unexpanded paths: those of an edge use its own variables, which follow. */
struct paths {
    struct br_ninja_slice *slice;
    uint32_t count, room;
};

static enum br_status read_paths(struct reader *reader, struct paths *paths)
{
    while (!at_line_end(reader) && !strchr(":|", *reader->at)) {
        struct br_ninja_slice slice;
        enum br_status status = read_slice(reader, true, &slice);
        if (status)
            return status;
        if (!br_grow(&paths->slice, paths->count, &paths->room, sizeof *paths->slice))
            return br_fail_memory(reader->diag);
        paths->slice[paths->count++] = slice;
    }
    return BR_OK;
}

/* The node of a path, canonical. */
static enum br_status node_of(struct reader *reader, struct br_ninja_slice slice, uint32_t scope,
                              uint32_t *node)
{
    char *path;
    enum br_status status = ninja_read_evaluate(reader, slice, scope, &path);
    if (status)
        return status;
    if (!*path)
        return FAIL(reader, NULL, "a path is empty");
    if (!br_text_is_plain(path))
        return FAIL(reader, NULL, "a path holds control characters: '%.80s'", path);
    br_path_shorten(path);
    return br_ninja_add_node(reader->ninja, path, node) ? BR_OK : br_fail_memory(reader->diag);
}

/* Does the text continue with this mark? Skips it, and blanks. */
static bool accept(struct reader *reader, const char *mark)
{
    size_t n = strlen(mark);
    if (strncmp(reader->at, mark, n) != 0)
        return false;
    reader->at += n;
    skip_blanks(reader);
    return true;
}

/* The header of a statement, before its bindings: paths in runs, some of which may be empty. */
static enum br_status read_runs(struct reader *reader, struct paths *paths,
                                uint32_t end[BR_NINJA_RUNS], const char **rule)
{
    enum br_status status = read_paths(reader, paths);
    end[BR_NINJA_OUT] = paths->count;
    if (!status && accept(reader, "|"))
        status = read_paths(reader, paths);
    end[BR_NINJA_IMPLICIT_OUT] = end[BR_NINJA_DYNDEP_OUT] = paths->count;
    if (!status && !paths->count)
        status = FAIL(reader, NULL, "expected a path to build");
    if (!status && !accept(reader, ":"))
        status = FAIL(reader, NULL, "expected ':' after the outputs");
    if (!status && !(*rule = ninja_read_name(reader, "a rule's name")))
        status = why(reader);
    static const struct {
        const char *mark;
        enum br_ninja_run run;
    } inputs[] = {{"", BR_NINJA_IN},
                  {"|", BR_NINJA_IMPLICIT},
                  {"||", BR_NINJA_ORDER_ONLY},
                  {"|@", BR_NINJA_VALIDATION}};
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++) {
        bool other = k == 1 && (reader->at[0] == '|' && strchr("|@", reader->at[1]));
        if (!status && !other && accept(reader, inputs[k].mark))
            status = read_paths(reader, paths);
        end[inputs[k].run] = paths->count;
        if (inputs[k].run == BR_NINJA_ORDER_ONLY)
            end[BR_NINJA_FOUND] = paths->count;
    }
    assert(status || end[BR_NINJA_RUNS - 1] == paths->count);
    return status ? status : end_line(reader);
}

static enum br_status read_bindings(struct reader *reader, uint32_t *scope)
{
    *scope = reader->scope;
    enum br_status status = BR_OK;
    while (!status && begin_line(reader, false)) {
        skip_blanks(reader);
        if (*scope == reader->scope && !br_ninja_add_scope(reader->ninja, reader->scope, scope))
            return br_fail_memory(reader->diag);
        status = ninja_read_variable(reader, *scope);
    }
    return status;
}

/* Turns the paths into nodes of a new edge. */
static enum br_status ninja_read_add_edge(struct reader *reader, const struct paths *paths,
                                          const uint32_t end[BR_NINJA_RUNS],
                                          struct br_ninja_edge edge)
{
    struct br_ninja *ninja = reader->ninja;
    for (int run = 0; run < BR_NINJA_RUNS; run++) {
        edge.first[run] = ninja->paths;
        for (uint32_t k = run ? end[run - 1] : 0; k < end[run]; k++) {
            uint32_t node;
            enum br_status status = node_of(reader, paths->slice[k], edge.scope, &node);
            if (status)
                return status;
            /* "build x: phony x" comes from old generators; ninja ignores it, too. */
            if (run >= BR_NINJA_IN && edge.rule == BR_NINJA_PHONY &&
                ninja->node[node].producer == ninja->edges)
                continue;
            if (run <= BR_NINJA_IMPLICIT_OUT && ninja->node[node].producer != UINT32_MAX)
                return br_fail_at(reader->diag, edge.pos, BR_BAD_INPUT, NULL,
                                  "several statements build '%.200s'", ninja->node[node].path);
            if (run <= BR_NINJA_IMPLICIT_OUT)
                ninja->node[node].producer = ninja->edges;
            else if (run != BR_NINJA_VALIDATION) /* ninja's default targets may have validations */
                ninja->node[node].used = true;
            if (!br_grow(&ninja->path, ninja->paths, &ninja->path_room, sizeof *ninja->path))
                return br_fail_memory(reader->diag);
            ninja->path[ninja->paths++] = node;
        }
    }
    edge.first[BR_NINJA_RUNS] = ninja->paths;
    assert(edge.first[BR_NINJA_OUT] < edge.first[BR_NINJA_IN]);
    if (!br_grow(&ninja->edge, ninja->edges, &ninja->edge_room, sizeof *ninja->edge))
        return br_fail_memory(reader->diag);
    ninja->edge[ninja->edges++] = edge;
    return BR_OK;
}

static enum br_status read_build(struct reader *reader, struct br_pos pos)
{
    struct paths paths = {0};
    uint32_t end[BR_NINJA_RUNS];
    struct br_ninja_edge edge = {.file = reader->file, .pos = pos};
    const char *rule = NULL;
    enum br_status status = read_runs(reader, &paths, end, &rule);
    if (!status) {
        edge.rule = br_ninja_find_rule(reader->ninja, reader->scope, rule);
        if (edge.rule == UINT32_MAX)
            status = br_fail_at(reader->diag, edge.pos, BR_BAD_INPUT, NULL,
                                "there is no rule '%.80s' before this statement", rule);
    }
    if (!status)
        status = read_bindings(reader, &edge.scope);
    if (!status)
        status = ninja_read_add_edge(reader, &paths, end, edge);
    free(paths.slice);
    return status;
}

static enum br_status read_default(struct reader *reader)
{
    struct paths paths = {0};
    struct br_ninja *ninja = reader->ninja;
    enum br_status status = read_paths(reader, &paths);
    for (uint32_t k = 0; k < paths.count && !status; k++) {
        uint32_t node;
        status = node_of(reader, paths.slice[k], reader->scope, &node);
        if (!status &&
            !br_grow(&ninja->target, ninja->targets, &ninja->target_room, sizeof *ninja->target))
            status = br_fail_memory(reader->diag);
        if (!status)
            ninja->target[ninja->targets++] = node;
    }
    if (!status && !paths.count)
        status = FAIL(reader, NULL, "expected the path of a default target");
    free(paths.slice);
    return status ? status : end_line(reader);
}

static enum br_status ninja_read_file(struct br_ninja *ninja, const char *folder, const char *file,
                                      uint32_t scope, int depth, struct br_diag *diag);

static enum br_status read_include(struct reader *reader, bool own_scope)
{
    struct br_ninja_slice slice;
    char *file;
    uint32_t scope = reader->scope;
    enum br_status status = read_slice(reader, true, &slice);
    if (!status)
        status = ninja_read_evaluate(reader, slice, reader->scope, &file);
    if (!status)
        status = end_line(reader);
    if (!status && reader->depth >= DEEPEST_INCLUDE)
        status = FAIL(reader, "does a file include itself?", "files include each other too deeply");
    if (!status && own_scope && !br_ninja_add_scope(reader->ninja, reader->scope, &scope))
        status = br_fail_memory(reader->diag);
    if (!status)
        status = ninja_read_file(reader->ninja, reader->folder, file, scope, reader->depth + 1,
                                 reader->diag);
    if (!status)
        br_diag_file(reader->diag, reader->ninja->file[reader->file].path);
    return status;
}

static enum br_status read_statement(struct reader *reader)
{
    const char *begin = reader->at;
    struct br_pos pos = ninja_read_place_of(reader, begin);
    const char *word = ninja_read_name(reader, "a statement");
    if (!word)
        return why(reader);
    if (strcmp(word, "build") == 0)
        return read_build(reader, pos);
    if (strcmp(word, "rule") == 0)
        return read_rule(reader);
    if (strcmp(word, "pool") == 0)
        return ninja_read_pool(reader);
    if (strcmp(word, "default") == 0)
        return read_default(reader);
    if (strcmp(word, "include") == 0 || strcmp(word, "subninja") == 0)
        return read_include(reader, *word == 's');
    reader->at = begin;
    return ninja_read_variable(reader, reader->scope);
}

static enum br_status ninja_read_file(struct br_ninja *ninja, const char *folder, const char *file,
                                      uint32_t scope, int depth, struct br_diag *diag)
{
    char path[PATH_MAX];
    struct br_source source;
    assert(scope < ninja->scopes && depth <= DEEPEST_INCLUDE);
    if (*file == '/')
        snprintf(path, sizeof path, "%s", file);
    else if (snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path)
        return br_fail(diag, BR_BAD_INPUT, NULL, "the path '%.80s...' is too long", file);
    if (!br_grow(&ninja->file, ninja->files, &ninja->file_room, sizeof *ninja->file))
        return br_fail_memory(diag);
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    struct br_ninja_file *it = &ninja->file[ninja->files];
    status = br_source_text(&source, TEXT_LIMIT, "ninja", &it->text, diag);
    br_source_close(&source);
    if (status)
        return status;
    it->path = strdup(path);
    struct reader reader = {ninja,  folder, ninja->files++, it->text, it->text,
                            {1, 1}, scope,  depth,          diag};
    if (!it->path)
        status = br_fail_memory(diag);
    while (!status) {
        if (begin_line(&reader, true))
            status = FAIL(&reader, "only lines that belong to a statement begin with blanks",
                          "the line is indented");
        else if (*reader.at)
            status = read_statement(&reader);
        else
            break;
    }
    return status;
}

/* `rule`: NULL, or the name of a rule that the file need not define. */
static enum br_status ninja_read_whole(struct br_ninja *ninja, const char *folder, const char *file,
                                       const char *rule, struct br_diag *diag)
{
    struct br_diag own = {0};
    uint32_t number;
    if (!diag)
        diag = &own;
    enum br_status status = br_ninja_init(ninja) ? BR_OK : br_fail_memory(diag);
    if (!status && rule && !br_ninja_add_rule(ninja, BR_NINJA_TOP, rule, &number))
        status = br_fail_memory(diag);
    if (!status)
        status = ninja_read_file(ninja, folder, file, BR_NINJA_TOP, 0, diag);
    if (status)
        br_ninja_finish(ninja);
    return status;
}

enum br_status br_ninja_read(struct br_ninja *ninja, const char *folder, const char *file,
                             struct br_diag *diag)
{
    return ninja_read_whole(ninja, folder, file, NULL, diag);
}

enum br_status br_ninja_read_dyndep(struct br_ninja *ninja, const char *folder, const char *file,
                                    struct br_diag *diag)
{
    return ninja_read_whole(ninja, folder, file, br_ninja_key_name[BR_NINJA_DYNDEP], diag);
}
