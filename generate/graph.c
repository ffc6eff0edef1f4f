/* Growing a graph, and putting its stages in order. */
#include "generate/graph.h"

#include <assert.h>
#include <stdlib.h>

#include "base/collections/csr.h"
#include "base/text/diag.h"

enum br_status br_graph_init(struct br_graph *graph, uint32_t stages, uint32_t tasks,
                             struct br_diag *diag)
{
    assert(stages > 0 && stages <= tasks);
    *graph = (struct br_graph){.tasks = tasks, .stage_room = stages, .tail = 1};
    graph->stage = malloc(stages * sizeof *graph->stage);
    return graph->stage ? BR_OK : br_fail_memory(diag);
}

void br_graph_finish(struct br_graph *graph)
{
    free(graph->stage);
    free(graph->edge);
    *graph = (struct br_graph){0};
}

uint32_t br_graph_add_stage(struct br_graph *graph, uint32_t level)
{
    assert(graph->stages < graph->stage_room);
    graph->stage[graph->stages] = (struct br_graph_stage){.level = level, .weight = 1};
    return graph->stages++;
}

void br_graph_add_edge(struct br_graph *graph, uint32_t parent, uint32_t child,
                       enum br_edge_type type)
{
    assert(parent < graph->stages && child < graph->stages);
    assert(graph->stage[parent].level < graph->stage[child].level);
    if (graph->edges == graph->edge_room) {
        uint32_t room = graph->edge_room + graph->edge_room / 2 + 64;
        struct br_graph_edge *larger = realloc(graph->edge, room * sizeof *larger);
        if (!larger) {
            graph->memory_out = true;
            return;
        }
        graph->edge = larger;
        graph->edge_room = room;
    }
    assert(graph->edges < graph->edge_room);
    graph->edge[graph->edges++] = (struct br_graph_edge){parent, child, type};
}

uint32_t *br_graph_order(const struct br_graph *graph)
{
    uint32_t levels = 0;
    for (uint32_t s = 0; s < graph->stages; s++)
        if (graph->stage[s].level >= levels)
            levels = graph->stage[s].level + 1;
    uint32_t *order = malloc(graph->stages * sizeof *order);
    uint32_t *first = calloc(br_csr_room(levels), sizeof *first); /* by level */
    if (order && first) {
        for (uint32_t s = 0; s < graph->stages; s++)
            br_csr_count(first, graph->stage[s].level);
        br_csr_sum(first, levels);
        for (uint32_t s = 0; s < graph->stages; s++)
            order[br_csr_place(first, graph->stage[s].level)] = s;
        assert(first[levels] == graph->stages);
    } else {
        free(order);
        order = NULL;
    }
    free(first);
    return order;
}
