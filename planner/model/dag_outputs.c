/* Outputs and their readers: given in any order, resolved when the job is finished. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "planner/model/cluster/amount.h"
#include "planner/model/dag_build.h"

static const char blanks[] = " \t\r\n";

static struct br_storage *storage_of(struct br_dag *dag)
{
    if (!dag->storage)
        dag->storage = br_calloc(1, sizeof *dag->storage);
    return dag->storage;
}

/* The output of the stage with that id, of `length` bytes; UINT32_MAX if there is none. */
static uint32_t storage_find(const struct br_storage *storage, uint32_t first, uint32_t last,
                             uint32_t stage, const char *id, size_t length)
{
    for (uint32_t o = first; o < last; o++)
        if (storage->output[o].stage == stage && strlen(storage->output[o].id) == length &&
            memcmp(storage->output[o].id, id, length) == 0)
            return o;
    return UINT32_MAX;
}

static uint32_t storage_find_given(const struct br_dag *dag, uint32_t stage, const char *id)
{
    const struct br_storage *storage = dag->storage;
    if (!storage || !id)
        return UINT32_MAX;
    /* Outputs are usually added right behind their stage. */
    uint32_t first = storage->outputs;
    while (first > 0 && storage->output[first - 1].stage == stage)
        first--;
    uint32_t found = storage_find(storage, first, storage->outputs, stage, id, strlen(id));
    if (found != UINT32_MAX || first == 0 ||
        (!storage->unsorted && storage->output[first - 1].stage < stage))
        return found;
    return storage_find(storage, 0, first, stage, id, strlen(id));
}

enum br_status br_dag_add_output(struct br_dag *dag, uint32_t stage, const char *id,
                                 const char *resource, const char *amount, uint32_t flags,
                                 struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    char owner[220];
    enum br_status status = br_dag_refuse_stage(dag, stage, diag);
    if (status)
        return status;
    const char *name = dag->stage[stage].id;
    if (!id || !*id || id[strcspn(id, blanks)])
        return br_fail(diag, BR_BAD_INPUT, "give every output an id without blanks",
                       "an output of stage '%.80s' has the id '%.80s'", name, id ? id : "");
    if (flags & ~(BR_OUTPUT_FROM_END | BR_OUTPUT_UNKEPT))
        return br_fail(diag, BR_USAGE, "take values of BR_OUTPUT_*",
                       "output '%.80s' of stage '%.80s' has unknown flags %" PRIu32, id, name,
                       flags);
    snprintf(owner, sizeof owner, "output '%.80s' of stage '%.80s'", id, name);
    struct br_decimal value;
    status = br_amount_read(owner, resource, amount, &value, diag);
    if (status)
        return status;
    if (storage_find_given(dag, stage, id) != UINT32_MAX)
        return br_fail(diag, BR_BAD_INPUT, "give every output of a stage an id of its own",
                       "stage '%.80s' has two outputs '%.80s'", name, id);
    struct br_output output = {.stage = stage, .flags = flags, .amount = value};
    status = br_dag_demand_resource(dag, resource, amount, &output.resource, diag);
    if (status)
        return status;
    struct br_storage *storage = storage_of(dag);
    if (!storage || !(output.id = br_arena_text(&dag->arena, id)) ||
        !br_grow(&storage->output, storage->outputs, &storage->output_room, sizeof output))
        return br_fail_memory(diag);
    storage->unsorted |=
        storage->outputs > 0 && storage->output[storage->outputs - 1].stage > stage;
    storage->output[storage->outputs++] = output;
    return BR_OK;
}

enum br_status br_dag_set_output_free(struct br_dag *dag, uint32_t stage, const char *id,
                                      const char *command, struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    enum br_status status = br_dag_refuse_stage(dag, stage, diag);
    if (status)
        return status;
    const uint32_t o = storage_find_given(dag, stage, id);
    if (o == UINT32_MAX)
        return br_fail(diag, BR_BAD_INPUT, "add the output first",
                       "stage '%.80s' has no output '%.80s'", dag->stage[stage].id, id ? id : "");
    struct br_output *output = &dag->storage->output[o];
    output->release = command ? br_arena_text(&dag->arena, command) : NULL;
    return command && !output->release ? br_fail_memory(diag) : BR_OK;
}

enum br_status br_dag_set_edge_reads(struct br_dag *dag, uint32_t parent, uint32_t child,
                                     const char *ids, struct br_diag *diag)
{
    BR_NEED(diag, dag, ids);
    BR_IN_MEMORY(dag);
    uint32_t edge;
    enum br_status status =
        br_dag_edge_between(dag, parent, child, "outputs are read", &edge, diag);
    if (status)
        return status;
    struct br_storage *storage = storage_of(dag);
    const char *copy = br_arena_text(&dag->arena, ids);
    if (!storage || !copy ||
        !br_grow(&storage->given, storage->givens, &storage->given_room, sizeof *storage->given))
        return br_fail_memory(diag);
    storage->given[storage->givens++] = (struct br_given_reads){edge, copy};
    return BR_OK;
}

/* Sorts what was given by edge, stably. */
static bool sort_givens(struct br_storage *storage, uint32_t edges)
{
    uint32_t *first = br_calloc(br_csr_room(edges), sizeof *first);
    struct br_given_reads *sorted = br_malloc(((size_t)storage->givens + 1) * sizeof *sorted);
    storage->given_first = first;
    if (!first || !sorted) {
        br_free(sorted);
        return false;
    }
    for (uint32_t k = 0; k < storage->givens; k++)
        br_csr_count(first, storage->given[k].edge);
    br_csr_sum(first, edges);
    for (uint32_t k = 0; k < storage->givens; k++)
        sorted[br_csr_place(first, storage->given[k].edge)] = storage->given[k];
    br_free(storage->given);
    storage->given = sorted;
    return true;
}

/* Groups the outputs by stage, stably. */
static bool group_outputs(struct br_storage *storage, uint32_t stages)
{
    struct br_output *grouped = br_malloc(((size_t)storage->outputs + 1) * sizeof *grouped);
    uint32_t *first = br_calloc(br_csr_room(stages), sizeof *first);
    storage->stage_first = first;
    if (!grouped || !first) {
        br_free(grouped);
        return false;
    }
    for (uint32_t o = 0; o < storage->outputs; o++)
        br_csr_count(first, storage->output[o].stage);
    br_csr_sum(first, stages);
    for (uint32_t o = 0; o < storage->outputs; o++)
        grouped[br_csr_place(first, storage->output[o].stage)] = storage->output[o];
    br_free(storage->output);
    storage->output = grouped;
    return true;
}

/* Marks the outputs with these ids by edge + 1. */
static enum br_status mark_reads(const struct br_dag *dag, uint32_t edge, const char *ids,
                                 uint32_t *seen, struct br_diag *diag)
{
    const struct br_storage *storage = dag->storage;
    const struct br_edge *e = &dag->edge[edge];
    for (const char *id = ids; *(id += strspn(id, blanks));) {
        size_t length = strcspn(id, blanks);
        uint32_t o = storage_find(storage, storage->stage_first[e->parent],
                                  storage->stage_first[e->parent + 1], e->parent, id, length);
        if (o == UINT32_MAX)
            return br_fail_at(diag, e->pos, BR_BAD_INPUT,
                              "name an output of the parent, or add it there",
                              "the edge from '%.80s' to '%.80s' reads '%.*s', which '%.80s' does "
                              "not make",
                              dag->stage[e->parent].id, dag->stage[e->child].id,
                              length < 80 ? (int)length : 80, id, dag->stage[e->parent].id);
        seen[o] = edge + 1;
        id += length;
    }
    return BR_OK;
}

/* Adds the outputs that one edge reads, ascending, to the list, or only to its count. */
static enum br_status read_edge(const struct br_dag *dag, uint32_t edge, uint32_t *seen,
                                uint32_t *count, uint32_t *reads, struct br_diag *diag)
{
    const struct br_storage *storage = dag->storage;
    const uint32_t parent = dag->edge[edge].parent;
    const uint32_t given = storage->given_first[edge], end = storage->given_first[edge + 1];
    enum br_status status = BR_OK;
    for (uint32_t k = given; k < end && !status; k++)
        status = mark_reads(dag, edge, storage->given[k].ids, seen, diag);
    for (uint32_t o = storage->stage_first[parent]; o < storage->stage_first[parent + 1]; o++)
        if (given == end || seen[o] == edge + 1) {
            if (reads)
                reads[*count] = o;
            ++*count;
        }
    return status;
}

/* Lists the reads of all edges: counts them, then fills. */
static enum br_status resolve_reads(struct br_dag *dag, struct br_diag *diag)
{
    struct br_storage *storage = dag->storage;
    uint32_t *seen = br_calloc((size_t)storage->outputs + 1, sizeof *seen), count = 0;
    storage->edge_first = br_malloc(((size_t)dag->edges + 1) * sizeof *storage->edge_first);
    enum br_status status = seen && storage->edge_first ? BR_OK : br_fail_memory(diag);
    for (uint32_t e = 0; e < dag->edges && !status; e++)
        status = read_edge(dag, e, seen, &count, NULL, diag);
    if (!status && !(storage->reads = br_malloc(((size_t)count + 1) * sizeof *storage->reads)))
        status = br_fail_memory(diag);
    count = 0;
    for (uint32_t e = 0; e < dag->edges && !status; e++) {
        storage->edge_first[e] = count;
        status = read_edge(dag, e, seen, &count, storage->reads, diag);
    }
    if (!status)
        storage->edge_first[dag->edges] = count;
    br_free(seen);
    return status;
}

/* Lists the readers of all outputs. */
static bool list_readers(struct br_storage *storage, uint32_t edges)
{
    const uint32_t reads = storage->edge_first[edges];
    uint32_t *first = br_calloc(br_csr_room(storage->outputs), sizeof *first);
    storage->output_first = first;
    storage->readers = br_malloc(((size_t)reads + 1) * sizeof *storage->readers);
    if (!first || !storage->readers)
        return false;
    for (uint32_t k = 0; k < reads; k++)
        br_csr_count(first, storage->reads[k]);
    br_csr_sum(first, storage->outputs);
    for (uint32_t e = 0; e < edges; e++)
        for (uint32_t k = storage->edge_first[e]; k < storage->edge_first[e + 1]; k++)
            storage->readers[br_csr_place(first, storage->reads[k])] = e;
    return true;
}

enum br_status br_dag_finish_outputs(struct br_dag *dag, struct br_diag *diag)
{
    struct br_storage *storage = dag->storage;
    if (!storage)
        return BR_OK;
    if (!sort_givens(storage, dag->edges) || !group_outputs(storage, dag->stages))
        return br_fail_memory(diag);
    enum br_status status = resolve_reads(dag, diag);
    if (!status && !list_readers(storage, dag->edges))
        status = br_fail_memory(diag);
    if (!status && !storage->outputs) { /* nothing but reads="" */
        br_storage_destroy(storage);
        dag->storage = NULL;
    }
    return status;
}
