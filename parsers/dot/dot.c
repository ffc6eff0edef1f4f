/* Jobs as directed graphs in the DOT language, in our own form (nodes with tasks, duration and
 * demands) and in that of SimGrid and daggen (nodes with `size` in operations, edges with `size` in
 * bytes).
 *
 * A scan of our own comes before cgraph (scan.h). It ends the graph, and finds what is refused
 * (refuse.h). Then cgraph reads the text (graph.h), marks for the eye are looked at (marks.h), and
 * nodes become stages and arrows edges (nodes.c, edges.c). */
#include "parsers/dot/doubts.h"
#include "parsers/dot/graph.h"
#include "parsers/dot/reader.h"
#include "parsers/dot/refuse.h"
#include "parsers/jobs/transfer.h"
#include "parsers/reader/formats.h"
#include "parsers/text/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

enum { TEXT_LIMIT = 64 << 20, LISTED = 200, NAME_MOST = 40 };

/* The graphs of a file, one after the other. */
struct graphs {
    const char *text;
    struct br_dot_scan *scan; /* of the graph at the text */
    uint32_t number;          /* from 1 on */
    char names[LISTED];       /* of those that were passed */
};

static bool first_graph(struct graphs *graphs, const char *text)
{
    graphs->text = text;
    graphs->number = 1;
    graphs->names[0] = '\0';
    return br_dot_scan(text, (struct br_pos){1, 1}, graphs->scan);
}

static bool next_graph(struct graphs *graphs)
{
    const struct br_pos begin = graphs->scan->end_pos;
    graphs->text += graphs->scan->length;
    graphs->number++;
    br_dot_scan_finish(graphs->scan);
    return br_dot_scan(graphs->text, begin, graphs->scan);
}

/* "a", or "2" of the second without a name; false when memory is out. */
static bool list_name(struct graphs *graphs, bool *is_wanted, const char *wanted)
{
    const struct br_dot_mention *title = &graphs->scan->title;
    char *name = malloc((size_t)title->length + 1), number[12];
    size_t used = strlen(graphs->names);
    if (!name)
        return false;
    br_dot_unquote(title, name);
    snprintf(number, sizeof number, "%" PRIu32, graphs->number);
    *is_wanted = wanted && (strcmp(wanted, name) == 0 || strcmp(wanted, number) == 0);
    if (used + 2 * NAME_MOST < sizeof graphs->names)
        snprintf(graphs->names + used, sizeof graphs->names - used, "%s%.*s", used ? ", " : "",
                 NAME_MOST, *name && br_text_is_plain(name) ? name : number);
    free(name);
    return true;
}

/* Goes on to the graph that is wanted; NULL: to the last, for the names. */
static enum br_status find_graph(struct graphs *graphs, const char *wanted, struct br_diag *diag)
{
    bool found = false, done = list_name(graphs, &found, wanted);
    while (done && !found && graphs->scan->rest == BR_DOT_GRAPH)
        done = next_graph(graphs) && list_name(graphs, &found, wanted);
    if (!done)
        return br_fail_memory(diag);
    if (found || !wanted)
        return BR_OK;
    return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, graphs->names, "the file has no graph '%.80s'",
                      wanted);
}

/* Another graph follows, and nobody has chosen. */
static enum br_status refuse_several(struct graphs *graphs, struct br_diag *diag)
{
    char hint[LISTED + 60];
    const struct br_pos second = graphs->scan->rest_pos;
    enum br_status status = find_graph(graphs, NULL, diag);
    if (status)
        return status;
    snprintf(hint, sizeof hint, "choose one by --graph, or split the file: %s", graphs->names);
    return br_fail_at(diag, second, BR_BAD_INPUT, hint, "the file holds more than one graph");
}

static enum br_status read_job(struct br_dot_reader *reader, struct br_diag *diag)
{
    Agraph_t *graph = reader->graph;
    br_value_place(diag, BR_NO_POS);
    if (!agisdirected(graph))
        return br_fail(diag, BR_BAD_INPUT, "write digraph and ->", "the graph is not directed");
    reader->operations = agattr(graph, AGNODE, (char *)"size", NULL) &&
                         !agattr(graph, AGNODE, (char *)"duration", NULL) &&
                         !agattr(graph, AGNODE, (char *)"tasks", NULL);
    reader->sized = br_transfer_counts(reader->options);
    enum br_status status = br_dot_add_resources(reader, diag);
    for (Agsym_t *s = NULL; !status && (s = agnxtattr(graph, AGRAPH, s));)
        if (*agxget(graph, s) && strcmp(s->name, "resources") != 0 && strcmp(s->name, "units") != 0)
            status = br_dot_pass(reader->dag, BR_OWNER_JOB, 0, s->name, agxget(graph, s), diag);
    if (!status &&
        !br_dot_names_init(&reader->names, &reader->marks, graph, br_dot_passes(reader, "label")))
        status = br_fail_memory(diag);
    if (!status)
        status = br_dot_add_stages(reader, diag);
    if (!status)
        status = br_dot_add_edges(reader, diag);
    return status ? status
                  : br_dot_doubt(&reader->marks, &reader->scan, reader->options->reverse,
                                 reader->dag, diag);
}

/* The lock is held. */
static enum br_status read_graph(struct br_dot_reader *reader, struct graphs *graphs,
                                 struct br_source *source, struct br_input *input,
                                 struct br_diag *diag)
{
    char stem[256];
    const char *text = graphs->text;
    enum br_status status = br_dot_graph_read(text, &reader->scan, &reader->graph, diag);
    if (!status && reader->scan.rest == BR_DOT_GRAPH && !reader->options->graph)
        return refuse_several(graphs, diag);
    if (!status && reader->scan.rest && reader->scan.rest != BR_DOT_GRAPH)
        status = br_dot_refuse_rest(&reader->scan, diag);
    if (status)
        return status;
    const char *name = agnameof(reader->graph);
    bool named = name && *name && *name != '%' && br_text_is_plain(name);
    input->dag = reader->dag =
        br_dag_create(named ? name : br_source_stem(source, "graph", stem, sizeof stem));
    if (!reader->dag || !br_dot_marks_init(&reader->marks, reader->graph, text, &reader->scan))
        return br_fail_memory(diag);
    return read_job(reader, diag);
}

/* A cycle's advice names the tool's way out. */
static enum br_status finish_job(const struct br_source *source, struct br_dag *dag,
                                 const char *advice, struct br_diag *diag)
{
    enum br_status status = br_read_finish(source, dag, diag);
    if (status == BR_BAD_INPUT && advice && diag && strstr(diag->what, " has a cycle of "))
        snprintf(diag->hint, sizeof diag->hint, "%s", advice);
    return status;
}

enum br_status br_read_dot(struct br_source *source, const struct br_parse_options *options,
                           struct br_input *input, struct br_diag *diag)
{
    struct br_dot_reader reader = {.options = options};
    struct graphs graphs = {.scan = &reader.scan};
    const char *advice = NULL;
    char *text;
    enum br_status status = br_source_text(source, TEXT_LIMIT, "dot", &text, diag);
    if (status)
        return status;
    status = first_graph(&graphs, text) ? BR_OK : br_fail_memory(diag);
    if (!status && options->graph)
        status = find_graph(&graphs, options->graph, diag);
    if (!status)
        status = br_dot_refuse(&reader.scan, diag);
    if (!status) {
        br_dot_graph_lock();
        status = read_graph(&reader, &graphs, source, input, diag);
        br_dot_marks_finish(&reader.marks);
        br_dot_names_finish(&reader.names);
        if (reader.graph)
            agclose(reader.graph);
        br_dot_graph_unlock();
    }
    if (!status) {
        advice = br_dot_cycle_hint(graphs.text, &reader.scan);
        status = finish_job(source, reader.dag, advice, diag);
    }
    br_dot_scan_finish(&reader.scan);
    free(text);
    return status;
}
