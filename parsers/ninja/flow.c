#include "parsers/ninja/flow.h"

#include <assert.h>
#include <stdlib.h>

#include "base/collections/grow.h"
#include "parsers/ninja/ninja.h"

struct filling {
    struct br_ninja_flow *flow;
    const struct br_ninja *ninja;
    const uint32_t *stage_of;
    uint32_t *edge_of;   /* by stage */
    uint32_t *output_of; /* by node; UINT32_MAX: no stage makes it */
    uint32_t *mark;      /* by node: 1 + the stage from which it was last reached */
    uint32_t *stack;     /* nodes */
    uint32_t *read, reads, room;
};

/* ---- Outputs ---- */

static enum br_status fill_outputs(struct filling *filling, struct br_diag *diag)
{
    struct br_ninja_flow *flow = filling->flow;
    const struct br_ninja *ninja = filling->ninja;
    struct br_ninja_text text = {0};
    enum br_status status = BR_OK;
    for (uint32_t n = 0; n < ninja->nodes; n++)
        filling->output_of[n] = UINT32_MAX;
    for (uint32_t s = 0; s < flow->stages && !status; s++) {
        const struct br_ninja_edge *edge = &ninja->edge[filling->edge_of[s]];
        assert(filling->stage_of[filling->edge_of[s]] == s);
        flow->first_output[s] = flow->outputs;
        for (uint32_t k = edge->first[BR_NINJA_OUT]; k < edge->first[BR_NINJA_IN]; k++) {
            const uint32_t node = ninja->path[k], number = flow->outputs++;
            assert(number < ninja->nodes && filling->output_of[node] == UINT32_MAX);
            filling->output_of[node] = number;
            flow->output[number] = br_arena_text(&flow->arena, ninja->node[node].path);
            if (!flow->output[number])
                return br_fail_memory(diag);
        }
        text.used = 0;
        status = br_ninja_binding(ninja, filling->edge_of[s], BR_NINJA_RESTAT, BR_NINJA_VALUE,
                                  &text, diag);
        flow->restat[s] = text.used > 0;
        flow->open[s] = edge->dyndep == BR_NINJA_DYNDEP_OPEN;
    }
    flow->first_output[flow->stages] = flow->outputs;
    free(text.text);
    return status;
}

/* ---- Inputs ---- */

static uint32_t flow_push(struct filling *filling, const struct br_ninja_edge *edge, uint32_t stage,
                          uint32_t depth)
{
    static const enum br_ninja_run runs[] = {BR_NINJA_IN, BR_NINJA_IMPLICIT, BR_NINJA_FOUND};
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++)
        for (uint32_t k = edge->first[runs[r]]; k < edge->first[runs[r] + 1]; k++) {
            const uint32_t node = filling->ninja->path[k];
            if (filling->mark[node] != stage + 1)
                filling->stack[depth++] = node;
            filling->mark[node] = stage + 1;
        }
    assert(depth <= filling->ninja->nodes);
    return depth;
}

/* The outputs that the stage reads, through phony statements. A command that does not run in the
 * job changes nothing, so the search stops at it. */
static bool fill_reads_of(struct filling *filling, uint32_t stage)
{
    const struct br_ninja *ninja = filling->ninja;
    uint32_t depth = flow_push(filling, &ninja->edge[filling->edge_of[stage]], stage, 0);
    while (depth) {
        const uint32_t node = filling->stack[--depth], producer = ninja->node[node].producer;
        if (filling->output_of[node] != UINT32_MAX) {
            if (!br_grow(&filling->read, filling->reads, &filling->room, sizeof *filling->read))
                return false;
            filling->read[filling->reads++] = filling->output_of[node];
        } else if (producer != UINT32_MAX && ninja->edge[producer].rule == BR_NINJA_PHONY) {
            depth = flow_push(filling, &ninja->edge[producer], stage, depth);
        }
    }
    return true;
}

static enum br_status fill_reads(struct filling *filling, struct br_diag *diag)
{
    struct br_ninja_flow *flow = filling->flow;
    bool good = true;
    for (uint32_t s = 0; s < flow->stages && good; s++) {
        flow->first_read[s] = filling->reads;
        good = fill_reads_of(filling, s);
    }
    flow->first_read[flow->stages] = filling->reads;
    flow->read =
        good ? br_arena_array(&flow->arena, (size_t)filling->reads + 1, sizeof *flow->read) : NULL;
    if (!flow->read)
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < filling->reads; k++)
        flow->read[k] = filling->read[k];
    return BR_OK;
}

/* ---- The whole ---- */

static enum br_status flow_fill(struct filling *filling, struct br_arena *arena,
                                struct br_diag *diag)
{
    struct br_ninja_flow *flow = filling->flow;
    const struct br_ninja *ninja = filling->ninja;
    const size_t nodes = (size_t)ninja->nodes + 1, stages = (size_t)flow->stages + 1;
    filling->edge_of = br_arena_array(arena, stages, sizeof *filling->edge_of);
    filling->output_of = br_arena_array(arena, nodes, sizeof *filling->output_of);
    filling->mark = br_arena_array(arena, nodes, sizeof *filling->mark);
    filling->stack = br_arena_array(arena, nodes, sizeof *filling->stack);
    flow->first_output = br_arena_array(&flow->arena, stages, sizeof *flow->first_output);
    flow->first_read = br_arena_array(&flow->arena, stages, sizeof *flow->first_read);
    flow->restat = br_arena_array(&flow->arena, stages, sizeof *flow->restat);
    flow->open = br_arena_array(&flow->arena, stages, sizeof *flow->open);
    flow->output = br_arena_array(&flow->arena, nodes, sizeof *flow->output);
    if (!filling->edge_of || !filling->output_of || !filling->mark || !filling->stack ||
        !flow->first_output || !flow->first_read || !flow->restat || !flow->open || !flow->output)
        return br_fail_memory(diag);
    for (uint32_t e = 0; e < ninja->edges; e++)
        if (filling->stage_of[e] != UINT32_MAX)
            filling->edge_of[filling->stage_of[e]] = e;
    enum br_status status = fill_outputs(filling, diag);
    return status ? status : fill_reads(filling, diag);
}

enum br_status br_ninja_flow_fill(struct br_ninja_flow *flow, const struct br_ninja *ninja,
                                  const uint32_t *stage_of, uint32_t stages, struct br_diag *diag)
{
    struct br_arena arena = {0};
    br_ninja_flow_finish(flow);
    flow->stages = stages;
    struct filling filling = {.flow = flow, .ninja = ninja, .stage_of = stage_of};
    enum br_status status = flow_fill(&filling, &arena, diag);
    free(filling.read);
    br_arena_finish(&arena);
    return status;
}

void br_ninja_flow_finish(struct br_ninja_flow *flow)
{
    br_arena_finish(&flow->arena);
    *flow = (struct br_ninja_flow){0};
}
