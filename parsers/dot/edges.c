/* Edges of the job: their bytes, and their places in the text. */
#include "parsers/dot/ends.h"
#include "parsers/dot/held.h"
#include "parsers/jobs/transfer.h"
#include "parsers/text/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An arrow between two nodes, as the text has it. */
struct arrow {
    uint32_t parent, child;
    struct br_pos pos;
};

static int edges_by_ends(const void *a, const void *b)
{
    const struct arrow *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->child != y->child)
        return x->child < y->child ? -1 : 1;
    if (x->pos.line != y->pos.line)
        return x->pos.line < y->pos.line ? -1 : 1;
    return x->pos.column < y->pos.column ? -1 : x->pos.column > y->pos.column;
}

/* Gives every stage its place, and lists the arrows, sorted by their ends. */
static enum br_status place_stages(struct br_dot_reader *reader, struct arrow **arrow,
                                   uint32_t *arrows, struct br_diag *diag)
{
    const struct br_dot_scan *scan = &reader->scan;
    size_t room = 1;
    for (uint32_t m = 0; m < scan->mentions; m++)
        if (room < (size_t)scan->mention[m].length + 1)
            room = (size_t)scan->mention[m].length + 1;
    char *id = malloc(room);
    *arrows = 0;
    *arrow = malloc(((size_t)scan->mentions + 1) * sizeof **arrow);
    if (!id || !*arrow) {
        free(id);
        return br_fail_memory(diag);
    }
    for (uint32_t m = 0, before = UINT32_MAX; m < scan->mentions; m++) {
        br_dot_unquote(&scan->mention[m], id);
        uint32_t stage = br_dag_find_stage(reader->dag, br_dot_name_of(&reader->names, id));
        struct br_pos pos = scan->mention[m].pos;
        if (stage != UINT32_MAX && reader->dag->stage[stage].pos.line == 0)
            br_dag_set_stage_pos(reader->dag, stage, pos);
        if (scan->mention[m].after_arrow && before != UINT32_MAX && stage != UINT32_MAX)
            (*arrow)[(*arrows)++] = (struct arrow){before, stage, scan->mention[m - 1].pos};
        before = stage;
    }
    qsort(*arrow, *arrows, sizeof **arrow, edges_by_ends);
    free(id);
    return BR_OK;
}

static bool is_below_one(struct br_decimal value)
{
    for (; value.exponent < 0; value.exponent++)
        value.mantissa /= 10;
    return value.mantissa <= 0;
}

/* Bytes of an edge, rounded up; less than one is a control edge, which carries none. */
static enum br_status edges_read_bytes(const char *text, struct br_link *link, struct br_diag *diag)
{
    const struct br_decimal giga = {1, 9}; /* bytes / 1e9, in units of 1e-9 */
    struct br_decimal size;
    enum br_decimal_fault fault = br_decimal_parse_nearest(text, &size);
    if (fault || (!is_below_one(size) && !br_decimal_quotient_ns(size, giga, &link->bytes)))
        return br_fail(diag, BR_BAD_INPUT, "write a number of bytes",
                       "size '%.80s' of an edge is not a number, or too large", text);
    return BR_OK;
}

/* The form's own attributes of edges; NULL if no edge has one. */
struct edge_symbols {
    Agsym_t *type, *overlap, *bytes, *size;
};

static bool edges_is_range(const struct edge_symbols *symbol, Agedge_t *edge)
{
    return edge && symbol->type &&
           strcmp(agxget(edge, symbol->type), br_named_name(&br_edge_types, BR_RANGE)) == 0;
}

/* The attributes `overlap` of a range and `bytes`. */
static enum br_status edges_read_extras(const struct edge_symbols *symbol, Agedge_t *edge,
                                        const char *from, const char *to, struct br_link *link,
                                        struct br_diag *diag)
{
    const char *bytes = edge && symbol->bytes ? agxget(edge, symbol->bytes) : "";
    const char *overlap =
        symbol->overlap && edges_is_range(symbol, edge) ? agxget(edge, symbol->overlap) : "";
    enum br_status status = BR_OK;
    char owner[220];
    if (!*bytes && !*overlap)
        return BR_OK;
    snprintf(owner, sizeof owner, "the edge from '%.80s' to '%.80s'", from, to);
    if (*overlap)
        status = br_value_count(overlap, "overlap", owner, &link->overlap, diag);
    return status || !*bytes ? status : br_value_bytes(bytes, owner, &link->carried, diag);
}

static enum br_status make_link(const struct br_dot_reader *reader, const struct br_dot_ends *ends,
                                const struct edge_symbols *symbol, const struct arrow *arrow,
                                uint32_t arrows, struct br_link *link, struct br_diag *diag)
{
    Agedge_t *edge = ends->edge;
    const char *from = br_dot_name(&reader->names, ends->tail);
    const char *to = br_dot_name(&reader->names, ends->head);
    const char *kind = edge && symbol->type ? agxget(edge, symbol->type) : "";
    uint32_t type = *kind ? br_named_find(&br_edge_types, kind) : BR_BARRIER;
    *link = (struct br_link){.parent = br_dag_find_stage(reader->dag, from),
                             .child = br_dag_find_stage(reader->dag, to),
                             .type = (enum br_edge_type)type};
    uint32_t low = 0, high = arrows;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (arrow[middle].parent < link->parent ||
            (arrow[middle].parent == link->parent && arrow[middle].child < link->child))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < arrows && arrow[low].parent == link->parent && arrow[low].child == link->child)
        link->pos = arrow[low].pos;
    else
        link->pos = reader->dag->stage[link->child].pos;
    if (reader->options->reverse) {
        const uint32_t child = link->parent;
        link->parent = link->child;
        link->child = child;
    }
    br_value_place(diag, link->pos);
    if (type == BR_NO_ROW)
        return br_fail(diag, BR_BAD_INPUT, "write type=barrier, type=\"one-to-one\" or type=range",
                       "the edge from '%.80s' to '%.80s' has the unknown type '%.80s'", from, to,
                       kind);
    const enum br_status status = edges_read_extras(symbol, edge, from, to, link, diag);
    if (status)
        return status;
    if (edge && symbol->size && reader->sized && *agxget(edge, symbol->size))
        return edges_read_bytes(agxget(edge, symbol->size), link, diag);
    return BR_OK;
}

/* Attributes of the links that became an edge; equal ones of two links are kept once. */
static enum br_status pass_edges(const struct br_dot_reader *reader, const struct br_dot_list *list,
                                 const struct edge_symbols *symbol, const uint32_t *number,
                                 struct br_diag *diag)
{
    Agedge_t **seen = calloc((size_t)reader->dag->edges + 1, sizeof *seen);
    const bool own = br_dot_is_own_form(reader->graph);
    enum br_status status = seen ? BR_OK : br_fail_memory(diag);
    for (uint32_t k = 0; k < list->count && !status; k++) {
        Agedge_t *edge = list->ends[k].edge, *twin = seen[number[k]];
        for (Agsym_t *s = NULL; edge && !status && (s = agnxtattr(reader->graph, AGEDGE, s));) {
            char *value = agxget(edge, s);
            bool used = strcmp(s->name, "type") == 0 || strcmp(s->name, "bytes") == 0 ||
                        (reader->sized && strcmp(s->name, "size") == 0) ||
                        (own && br_dot_is_wait(s->name)) ||
                        (s == symbol->overlap && edges_is_range(symbol, edge));
            if (*value && !used && !(twin && strcmp(agxget(twin, s), value) == 0))
                status = br_dot_pass(reader->dag, BR_OWNER_EDGE, number[k], s->name, value, diag);
        }
        seen[number[k]] = edge ? edge : twin;
    }
    free(seen);
    return status;
}

enum br_status br_dot_add_edges(struct br_dot_reader *reader, struct br_diag *diag)
{
    uint32_t k = 0, arrows = 0;
    struct arrow *arrow = NULL;
    struct br_dot_list list;
    enum br_status status = br_dot_list_init(&list, reader, diag);
    uint32_t *number = malloc(((size_t)list.count + 1) * sizeof *number);
    struct br_link *link = malloc(((size_t)list.count + 1) * sizeof *link);
    if (!status && (!number || !link))
        status = br_fail_memory(diag);
    if (!status)
        status = place_stages(reader, &arrow, &arrows, diag);
    const struct edge_symbols symbol = {agattr(reader->graph, AGEDGE, (char *)"type", NULL),
                                        agattr(reader->graph, AGEDGE, (char *)"overlap", NULL),
                                        agattr(reader->graph, AGEDGE, (char *)"bytes", NULL),
                                        agattr(reader->graph, AGEDGE, (char *)"size", NULL)};
    for (; k < list.count && !status; k++)
        status = make_link(reader, &list.ends[k], &symbol, arrow, arrows, &link[k], diag);
    if (!status)
        status = br_transfer_add(reader->dag, reader->options, link, list.count, number, diag);
    if (!status)
        status = br_dot_add_waits(reader, &list, link, number, diag);
    if (!status)
        status = pass_edges(reader, &list, &symbol, number, diag);
    br_dot_list_finish(&list);
    free(link);
    free(number);
    free(arrow);
    return status;
}
