#include "parsers/dot/ends.h"
#include "parsers/dot/refuse.h"

#include <assert.h>
#include <stdlib.h>

#include "base/collections/grow.h"

enum { MOST_INSIDE = 200 };

struct lister {
    struct br_dot_reader *reader;
    struct br_dot_list *list;
    struct br_diag *diag;
};

/* Ends without an edge come last. */
static int by_sequence(const void *a, const void *b)
{
    const struct br_dot_ends *x = a, *y = b;
    if (!x->edge != !y->edge)
        return x->edge ? -1 : 1;
    if (x->edge && AGSEQ(x->edge) != AGSEQ(y->edge))
        return AGSEQ(x->edge) < AGSEQ(y->edge) ? -1 : 1;
    if (AGSEQ(x->tail) != AGSEQ(y->tail))
        return AGSEQ(x->tail) < AGSEQ(y->tail) ? -1 : 1;
    return AGSEQ(x->head) < AGSEQ(y->head) ? -1 : AGSEQ(x->head) > AGSEQ(y->head);
}

/* Adds an edge, unless an end is left out or it leads from a node to itself through a cluster. */
static enum br_status list_edge(const struct lister *lister, Agedge_t *edge, Agnode_t *tail,
                                Agnode_t *head, bool whole)
{
    struct br_dot_list *list = lister->list;
    const struct br_dot_marks *marks = &lister->reader->marks;
    Agnode_t *const from = br_dot_fused_whole(&marks->fused, tail);
    Agnode_t *const to = br_dot_fused_whole(&marks->fused, head);
    whole |= from != tail || to != head;
    tail = from;
    head = to;
    if (((br_dot_mark(marks, tail) | br_dot_mark(marks, head)) & BR_DOT_LEFT_OUT) ||
        (whole && AGSEQ(tail) == AGSEQ(head)))
        return BR_OK;
    if (AGSEQ(tail) == AGSEQ(head) && lister->reader->options->skip_self_loops) {
        lister->reader->loops++;
        return BR_OK;
    }
    if (list->count == BR_DOT_OBJECTS_MOST)
        return br_fail(lister->diag, BR_BAD_INPUT, "write such a job in the native XML form",
                       "edges between whole clusters come to more than %d", BR_DOT_OBJECTS_MOST);
    if (!br_grow(&list->ends, list->count, &list->room, sizeof *list->ends))
        return br_fail_memory(lister->diag);
    list->ends[list->count++] = (struct br_dot_ends){tail, head, edge};
    return BR_OK;
}

static enum br_status list_heads(const struct lister *lister, Agedge_t *edge, Agnode_t *tail,
                                 bool whole)
{
    Agraph_t *heads = br_dot_end(&lister->reader->marks.clusters, edge, "lhead");
    enum br_status status = BR_OK;
    if (!heads)
        return list_edge(lister, edge, tail, aghead(edge), whole);
    for (Agnode_t *n = agfstnode(heads); n && !status; n = agnxtnode(heads, n))
        status = list_edge(lister, edge, tail, n, true);
    return status;
}

/* The clusters inside are closed: the only arrows of their last nodes lead back. */
static bool is_last(const struct lister *lister, Agnode_t *node)
{
    const struct br_dot_marks *marks = &lister->reader->marks;
    Agraph_t *graph = lister->reader->graph;
    Agnode_t *own = agsubnode(graph, node, 0);
    for (Agedge_t *e = agfstout(graph, own); e; e = agnxtout(graph, e))
        if (!br_dot_is_join(&marks->insides, &marks->clusters, e))
            return false;
    return true;
}

/* From the last nodes inside the node, and inside those, to the nodes that wait for it. */
static enum br_status list_insides(const struct lister *lister, Agedge_t *edge, Agnode_t *tail,
                                   uint32_t depth)
{
    const struct br_dot_insides *insides = &lister->reader->marks.insides;
    enum br_status status = BR_OK;
    uint32_t k = br_dot_inside_of(insides, tail);
    for (; k < insides->count && AGSEQ(insides->inside[k].node) == AGSEQ(tail) && !status; k++) {
        Agraph_t *cluster = insides->inside[k].cluster;
        if (depth == MOST_INSIDE)
            return br_fail(lister->diag, BR_BAD_INPUT, "write such a job in the native XML form",
                           "clusters are inside of nodes of others more than %d deep", MOST_INSIDE);
        for (Agnode_t *n = agfstnode(cluster); n && !status; n = agnxtnode(cluster, n)) {
            if (!is_last(lister, n))
                continue;
            status = list_heads(lister, edge, n, true);
            if (!status)
                status = list_insides(lister, edge, n, depth + 1);
        }
    }
    return status;
}

static enum br_status list_tails(const struct lister *lister, Agedge_t *edge)
{
    const struct br_dot_marks *marks = &lister->reader->marks;
    Agraph_t *tails = br_dot_end(&marks->clusters, edge, "ltail");
    enum br_status status = BR_OK;
    if (br_dot_is_join(&marks->insides, &marks->clusters, edge))
        return BR_OK;
    if (!tails)
        status = list_heads(lister, edge, agtail(edge), false);
    for (Agnode_t *n = tails ? agfstnode(tails) : NULL; n && !status; n = agnxtnode(tails, n))
        status = list_heads(lister, edge, n, true);
    return status ? status : list_insides(lister, edge, agtail(edge), 0);
}

/* From each node to the first nodes inside it. */
static enum br_status list_spawns(const struct lister *lister)
{
    const struct br_dot_insides *insides = &lister->reader->marks.insides;
    Agraph_t *graph = lister->reader->graph;
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < insides->count; k++) {
        Agraph_t *cluster = insides->inside[k].cluster;
        assert(insides->inside[k].node);
        for (Agnode_t *n = agfstnode(cluster); n && !status; n = agnxtnode(cluster, n))
            if (!agfstin(graph, agsubnode(graph, n, 0)))
                status = list_edge(lister, NULL, insides->inside[k].node, n, true);
    }
    return status;
}

enum br_status br_dot_list_init(struct br_dot_list *list, struct br_dot_reader *reader,
                                struct br_diag *diag)
{
    enum br_status status = BR_OK;
    *list = (struct br_dot_list){0};
    const struct lister lister = {reader, list, diag};
    for (Agnode_t *n = agfstnode(reader->graph); n; n = agnxtnode(reader->graph, n))
        for (Agedge_t *e = agfstout(reader->graph, n); e && !status; e = agnxtout(reader->graph, e))
            status = list_tails(&lister, e);
    if (!status)
        status = list_spawns(&lister);
    if (list->count)
        qsort(list->ends, list->count, sizeof *list->ends, by_sequence);
    return status;
}

void br_dot_list_finish(struct br_dot_list *list)
{
    free(list->ends);
    list->ends = NULL;
}
