/* Execution traces of MLCommons' Chakra: the operators that one rank of a training run has
 * executed, with what each waits for and how long it took. */
#include "parsers/workflows/chakra.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/reader/formats.h"
#include "parsers/text/begin.h"
#include "parsers/text/value.h"
#include "parsers/workflows/chakra_forms.h"

enum { SIZE_LIMIT = INT32_MAX };

static enum br_status chakra_link(struct chakra *all, uint32_t *lost)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < all->needs && !status; k++) {
        const uint32_t child = all->need[k].stage;
        const uint32_t parent = chakra_find(all, all->need[k].id);
        if (parent == UINT32_MAX) {
            ++*lost;
            continue;
        }
        br_value_place(all->diag, all->dag->stage[child].pos);
        status = br_dag_add_edge(all->dag, parent, child, BR_BARRIER, all->diag);
        if (!status)
            br_dag_set_edge_pos(all->dag, all->dag->stage[child].pos);
    }
    return status;
}

static enum br_status chakra_doubts(struct chakra *all, uint32_t lost)
{
    enum br_status status = BR_OK;
    if (lost)
        status = br_dag_add_doubt(all->dag, all->diag,
                                  "%" PRIu32 " dependencies on nodes that are not in the trace are "
                                  "left out",
                                  lost);
    if (!status && all->calls)
        status =
            br_dag_add_doubt(all->dag, all->diag,
                             "%" PRIu32 " control dependencies of operators are calls, and left "
                             "out: dependencies by data have the order",
                             all->calls);
    if (!status && all->untimed)
        status = br_dag_add_doubt(all->dag, all->diag,
                                  "%" PRIu32 " of %" PRIu32 " nodes have no duration in the trace; "
                                  "they last --default-duration",
                                  all->untimed, all->dag->stages);
    if (!status && all->messages)
        status = br_dag_add_doubt(all->dag, all->diag,
                                  "%" PRIu32 " nodes send to or receive from other ranks, whose "
                                  "traces are not read: nothing waits for them",
                                  all->messages);
    return status;
}

bool br_is_chakra(const char *text)
{
    if (chakra_is_binary(text))
        return true;
    return *br_text_begin(text) == '{' &&
           (strstr(text, "\"workload_graph\"") ||
            (strstr(text, "_NODE\"") &&
             (strstr(text, "\"attr\"") || strstr(text, "\"durationMicros\""))) ||
            (strstr(text, "-chakra.") && strstr(text, "\"nodes\"")));
}

enum br_status br_read_chakra(struct br_source *source, const struct br_parse_options *options,
                              struct br_input *input, struct br_diag *diag)
{
    struct br_diag own = {0};
    struct chakra all = {.options = options, .diag = diag ? diag : &own};
    char stem[256], *bytes;
    size_t size;
    uint32_t lost = 0;
    enum br_status status = br_source_binary(source, SIZE_LIMIT, "chakra", &bytes, &size, all.diag);
    if (status)
        return status;
    all.dag = input->dag = br_dag_create(br_source_stem(source, "chakra", stem, sizeof stem));
    if (!input->dag)
        status = br_fail_memory(all.diag);
    const bool is_json = !chakra_is_binary(bytes) && *br_text_begin(bytes) == '{';
    if (!status && is_json)
        status = br_source_check(bytes, size, all.diag);
    if (!status)
        status =
            is_json ? chakra_read_json(&all, bytes, size) : chakra_read_binary(&all, bytes, size);
    if (!status)
        status = chakra_link(&all, &lost);
    if (!status)
        status = chakra_doubts(&all, lost);
    br_index_finish(&all.index);
    free(all.id);
    free(all.need);
    free(bytes);
    return status;
}
