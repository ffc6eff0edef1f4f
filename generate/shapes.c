/* The three shapes that textbooks plan by hand: stages without edges, one after another, and fans
 * of parallel stages between single tasks. All edges are barriers, except every second one of a
 * chain on average. */
#include "generate/generate.h"
#include "generate/graph.h"
#include "generate/sample.h"

#include <assert.h>

static enum br_status plain_graph(const struct br_generate_options *options, struct br_graph *graph,
                                  struct br_diag *diag)
{
    uint32_t stages, tasks;
    br_graph_plain_size(options, &stages, &tasks);
    return br_graph_init(graph, stages, tasks, diag);
}

enum br_status br_build_independent(const struct br_generate_options *options,
                                    struct br_graph *graph, struct br_diag *diag)
{
    enum br_status status = plain_graph(options, graph, diag);
    while (!status && graph->stages < graph->stage_room)
        br_graph_add_stage(graph, 0);
    return status;
}

enum br_status br_build_chain(const struct br_generate_options *options, struct br_graph *graph,
                              struct br_diag *diag)
{
    enum br_status status = plain_graph(options, graph, diag);
    if (status)
        return status;
    struct br_rng rng = br_sample_stream(options->seed, BR_STREAM_BARRIER);
    uint32_t last = br_graph_add_stage(graph, 0);
    while (graph->stages < graph->stage_room) {
        uint32_t next = br_graph_add_stage(graph, last + 1);
        br_graph_add_edge(graph, last, next,
                          br_sample_chance(&rng, 0.5) ? BR_BARRIER : BR_ONE_TO_ONE);
        last = next;
    }
    return BR_OK;
}

/* A hub, a fan of 2 to 8 stages, a hub, and so on; the last fan takes what is left but the last
 * hub, which may make it a little smaller or larger. */
enum br_status br_build_fork_join(const struct br_generate_options *options, struct br_graph *graph,
                                  struct br_diag *diag)
{
    enum { LEAST = 2, MOST = 8 };
    enum br_status status = plain_graph(options, graph, diag);
    if (status)
        return status;
    struct br_rng rng = br_sample_stream(options->seed, BR_STREAM_GRAPH);
    uint32_t hub = br_graph_add_stage(graph, 0);
    graph->stage[hub].weight = 0;
    while (graph->stages < graph->stage_room) {
        uint32_t left = graph->stage_room - graph->stages;
        uint32_t fan = LEAST + (uint32_t)br_rng_below(&rng, MOST - LEAST + 1);
        /* Another fan needs a stage or more, and its hub. */
        if (left < fan + 1 + 2)
            fan = left > 1 ? left - 1 : 1;
        assert(fan >= 1 && fan <= left);
        uint32_t first = graph->stages, level = graph->stage[hub].level;
        for (uint32_t k = 0; k < fan; k++)
            br_graph_add_edge(graph, hub, br_graph_add_stage(graph, level + 1), BR_BARRIER);
        if (graph->stages == graph->stage_room)
            break;
        hub = br_graph_add_stage(graph, level + 2);
        graph->stage[hub].weight = 0;
        for (uint32_t k = 0; k < fan; k++)
            br_graph_add_edge(graph, first + k, hub, BR_BARRIER);
    }
    return BR_OK;
}
