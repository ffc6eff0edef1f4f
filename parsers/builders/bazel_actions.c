#include "parsers/builders/bazel_actions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/text/value.h"

enum { ID_MOST = 600, LINKS_MOST = 1000 };

static uint64_t file_hash(const void *context, uint32_t number)
{
    return br_hash_text(((const struct bazel *)context)->file[number].path);
}

static bool file_equal(const void *context, uint32_t number, const void *key)
{
    return strcmp(((const struct bazel *)context)->file[number].path, key) == 0;
}

static const struct br_index_keys file_keys = {file_hash, file_equal};

enum br_status bazel_file(struct bazel *bazel, const char *path, uint32_t *file)
{
    *file = br_index_find(&bazel->index, &file_keys, bazel, path, br_hash_text(path));
    if (*file != BAZEL_NONE)
        return BR_OK;
    if (!br_grow(&bazel->file, bazel->files, &bazel->file_room, sizeof *bazel->file))
        return br_fail_memory(bazel->diag);
    *file = bazel->files;
    bazel->file[*file] =
        (struct bazel_file){br_arena_text(&bazel->arena, path), BAZEL_NONE, BAZEL_NONE};
    bazel->files++;
    return bazel->file[*file].path && br_index_add(&bazel->index, &file_keys, bazel, *file)
               ? BR_OK
               : br_fail_memory(bazel->diag);
}

void bazel_writes(struct bazel *bazel, uint32_t file)
{
    bazel->file[file].writer = bazel->dag->stages;
    if (!*bazel->first)
        snprintf(bazel->first, sizeof bazel->first, "%.250s", bazel->file[file].path);
}

/* "LABEL MNEMONIC", or that and the action's first output, if there are several of that. */
static void bazel_name(const struct bazel *bazel, const struct bazel_action *action,
                       char id[static ID_MOST])
{
    snprintf(id, ID_MOST, "%s%s%s", action->label, *action->label ? " " : "", action->mnemonic);
    if (br_dag_find_stage(bazel->dag, id) == UINT32_MAX && *id)
        return;
    size_t length = strlen(id);
    snprintf(id + length, ID_MOST - length, "%s%s", length ? " " : "", bazel->first);
    if (br_dag_find_stage(bazel->dag, id) == UINT32_MAX && *id)
        return;
    length = strlen(id);
    snprintf(id + length, ID_MOST - length, " #%" PRIu32, bazel->dag->stages);
}

enum br_status bazel_add(struct bazel *bazel, const struct bazel_action *action)
{
    char id[ID_MOST];
    uint32_t stage;
    bazel_name(bazel, action, id);
    *bazel->first = 0;
    br_value_place(bazel->diag, action->pos);
    enum br_status status = br_dag_add_stage(bazel->dag, id, 1, action->ns, &stage, bazel->diag);
    if (!status) {
        br_dag_set_stage_pos(bazel->dag, stage, action->pos);
        status = br_dag_add_demand(bazel->dag, stage, "cpu", "1", bazel->diag);
    }
    if (!status && *action->memory)
        status = br_dag_add_demand(bazel->dag, stage, "mem", action->memory, bazel->diag);
    return status;
}

enum br_status bazel_wait(struct bazel *bazel, uint32_t stage, uint32_t file)
{
    for (unsigned k = 0; k < LINKS_MOST && bazel->file[file].writer == BAZEL_NONE &&
                         bazel->file[file].target != BAZEL_NONE;
         k++)
        file = bazel->file[file].target;
    const uint32_t writer = bazel->file[file].writer;
    if (writer == BAZEL_NONE || writer == stage)
        return BR_OK;
    br_value_place(bazel->diag, bazel->dag->stage[stage].pos);
    enum br_status status = br_dag_add_edge(bazel->dag, writer, stage, BR_BARRIER, bazel->diag);
    if (!status)
        br_dag_set_edge_pos(bazel->dag, bazel->dag->stage[stage].pos);
    return status;
}
