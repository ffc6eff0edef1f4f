/* The job in which tasks of some stages are stages of their own. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/memory.h"
#include "planner/model/alternative_text.h"
#include "planner/model/dag_build.h"
#include "planner/model/ranges.h"

/* A stage is whole, or falls into pieces of one task each. */
struct dividing {
    const struct br_dag *from;
    struct br_dag *to;
    uint32_t *first; /* by stage of `from`: its pieces in `to` are first[s] .. first[s + 1] - 1 */
    uint32_t *edge;  /* by edge of `from`: the one that it became; UINT32_MAX: several */
    char *id;        /* room for any id of a task */
    size_t id_room;
    struct br_diag *diag;
};

/* ---- Stages ---- */

static enum br_status divide_index_pieces(struct dividing *d, const bool *single)
{
    uint64_t pieces = 0;
    for (uint32_t s = 0; s < d->from->stages; s++) {
        const struct br_stage *stage = &d->from->stage[s];
        d->first[s] = (uint32_t)pieces;
        pieces += single[s] ? stage->tasks : 1;
        if (pieces > BR_MAX_STAGES)
            return br_fail_at(d->diag, stage->pos, BR_BAD_INPUT,
                              "use barriers between stages of so many tasks",
                              "stage '%.80s' takes the job over %u stages, the most that are "
                              "planned, since its tasks wait for each other one by one",
                              stage->id, BR_MAX_STAGES);
        if (strlen(stage->id) + 16 > d->id_room)
            d->id_room = strlen(stage->id) + 16;
    }
    d->first[d->from->stages] = (uint32_t)pieces;
    d->id = br_malloc(d->id_room);
    return d->id ? BR_OK : br_fail_memory(d->diag);
}

static enum br_status divide_demands(struct dividing *d, const struct br_stage *of, uint32_t piece)
{
    enum br_status status = BR_OK;
    for (uint32_t k = of->first_demand; k < of->first_demand + of->demands && !status; k++) {
        const struct br_demand *demand = &d->from->demand[k];
        char amount[BR_DECIMAL_TEXT];
        br_decimal_format(demand->amount, amount, sizeof amount);
        status = br_dag_add_demand(d->to, piece, d->from->resource[demand->resource].name, amount,
                                   d->diag);
    }
    return status;
}

/* The command of one piece: what stands for the index is the task's, if it is one of several. */
static enum br_status divide_command(struct dividing *d, const struct br_stage *of, uint32_t index,
                                     bool part, uint32_t piece)
{
    char *text;
    enum br_status status =
        br_alternative_text(of->command, NULL, part ? index : UINT32_MAX, &text, d->diag);
    if (!status)
        status = br_dag_set_command(d->to, piece, text, d->diag);
    br_free(text);
    return status;
}

/* Adds the piece that begins with the task of that index. */
static enum br_status divide_add_piece(struct dividing *d, uint32_t s, uint32_t index, bool part)
{
    const struct br_stage *of = &d->from->stage[s];
    const int64_t *ns = &d->from->duration_ns[of->first_task];
    uint32_t piece;
    if (part)
        br_dag_task_id(d->from, of->first_task + index, d->id, d->id_room);
    enum br_status status =
        br_dag_add_stage(d->to, part ? d->id : of->id, part ? 1 : of->tasks,
                         part && !of->alternatives ? ns[index] : of->duration_ns, &piece, d->diag);
    if (status)
        return status;
    struct br_stage *made = &d->to->stage[piece];
    made->by_hand = of->by_hand;
    made->first_index = of->first_index + index;
    br_dag_set_stage_pos(d->to, piece, of->pos);
    br_dag_set_stage_spread(d->to, piece, of->spread, of->longest_ns);
    for (uint32_t i = 0; i < of->tasks && !part && !of->alternatives && !status; i++)
        if (ns[i] != of->duration_ns)
            status = br_dag_set_duration(d->to, piece, i, ns[i], d->diag);
    if (!status)
        status = divide_demands(d, of, piece);
    return status || !of->command ? status : divide_command(d, of, index, part, piece);
}

static enum br_status divide_stages(struct dividing *d)
{
    const struct br_dag *from = d->from;
    enum br_status status = BR_OK;
    for (uint32_t r = 0, number; r < from->resources && !status; r++) {
        const struct br_resource *resource = &from->resource[r];
        status = resource->declared
                     ? br_dag_add_resource(d->to, resource->name, resource->unit, d->diag)
                     : br_dag_demand_resource(d->to, resource->name, "0", &number, d->diag);
    }
    for (uint32_t s = 0; s < from->stages; s++) {
        const uint32_t pieces = d->first[s + 1] - d->first[s];
        for (uint32_t i = 0; i < pieces && !status; i++)
            status = divide_add_piece(d, s, i, pieces > 1);
    }
    return status;
}

/* ---- Edges ---- */

/* What all pairs that come of one edge share. */
struct pairing {
    uint32_t edge;
    uint64_t pairs, done; /* that it comes to, and has come to */
    char *reads;          /* NULL: all */
};

static bool is_divided(const struct dividing *d, uint32_t s)
{
    return d->first[s + 1] - d->first[s] > 1;
}

/* Which pieces of the parent piece k of the child waits for. */
static struct br_range divide_range(const struct dividing *d, const struct br_edge *edge,
                                    uint32_t k)
{
    const uint32_t parents = d->first[edge->parent + 1] - d->first[edge->parent];
    const uint32_t children = d->first[edge->child + 1] - d->first[edge->child];
    if (!is_divided(d, edge->parent) || edge->type == BR_BARRIER)
        return (struct br_range){0, parents};
    return br_range_of(parents, children, edge->overlap, k);
}

static enum br_status divide_count_edges(const struct dividing *d)
{
    const struct br_dag *from = d->from;
    uint64_t edges = 0;
    for (uint32_t e = 0; e < from->edges; e++) {
        const struct br_edge *edge = &from->edge[e];
        for (uint32_t k = 0; k < d->first[edge->child + 1] - d->first[edge->child]; k++) {
            const struct br_range range = divide_range(d, edge, k);
            edges += range.end - range.first;
            if (edges > BR_MAX_EDGES)
                return br_fail_at(d->diag, edge->pos, BR_BAD_INPUT,
                                  "let a stage of one task that lasts 0 s stand between them",
                                  "the edge from '%.80s' to '%.80s' takes the job over %u pairs of "
                                  "tasks that wait for each other one by one, the most that are "
                                  "planned",
                                  from->stage[edge->parent].id, from->stage[edge->child].id,
                                  BR_MAX_EDGES);
        }
    }
    return BR_OK;
}

static enum br_status divide_add_pair(struct dividing *d, struct pairing *p, uint32_t a, uint32_t b)
{
    const struct br_edge *edge = &d->from->edge[p->edge];
    const struct br_wait wait = br_dag_wait(d->from, p->edge);
    /* Between single tasks, and from one to all of a stage, a barrier says the same. */
    const enum br_edge_type type = d->to->stage[a].tasks == 1 ? BR_BARRIER : edge->type;
    /* The first pairs get one byte more if the bytes do not fall into equal shares. */
    const int64_t pairs = (int64_t)p->pairs;
    const int64_t bytes = edge->bytes / pairs + ((int64_t)p->done++ < edge->bytes % pairs);
    enum br_status status = br_dag_add_edge(d->to, a, b, type, d->diag);
    if (!status)
        br_dag_set_edge_pos(d->to, edge->pos);
    if (!status && bytes)
        status = br_dag_set_edge_bytes(d->to, a, b, bytes, d->diag);
    if (!status && p->reads)
        status = br_dag_set_edge_reads(d->to, a, b, p->reads, d->diag);
    if (!status && wait.stream)
        status = br_dag_set_edge_stream(d->to, a, b, d->diag);
    if (!status && wait.lag_ns)
        status = br_dag_set_edge_lag(d->to, a, b, wait.lag_ns, d->diag);
    return status;
}

static enum br_status divide_edge(struct dividing *d, uint32_t e)
{
    const struct br_dag *from = d->from;
    const struct br_edge *edge = &from->edge[e];
    const uint32_t a = d->first[edge->parent], b = d->first[edge->child];
    const uint32_t children = d->first[edge->child + 1] - b;
    struct pairing p = {.edge = e};
    enum br_status status = BR_OK;
    if (from->storage && !br_edge_reads_all(from, e) &&
        !(p.reads = br_dag_reads_text(from->storage, e)))
        return br_fail_memory(d->diag);
    for (uint32_t k = 0; k < children; k++) {
        const struct br_range range = divide_range(d, edge, k);
        p.pairs += range.end - range.first;
    }
    for (uint32_t k = 0; k < children; k++) {
        const struct br_range range = divide_range(d, edge, k);
        for (uint32_t i = range.first; i < range.end && !status; i++)
            status = divide_add_pair(d, &p, a + i, b + k);
    }
    d->edge[e] = p.pairs == 1 ? br_dag_last_edge(d->to) : UINT32_MAX;
    br_free(p.reads);
    return status;
}

/* ---- The whole ---- */

/* Attributes of the job, of stages, and of edges that are still one; doubts; the file. */
static enum br_status divide_dress(struct dividing *d)
{
    const struct br_dag *from = d->from;
    struct br_dag *to = d->to;
    enum br_status status = from->source ? br_dag_set_source(to, from->source, d->diag) : BR_OK;
    for (uint32_t r = 0; r < from->resources; r++)
        to->resource[r].in_bytes = from->resource[r].in_bytes;
    for (uint32_t a = 0; a < from->attributes && !status; a++) {
        const struct br_attribute *it = &from->attribute[a];
        uint32_t first = 0, end = 1;
        if (it->owner == BR_OWNER_STAGE) {
            first = d->first[it->index];
            end = d->first[it->index + 1];
        } else if (it->owner == BR_OWNER_EDGE) {
            first = d->edge[it->index];
            end = first == UINT32_MAX ? first : first + 1;
        }
        for (uint32_t k = first; k < end && !status; k++)
            status = br_dag_add_attribute(to, it->owner, k, it->name, it->value, d->diag);
    }
    for (uint32_t k = 0; k < from->doubts && !status; k++)
        status = br_dag_add_doubt(to, d->diag, "%s", from->doubt[k]);
    to->recorded_ns = from->recorded_ns;
    to->recorded_cores = from->recorded_cores;
    to->given = from->given;
    return status;
}

enum br_status br_dag_make_divided(const struct br_dag *from, const bool *single,
                                   struct br_dag **made, struct br_diag *diag)
{
    struct dividing d = {.from = from,
                         .to = br_dag_create(from->name),
                         .first = br_malloc(((size_t)from->stages + 1) * sizeof *d.first),
                         .edge = br_malloc(((size_t)from->edges + 1) * sizeof *d.edge),
                         .diag = diag};
    enum br_status status = d.to && d.first && d.edge ? BR_OK : br_fail_memory(diag);
    *made = NULL;
    if (!status)
        status = divide_index_pieces(&d, single);
    if (!status)
        status = divide_count_edges(&d);
    if (!status)
        status = divide_stages(&d);
    if (!status)
        status = br_dag_copy_to_pieces(d.to, from, d.first, diag);
    for (uint32_t e = 0; e < from->edges && !status; e++)
        status = divide_edge(&d, e);
    if (!status)
        status = divide_dress(&d);
    br_free(d.first);
    br_free(d.edge);
    br_free(d.id);
    if (status)
        br_dag_destroy(d.to);
    else
        *made = d.to;
    return status;
}
