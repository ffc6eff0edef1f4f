/* Two-terminal series-parallel graphs [Valdes82], split at random from the whole downwards: a run
 * of stages becomes two runs in sequence, or a fork, some branches side by side and a join. Every
 * branch begins and ends in one stage, so that there are about as many edges as stages. */
#include "generate/generate.h"
#include "generate/graph.h"
#include "generate/sample.h"

#include <assert.h>

enum { SMALLEST_FORK = 4, MOST_BRANCHES = 5 };
#define NOBODY UINT32_MAX

static uint32_t single(struct br_graph *graph, uint32_t entry)
{
    uint32_t level = entry == NOBODY ? 0 : graph->stage[entry].level + 1;
    uint32_t stage = br_graph_add_stage(graph, level);
    if (entry != NOBODY)
        br_graph_add_edge(graph, entry, stage, BR_BARRIER);
    return stage;
}

/* Builds `stages` stages behind `entry` and returns the last. The recursion is as deep as the
 * splits are nested: logarithmically, since they fall anywhere. */
static uint32_t series_parallel(struct br_graph *graph, struct br_rng *rng, uint32_t stages,
                                uint32_t entry)
{
    assert(stages > 0);
    if (stages == 1)
        return single(graph, entry);
    if (stages < SMALLEST_FORK || br_sample_chance(rng, 0.5)) {
        uint32_t first = 1 + (uint32_t)br_rng_below(rng, stages - 1);
        entry = series_parallel(graph, rng, first, entry);
        return series_parallel(graph, rng, stages - first, entry);
    }
    uint32_t fork = single(graph, entry), left = stages - 2;
    uint32_t most = left < MOST_BRANCHES ? left : MOST_BRANCHES;
    uint32_t branches = 2 + (uint32_t)br_rng_below(rng, most - 1);
    assert(branches <= most);
    uint32_t end[MOST_BRANCHES], level = 0;
    for (uint32_t b = 0; b < branches; b++) {
        uint32_t later = branches - b - 1; /* branches still to come, of a stage or more */
        uint32_t size = later ? 1 + (uint32_t)br_rng_below(rng, left - later) : left;
        assert(size >= 1 && size <= left);
        end[b] = series_parallel(graph, rng, size, fork);
        if (graph->stage[end[b]].level > level)
            level = graph->stage[end[b]].level;
        left -= size;
    }
    assert(left == 0);
    uint32_t join = br_graph_add_stage(graph, level + 1);
    for (uint32_t b = 0; b < branches; b++)
        br_graph_add_edge(graph, end[b], join, BR_BARRIER);
    return join;
}

enum br_status br_build_series_parallel(const struct br_generate_options *options,
                                        struct br_graph *graph, struct br_diag *diag)
{
    uint32_t stages, tasks;
    br_graph_plain_size(options, &stages, &tasks);
    enum br_status status = br_graph_init(graph, stages, tasks, diag);
    if (status)
        return status;
    struct br_rng rng = br_sample_stream(options->seed, BR_STREAM_GRAPH);
    series_parallel(graph, &rng, stages, NOBODY);
    return BR_OK;
}
