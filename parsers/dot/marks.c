#include "parsers/dot/marks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool br_dot_has_time(Agnode_t *node)
{
    return *br_dot_value(node, "duration") || *br_dot_value(node, "tasks") ||
           *br_dot_value(node, "size");
}

/* A cluster that explains the picture: by its own name or label, and without arrows out of it. */
static bool is_legend(Agraph_t *graph, Agraph_t *cluster)
{
    const char *name = agnameof(cluster), *label = br_dot_value(cluster, "label");
    bool called = strcasecmp(label, "legend") == 0 || strcasecmp(label, "key") == 0 ||
                  strncasecmp(name, "clusterkey", 10) == 0 || strcasestr(name, "legend");
    for (Agnode_t *n = agfstnode(cluster); n && called; n = agnxtnode(cluster, n)) {
        Agnode_t *own = agsubnode(graph, n, 0);
        called = own && !br_dot_has_time(own);
        for (Agedge_t *e = agfstedge(graph, own); e && called; e = agnxtedge(graph, e, own))
            called = agsubnode(cluster, aghead(e), 0) && agsubnode(cluster, agtail(e), 0);
    }
    return called;
}

static void leave_out_legends(struct br_dot_marks *marks, Agraph_t *inside)
{
    for (Agraph_t *sub = agfstsubg(inside); sub; sub = agnxtsubg(sub)) {
        if (!is_legend(marks->graph, sub)) {
            leave_out_legends(marks, sub);
            continue;
        }
        for (Agnode_t *n = agfstnode(sub); n; n = agnxtnode(sub, n))
            if (AGSEQ(n) <= marks->nodes && !(marks->node[AGSEQ(n)] & BR_DOT_LEFT_OUT)) {
                marks->node[AGSEQ(n)] |= BR_DOT_LEFT_OUT;
                marks->left_out++;
            }
    }
}

static void take_time(struct br_dot_marks *marks, Agnode_t *node, uint32_t *counter)
{
    if (AGSEQ(node) > marks->nodes || (marks->node[AGSEQ(node)] & ~BR_DOT_INSIDE) ||
        br_dot_has_time(node))
        return;
    marks->node[AGSEQ(node)] |= BR_DOT_NO_WORK;
    ++*counter;
}

/* Nodes whose own statement gives them an empty label are points where others meet. */
static bool mark_empty(struct br_dot_marks *marks, const struct br_dot_scan *scan)
{
    for (uint32_t k = 0; k < scan->empties; k++) {
        assert(scan->empty[k] < scan->mentions);
        const struct br_dot_mention *mention = &scan->mention[scan->empty[k]];
        char *id = malloc((size_t)mention->length + 1);
        if (!id)
            return false;
        br_dot_unquote(mention, id);
        Agnode_t *node = agnode(marks->graph, id, 0);
        if (node)
            take_time(marks, node, &marks->empty);
        free(id);
    }
    return true;
}

/* A cluster's node for which the cluster does not wait only represents it. */
static void mark_insides(struct br_dot_marks *marks)
{
    for (uint32_t k = 0; k < marks->insides.count; k++) {
        const struct br_dot_inside *inside = &marks->insides.inside[k];
        assert(AGSEQ(inside->node) <= marks->nodes);
        if (!inside->joins)
            marks->node[AGSEQ(inside->node)] |= BR_DOT_NO_WORK;
        for (Agnode_t *n = agfstnode(inside->cluster); n; n = agnxtnode(inside->cluster, n))
            marks->node[AGSEQ(n)] |= BR_DOT_INSIDE;
    }
}

static void leave_out(struct br_dot_marks *marks, Agnode_t *node, uint8_t why)
{
    if (AGSEQ(node) <= marks->nodes)
        marks->node[AGSEQ(node)] |= BR_DOT_LEFT_OUT | why;
}

static Agraph_t *cluster_of_label(Agraph_t *graph, const char *label)
{
    Agraph_t *sub = agfstsubg(graph);
    while (sub && strcmp(br_dot_value(sub, "label"), label) != 0)
        sub = agnxtsubg(sub);
    return sub;
}

/* DataFusion draws each plan twice, in clusters of equal size: by itself, and with schemas. */
static void leave_out_repeated(struct br_dot_marks *marks, Agraph_t *graph)
{
    Agraph_t *plan = cluster_of_label(graph, "LogicalPlan");
    Agraph_t *detailed = cluster_of_label(graph, "Detailed LogicalPlan");
    if (!plan || !detailed || agnnodes(plan) != agnnodes(detailed) ||
        agnnodes(plan) + agnnodes(detailed) != agnnodes(graph))
        return;
    for (Agnode_t *n = agfstnode(detailed); n; n = agnxtnode(detailed, n)) {
        leave_out(marks, n, BR_DOT_REPEATED);
        marks->repeated++;
    }
}

static void leave_out_elsewhere(struct br_dot_marks *marks, const struct br_dot_twins *twins)
{
    for (Agnode_t *n = agfstnode(marks->graph); n; n = agnxtnode(marks->graph, n))
        if (br_dot_twins_is_elsewhere(twins, agnameof(n)))
            leave_out(marks, n, BR_DOT_ELSEWHERE);
}

static void mark_fused(struct br_dot_marks *marks)
{
    for (Agnode_t *n = agfstnode(marks->graph); n; n = agnxtnode(marks->graph, n)) {
        const enum br_dot_kind kind = br_dot_fused_kind(&marks->fused, marks->graph, n);
        marks->parts += kind == BR_DOT_PART;
        if (kind == BR_DOT_PART || kind == BR_DOT_NO_STEP)
            leave_out(marks, n, BR_DOT_FUSED);
        else if (kind == BR_DOT_WAITS)
            marks->node[AGSEQ(n)] |= BR_DOT_NO_WORK;
    }
}

bool br_dot_marks_init(struct br_dot_marks *marks, Agraph_t *graph, const char *text,
                       const struct br_dot_scan *scan, const struct br_dot_twins *twins)
{
    const bool snakemake = strcmp(agnameof(graph), "snakemake_dag") == 0;
    *marks = (struct br_dot_marks){.graph = graph, .text = text};
    marks->nodes = (uint32_t)agnnodes(graph);
    marks->node = calloc((size_t)marks->nodes + 1, 1);
    if (!marks->node)
        return false;
    leave_out_legends(marks, graph);
    assert(marks->left_out <= marks->nodes);
    if (marks->left_out == marks->nodes) { /* then it is no legend */
        memset(marks->node, 0, marks->nodes + (size_t)1);
        marks->left_out = 0;
    }
    leave_out_repeated(marks, graph);
    leave_out_elsewhere(marks, twins);
    if (!mark_empty(marks, scan) || !br_dot_clusters_init(&marks->clusters, graph) ||
        !br_dot_fused_init(&marks->fused, &marks->clusters, graph, text, scan->length) ||
        !br_dot_insides_init(&marks->insides, &marks->clusters, graph))
        return false;
    mark_insides(marks);
    mark_fused(marks);
    for (Agnode_t *n = agfstnode(graph); n; n = agnxtnode(graph, n)) {
        if (strcmp(br_dot_value(n, "shape"), "point") == 0)
            take_time(marks, n, &marks->empty);
        if (snakemake && strstr(br_dot_value(n, "style"), "dashed"))
            take_time(marks, n, &marks->done);
    }
    return true;
}

void br_dot_marks_finish(struct br_dot_marks *marks)
{
    br_dot_clusters_finish(&marks->clusters);
    br_dot_insides_finish(&marks->insides);
    br_dot_fused_finish(&marks->fused);
    free(marks->node);
    marks->node = NULL;
}

uint8_t br_dot_mark(const struct br_dot_marks *marks, Agnode_t *node)
{
    return AGSEQ(node) <= marks->nodes ? marks->node[AGSEQ(node)] : 0;
}
