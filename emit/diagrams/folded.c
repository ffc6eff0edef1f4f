#include "emit/diagrams/folded.h"

#include <stdlib.h>

#include "planner/instance/plan.h"

/* The most edges from a stage without parents. */
static bool find_depths(const struct br_dag *dag, uint32_t *depth, uint32_t *deepest)
{
    uint32_t *first = calloc(br_csr_room(dag->stages), sizeof *first);
    uint32_t *out = malloc(((size_t)dag->edges + 1) * sizeof *out);
    bool ok = first && out;
    *deepest = 0;
    if (ok)
        br_dag_list_edges(dag, BR_EDGE_PARENT, first, out);
    for (uint32_t p = 0; ok && p < dag->stages; p++) {
        const uint32_t s = dag->topological[p];
        *deepest = depth[s] > *deepest ? depth[s] : *deepest;
        for (uint32_t k = first[s]; k < first[s + 1]; k++) {
            const uint32_t child = dag->edge[out[k]].child;
            if (depth[child] < depth[s] + 1)
                depth[child] = depth[s] + 1;
        }
    }
    free(first);
    free(out);
    return ok;
}

static void folded_add_stage(struct br_folded *folded, const struct br_emit_input *input,
                             uint32_t s, uint32_t depth)
{
    const struct br_stage *stage = &input->dag->stage[s];
    struct br_folded_box *box = &folded->box[folded->box_of[s]];
    if (box->stages++ == 0)
        *box = (struct br_folded_box){1, 0, depth, depth, s, INT64_MAX, 0};
    box->tasks += stage->tasks;
    box->first_depth = depth < box->first_depth ? depth : box->first_depth;
    box->last_depth = depth > box->last_depth ? depth : box->last_depth;
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++) {
        const int64_t start = input->plan->start_ns[t], end = input->plan->end_ns[t];
        box->start_ns = start < box->start_ns ? start : box->start_ns;
        box->end_ns = end > box->end_ns ? end : box->end_ns;
    }
}

static bool fold(struct br_folded *folded, const struct br_emit_input *input, uint32_t most)
{
    const struct br_dag *dag = input->dag;
    uint32_t deepest;
    folded->box_of = calloc((size_t)dag->stages + 1, sizeof *folded->box_of);
    if (!folded->box_of || !find_depths(dag, folded->box_of, &deepest))
        return false;
    folded->boxes = deepest + 1 < most ? deepest + 1 : most;
    folded->box = calloc(folded->boxes, sizeof *folded->box);
    folded->edges = calloc((size_t)folded->boxes * folded->boxes, sizeof *folded->edges);
    if (!folded->box || !folded->edges)
        return false;
    for (uint32_t s = 0; s < dag->stages; s++) {
        const uint32_t depth = folded->box_of[s];
        folded->box_of[s] = (uint32_t)((uint64_t)depth * folded->boxes / (deepest + (uint64_t)1));
        folded_add_stage(folded, input, s, depth);
    }
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_edge *edge = &dag->edge[e];
        folded->edges[folded->box_of[edge->parent] * folded->boxes + folded->box_of[edge->child]]++;
    }
    return true;
}

enum br_status br_folded_init(struct br_folded *folded, const struct br_emit_input *input,
                              uint32_t most, struct br_diag *diag)
{
    *folded = (struct br_folded){0};
    return fold(folded, input, most) ? BR_OK : br_fail_memory(diag);
}

void br_folded_finish(struct br_folded *folded)
{
    free(folded->box_of);
    free(folded->box);
    free(folded->edges);
    *folded = (struct br_folded){0};
}
