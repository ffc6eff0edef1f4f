#include "cli/build/targets.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/path.h"
#include "parsers/ninja/ninja.h"

static bool is_reader(const char *target)
{
    const size_t size = strlen(target);
    return size > 1 && target[size - 1] == '^';
}

/* The first edge that names the node as an input; UINT32_MAX: none. */
static uint32_t first_reader(const struct br_ninja *ninja, uint32_t node)
{
    for (uint32_t e = 0; e < ninja->edges; e++)
        for (uint32_t k = ninja->edge[e].first[BR_NINJA_IN];
             k < ninja->edge[e].first[BR_NINJA_FOUND]; k++)
            if (ninja->path[k] == node)
                return e;
    return UINT32_MAX;
}

static enum br_status resolve(const struct br_ninja *ninja, const char *target, char **result,
                              struct br_diag *diag)
{
    *result = strdup(target);
    if (!*result)
        return br_fail_memory(diag);
    if (!is_reader(target))
        return BR_OK;
    (*result)[strlen(*result) - 1] = '\0';
    br_path_shorten(*result);
    const uint32_t node = br_ninja_find_node(ninja, *result);
    const uint32_t edge = node == UINT32_MAX ? UINT32_MAX : first_reader(ninja, node);
    if (edge == UINT32_MAX)
        return br_fail(diag, BR_BAD_INPUT, "FILE^ means the first output that is made from FILE",
                       "no command of the build reads '%.200s'", *result);
    free(*result);
    *result = strdup(br_ninja_first_output(ninja, edge));
    return *result ? BR_OK : br_fail_memory(diag);
}

enum br_status cli_resolve_targets(const struct br_ninja_options *options, char ***list,
                                   struct br_diag *diag)
{
    struct br_ninja ninja;
    uint32_t readers = 0;
    *list = NULL;
    for (uint32_t k = 0; k < options->targets; k++)
        readers += is_reader(options->target[k]);
    if (!readers)
        return BR_OK;
    enum br_status status = br_ninja_find(options->folder, options->file, diag);
    if (!status)
        status = br_ninja_read(&ninja, options->folder,
                               options->file ? options->file : "build.ninja", diag);
    if (status)
        return status;
    *list = calloc((size_t)options->targets + 1, sizeof **list);
    status = *list ? BR_OK : br_fail_memory(diag);
    for (uint32_t k = 0; k < options->targets && !status; k++)
        status = resolve(&ninja, options->target[k], &(*list)[k], diag);
    br_ninja_finish(&ninja);
    return status;
}

void cli_free_targets(char **list, uint32_t targets)
{
    for (uint32_t k = 0; k < targets && list; k++)
        free(list[k]);
    free(list);
}
