/* Ninja loads these records when it checks a build, and orders commands by them: a generated header
 * must exist and be up to date before a source that includes it is compiled, even if only the
 * compiler has reported it. Files that nothing builds do not matter here. */
#include "parsers/ninja/found.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/collections/grow.h"
#include "base/text/path.h"
#include "parsers/ninja/depfile.h"
#include "parsers/ninja/deps.h"
#include "parsers/ninja/log.h"
#include "parsers/ninja/store.h"

/* The last record of an output. */
struct record {
    bool there;
    int64_t mtime_ns;
    uint32_t first, count; /* in br_ninja_found.input */
};

struct br_ninja_found {
    const char *folder;
    struct record *record;   /* by node */
    uint32_t *input, inputs; /* nodes that a statement builds */
    uint32_t input_room;
    uint32_t *node; /* by number in the file; UINT32_MAX: the build does not name it */
    uint32_t nodes, node_room;
    struct br_ninja_depfile depfile;
    struct br_ninja_text text;
};

/* ---- The records of compilers ---- */

static bool found_add_path(struct br_ninja_found *found, const struct br_ninja *ninja,
                           const struct br_ninja_deps_record *record)
{
    if (!br_grow(&found->node, found->nodes, &found->node_room, sizeof *found->node))
        return false;
    char *path = strndup(record->path, record->size);
    if (path)
        found->node[found->nodes++] = br_ninja_find_node(ninja, path);
    const bool done = path != NULL;
    free(path);
    return done;
}

/* An edge does not wait for its own outputs, even if it is said to read them. */
static bool add_input(struct br_ninja_found *found, const struct br_ninja *ninja, uint32_t edge,
                      uint32_t node)
{
    const uint32_t producer = node == UINT32_MAX ? UINT32_MAX : ninja->node[node].producer;
    if (producer == UINT32_MAX || producer == edge)
        return true;
    if (!br_grow(&found->input, found->inputs, &found->input_room, sizeof *found->input))
        return false;
    found->input[found->inputs++] = node;
    return true;
}

static bool add_output(struct br_ninja_found *found, const struct br_ninja *ninja,
                       const struct br_ninja_deps_record *record)
{
    assert(record->output < found->nodes);
    const uint32_t output = found->node[record->output];
    bool good = true;
    if (output == UINT32_MAX || ninja->node[output].producer == UINT32_MAX)
        return true;
    const uint32_t first = found->inputs;
    for (uint32_t n = 0; n < record->inputs && good; n++)
        good = add_input(found, ninja, ninja->node[output].producer, found->node[record->input[n]]);
    found->record[output] = (struct record){true, record->mtime_ns, first, found->inputs - first};
    return good;
}

static enum br_status read_records(struct br_ninja_found *found, const struct br_ninja *ninja,
                                   FILE *file, struct br_diag *diag)
{
    struct br_ninja_deps_reader reader;
    struct br_ninja_deps_record record;
    bool memory = true;
    br_ninja_deps_begin(&reader, file);
    while (memory && br_ninja_deps_next(&reader, &record))
        memory =
            record.path ? found_add_path(found, ninja, &record) : add_output(found, ninja, &record);
    memory &= reader.block != NULL;
    br_ninja_deps_end(&reader);
    if (!memory)
        return br_fail_memory(diag);
    return reader.failed
               ? br_fail(diag, BR_SYSTEM, NULL, "ninja's file of dependencies: %s", strerror(errno))
               : BR_OK;
}

enum br_status br_ninja_found_open(struct br_ninja_found **out, const struct br_ninja *ninja,
                                   const char *folder, struct br_diag *diag)
{
    char state[PATH_MAX], path[PATH_MAX + 16];
    enum br_status status = BR_OK;
    struct br_ninja_found *found = calloc(1, sizeof *found);
    *out = found;
    if (!found)
        return br_fail_memory(diag);
    found->folder = folder;
    found->record = calloc((size_t)ninja->nodes + 1, sizeof *found->record);
    if (!found->record)
        return br_fail_memory(diag);
    br_ninja_state_folder(ninja, folder, state, sizeof state);
    snprintf(path, sizeof path, "%s/.ninja_deps", state);
    FILE *file = fopen(path, "re");
    if (!file && errno != ENOENT && errno != ENOTDIR)
        return br_fail(diag, BR_SYSTEM, NULL, "ninja's file of dependencies: %s", strerror(errno));
    if (file) {
        status = read_records(found, ninja, file, diag);
        fclose(file);
    }
    return status;
}

void br_ninja_found_close(struct br_ninja_found *found)
{
    if (!found)
        return;
    free(found->record);
    free(found->input);
    free(found->node);
    free(found->text.text);
    br_ninja_depfile_finish(&found->depfile);
    free(found);
}

/* ---- One command ---- */

/* The path as seen from here, by way of the build's folder; false: it is too long. */
static bool whole_path(const struct br_ninja_found *found, const char *path, char *whole)
{
    const bool rooted = *path == '/';
    return snprintf(whole, PATH_MAX, "%s%s%s", rooted ? "" : found->folder, rooted ? "" : "/",
                    path) < PATH_MAX;
}

/* 0 if there is no such file, as in ninja. */
static int64_t found_mtime_ns(const struct br_ninja_found *found, const char *path)
{
    char whole[PATH_MAX];
    struct stat state;
    if (!whole_path(found, path, whole) || stat(whole, &state))
        return 0;
    return (int64_t)state.st_mtim.tv_sec * 1000000000 + state.st_mtim.tv_nsec;
}

/* From its record in .ninja_deps, which is that of its first output. */
static bool use_record(struct br_ninja_found *found, struct br_ninja *ninja, uint32_t edge)
{
    const uint32_t output = ninja->path[ninja->edge[edge].first[BR_NINJA_OUT]];
    const struct record *record = &found->record[output];
    assert(record->first + record->count <= found->inputs);
    if (!record->there || !record->count ||
        found_mtime_ns(found, ninja->node[output].path) > record->mtime_ns)
        return true;
    return br_ninja_extend(ninja, edge, BR_NINJA_FOUND, found->input + record->first,
                           record->count);
}

/* Does the depfile belong to this very statement? Its first target does, and all targets are
 * outputs. */
static bool is_for(const struct br_ninja_depfile *depfile, const struct br_ninja *ninja,
                   uint32_t edge)
{
    const struct br_ninja_edge *it = &ninja->edge[edge];
    bool good = depfile->targets > 0;
    for (uint32_t t = 0; t < depfile->targets && good; t++) {
        br_path_shorten(depfile->target[t]);
        const uint32_t node = br_ninja_find_node(ninja, depfile->target[t]);
        good = node != UINT32_MAX && ninja->node[node].producer == edge &&
               (t || node == ninja->path[it->first[BR_NINJA_OUT]]);
    }
    return good;
}

static enum br_status use_depfile(struct br_ninja_found *found, struct br_ninja *ninja,
                                  uint32_t edge, struct br_diag *diag)
{
    char whole[PATH_MAX], *text = NULL;
    size_t size;
    struct br_diag other = {0}; /* a file that is no depfile says nothing */
    if (!whole_path(found, found->text.text, whole))
        return BR_OK;
    enum br_status status = br_ninja_depfile_text(whole, &text, &size, &other);
    if (!status && text)
        status = br_ninja_depfile_read(&found->depfile, text, size, &other);
    const uint32_t first = found->inputs;
    bool memory = true;
    if (!status && text && is_for(&found->depfile, ninja, edge)) {
        for (uint32_t n = 0; n < found->depfile.names && memory; n++) {
            br_path_shorten(found->depfile.name[n]);
            memory =
                add_input(found, ninja, edge, br_ninja_find_node(ninja, found->depfile.name[n]));
        }
        if (memory && found->inputs > first)
            memory = br_ninja_extend(ninja, edge, BR_NINJA_FOUND, found->input + first,
                                     found->inputs - first);
        found->inputs = first;
    }
    free(text);
    return memory ? BR_OK : br_fail_memory(diag);
}

static enum br_status found_bind(struct br_ninja_found *found, const struct br_ninja *ninja,
                                 uint32_t edge, enum br_ninja_key key, struct br_diag *diag)
{
    found->text.used = 0;
    enum br_status status = br_ninja_binding(ninja, edge, key, BR_NINJA_PLAIN, &found->text, diag);
    return status || br_ninja_add(&found->text, "", 0) ? status : br_fail_memory(diag);
}

enum br_status br_ninja_find_inputs(struct br_ninja_found *found, struct br_ninja *ninja,
                                    uint32_t edge, struct br_diag *diag)
{
    if (ninja->edge[edge].rule == BR_NINJA_PHONY)
        return BR_OK;
    enum br_status status = found_bind(found, ninja, edge, BR_NINJA_DEPS, diag);
    if (status)
        return status;
    if (found->text.used)
        return use_record(found, ninja, edge) ? BR_OK : br_fail_memory(diag);
    status = found_bind(found, ninja, edge, BR_NINJA_DEPFILE, diag);
    return status || !found->text.used ? status : use_depfile(found, ninja, edge, diag);
}
