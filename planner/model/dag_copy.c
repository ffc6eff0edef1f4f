/* What a job has beyond stages, demands and edges, for a job that is built from another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/memory.h"
#include "planner/model/alternative_text.h"
#include "planner/model/dag.h"

/* Stage s becomes stages first[s] .. first[s + 1] - 1: itself, or its tasks one by one. Without
 * `first` stages have the same numbers. */
struct copying {
    const struct br_dag *from;
    struct br_dag *to;
    const uint32_t *first;
    struct br_diag *diag;
};

/* What a stage becomes. */
struct copy_pieces {
    uint32_t first, end;
    bool parts; /* tasks one by one */
};

static struct copy_pieces copy_pieces_of(const struct copying *c, uint32_t stage)
{
    if (!c->first)
        return (struct copy_pieces){stage, stage + 1, false};
    const uint32_t first = c->first[stage], end = c->first[stage + 1];
    return (struct copy_pieces){first, end, end - first > 1};
}

/* The command that frees an output, with the index of the task if that is a stage now. */
static enum br_status copy_free(const struct copying *c, const struct br_output *output,
                                uint32_t piece, uint32_t index)
{
    char *text;
    enum br_status status = br_alternative_text(output->release, NULL, index, &text, c->diag);
    if (!status)
        status = br_dag_set_output_free(c->to, piece, output->id, text, c->diag);
    br_free(text);
    return status;
}

static enum br_status copy_outputs(const struct copying *c)
{
    const struct br_storage *storage = c->from->storage;
    enum br_status status = BR_OK;
    for (uint32_t o = 0; o < storage->outputs && !status; o++) {
        const struct br_output *output = &storage->output[o];
        const struct copy_pieces pieces = copy_pieces_of(c, output->stage);
        char amount[BR_DECIMAL_TEXT];
        br_decimal_format(output->amount, amount, sizeof amount);
        for (uint32_t s = pieces.first; s < pieces.end && !status; s++) {
            status =
                br_dag_add_output(c->to, s, output->id, c->from->resource[output->resource].name,
                                  amount, output->flags, c->diag);
            if (!status && output->release)
                status = copy_free(c, output, s, pieces.parts ? s - pieces.first : UINT32_MAX);
        }
    }
    return status;
}

char *br_dag_reads_text(const struct br_storage *storage, uint32_t edge)
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
        char *ids = br_dag_reads_text(from->storage, e);
        status =
            ids ? br_dag_set_edge_reads(to, from->edge[e].parent, from->edge[e].child, ids, diag)
                : br_fail_memory(diag);
        br_free(ids);
    }
    return status;
}

typedef enum br_status copy_set_time(struct br_dag *dag, uint32_t stage, uint32_t index, int64_t ns,
                                     struct br_diag *diag);

static enum br_status copy_given_times(const struct copying *c, const struct br_given_times *times,
                                       copy_set_time *set)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < times->count && !status; k++) {
        const struct br_given_time *given = &times->time[k];
        const struct copy_pieces pieces = copy_pieces_of(c, given->stage);
        if (pieces.parts && given->index != UINT32_MAX)
            status = set(c->to, pieces.first + given->index, 0, given->ns, c->diag);
        else
            for (uint32_t s = pieces.first; s < pieces.end && !status; s++)
                status = set(c->to, s, given->index, given->ns, c->diag);
    }
    return status;
}

static enum br_status copy_times(const struct copying *c)
{
    const struct br_times *times = c->from->times;
    const enum br_status status = copy_given_times(c, &times->releases, br_dag_set_release);
    return status ? status : copy_given_times(c, &times->deadlines, br_dag_set_deadline);
}

static enum br_status copy_waits(struct br_dag *to, const struct br_dag *from, struct br_diag *diag)
{
    const struct br_times *times = from->times;
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < times->waits && !status; k++) {
        const struct br_given_wait *given = &times->given[k];
        const struct br_edge *edge = &from->edge[given->edge];
        status = given->stream
                     ? br_dag_set_edge_stream(to, edge->parent, edge->child, diag)
                     : br_dag_set_edge_lag(to, edge->parent, edge->child, given->lag_ns, diag);
    }
    return status;
}

static enum br_status copy_consumed(const struct copying *c, const struct br_alternative *way,
                                    uint32_t stage, uint32_t number)
{
    const struct br_alternatives *all = c->from->alternatives;
    enum br_status status = BR_OK;
    char amount[BR_DECIMAL_TEXT];
    for (uint32_t k = way->first_consumed; k < way->first_consumed + way->consumed && !status;
         k++) {
        br_decimal_format(all->consumed[k].amount, amount, sizeof amount);
        status =
            br_dag_add_consumed(c->to, stage, number,
                                c->from->resource[all->consumed[k].resource].name, amount, c->diag);
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

static enum br_status copy_classes(const struct copying *c, const struct br_alternative *way,
                                   uint32_t stage, uint32_t number)
{
    if (!way->classes)
        return BR_OK;
    char *names = classes_of(c->from->alternatives, way);
    const enum br_status status =
        names ? br_dag_set_classes(c->to, stage, number, names, c->diag) : br_fail_memory(c->diag);
    br_free(names);
    return status;
}

/* One that has a name, with its demands and durations: those of all tasks of its stage, or with
 * `part` that of the task of that index. */
static enum br_status copy_named(const struct copying *c, const struct br_alternative *way,
                                 uint32_t stage, uint32_t part, uint32_t *number)
{
    const struct br_alternatives *all = c->from->alternatives;
    const int64_t *ns = &all->duration_ns[way->first_duration];
    const int64_t usual = part == UINT32_MAX ? way->duration_ns : ns[part];
    char amount[BR_DECIMAL_TEXT];
    enum br_status status = br_dag_add_alternative(c->to, stage, way->id, usual, number, c->diag);
    if (!status)
        br_dag_set_alternative_pos(c->to, way->pos);
    for (uint32_t k = way->first_demand; k < way->first_demand + way->demands && !status; k++) {
        br_decimal_format(all->demand[k].amount, amount, sizeof amount);
        status = br_dag_add_alternative_demand(c->to, stage, *number,
                                               c->from->resource[all->demand[k].resource].name,
                                               amount, c->diag);
    }
    for (uint32_t i = 0; part == UINT32_MAX && i < c->from->stage[way->stage].tasks && !status; i++)
        if (ns[i] != usual)
            status = br_dag_set_alternative_duration(c->to, stage, *number, i, ns[i], c->diag);
    return status;
}

static enum br_status copy_alternatives(const struct copying *c)
{
    const struct br_alternatives *all = c->from->alternatives;
    enum br_status status = BR_OK;
    for (uint32_t a = 0; a < all->count && !status; a++) {
        const struct br_alternative *way = &all->alternative[a];
        const struct copy_pieces pieces = copy_pieces_of(c, way->stage);
        for (uint32_t s = pieces.first; s < pieces.end && !status; s++) {
            uint32_t number = BR_WHOLE_STAGE;
            if (way->id)
                status =
                    copy_named(c, way, s, pieces.parts ? s - pieces.first : UINT32_MAX, &number);
            if (!status)
                status = copy_consumed(c, way, s, number);
            if (!status)
                status = copy_classes(c, way, s, number);
        }
    }
    return status;
}

enum br_status br_dag_copy_held_and_timed(struct br_dag *to, const struct br_dag *from,
                                          struct br_diag *diag)
{
    const struct copying c = {from, to, NULL, diag};
    enum br_status status = BR_OK;
    if (from->storage)
        status = copy_outputs(&c);
    if (!status && from->storage)
        status = copy_reads(to, from, diag);
    if (!status && from->times)
        status = copy_times(&c);
    return status || !from->times ? status : copy_waits(to, from, diag);
}

enum br_status br_dag_copy_features(struct br_dag *to, const struct br_dag *from,
                                    struct br_diag *diag)
{
    const struct copying c = {from, to, NULL, diag};
    enum br_status status = br_dag_copy_held_and_timed(to, from, diag);
    if (!status && from->alternatives)
        status = copy_alternatives(&c);
    return status;
}

enum br_status br_dag_copy_to_pieces(struct br_dag *to, const struct br_dag *from,
                                     const uint32_t *first, struct br_diag *diag)
{
    const struct copying c = {from, to, first, diag};
    enum br_status status = BR_OK;
    if (from->storage)
        status = copy_outputs(&c);
    if (!status && from->times)
        status = copy_times(&c);
    if (!status && from->alternatives)
        status = copy_alternatives(&c);
    return status;
}
