/* Writes a build whose statements can be told apart. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/ninja/build.h"
#include "parsers/ninja/dyndep.h"
#include "parsers/ninja/text.h"

/* The edges behind the file: the one that builds it, those that build its inputs, and so on. `edge`
 * has room for all.
 */
static uint32_t find_behind(const struct br_ninja *ninja, const char *file, uint32_t *edge,
                            bool *seen)
{
    uint32_t count = 0, next = br_ninja_find_producer(ninja, file);
    if (next != UINT32_MAX)
        seen[edge[count++] = next] = true;
    for (uint32_t at = 0; at < count; at++) {
        const struct br_ninja_edge *it = &ninja->edge[edge[at]];
        for (uint32_t k = it->first[BR_NINJA_IN]; k < it->first[BR_NINJA_RUNS]; k++) {
            next = ninja->node[ninja->path[k]].producer;
            if (next != UINT32_MAX && !seen[next])
                seen[edge[count++] = next] = true;
        }
    }
    assert(count <= ninja->edges);
    return count;
}

/* Does one of the commands make the build's own file, or a source of it? The file itself may be a
 * phony name of a stamp. */
static enum br_status find_stale(const struct br_ninja *ninja, const char *file,
                                 const struct br_ninja_set *printed, bool *stale,
                                 struct br_diag *diag)
{
    struct br_ninja_text command = {0};
    *stale = false;
    if (!printed->count)
        return BR_OK;
    uint32_t *edge = calloc((size_t)ninja->edges + 1, sizeof *edge);
    bool *seen = calloc((size_t)ninja->edges + 1, sizeof *seen);
    enum br_status status = edge && seen ? BR_OK : br_fail_memory(diag);
    const uint32_t count = status ? 0 : find_behind(ninja, file, edge, seen);
    for (uint32_t k = 0; k < count && !status && !*stale; k++) {
        command.used = 0;
        status = br_ninja_binding(ninja, edge[k], BR_NINJA_COMMAND, BR_NINJA_VALUE, &command, diag);
        if (!status && !br_ninja_add(&command, "", 0))
            status = br_fail_memory(diag);
        *stale = !status && command.used && br_ninja_set_have(printed, command.text);
    }
    free(command.text);
    free(edge);
    free(seen);
    return status;
}

static enum br_status named_add_statement(const struct br_ninja *ninja, uint32_t edge,
                                          const struct br_ninja_set *done, struct br_ninja_text *to,
                                          struct br_diag *diag)
{
    if (ninja->edge[edge].rule == BR_NINJA_PHONY)
        return br_ninja_statement(ninja, edge, BR_NINJA_COMMANDS, to, diag);
    if (br_ninja_set_have(done, br_ninja_first_output(ninja, edge)))
        return br_ninja_made(ninja, edge, to, diag);
    return br_ninja_statement(ninja, edge, BR_NINJA_NAMED_COMMANDS, to, diag);
}

static enum br_status add_about(const struct br_ninja_set *about, struct br_ninja_text *to,
                                struct br_diag *diag)
{
    bool good = br_ninja_add(to, "default", 7);
    for (uint32_t k = 0; k < about->count && good; k++)
        good = br_ninja_add(to, " ", 1) && br_ninja_add_path(to, about->text[k]);
    return good && br_ninja_add(to, "\n", 1) ? BR_OK : br_fail_memory(diag);
}

static enum br_status add_state(const char *folder, struct br_ninja_text *to, struct br_diag *diag)
{
    return br_ninja_add(to, "builddir = ", 11) && br_ninja_add_path(to, folder) &&
                   br_ninja_add(to, "\n", 1)
               ? BR_OK
               : br_fail_memory(diag);
}

static enum br_status named_write_all(const struct br_ninja *ninja,
                                      const struct br_ninja_naming *naming,
                                      struct br_ninja_text *text, FILE *out, struct br_diag *diag)
{
    enum br_status status = br_ninja_head(ninja, text, diag);
    for (uint32_t e = 0; e < ninja->edges && !status; e++) {
        status = named_add_statement(ninja, e, naming->done, text, diag);
        if (!status && text->used >= 1 << 20) {
            fwrite(text->text, 1, text->used, out);
            text->used = 0;
        }
    }
    if (!status)
        status = naming->about ? add_about(naming->about, text, diag)
                               : br_ninja_defaults(ninja, text, diag);
    if (!status && naming->state) /* the last value counts */
        status = add_state(naming->state, text, diag);
    if (!status && text->used)
        fwrite(text->text, 1, text->used, out);
    return status;
}

enum br_status br_ninja_write_named(const struct br_ninja_options *options,
                                    const struct br_ninja_naming *naming, FILE *out,
                                    struct br_ninja_named *named, struct br_diag *diag)
{
    struct br_ninja ninja;
    struct br_ninja_text text = {0};
    const struct br_ninja_ready ready = {naming->pending, naming->done};
    const char *file = options->file ? options->file : "build.ninja";
    *named = (struct br_ninja_named){0};
    enum br_status status = br_ninja_read(&ninja, options->folder, file, diag);
    if (status)
        return status;
    status = find_stale(&ninja, file, naming->printed, &named->stale, diag);
    if (!status && !named->stale)
        status = br_ninja_dyndep_load(&ninja, options->folder, &ready, &named->open, diag);
    if (!status && !named->stale)
        status = named_write_all(&ninja, naming, &text, out, diag);
    free(text.text);
    br_ninja_finish(&ninja);
    return status;
}
