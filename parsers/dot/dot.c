/* Jobs as directed graphs in the DOT language, in our own form (nodes with tasks, duration and
 * demands) and in that of SimGrid and daggen (nodes with `size` in operations, edges with `size` in
 * bytes).
 *
 * A scan of our own comes before cgraph (scan.h). It finds the end of the graph, which is one of
 * several or all of them (several.h), and refuses some texts (refuse.h). Nodes with two names get
 * one (twins.h). Then cgraph reads the text (graph.h), marks for the eye are examined (marks.h),
 * and nodes become stages and arrows edges (nodes.c, edges.c). */
#include "parsers/dot/chosen.h"
#include "parsers/dot/doubts.h"
#include "parsers/dot/encoding.h"
#include "parsers/dot/graph.h"
#include "parsers/dot/reader.h"
#include "parsers/dot/refuse.h"
#include "parsers/dot/several.h"
#include "parsers/jobs/transfer.h"
#include "parsers/reader/formats.h"
#include "parsers/text/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

enum { TEXT_LIMIT = 64 << 20 };

/* A node whose id is a number is known by its label, since another graph numbers it otherwise. */
static enum br_status refuse_numbers_of_several(const struct br_dot_reader *reader,
                                                struct br_diag *diag)
{
    Agraph_t *graph = reader->graph;
    for (Agnode_t *n = agfstnode(graph); n; n = agnxtnode(graph, n)) {
        uint32_t found = 0;
        if (!br_dot_is_numbered(&reader->names, n))
            continue;
        for (Agraph_t *sub = agfstsubg(graph); sub; sub = agnxtsubg(sub))
            found += agsubnode(sub, n, 0) != NULL;
        if (found > 1)
            return br_fail(
                diag, BR_BAD_INPUT, "choose one by --graph, or name the nodes in words",
                "graphs cannot be joined by name if each numbers its nodes anew: '%.80s' "
                "is in %u of them",
                agnameof(n), found);
    }
    return BR_OK;
}

static enum br_status dot_read_job(struct br_dot_reader *reader, struct br_diag *diag)
{
    Agraph_t *graph = reader->graph;
    br_value_place(diag, BR_NO_POS);
    if (!agisdirected(graph))
        return br_fail(diag, BR_BAD_INPUT, "write digraph and ->", "the graph is not directed");
    reader->operations = agattr(graph, AGNODE, (char *)"size", NULL) &&
                         !agattr(graph, AGNODE, (char *)"duration", NULL) &&
                         !agattr(graph, AGNODE, (char *)"tasks", NULL) &&
                         !reader->options->duration;
    reader->sized = br_transfer_counts(reader->options);
    enum br_status status = br_dot_add_resources(reader, diag);
    if (!status)
        status = br_dot_chosen_init(reader, diag);
    for (Agsym_t *s = NULL; !status && (s = agnxtattr(graph, AGRAPH, s));)
        if (*agxget(graph, s) && strcmp(s->name, "resources") != 0 &&
            strcmp(s->name, "units") != 0 && !(reader->latin1 && strcmp(s->name, "charset") == 0))
            status = br_dot_pass(reader->dag, BR_OWNER_JOB, 0, s->name, agxget(graph, s), diag);
    if (!status &&
        !br_dot_names_init(&reader->names, &reader->marks, graph, br_dot_passes(reader, "label")))
        status = br_fail_memory(diag);
    if (!status && reader->joined)
        status = refuse_numbers_of_several(reader, diag);
    if (!status)
        status = br_dot_add_stages(reader, diag);
    if (!status)
        status = br_dot_add_edges(reader, diag);
    if (!status)
        status = br_dot_chosen_doubt(reader, diag);
    if (!status && reader->loops)
        status = br_dag_add_doubt(reader->dag, diag,
                                  "%" PRIu32 " arrows from a node to itself are left out",
                                  reader->loops);
    return status ? status
                  : br_dot_doubt(&reader->marks, &reader->scan, &reader->twins,
                                 reader->options->reverse, reader->dag, diag);
}

/* The lock is held. */
static enum br_status dot_read_graph(struct br_dot_reader *reader, struct br_dot_several *several,
                                     struct br_source *source, struct br_input *input,
                                     struct br_diag *diag)
{
    char stem[256];
    const char *text = several->text;
    enum br_status status = br_dot_graph_read(text, &reader->scan, &reader->graph, diag);
    reader->joined = several->joined;
    if (!status && reader->scan.rest == BR_DOT_GRAPH && !reader->options->graph)
        return br_dot_refuse_several(several, diag);
    if (!status && reader->scan.rest && reader->scan.rest != BR_DOT_GRAPH)
        status = br_dot_refuse_rest(&reader->scan, diag);
    if (status)
        return status;
    const char *name = agnameof(reader->graph);
    bool named = !several->joined && name && *name && *name != '%' && br_text_is_plain(name);
    input->dag = reader->dag =
        br_dag_create(named ? name : br_source_stem(source, "graph", stem, sizeof stem));
    if (!reader->dag ||
        !br_dot_marks_init(&reader->marks, reader->graph, text, &reader->scan, &reader->twins))
        return br_fail_memory(diag);
    return dot_read_job(reader, diag);
}

/* A cycle's advice names the tool's way out. */
static enum br_status dot_finish_job(const struct br_source *source, struct br_dag *dag,
                                     const char *advice, struct br_diag *diag)
{
    enum br_status status = br_read_finish(source, dag, diag);
    if (status == BR_BAD_INPUT && advice && diag && strstr(diag->what, " has a cycle of "))
        snprintf(diag->hint, sizeof diag->hint, "%s", advice);
    else if (status == BR_BAD_INPUT && diag && strstr(diag->what, " has a cycle of 1 task:"))
        snprintf(diag->hint, sizeof diag->hint,
                 "remove the arrow from the node to itself, or give --skip-self-loops");
    return status;
}

enum br_status br_read_dot(struct br_source *source, const struct br_parse_options *options,
                           struct br_input *input, struct br_diag *diag)
{
    struct br_dot_reader reader = {.options = options};
    struct br_dot_several several;
    const char *advice = NULL;
    char *text;
    enum br_status status = br_dot_text(source, TEXT_LIMIT, &text, &reader.latin1, diag);
    if (status)
        return status;
    status = br_dot_several_init(&several, text, options->graph, &reader.scan, diag);
    if (!status)
        br_dot_scan_silence(&reader.scan, several.text);
    if (!status)
        status = br_dot_refuse(&reader.scan, diag);
    if (!status)
        br_dot_twins_unite(&several, &reader.twins);
    if (!status) {
        br_dot_graph_lock();
        status = dot_read_graph(&reader, &several, source, input, diag);
        br_dot_marks_finish(&reader.marks);
        br_dot_names_finish(&reader.names);
        br_dot_chosen_finish(&reader.chosen);
        if (reader.graph)
            agclose(reader.graph);
        br_dot_graph_unlock();
    }
    if (!status) {
        advice = br_dot_cycle_hint(several.text, &reader.scan);
        status = dot_finish_job(source, reader.dag, advice, diag);
    }
    br_dot_several_finish(&several);
    br_dot_scan_finish(&reader.scan);
    free(text);
    return status;
}
