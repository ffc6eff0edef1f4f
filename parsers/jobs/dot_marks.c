#include "parsers/jobs/dot_marks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LOOKED_AT = 1 << 16, NAMED = 3, NAME_MOST = 40 };

static const char *value_of(void *object, const char *name)
{
    const char *value = agget(object, (char *)name);
    return value ? value : "";
}

/* ---- Nodes ---- */

static bool has_time(Agnode_t *node)
{
    return *value_of(node, "duration") || *value_of(node, "tasks") || *value_of(node, "size");
}

/* A cluster that explains the picture: of its own name or label, and no arrow leaves it. */
static bool is_legend(Agraph_t *graph, Agraph_t *cluster)
{
    const char *name = agnameof(cluster), *label = value_of(cluster, "label");
    bool called = strcasecmp(label, "legend") == 0 || strcasecmp(label, "key") == 0 ||
                  strncasecmp(name, "clusterkey", 10) == 0 || strcasestr(name, "legend");
    for (Agnode_t *n = agfstnode(cluster); n && called; n = agnxtnode(cluster, n)) {
        Agnode_t *own = agsubnode(graph, n, 0);
        called = own && !has_time(own);
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
    if (AGSEQ(node) > marks->nodes || marks->node[AGSEQ(node)] || has_time(node))
        return;
    marks->node[AGSEQ(node)] |= BR_DOT_NO_WORK;
    ++*counter;
}

/* Nodes whose own statement gives them an empty label are points at which others meet. */
static bool mark_empty(struct br_dot_marks *marks, const struct br_dot_scan *scan)
{
    for (uint32_t k = 0; k < scan->empties; k++) {
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

bool br_dot_marks_init(struct br_dot_marks *marks, Agraph_t *graph, const char *text,
                       const struct br_dot_scan *scan)
{
    const bool snakemake = strcmp(agnameof(graph), "snakemake_dag") == 0;
    *marks = (struct br_dot_marks){.graph = graph, .text = text};
    marks->nodes = (uint32_t)agnnodes(graph);
    marks->node = calloc((size_t)marks->nodes + 1, 1);
    if (!marks->node)
        return false;
    leave_out_legends(marks, graph);
    if (marks->left_out == marks->nodes) { /* then it is no legend */
        memset(marks->node, 0, marks->nodes + (size_t)1);
        marks->left_out = 0;
    }
    if (!mark_empty(marks, scan))
        return false;
    for (Agnode_t *n = agfstnode(graph); n; n = agnxtnode(graph, n)) {
        if (strcmp(value_of(n, "shape"), "point") == 0)
            take_time(marks, n, &marks->empty);
        if (snakemake && strstr(value_of(n, "style"), "dashed"))
            take_time(marks, n, &marks->done);
    }
    return true;
}

void br_dot_marks_finish(struct br_dot_marks *marks)
{
    free(marks->node);
    marks->node = NULL;
}

uint8_t br_dot_mark(const struct br_dot_marks *marks, Agnode_t *node)
{
    return AGSEQ(node) <= marks->nodes ? marks->node[AGSEQ(node)] : 0;
}

Agraph_t *br_dot_end(Agraph_t *graph, Agedge_t *edge, const char *name)
{
    const char *cluster = value_of(edge, name);
    return *cluster ? agsubg(graph, (char *)cluster, 0) : NULL;
}

/* ---- Doubts ---- */

/* Tools whose arrows go from what waits to what it waits for, by what only they write; and what
 * their graphs have lost of the order. */
static const struct {
    const char *tool, *mark, *also, *lost;
} backward[] = {
    {"cmake --graphviz", "node [\n  fontsize = \"12\"\n];", "\"node0\"", NULL},
    {"turbo run --graph", "\"[root] ", NULL, NULL},
    {"DataFusion's EXPLAIN FORMAT GRAPHVIZ", "// Begin DataFusion GraphViz Plan", NULL,
     "every operator is there twice, once in each cluster"},
    {"DuckDB's EXPLAIN", "node_0_0", "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80", NULL},
    {"jdeps", "// Path: ", NULL,
     "'b (x)' behind an arrow is 'b' before others, so that no way has two arrows"},
    {"cargo depgraph", "    0 [ label = \"", NULL, NULL},
    {"modgraphviz", "digraph gomodgraph", NULL, NULL},
    {"dependency-cruiser", "\"dependency-cruiser output\"", NULL, NULL},
    {"debtree", "digraph \"debtree\"", NULL, "conflicts and suggestions are arrows, too"},
    {"apt-cache dotty", "digraph packages", "concentrate=true", "conflicts are arrows, too"},
    {"conan graph info", "\"conanfile.py", NULL,
     "host and build packages of one name are one node; 'conan graph build-order' tells them "
     "apart"},
    {"Maven's dependency:tree", ":jar:", "digraph \"",
     "it is a tree, without arrows to what stands elsewhere; Maven's reactor tells the order"},
};

static enum br_status doubt_tool(const struct br_dot_marks *marks, bool reversed,
                                 struct br_dag *dag, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    char *head = strndup(marks->text, LOOKED_AT);
    if (!head)
        return br_fail_memory(diag);
    for (size_t k = 0; k < sizeof backward / sizeof *backward && !status; k++) {
        if (!strstr(head, backward[k].mark) ||
            (backward[k].also && !strstr(head, backward[k].also)))
            continue;
        if (!reversed)
            status = br_dag_add_doubt(
                dag, diag,
                "it looks like what %s writes, whose arrows go from what waits to "
                "what it waits for, so that a plan runs backwards; --reverse turns "
                "them",
                backward[k].tool);
        if (!status && backward[k].lost)
            status = br_dag_add_doubt(dag, diag, "the order is not all in what %s writes: %s",
                                      backward[k].tool, backward[k].lost);
        break;
    }
    free(head);
    return status;
}

static enum br_status doubt_edges(const struct br_dot_marks *marks, struct br_dag *dag,
                                  struct br_diag *diag)
{
    uint32_t unseen = 0, back = 0, none = 0;
    enum br_status status = BR_OK;
    for (Agnode_t *n = agfstnode(marks->graph); n; n = agnxtnode(marks->graph, n))
        for (Agedge_t *e = agfstout(marks->graph, n); e; e = agnxtout(marks->graph, e)) {
            const char *dir = value_of(e, "dir");
            unseen += strstr(value_of(e, "style"), "invis") != NULL;
            back += strcmp(dir, "back") == 0;
            none += strcmp(dir, "none") == 0 || strcmp(dir, "both") == 0;
        }
    if (unseen)
        status = br_dag_add_doubt(dag, diag,
                                  "%" PRIu32 " edges are invisible (style=invis), and count "
                                  "as order",
                                  unseen);
    if (!status && back)
        status = br_dag_add_doubt(dag, diag,
                                  "%" PRIu32 " edges are drawn with the head at their beginning "
                                  "(dir=back), and count as they are written; --reverse turns all",
                                  back);
    if (!status && none)
        status =
            br_dag_add_doubt(dag, diag,
                             "%" PRIu32 " edges have no direction (dir=none or both), and count as "
                             "they are written",
                             none);
    return status;
}

/* "a, b, c and 4 more". */
static void add_name(char *text, size_t size, uint32_t count, const char *name)
{
    size_t used = strlen(text);
    if (count < NAMED)
        snprintf(text + used, size - used, "%s%.*s", count ? ", " : "", NAME_MOST, name);
}

static enum br_status doubt_nodes(const struct br_dot_marks *marks, struct br_dag *dag,
                                  struct br_diag *diag)
{
    char alone[NAMED * (NAME_MOST + 4) + 40] = "", out[sizeof alone] = "";
    uint32_t alones = 0, outs = 0;
    enum br_status status = BR_OK;
    for (Agnode_t *n = agfstnode(marks->graph); n; n = agnxtnode(marks->graph, n)) {
        if (br_dot_mark(marks, n) & BR_DOT_LEFT_OUT)
            add_name(out, sizeof out, outs++, agnameof(n));
        else if (agdegree(marks->graph, n, 1, 1) == 0 && !has_time(n))
            add_name(alone, sizeof alone, alones++, agnameof(n));
    }
    if (outs)
        status = br_dag_add_doubt(dag, diag, "%" PRIu32 " nodes of a legend are left out: %s%s",
                                  outs, out, outs > NAMED ? ", ..." : "");
    if (!status && marks->empty)
        status = br_dag_add_doubt(dag, diag,
                                  "%" PRIu32 " nodes with an empty label, or drawn as a point, "
                                  "take no time",
                                  marks->empty);
    if (!status && marks->done)
        status = br_dag_add_doubt(dag, diag,
                                  "%" PRIu32 " jobs are done (dashed boxes of Snakemake), and "
                                  "take no time",
                                  marks->done);
    if (!status && alones && dag->edges)
        status = br_dag_add_doubt(dag, diag,
                                  "%" PRIu32 " nodes have no arrow, and may start at once: %s%s",
                                  alones, alone, alones > NAMED ? ", ..." : "");
    return status;
}

/* Attributes of nodes that are demands where the graph declares them. */
static enum br_status doubt_resources(const struct br_dot_marks *marks, struct br_dag *dag,
                                      struct br_diag *diag)
{
    static const char *const words[] = {"cpu", "cpus", "mem", "memory", "gpu"};
    enum br_status status = BR_OK;
    for (size_t k = 0; k < sizeof words / sizeof *words && !status; k++) {
        bool declared = !agattr(marks->graph, AGNODE, (char *)words[k], NULL);
        for (uint32_t r = 0; r < dag->resources; r++)
            declared |= strcmp(dag->resource[r].name, words[k]) == 0;
        if (!declared)
            status = br_dag_add_doubt(
                dag, diag,
                "nodes have '%s', which no resources=\"%s\" of the graph declares, "
                "so that it is no demand",
                words[k], words[k]);
    }
    return status;
}

/* A port that the label of its node does not have was meant as a part of the name. */
static enum br_status doubt_ports(const struct br_dot_marks *marks, const struct br_dot_scan *scan,
                                  struct br_dag *dag, struct br_diag *diag)
{
    uint32_t strange = 0;
    char first[120] = "";
    struct br_pos pos = BR_NO_POS;
    for (uint32_t k = 0; k < scan->ports; k++) {
        const struct br_dot_port *port = &scan->port[k];
        const struct br_dot_mention *mention = &scan->mention[port->mention];
        const struct br_dot_mention as_id = {port->name, port->length, false, BR_NO_POS};
        char *id = malloc((size_t)mention->length + 1), *name = malloc((size_t)port->length + 1);
        if (!id || !name) {
            free(id);
            free(name);
            return br_fail_memory(diag);
        }
        br_dot_unquote(mention, id);
        br_dot_unquote(&as_id, name);
        Agnode_t *node = agnode(marks->graph, id, 0);
        if (node && !strstr(value_of(node, "label"), name) && strange++ == 0) {
            snprintf(first, sizeof first, "%.*s:%.*s", NAME_MOST, id, NAME_MOST, name);
            pos = mention->pos;
        }
        free(id);
        free(name);
    }
    if (!strange)
        return BR_OK;
    return br_dag_add_doubt(
        dag, diag,
        "%" PRIu32 " arrows end at a port that their node does not have, the first at "
        "'%s' in line %" PRIu32 "; a name with a colon stands in quotation marks",
        strange, first, pos.line);
}

enum br_status br_dot_doubt(const struct br_dot_marks *marks, const struct br_dot_scan *scan,
                            bool reversed, struct br_dag *dag, struct br_diag *diag)
{
    enum br_status status = doubt_tool(marks, reversed, dag, diag);
    if (!status)
        status = doubt_edges(marks, dag, diag);
    if (!status)
        status = doubt_nodes(marks, dag, diag);
    if (!status)
        status = doubt_resources(marks, dag, diag);
    return status ? status : doubt_ports(marks, scan, dag, diag);
}
