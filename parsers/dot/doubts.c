#include "parsers/dot/doubts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKED_AT = 1 << 16, NAMED = 3, NAME_MOST = 40 };

/* Tools, recognised by text that only they write: whether their arrows go from a task to those that
 * it waits for, which part of the order their graphs lose, and which of their nodes are no tasks.
 */
static const struct {
    const char *tool, *mark, *also;
    bool backward;
    const char *lost, *others;
} tools[] = {
    {"cmake --graphviz", "node [\n  fontsize = \"12\"\n];", "\"node0\"", true, NULL, NULL},
    {"terraform graph", "rankdir = \"RL\";\n  node [shape = rect, fontname = \"sans-serif\"];",
     NULL, true, NULL, NULL},
    {"terraform graph", "\"[root] ", "\"[root] provider", true, NULL,
     "providers, variables and what closes them are nodes"},
    {"turbo run --graph", "\"[root] ", NULL, true, NULL, "___ROOT___ is none"},
    {"bazel query --output graph", "digraph mygraph {\n  node [shape=box];", NULL, true, NULL,
     "files are nodes, too, and targets of the same arrows one, unless by --nograph:factored"},
    {"Gradle's project dependency graph", "node [style=filled, fillcolor=\"#bbbbbb\"];",
     "labelloc=t,fontsize=30", true, NULL, NULL},
    {"DataFusion's EXPLAIN FORMAT GRAPHVIZ", "// Begin DataFusion GraphViz Plan", NULL, true,
     "every operator is there twice, once in each cluster", NULL},
    {"XLA's --xla_dump_hlo_as_dot", "// Disable the tooltip.  Interestingly", NULL, false, NULL,
     "a fusion is one, parameters take no time, and what a loop runs counts once"},
    {"DuckDB's EXPLAIN", "node_0_0", "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80", true, NULL, NULL},
    {"jdeps", "\n    // Path: ", NULL, true, NULL, NULL},
    {"moon task-graph", "label=\"required\" arrowhead=box", NULL, true, NULL, NULL},
    {"cargo depgraph", "    0 [ label = \"", NULL, true, NULL, NULL},
    {"modgraphviz", "digraph gomodgraph", NULL, true, NULL, "go and toolchain are versions"},
    {"dependency-cruiser", "\"dependency-cruiser output\"", NULL, true, NULL, NULL},
    {"madge", "bgcolor=\"#111111\"", "layout=dot", true, NULL, NULL},
    {"doit-graph, unless by its --reverse,", "node [color=lightblue2,\n\t\tstyle=filled", NULL,
     true, NULL, NULL},
    {"pipdeptree, unless by its --reverse,", "digraph {\n\t", "[label=\">=", true, NULL, NULL},
    {"debtree", "digraph \"debtree\"", NULL, true, "conflicts and suggestions are arrows, too",
     NULL},
    {"apt-cache dotty", "digraph packages", "concentrate=true", true, "conflicts are arrows, too",
     NULL},
    {"conan graph info", "\"conanfile.py", NULL, true,
     "host and build packages of one name are one node; 'conan graph build-order' tells them "
     "apart",
     NULL},
    {"Maven's dependency:tree", ":jar:", "digraph \"", true,
     "it is a tree, without arrows to what stands elsewhere; those of dependency:tree -Dverbose "
     "are read",
     NULL},
    {"pytask dag", "shape=hexagon", ".py::", false, NULL, "boxes are files"},
    {"ninja -t graph", "digraph ninja {", NULL, false, NULL,
     "half of them are files; the build.ninja itself is read, too"},
    {"Hamilton", "cluster__legend", "_inputs [label=", false, NULL, "dashed ones are inputs"},
    {"cwltool --print-dot", "cluster_inputs", "cluster_outputs", false, NULL,
     "those of the clusters of inputs and outputs are files"},
};

/* Is there such a text in the graph, near its beginning? */
static bool has_mark(const char *text, const struct br_dot_scan *scan, const char *mark)
{
    const size_t length = scan->length < LOOKED_AT ? scan->length : LOOKED_AT;
    return memmem(text, length, mark, strlen(mark)) != NULL;
}

/* Has the lost part of the order been found again? */
static bool is_repaired(const struct br_dot_marks *marks, const struct br_dot_scan *scan,
                        const struct br_dot_twins *twins)
{
    return marks->repeated || (twins->united && !has_mark(marks->text, scan, " omitted for "));
}

static enum br_status doubt_tool(const struct br_dot_marks *marks, const struct br_dot_scan *scan,
                                 const struct br_dot_twins *twins, bool reversed,
                                 struct br_dag *dag, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    size_t k = 0;
    while (k < sizeof tools / sizeof *tools &&
           (!has_mark(marks->text, scan, tools[k].mark) ||
            (tools[k].also && !has_mark(marks->text, scan, tools[k].also))))
        k++;
    if (k == sizeof tools / sizeof *tools)
        return BR_OK;
    if (tools[k].backward && !reversed)
        status =
            br_dag_add_doubt(dag, diag,
                             "it looks like output of %s, whose arrows go from a task to those for "
                             "which it waits, so that a plan runs backwards; --reverse turns them",
                             tools[k].tool);
    if (!status && tools[k].lost && !is_repaired(marks, scan, twins))
        status = br_dag_add_doubt(dag, diag, "the order is not all in what %s writes: %s",
                                  tools[k].tool, tools[k].lost);
    if (!status && tools[k].others)
        status = br_dag_add_doubt(dag, diag, "not all nodes that %s writes are tasks: %s",
                                  tools[k].tool, tools[k].others);
    return status;
}

/* Tools whose graphs have cycles, although the work has none. */
const char *br_dot_cycle_hint(const char *text, const struct br_dot_scan *scan)
{
    static const struct {
        const char *mark, *also, *hint;
    } ways[] = {
        {"digraph snakemake_dag", NULL,
         "in a graph of rules one node stands for many jobs; draw the jobs, by snakemake --dag"},
        {"{ node [shape = rect]", "rankdir=\"LR\"",
         "ClickHouse merges processors of one name; ask for EXPLAIN PIPELINE graph = 1, compact = "
         "0"},
        {"    0 [ label = \"", NULL,
         "dev-dependencies may lead back; call cargo depgraph without --all-deps or --dev-deps"},
        {"digraph \"debtree\"", NULL, "leave out conflicts, by debtree --no-conflicts"},
        {"digraph packages", "concentrate=true",
         "conflicts are arrows, too; remove those that are red"},
        {"\"conanfile.py", NULL,
         "host and build packages of one name are one node; conan graph build-order has the order"},
        {"digraph Taskflow", NULL,
         "a condition's dashed arrows may lead back; remove them, a plan has no loops"},
        {"digraph \"CFG for ", NULL, "a graph of control flow has loops, and is no job"},
        {"digraph \"Call graph", NULL, "a graph of calls is no job"},
        {"// Generated by GNU Bison", NULL, "an automaton is no job"},
    };
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        if (has_mark(text, scan, ways[k].mark) &&
            (!ways[k].also || has_mark(text, scan, ways[k].also)))
            return ways[k].hint;
    return NULL;
}

static enum br_status doubt_edges(const struct br_dot_marks *marks, struct br_dag *dag,
                                  struct br_diag *diag)
{
    uint32_t unseen = 0, back = 0, none = 0;
    enum br_status status = BR_OK;
    for (Agnode_t *n = agfstnode(marks->graph); n; n = agnxtnode(marks->graph, n))
        for (Agedge_t *e = agfstout(marks->graph, n); e; e = agnxtout(marks->graph, e)) {
            const char *dir = br_dot_value(e, "dir");
            if ((br_dot_mark(marks, n) | br_dot_mark(marks, aghead(e))) & BR_DOT_LEFT_OUT)
                continue;
            unseen += strstr(br_dot_value(e, "style"), "invis") != NULL;
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
static void doubts_add_name(char *text, size_t size, uint32_t count, const char *name)
{
    size_t used = strlen(text);
    assert(used < size);
    if (count < NAMED)
        snprintf(text + used, size - used, "%s%.*s", count ? ", " : "", NAME_MOST, name);
}

static enum br_status doubt_nodes(const struct br_dot_marks *marks, struct br_dag *dag,
                                  struct br_diag *diag)
{
    char alone[NAMED * (NAME_MOST + 4) + 40] = "", out[sizeof alone] = "";
    uint32_t alones = 0, outs = 0;
    const uint8_t unread = BR_DOT_REPEATED | BR_DOT_ELSEWHERE | BR_DOT_FUSED;
    enum br_status status = BR_OK;
    for (Agnode_t *n = agfstnode(marks->graph); n; n = agnxtnode(marks->graph, n)) {
        if (br_dot_mark(marks, n) & unread)
            continue;
        if (br_dot_mark(marks, n) & BR_DOT_LEFT_OUT)
            doubts_add_name(out, sizeof out, outs++, agnameof(n));
        else if (agdegree(marks->graph, n, 1, 1) == 0 && !br_dot_has_time(n) &&
                 !(br_dot_mark(marks, n) & BR_DOT_INSIDE))
            doubts_add_name(alone, sizeof alone, alones++, agnameof(n));
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
    const struct br_dot_insides *insides = &marks->insides;
    if (!status && insides->count)
        status = br_dag_add_doubt(
            dag, diag,
            "%" PRIu32 " clusters that no arrow enters are read as the inside of the node that "
            "names them, between it and what waits for it; the first: %.*s in %.*s",
            insides->count, NAME_MOST, agnameof(insides->inside->cluster), NAME_MOST,
            agnameof(insides->inside->node));
    if (!status && alones && dag->edges)
        status = br_dag_add_doubt(dag, diag,
                                  "%" PRIu32 " nodes have no arrow, and may start at once: %s%s",
                                  alones, alone, alones > NAMED ? ", ..." : "");
    return status;
}

static enum br_status doubt_unread(const struct br_dot_marks *marks,
                                   const struct br_dot_twins *twins, struct br_dag *dag,
                                   struct br_diag *diag)
{
    char name[NAMED * (NAME_MOST + 4) + 40] = "";
    uint32_t elsewhere = 0;
    enum br_status status = BR_OK;
    for (Agnode_t *n = agfstnode(marks->graph); n; n = agnxtnode(marks->graph, n))
        if (br_dot_mark(marks, n) & BR_DOT_ELSEWHERE)
            doubts_add_name(name, sizeof name, elsewhere++, agnameof(n));
    if (twins->united)
        status = br_dag_add_doubt(dag, diag,
                                  "%" PRIu32 " arrows end at the second name of a node, which is "
                                  "read as its first; the first such name: '%s'",
                                  twins->united, twins->first);
    if (!status && elsewhere)
        status = br_dag_add_doubt(dag, diag,
                                  "%" PRIu32 " nodes of archives that are not read are left out: "
                                  "%s%s",
                                  elsewhere, name, elsewhere > NAMED ? ", ..." : "");
    if (!status && marks->parts)
        status =
            br_dag_add_doubt(dag, diag,
                             "%" PRIu32 " nodes are parts of others: of fusions, or of functions "
                             "that operations apply",
                             marks->parts);
    if (!status && marks->repeated)
        status = br_dag_add_doubt(dag, diag,
                                  "%" PRIu32 " nodes are left out: their cluster repeats the plan "
                                  "with its schemas",
                                  marks->repeated);
    return status;
}

/* Attributes of nodes that are demands if the graph declares them. */
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

/* A port that the node's label does not have was meant as a part of the name. */
static enum br_status doubt_ports(const struct br_dot_marks *marks, const struct br_dot_scan *scan,
                                  struct br_dag *dag, struct br_diag *diag)
{
    uint32_t strange = 0;
    char first[120] = "";
    struct br_pos pos = BR_NO_POS;
    for (uint32_t k = 0; k < scan->ports; k++) {
        const struct br_dot_port *port = &scan->port[k];
        assert(port->mention < scan->mentions);
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
        if (node && !strstr(br_dot_value(node, "label"), name) && strange++ == 0) {
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
                            const struct br_dot_twins *twins, bool reversed, struct br_dag *dag,
                            struct br_diag *diag)
{
    enum br_status status = doubt_tool(marks, scan, twins, reversed, dag, diag);
    if (!status)
        status = doubt_unread(marks, twins, dag, diag);
    if (!status)
        status = doubt_edges(marks, dag, diag);
    if (!status)
        status = doubt_nodes(marks, dag, diag);
    if (!status)
        status = doubt_resources(marks, dag, diag);
    return status ? status : doubt_ports(marks, scan, dag, diag);
}
