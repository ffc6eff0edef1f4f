/* Random layers: about as many as the square root of the stages, of about equal width; every stage
 * waits, by barriers, for one to three of the layer above. The commonest random graph of the
 * scheduling literature, such as [Tobita02]. */
#include <assert.h>
#include <math.h>

#include "generate/generate.h"
#include "generate/graph.h"
#include "generate/sample.h"

enum br_status br_build_layered(const struct br_generate_options *options, struct br_graph *graph,
                                struct br_diag *diag)
{
    enum { PARENTS = 3 };
    uint32_t stages, tasks;
    br_graph_plain_size(options, &stages, &tasks);
    enum br_status status = br_graph_init(graph, stages, tasks, diag);
    if (status)
        return status;
    struct br_rng rng = br_sample_stream(options->seed, BR_STREAM_GRAPH);
    uint32_t layers = br_sample_round(sqrt(stages), 1, stages);
    uint32_t above = 0, here = 0; /* first stage of the layer above and of this one */
    for (uint32_t layer = 0; layer < layers; layer++) {
        /* The stages that are left, halved or doubled at most, over the layers that are left. */
        uint32_t left = stages - here, layers_left = layers - layer, width = left / layers_left;
        if (layers_left > 1) {
            width = (width + 1) / 2 + (uint32_t)br_rng_below(&rng, width + 1);
            if (width > left - (layers_left - 1))
                width = left - (layers_left - 1);
        }
        assert(width >= 1 && width <= left);
        for (uint32_t k = 0; k < width; k++) {
            uint32_t stage = br_graph_add_stage(graph, layer);
            uint32_t parents = layer ? 1 + (uint32_t)br_rng_below(&rng, PARENTS) : 0;
            uint32_t taken[PARENTS];
            assert(parents == 0 || above < here);
            for (uint32_t p = 0; p < parents; p++) {
                taken[p] = above + (uint32_t)br_rng_below(&rng, here - above);
                bool again = false;
                for (uint32_t q = 0; q < p; q++)
                    again |= taken[q] == taken[p];
                if (!again)
                    br_graph_add_edge(graph, taken[p], stage, BR_BARRIER);
            }
        }
        above = here;
        here += width;
    }
    assert(here == stages);
    return BR_OK;
}
