#include "parsers/dot/inside.h"
#include "parsers/dot/fused.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"

static const char prefix[] = "cluster_";

/* The node that the cluster's own name names. */
static Agnode_t *node_of_name(Agraph_t *graph, Agraph_t *cluster)
{
    const char *name = agnameof(cluster);
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return NULL;
    return agnode(graph, (char *)name + sizeof prefix - 1, 0);
}

/* Is the cluster without arrows in or out, except those back to the node of its name? */
static bool inside_is_closed(Agraph_t *graph, const struct br_dot_clusters *clusters,
                             struct br_dot_inside *inside)
{
    Agraph_t *cluster = inside->cluster;
    for (Agnode_t *n = agfstnode(cluster); n; n = agnxtnode(cluster, n)) {
        Agnode_t *own = agsubnode(graph, n, 0);
        for (Agedge_t *e = agfstedge(graph, own); e; e = agnxtedge(graph, e, own)) {
            const bool tail = agsubnode(cluster, agtail(e), 0) != NULL;
            const bool head = agsubnode(cluster, aghead(e), 0) != NULL;
            const bool back = tail && !head && inside->node && aghead(e) == inside->node &&
                              br_dot_end(clusters, e, "ltail") == cluster;
            if (tail != head && !back)
                return false;
            inside->joins |= back;
        }
    }
    return true;
}

static bool list_closed(struct br_dot_insides *insides, const struct br_dot_clusters *clusters,
                        Agraph_t *graph)
{
    for (uint32_t k = 0; k < clusters->count; k++) {
        Agraph_t *cluster = clusters->cluster[k];
        Agnode_t *node = node_of_name(graph, cluster);
        struct br_dot_inside inside = {.cluster = cluster, .label = br_dot_value(cluster, "label")};
        if (!node)
            node = br_dot_fused_control(graph, clusters, cluster);
        if (node && !agsubnode(cluster, node, 0))
            inside.node = node;
        if (strncmp(agnameof(cluster), "cluster", 7) != 0 || !agfstnode(cluster) ||
            !inside_is_closed(graph, clusters, &inside))
            continue;
        if (!br_grow(&insides->inside, insides->count, &insides->room, sizeof *insides->inside))
            return false;
        insides->inside[insides->count++] = inside;
    }
    return true;
}

static int by_label(const void *a, const void *b)
{
    const struct br_dot_inside *x = a, *y = b;
    return strcmp(x->label, y->label);
}

static int by_node(const void *a, const void *b)
{
    const struct br_dot_inside *x = a, *y = b;
    if (AGSEQ(x->node) != AGSEQ(y->node))
        return AGSEQ(x->node) < AGSEQ(y->node) ? -1 : 1;
    return AGSEQ(x->cluster) < AGSEQ(y->cluster) ? -1 : AGSEQ(x->cluster) > AGSEQ(y->cluster);
}

/* A line or a field of the node's label. */
static void name_inside(struct br_dot_insides *insides, Agnode_t *node, const char *text)
{
    const struct br_dot_inside key = {.label = text};
    struct br_dot_inside *inside =
        bsearch(&key, insides->inside, insides->count, sizeof *insides->inside, by_label);
    if (!inside || (inside->node && !inside->named) || agsubnode(inside->cluster, node, 0))
        return;
    inside->node = node;
    inside->named++;
}

/* The pieces of the label between line breaks, braces and bars, without the blanks around them. */
static bool name_insides(struct br_dot_insides *insides, Agnode_t *node)
{
    char *copy = strdup(br_dot_value(node, "label")), *at = copy;
    while (at && *at) {
        char *end = at + strcspn(at, "\n{}|\\"), *next = end;
        if (*next)
            next += *next == '\\' && next[1] ? 2 : 1;
        while (at < end && strchr(" \t\r", *at))
            at++;
        while (end > at && strchr(" \t\r", end[-1]))
            end--;
        *end = '\0';
        if (*at)
            name_inside(insides, node, at);
        at = next;
    }
    free(copy);
    return copy != NULL;
}

/* Two clusters with equal labels have no node. */
static void keep_named(struct br_dot_insides *insides)
{
    uint32_t kept = 0;
    struct br_dot_inside *inside = insides->inside;
    for (uint32_t k = 0; k < insides->count; k++) {
        const bool twin =
            inside[k].named && ((k && !by_label(&inside[k], &inside[k - 1])) ||
                                (k + 1 < insides->count && !by_label(&inside[k], &inside[k + 1])));
        if (inside[k].node && inside[k].named < 2 && !twin)
            inside[kept++] = inside[k];
    }
    insides->count = kept;
}

bool br_dot_insides_init(struct br_dot_insides *insides, const struct br_dot_clusters *clusters,
                         Agraph_t *graph)
{
    *insides = (struct br_dot_insides){0};
    if (!list_closed(insides, clusters, graph))
        return false;
    if (insides->count == 0)
        return true;
    qsort(insides->inside, insides->count, sizeof *insides->inside, by_label);
    for (Agnode_t *n = agfstnode(graph); n; n = agnxtnode(graph, n))
        if (!name_insides(insides, n))
            return false;
    keep_named(insides);
    if (insides->count)
        qsort(insides->inside, insides->count, sizeof *insides->inside, by_node);
    return true;
}

void br_dot_insides_finish(struct br_dot_insides *insides)
{
    free(insides->inside);
    insides->inside = NULL;
}

uint32_t br_dot_inside_of(const struct br_dot_insides *insides, Agnode_t *node)
{
    uint32_t low = 0, high = insides->count;
    assert(high < 2 || AGSEQ(insides->inside[0].node) <= AGSEQ(insides->inside[high - 1].node));
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (AGSEQ(insides->inside[middle].node) < AGSEQ(node))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool br_dot_is_join(const struct br_dot_insides *insides, const struct br_dot_clusters *clusters,
                    Agedge_t *edge)
{
    Agraph_t *tail = insides->count ? br_dot_end(clusters, edge, "ltail") : NULL;
    const uint32_t seq = AGSEQ(aghead(edge));
    uint32_t k = br_dot_inside_of(insides, aghead(edge));
    for (; tail && k < insides->count && AGSEQ(insides->inside[k].node) == seq; k++)
        if (insides->inside[k].cluster == tail)
            return insides->inside[k].joins;
    return false;
}
