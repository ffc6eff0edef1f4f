/* Texts of a build.ninja with their variables expanded.
 *
 * An edge's value of "command" and the like comes, in this order, from its own statement, from its
 * rule (expanded with the edge's variables), and from the files' scopes; a statement without
 * bindings of its own has the file's scope itself. This follows ninja's manual ("Variable
 * expansion", "Evaluation and scoping").
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/text/shell.h"
#include "parsers/ninja/ninja.h"

enum { DEEPEST = 64 };

const char *const br_ninja_key_name[BR_NINJA_KEYS] = {
    "command",          "depfile", "deps",   "description", "dyndep",          "generator",
    "msvc_deps_prefix", "pool",    "restat", "rspfile",     "rspfile_content",
};

bool br_ninja_add(struct br_ninja_text *to, const char *text, size_t size)
{
    while (to->room - to->used <= size)
        if (to->room > UINT32_MAX / 2 || !br_grow(&to->text, to->room, &to->room, 1))
            return false;
    assert(to->used + size < to->room);
    memcpy(to->text + to->used, text, size);
    to->used += (uint32_t)size;
    to->text[to->used] = '\0';
    return true;
}

/* A name of letters, digits, '_', '-' and, in braces, '.'. */
static size_t name_length(const char *at, bool dots)
{
    size_t n = 0;
    while ((at[n] >= 'a' && at[n] <= 'z') || (at[n] >= 'A' && at[n] <= 'Z') ||
           (at[n] >= '0' && at[n] <= '9') || at[n] == '_' || at[n] == '-' || (dots && at[n] == '.'))
        n++;
    return n;
}

size_t br_ninja_escape(const char *at, struct br_ninja_slice *name)
{
    assert(*at == '$');
    *name = (struct br_ninja_slice){0};
    switch (at[1]) {
    case '$':
    case ' ':
    case ':':
    case '^':
        return 2;
    case '\r':
    case '\n': {
        size_t n = at[1] == '\n' ? 2 : 3;
        if (at[n - 1] != '\n')
            return 0;
        return n + strspn(at + n, " ");
    }
    case '{': {
        size_t n = name_length(at + 2, true);
        *name = (struct br_ninja_slice){at + 2, n};
        return n && at[2 + n] == '}' ? n + 3 : 0;
    }
    default: {
        size_t n = name_length(at + 1, false);
        *name = (struct br_ninja_slice){at + 1, n};
        return n ? n + 1 : 0;
    }
    }
}

/* The state of an expansion: the variables in use, and the depth in rules that name rules. */
struct place {
    const struct br_ninja *ninja;
    uint32_t edge; /* UINT32_MAX: none */
    uint32_t scope;
    enum br_ninja_form form;
    int depth;
    struct br_diag *diag;
};

static enum br_status ninja_expand(const struct place *place, struct br_ninja_slice slice,
                                   struct br_ninja_text *to);

/* Adds literal text. */
static bool add_literal(const struct place *place, const char *text, size_t size,
                        struct br_ninja_text *to)
{
    if (place->form != BR_NINJA_SOURCE)
        return br_ninja_add(to, text, size);
    bool good = true;
    for (size_t k = 0; k < size && good; k++)
        good = text[k] == '$'    ? br_ninja_add(to, "$$", 2)
               : text[k] == '\n' ? br_ninja_add(to, "$^", 2)
                                 : br_ninja_add(to, text + k, 1);
    return good;
}

/* As in ninja itself, so that commands match byte by byte. */
static bool is_plain_for_shell(const char *path)
{
    return !path[strspn(path,
                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-./")];
}

struct literal {
    const struct place *place;
    struct br_ninja_text *to;
};

static bool put_literal(void *context, const char *text, size_t size)
{
    struct literal *literal = context;
    return add_literal(literal->place, text, size, literal->to);
}

static bool expand_add_path(const struct place *place, const char *path, struct br_ninja_text *to)
{
    struct literal literal = {place, to};
    if (place->form == BR_NINJA_PLAIN || is_plain_for_shell(path))
        return add_literal(place, path, strlen(path), to);
    return br_shell_quote(path, strlen(path), put_literal, &literal);
}

static bool add_paths(const struct place *place, enum br_ninja_run run, char between,
                      struct br_ninja_text *to)
{
    const struct br_ninja *ninja = place->ninja;
    const struct br_ninja_edge *edge = &ninja->edge[place->edge];
    assert(edge->first[run] <= edge->first[run + 1] && edge->first[run + 1] <= ninja->paths);
    for (uint32_t k = edge->first[run]; k < edge->first[run + 1]; k++)
        if ((k > edge->first[run] && !add_literal(place, &between, 1, to)) ||
            !expand_add_path(place, ninja->node[ninja->path[k]].path, to))
            return false;
    return true;
}

/* The value from the scope or an enclosing one. */
static const char *find_around(const struct br_ninja *ninja, uint32_t scope, const char *name)
{
    for (; scope != UINT32_MAX; scope = ninja->scope[scope].parent) {
        assert(ninja->scope[scope].parent == UINT32_MAX || ninja->scope[scope].parent < scope);
        const char *value = br_ninja_find_variable(ninja, scope, name);
        if (value)
            return value;
    }
    return NULL;
}

static const struct br_ninja_slice *find_in_rule(const struct place *place, const char *name)
{
    const struct br_ninja *ninja = place->ninja;
    const struct br_ninja_rule *rule = &ninja->rule[ninja->edge[place->edge].rule];
    for (int key = 0; key < BR_NINJA_KEYS; key++)
        if (rule->binding[key].text && strcmp(br_ninja_key_name[key], name) == 0)
            return &rule->binding[key];
    return NULL;
}

static enum br_status expand_add_variable(const struct place *place, const char *name,
                                          struct br_ninja_text *to)
{
    const struct br_ninja *ninja = place->ninja;
    if (place->edge != UINT32_MAX) {
        bool in = strcmp(name, "in") == 0, lines = strcmp(name, "in_newline") == 0;
        if (lines && place->form == BR_NINJA_SOURCE)
            return br_ninja_add(to, "$in_newline", 11) ? BR_OK : br_fail_memory(place->diag);
        if (in || lines)
            return add_paths(place, BR_NINJA_IN, lines ? '\n' : ' ', to)
                       ? BR_OK
                       : br_fail_memory(place->diag);
        if (strcmp(name, "out") == 0)
            return add_paths(place, BR_NINJA_OUT, ' ', to) ? BR_OK : br_fail_memory(place->diag);
    }
    const char *value = br_ninja_find_variable(ninja, place->scope, name);
    if (!value && place->edge != UINT32_MAX) {
        const struct br_ninja_slice *binding = find_in_rule(place, name);
        if (binding)
            return ninja_expand(place, *binding, to);
    }
    if (!value)
        value = find_around(ninja, ninja->scope[place->scope].parent, name);
    if (value && !add_literal(place, value, strlen(value), to))
        return br_fail_memory(place->diag);
    return BR_OK;
}

static enum br_status add_escape(const struct place *place, const char *at,
                                 struct br_ninja_slice name, struct br_ninja_text *to)
{
    if (name.text) {
        char small[128], *text = name.size < sizeof small ? small : malloc(name.size + 1);
        if (!text)
            return br_fail_memory(place->diag);
        memcpy(text, name.text, name.size);
        text[name.size] = '\0';
        enum br_status status = expand_add_variable(place, text, to);
        if (text != small)
            free(text);
        return status;
    }
    bool nothing = at[1] == '\n' || at[1] == '\r';
    const char *character = at[1] == '^' ? "\n" : at + 1;
    return nothing || add_literal(place, character, 1, to) ? BR_OK : br_fail_memory(place->diag);
}

static enum br_status ninja_expand(const struct place *outer, struct br_ninja_slice slice,
                                   struct br_ninja_text *to)
{
    struct place place = *outer;
    if (++place.depth > DEEPEST)
        return br_fail(place.diag, BR_BAD_INPUT, "let no variable of a rule name itself",
                       "the rule's variables name each other in a circle");
    for (const char *at = slice.text, *end = slice.text + slice.size; at < end;) {
        const char *dollar = memchr(at, '$', (size_t)(end - at));
        size_t plain = dollar ? (size_t)(dollar - at) : (size_t)(end - at);
        struct br_ninja_slice name;
        if (plain && !add_literal(&place, at, plain, to))
            return br_fail_memory(place.diag);
        at += plain;
        if (!dollar)
            break;
        size_t length = br_ninja_escape(at, &name); /* not 0: the reader has checked them all */
        assert(length > 0 && length <= (size_t)(end - at));
        enum br_status status = add_escape(&place, at, name, to);
        if (status)
            return status;
        at += length ? length : 1;
    }
    return BR_OK;
}

enum br_status br_ninja_expand(const struct br_ninja *ninja, struct br_ninja_slice slice,
                               uint32_t scope, struct br_ninja_text *to, struct br_diag *diag)
{
    struct place place = {ninja, UINT32_MAX, scope, BR_NINJA_VALUE, 0, diag};
    return ninja_expand(&place, slice, to);
}

enum br_status br_ninja_binding(const struct br_ninja *ninja, uint32_t edge, enum br_ninja_key key,
                                enum br_ninja_form form, struct br_ninja_text *to,
                                struct br_diag *diag)
{
    struct place place = {ninja, edge, ninja->edge[edge].scope, form, 0, diag};
    const uint32_t before = to->used;
    enum br_status status = expand_add_variable(&place, br_ninja_key_name[key], to);
    const bool told = key == BR_NINJA_RESTAT && ninja->edge[edge].restat && to->used == before;
    return status || !told || br_ninja_add(to, "1", 1) ? status : br_fail_memory(diag);
}
