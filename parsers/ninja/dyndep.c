/* The form is that of ninja's manual ("Dynamic Dependencies"): a build.ninja in which every
 * statement has the rule "dyndep" and one explicit output, which identifies the statement of the
 * build. */
#include "parsers/ninja/dyndep.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/path.h"
#include "parsers/ninja/store.h"

struct loading {
    struct br_ninja *ninja;
    const char *folder;
    const struct br_ninja_ready *ready;
    struct br_ninja_text text;
    uint32_t bad;    /* the last file that could not be read */
    uint32_t *input; /* for one statement at a time */
    uint32_t room;
};

/* Does any statement name such a file? */
static bool has_any(const struct br_ninja *ninja)
{
    bool any = false;
    for (uint32_t r = 0; r < ninja->rules && !any; r++)
        any = ninja->rule[r].binding[BR_NINJA_DYNDEP].text != NULL;
    for (uint32_t v = 0; v < ninja->variables && !any; v++)
        any = strcmp(ninja->variable[v].name, br_ninja_key_name[BR_NINJA_DYNDEP]) == 0;
    return any;
}

/* The file that the edge names, canonical; UINT32_MAX: none. */
static enum br_status file_of(const struct br_ninja *ninja, uint32_t edge,
                              struct br_ninja_text *text, uint32_t *node, struct br_diag *diag)
{
    *node = UINT32_MAX;
    text->used = 0;
    if (ninja->edge[edge].rule == BR_NINJA_PHONY)
        return BR_OK;
    enum br_status status =
        br_ninja_binding(ninja, edge, BR_NINJA_DYNDEP, BR_NINJA_PLAIN, text, diag);
    if (status || !text->used)
        return status;
    br_path_shorten(text->text);
    *node = br_ninja_find_node(ninja, text->text);
    const struct br_ninja_edge *it = &ninja->edge[edge];
    for (uint32_t k = it->first[BR_NINJA_IN]; k < it->first[BR_NINJA_VALIDATION]; k++)
        if (*node == ninja->path[k])
            return BR_OK;
    return br_fail_at(diag, it->pos, BR_BAD_INPUT, "add it behind ||",
                      "the dyndep file '%.200s' of '%.200s' is no input of its statement",
                      text->text, br_ninja_first_output(ninja, edge));
}

static bool is_ready(const struct loading *loading, uint32_t file)
{
    const struct br_ninja *ninja = loading->ninja;
    assert(file < ninja->nodes);
    const struct br_ninja_ready *ready = loading->ready;
    const uint32_t maker = ninja->node[file].producer;
    char path[PATH_MAX];
    const char *name = ninja->node[file].path;
    const bool rooted = *name == '/';
    const char *first = maker == UINT32_MAX ? NULL : br_ninja_first_output(ninja, maker);
    const bool made = !first                ? true
                      : ready->pending      ? !br_ninja_set_have(ready->pending, first)
                      : ready->made != NULL ? br_ninja_set_have(ready->made, first)
                                            : true;
    return made &&
           snprintf(path, sizeof path, "%s%s%s", rooted ? "" : loading->folder, rooted ? "" : "/",
                    name) < (int)sizeof path &&
           access(path, R_OK) == 0;
}

/* ---- Permitted contents ---- */

static enum br_status fail_form(const struct br_ninja *said, struct br_pos pos, const char *what,
                                struct br_diag *diag)
{
    br_diag_file(diag, said->file[0].path);
    return br_fail_at(diag, pos, BR_BAD_INPUT, "mend the command that makes the file", "%s", what);
}

/* A version, and statements with one output; further outputs and inputs may follow '|'. */
static enum br_status check_form(const struct br_ninja *said, struct br_diag *diag)
{
    const struct br_pos first = {1, 1};
    const char *version = br_ninja_find_variable(said, BR_NINJA_TOP, "ninja_dyndep_version");
    if (!version || (strcmp(version, "1") != 0 && strcmp(version, "1.0") != 0))
        return fail_form(said, first, "expected 'ninja_dyndep_version = 1'", diag);
    if (said->files > 1 || said->targets)
        return fail_form(said, first, "a dyndep file holds statements alone", diag);
    for (uint32_t e = 0; e < said->edges; e++) {
        const struct br_ninja_edge *it = &said->edge[e];
        const uint32_t *run = it->first;
        const bool good =
            strcmp(said->rule[it->rule].name, br_ninja_key_name[BR_NINJA_DYNDEP]) == 0;
        if (!good)
            return fail_form(said, it->pos, "the rule of a dyndep file's statement is 'dyndep'",
                             diag);
        if (run[BR_NINJA_OUT + 1] - run[BR_NINJA_OUT] != 1 ||
            run[BR_NINJA_IN] != run[BR_NINJA_IN + 1])
            return fail_form(said, it->pos,
                             "a dyndep file's statement has one output and no input before '|'",
                             diag);
        if (run[BR_NINJA_ORDER_ONLY] != run[BR_NINJA_ORDER_ONLY + 1] ||
            run[BR_NINJA_VALIDATION] != run[BR_NINJA_VALIDATION + 1])
            return fail_form(said, it->pos, "a dyndep file's statement has no '||' and no '|@'",
                             diag);
    }
    return BR_OK;
}

/* Do the statements fit those of the build? */
static enum br_status check_fit(const struct br_ninja *ninja, const struct br_ninja *said,
                                struct br_diag *diag)
{
    for (uint32_t from = 0; from < said->edges; from++) {
        const struct br_ninja_edge *it = &said->edge[from];
        const char *first = br_ninja_first_output(said, from);
        const uint32_t edge = br_ninja_find_producer(ninja, first);
        br_diag_file(diag, said->file[0].path);
        if (edge == UINT32_MAX)
            return br_fail_at(diag, it->pos, BR_BAD_INPUT, "mend the command that makes the file",
                              "the build has no statement for '%.200s'", first);
        for (uint32_t k = it->first[BR_NINJA_IMPLICIT_OUT]; k < it->first[BR_NINJA_DYNDEP_OUT];
             k++) {
            const char *path = said->node[said->path[k]].path;
            const uint32_t other = br_ninja_find_producer(ninja, path);
            if (other != UINT32_MAX && other != edge)
                return br_fail_at(diag, it->pos, BR_BAD_INPUT, NULL,
                                  "several statements build '%.200s'", path);
        }
    }
    return BR_OK;
}

/* Reads a file that a statement of the build names; nothing to finish on failure. */
static enum br_status read_said(const struct br_ninja *ninja, const char *folder, uint32_t file,
                                struct br_ninja *said, struct br_diag *diag)
{
    enum br_status status = br_ninja_read_dyndep(said, folder, ninja->node[file].path, diag);
    if (status)
        return status;
    status = check_form(said, diag);
    if (!status)
        status = check_fit(ninja, said, diag);
    if (status)
        br_ninja_finish(said);
    return status;
}

/* ---- The contents for a statement ---- */

/* The nodes of the build for a run of a statement in the file; *count of them in loading->input. */
static bool take_run(struct loading *loading, const struct br_ninja *said, uint32_t edge,
                     enum br_ninja_run run, uint32_t *count)
{
    const struct br_ninja_edge *it = &said->edge[edge];
    assert(it->first[run] <= it->first[run + 1] && it->first[run + 1] <= said->paths);
    *count = it->first[run + 1] - it->first[run];
    if (*count > loading->room) {
        uint32_t *input = realloc(loading->input, *count * sizeof *input);
        if (!input)
            return false;
        loading->input = input;
        loading->room = *count;
    }
    for (uint32_t k = 0; k < *count; k++) {
        char *path =
            br_arena_text(&loading->ninja->arena, said->node[said->path[it->first[run] + k]].path);
        if (!path || !br_ninja_add_node(loading->ninja, path, &loading->input[k]))
            return false;
    }
    return true;
}

/* Adds the contents of the statement; false when memory is out. */
static bool take_statement(struct loading *loading, const struct br_ninja *said, uint32_t from,
                           uint32_t edge, bool restat)
{
    struct br_ninja *ninja = loading->ninja;
    uint32_t count, kept = 0;
    assert(ninja->edge[edge].dyndep == BR_NINJA_DYNDEP_OPEN);
    if (!take_run(loading, said, from, BR_NINJA_IMPLICIT_OUT, &count))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t node = loading->input[k];
        if (ninja->node[node].producer == UINT32_MAX) {
            ninja->node[node].producer = edge;
            loading->input[kept++] = node;
        }
    }
    if (!br_ninja_extend(ninja, edge, BR_NINJA_DYNDEP_OUT, loading->input, kept) ||
        !take_run(loading, said, from, BR_NINJA_IMPLICIT, &count) ||
        !br_ninja_extend(ninja, edge, BR_NINJA_FOUND, loading->input, count))
        return false;
    ninja->edge[edge].restat |= restat;
    ninja->edge[edge].dyndep = BR_NINJA_DYNDEP_READ;
    return true;
}

static enum br_status dyndep_take_file(struct loading *loading, const struct br_ninja *said,
                                       struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t from = 0; from < said->edges && !status; from++) {
        const uint32_t edge =
            br_ninja_find_producer(loading->ninja, br_ninja_first_output(said, from));
        if (edge == UINT32_MAX || loading->ninja->edge[edge].dyndep != BR_NINJA_DYNDEP_OPEN)
            continue;
        loading->text.used = 0;
        status =
            br_ninja_binding(said, from, BR_NINJA_RESTAT, BR_NINJA_VALUE, &loading->text, diag);
        if (!status && !take_statement(loading, said, from, edge, loading->text.used > 0))
            status = br_fail_memory(diag);
    }
    return status;
}

/* ---- The whole ---- */

static enum br_status load_file(struct loading *loading, uint32_t file, struct br_diag *diag)
{
    struct br_ninja said;
    struct br_diag other = {0}; /* a file that cannot be read leaves its statements open */
    enum br_status status = read_said(loading->ninja, loading->folder, file, &said, &other);
    if (status) {
        loading->bad = file;
        return BR_OK;
    }
    status = dyndep_take_file(loading, &said, diag);
    br_ninja_finish(&said);
    return status;
}

static enum br_status load_all(struct loading *loading, uint32_t *file, struct br_diag *diag)
{
    struct br_ninja *ninja = loading->ninja;
    const uint32_t edges = ninja->edges;
    enum br_status status = BR_OK;
    for (uint32_t e = 0; e < edges && !status; e++) {
        status = file_of(ninja, e, &loading->text, &file[e], diag);
        if (!status && file[e] != UINT32_MAX && ninja->edge[e].dyndep == BR_NINJA_DYNDEP_NONE)
            ninja->edge[e].dyndep = BR_NINJA_DYNDEP_OPEN;
    }
    for (uint32_t e = 0; e < edges && !status; e++)
        if (ninja->edge[e].dyndep == BR_NINJA_DYNDEP_OPEN && file[e] != loading->bad &&
            is_ready(loading, file[e]))
            status = load_file(loading, file[e], diag);
    return status;
}

enum br_status br_ninja_dyndep_load(struct br_ninja *ninja, const char *folder,
                                    const struct br_ninja_ready *ready, uint32_t *open,
                                    struct br_diag *diag)
{
    struct loading loading = {.ninja = ninja, .folder = folder, .ready = ready, .bad = UINT32_MAX};
    *open = 0;
    if (!has_any(ninja))
        return BR_OK;
    uint32_t *file = calloc((size_t)ninja->edges + 1, sizeof *file);
    enum br_status status = file ? load_all(&loading, file, diag) : br_fail_memory(diag);
    for (uint32_t e = 0; e < ninja->edges && !status; e++)
        if (ninja->edge[e].dyndep == BR_NINJA_DYNDEP_OPEN) {
            assert(file[e] < ninja->nodes);
            ++*open;
            if (!br_ninja_extend(ninja, e, BR_NINJA_FOUND, &file[e], 1))
                status = br_fail_memory(diag);
        }
    free(file);
    free(loading.text.text);
    free(loading.input);
    return status;
}

enum br_status br_ninja_dyndep_fail(const struct br_ninja *ninja, const char *folder, uint32_t edge,
                                    struct br_diag *diag)
{
    const struct br_ninja_edge *it = &ninja->edge[edge];
    struct br_ninja_text text = {0};
    struct br_ninja said;
    uint32_t file;
    enum br_status status = file_of(ninja, edge, &text, &file, diag);
    if (!status)
        status = read_said(ninja, folder, file, &said, diag);
    if (status == BR_OK)
        br_ninja_finish(&said);
    if (status == BR_OK || status == BR_SYSTEM) {
        br_diag_file(diag, ninja->file[it->file].path);
        status = br_fail_at(diag, it->pos, BR_BAD_INPUT,
                            "build it by 'bigrocks build', or import it when it is built; for C++ "
                            "without modules CMake leaves this out by "
                            "-DCMAKE_CXX_SCAN_FOR_MODULES=OFF",
                            "the inputs of '%.200s' are in '%.200s' (dyndep), which is still to be "
                            "made or does not name it",
                            br_ninja_first_output(ninja, edge), text.text);
    }
    free(text.text);
    return status;
}

enum br_status br_ninja_say_open(const struct br_ninja_options *options, const char *output,
                                 struct br_diag *diag)
{
    struct br_ninja ninja;
    enum br_status status =
        br_ninja_read(&ninja, options->folder, options->file ? options->file : "build.ninja", diag);
    if (status)
        return status;
    const uint32_t edge = br_ninja_find_producer(&ninja, output);
    if (edge != UINT32_MAX)
        status = br_ninja_dyndep_fail(&ninja, options->folder, edge, diag);
    br_ninja_finish(&ninja);
    return status;
}

enum br_status br_ninja_has_dyndep(const struct br_ninja_options *options, struct br_diag *diag)
{
    struct br_ninja ninja;
    enum br_status status =
        br_ninja_read(&ninja, options->folder, options->file ? options->file : "build.ninja", diag);
    if (status)
        return status;
    status = has_any(&ninja) ? BR_OK : BR_NO;
    br_ninja_finish(&ninja);
    return status;
}
