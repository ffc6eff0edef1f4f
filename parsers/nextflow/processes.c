/* Nextflow writes one node or arrow a line, in DOT as in Mermaid, so that lines are read and no
 * grammar. In Mermaid a process stands in the subgraphs of its workflows, in DOT its label has them
 * all. */
#include "parsers/nextflow/processes.h"

#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/text/lines.h"
#include "parsers/text/value.h"

enum { LINE_MOST = 1 << 20, NESTED_MOST = 32 };

struct drawing {
    struct br_processes *graph;
    struct br_diag *diag;
    uint32_t depth;                 /* of subgraphs */
    const char *title[NESTED_MOST]; /* "": without a name */
};

static uint64_t node_hash(const void *context, uint32_t number)
{
    return br_hash_text(((const struct br_processes *)context)->node[number].id);
}

static bool node_equal(const void *context, uint32_t number, const void *key)
{
    return strcmp(((const struct br_processes *)context)->node[number].id, key) == 0;
}

static const struct br_index_keys node_keys = {node_hash, node_equal};

/* The node of that id, new or old. */
static enum br_status drawing_node(struct drawing *drawing, const char *id, uint32_t *node)
{
    struct br_processes *graph = drawing->graph;
    *node = br_index_find(&graph->index, &node_keys, graph, id, br_hash_text(id));
    if (*node != UINT32_MAX)
        return BR_OK;
    if (!br_grow(&graph->node, graph->nodes, &graph->node_room, sizeof *graph->node))
        return br_fail_memory(drawing->diag);
    *node = graph->nodes;
    graph->node[*node] = (struct br_process_node){.id = br_arena_text(&graph->arena, id)};
    graph->nodes++;
    return graph->node[*node].id && br_index_add(&graph->index, &node_keys, graph, *node)
               ? BR_OK
               : br_fail_memory(drawing->diag);
}

/* The id at the start of the text, cut off in place; NULL if there is none. The character behind it
 * is lost. */
static char *cut_id(char *text, char **rest)
{
    text += strspn(text, " \t\"");
    char *end = text + strcspn(text, " \t\";[({|");
    *rest = *end ? end + 1 : end;
    *end = 0;
    return *text ? text : NULL;
}

static enum br_status add_arrow(struct drawing *drawing, char *from, char *to)
{
    struct br_processes *graph = drawing->graph;
    struct br_process_edge edge;
    char *rest;
    to += strspn(to, " \t");
    if (*to == '|' && strchr(to + 1, '|'))
        to = strchr(to + 1, '|') + 1;
    from = cut_id(from, &rest);
    to = cut_id(to, &rest);
    if (!from || !to)
        return BR_OK;
    enum br_status status = drawing_node(drawing, from, &edge.from);
    if (!status)
        status = drawing_node(drawing, to, &edge.to);
    if (status)
        return status;
    if (!br_grow(&graph->edge, graph->edges, &graph->edge_room, sizeof *graph->edge))
        return br_fail_memory(drawing->diag);
    graph->edge[graph->edges++] = edge;
    return BR_OK;
}

/* The label without the brackets and quotation marks around it. */
static char *bare_label(char *text)
{
    text += strspn(text, " \t[({\"");
    size_t length = strlen(text);
    while (length && strchr(" \t\r;])}\"", text[length - 1]))
        length--;
    text[length] = 0;
    return text;
}

static enum br_status set_label(struct drawing *drawing, uint32_t node, const char *label)
{
    struct br_processes *graph = drawing->graph;
    size_t room = strlen(label) + 1;
    for (uint32_t k = 0; k < drawing->depth; k++)
        room += strlen(drawing->title[k]) + 1;
    char *full = br_arena_alloc(&graph->arena, room), *to = full;
    if (!full)
        return br_fail_memory(drawing->diag);
    for (uint32_t k = 0; k < drawing->depth; k++)
        if (*drawing->title[k]) {
            to = stpcpy(to, drawing->title[k]);
            *to++ = ':';
        }
    strcpy(to, label);
    graph->node[node].label = to;
    graph->node[node].full = full;
    return BR_OK;
}

/* v1(["NAME"]) in Mermaid, v1 [label="NAME"]; in DOT. */
static enum br_status add_node(struct drawing *drawing, char *line, bool dot)
{
    char *label = line + strcspn(line, dot ? "[" : "[({"), *rest;
    if (!*label)
        return BR_OK;
    if (dot) {
        label = strstr(label, "label=\"");
        label = label ? label + strlen("label=\"") : NULL;
        if (label && label[-8] == 'x') /* xlabel */
            label = NULL;
    }
    if (!label)
        return BR_OK;
    label = strdup(label);
    if (!label)
        return br_fail_memory(drawing->diag);
    if (dot)
        label[strcspn(label, "\"")] = 0;
    const char *bare = bare_label(label), *id = cut_id(line, &rest);
    uint32_t node;
    enum br_status status = BR_OK;
    if (id && *bare) {
        status = drawing_node(drawing, id, &node);
        if (!status)
            status = set_label(drawing, node, bare);
    }
    free(label);
    return status;
}

/* subgraph ID [TITLE], or subgraph TITLE */
static enum br_status open_subgraph(struct drawing *drawing, char *line)
{
    char *title = strchr(line, '[');
    if (drawing->depth == NESTED_MOST)
        return br_fail(drawing->diag, BR_BAD_INPUT, NULL, "subgraphs are nested more than %d deep",
                       NESTED_MOST);
    title = br_arena_text(&drawing->graph->arena, bare_label(title ? title : line));
    if (!title)
        return br_fail_memory(drawing->diag);
    drawing->title[drawing->depth++] = title;
    return BR_OK;
}

static enum br_status read_drawn(struct drawing *drawing, char *line, bool dot)
{
    char *arrow = strstr(line, dot ? "->" : "-->");
    line += strspn(line, " \t");
    if (arrow) {
        *arrow = 0;
        return add_arrow(drawing, line, arrow + (dot ? 2 : 3));
    }
    if (!dot && strncmp(line, "subgraph ", 9) == 0)
        return open_subgraph(drawing, line + 9);
    if (!dot && strncmp(line, "end", 3) == 0 && !line[3 + strspn(line + 3, " \t;")]) {
        drawing->depth -= drawing->depth > 0;
        return BR_OK;
    }
    return add_node(drawing, line, dot);
}

enum br_status br_processes_read(const char *path, struct br_processes *graph, struct br_diag *diag)
{
    enum { BEFORE, DOT, MERMAID, AFTER } part = BEFORE;
    struct drawing drawing = {.graph = graph, .diag = diag};
    struct br_source source;
    bool more = true;
    br_value_place(diag, BR_NO_POS);
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    struct br_lines lines = br_lines_of(&source, LINE_MOST);
    while (!status && !(status = br_lines_next(&lines, &more, diag)) && more) {
        br_value_place(diag, (struct br_pos){lines.number, 1});
        const char *start = lines.line + strspn(lines.line, " \t");
        if (part == BEFORE && strncmp(start, "digraph", 7) == 0)
            part = DOT;
        else if (part == BEFORE &&
                 (strncmp(start, "flowchart ", 10) == 0 || strncmp(start, "graph ", 6) == 0))
            part = MERMAID;
        else if (part == MERMAID && strncmp(start, "</", 2) == 0)
            part = AFTER;
        else if (part == DOT || part == MERMAID)
            status = read_drawn(&drawing, lines.line, part == DOT);
    }
    br_lines_finish(&lines);
    br_source_close(&source);
    if (!status && graph->edges == 0)
        status = br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT,
                            "write it by 'nextflow run -with-dag dag.mmd' (or dag.dot)",
                            "there are no arrows between processes in the file");
    return status;
}

void br_processes_finish(struct br_processes *graph)
{
    br_index_finish(&graph->index);
    br_arena_finish(&graph->arena);
    free(graph->node);
    free(graph->edge);
    *graph = (struct br_processes){0};
}
