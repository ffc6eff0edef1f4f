/* What a job has beyond stages, demands and edges, for a job that is built from another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/memory.h"
#include "planner/model/dag.h"

static enum br_status copy_outputs(struct br_dag *to, const struct br_dag *from,
                                   struct br_diag *diag)
{
    const struct br_storage *storage = from->storage;
    enum br_status status = BR_OK;
    for (uint32_t o = 0; o < storage->outputs && !status; o++) {
        const struct br_output *output = &storage->output[o];
        char amount[BR_DECIMAL_TEXT];
        br_decimal_format(output->amount, amount, sizeof amount);
        status =
            br_dag_add_output(to, output->stage, output->id, from->resource[output->resource].name,
                              amount, output->flags, diag);
        if (!status && output->release)
            status = br_dag_set_output_free(to, output->stage, output->id, output->release, diag);
    }
    return status;
}

/* The ids of the outputs that the edge reads, with blanks between them; to be freed. */
static char *reads_of(const struct br_storage *storage, uint32_t edge)
{
    size_t size = 1, used = 0;
    for (uint32_t k = storage->edge_first[edge]; k < storage->edge_first[edge + 1]; k++)
        size += strlen(storage->output[storage->reads[k]].id) + 1;
    char *ids = br_calloc(size, 1);
    for (uint32_t k = storage->edge_first[edge]; ids && k < storage->edge_first[edge + 1]; k++) {
        const char *id = storage->output[storage->reads[k]].id;
        used += (size_t)snprintf(ids + used, size - used, "%s ", id);
    }
    return ids;
}

static enum br_status copy_reads(struct br_dag *to, const struct br_dag *from, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t e = 0; e < from->edges && !status; e++) {
        if (br_edge_reads_all(from, e))
            continue;
        char *ids = reads_of(from->storage, e);
        status =
            ids ? br_dag_set_edge_reads(to, from->edge[e].parent, from->edge[e].child, ids, diag)
                : br_fail_memory(diag);
        br_free(ids);
    }
    return status;
}

static enum br_status copy_times(struct br_dag *to, const struct br_dag *from, struct br_diag *diag)
{
    const struct br_times *times = from->times;
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < times->releases.count && !status; k++) {
        const struct br_given_time *given = &times->releases.time[k];
        status = br_dag_set_release(to, given->stage, given->index, given->ns, diag);
    }
    for (uint32_t k = 0; k < times->deadlines.count && !status; k++) {
        const struct br_given_time *given = &times->deadlines.time[k];
        status = br_dag_set_deadline(to, given->stage, given->index, given->ns, diag);
    }
    for (uint32_t k = 0; k < times->waits && !status; k++) {
        const struct br_given_wait *given = &times->given[k];
        const struct br_edge *edge = &from->edge[given->edge];
        status = given->stream
                     ? br_dag_set_edge_stream(to, edge->parent, edge->child, diag)
                     : br_dag_set_edge_lag(to, edge->parent, edge->child, given->lag_ns, diag);
    }
    return status;
}

static enum br_status copy_consumed(struct br_dag *to, const struct br_dag *from,
                                    const struct br_alternative *way, uint32_t number,
                                    struct br_diag *diag)
{
    const struct br_alternatives *all = from->alternatives;
    enum br_status status = BR_OK;
    char amount[BR_DECIMAL_TEXT];
    for (uint32_t k = way->first_consumed; k < way->first_consumed + way->consumed && !status;
         k++) {
        br_decimal_format(all->consumed[k].amount, amount, sizeof amount);
        status = br_dag_add_consumed(to, way->stage, number,
                                     from->resource[all->consumed[k].resource].name, amount, diag);
    }
    return status;
}

/* The names with blanks between them, to be freed. */
static char *classes_of(const struct br_alternatives *all, const struct br_alternative *way)
{
    size_t size = 1, used = 0;
    for (uint32_t k = 0; k < way->classes; k++)
        size += strlen(all->class_name[way->first_class + k]) + 1;
    char *names = br_calloc(size, 1);
    for (uint32_t k = 0; names && k < way->classes; k++)
        used += (size_t)snprintf(names + used, size - used, "%s ",
                                 all->class_name[way->first_class + k]);
    return names;
}

static enum br_status copy_classes(struct br_dag *to, const struct br_dag *from,
                                   const struct br_alternative *way, uint32_t number,
                                   struct br_diag *diag)
{
    if (!way->classes)
        return BR_OK;
    char *names = classes_of(from->alternatives, way);
    const enum br_status status =
        names ? br_dag_set_classes(to, way->stage, number, names, diag) : br_fail_memory(diag);
    br_free(names);
    return status;
}

/* One that has a name, with its demands and durations. */
static enum br_status copy_named(struct br_dag *to, const struct br_dag *from,
                                 const struct br_alternative *way, uint32_t *number,
                                 struct br_diag *diag)
{
    const struct br_alternatives *all = from->alternatives;
    char amount[BR_DECIMAL_TEXT];
    enum br_status status =
        br_dag_add_alternative(to, way->stage, way->id, way->duration_ns, number, diag);
    if (!status)
        br_dag_set_alternative_pos(to, way->pos);
    for (uint32_t k = way->first_demand; k < way->first_demand + way->demands && !status; k++) {
        br_decimal_format(all->demand[k].amount, amount, sizeof amount);
        status = br_dag_add_alternative_demand(
            to, way->stage, *number, from->resource[all->demand[k].resource].name, amount, diag);
    }
    for (uint32_t i = 0; i < from->stage[way->stage].tasks && !status; i++) {
        const int64_t ns = all->duration_ns[way->first_duration + i];
        if (ns != way->duration_ns)
            status = br_dag_set_alternative_duration(to, way->stage, *number, i, ns, diag);
    }
    return status;
}

static enum br_status copy_alternatives(struct br_dag *to, const struct br_dag *from,
                                        struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t a = 0; a < from->alternatives->count && !status; a++) {
        const struct br_alternative *way = &from->alternatives->alternative[a];
        uint32_t number = BR_WHOLE_STAGE;
        if (way->id)
            status = copy_named(to, from, way, &number, diag);
        if (!status)
            status = copy_consumed(to, from, way, number, diag);
        if (!status)
            status = copy_classes(to, from, way, number, diag);
    }
    return status;
}

enum br_status br_dag_copy_held_and_timed(struct br_dag *to, const struct br_dag *from,
                                          struct br_diag *diag)
{
    enum br_status status = BR_OK;
    if (from->storage)
        status = copy_outputs(to, from, diag);
    if (!status && from->storage)
        status = copy_reads(to, from, diag);
    if (!status && from->times)
        status = copy_times(to, from, diag);
    return status;
}

enum br_status br_dag_copy_features(struct br_dag *to, const struct br_dag *from,
                                    struct br_diag *diag)
{
    enum br_status status = br_dag_copy_held_and_timed(to, from, diag);
    if (!status && from->alternatives)
        status = copy_alternatives(to, from, diag);
    return status;
}
