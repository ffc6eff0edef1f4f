#include "emit/diagrams/folded_dot.h"

#include <inttypes.h>
#include <stdlib.h>

#include "emit/write/figures.h"
#include "emit/write/write.h"
#include "planner/instance/plan.h"

enum { BOXES_MOST = 60, NAME_MOST = 30 };

struct box {
    uint32_t stages, tasks, first_depth, last_depth, example;
    int64_t start_ns, end_ns;
};

struct folded {
    uint32_t boxes;
    uint32_t *box_of; /* by stage; initially its depth */
    struct box *box;
    uint32_t *edges; /* [from * boxes + to] */
};

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

static void folded_dot_add_stage(struct folded *folded, const struct br_emit_input *input,
                                 uint32_t s, uint32_t depth)
{
    const struct br_stage *stage = &input->dag->stage[s];
    struct box *box = &folded->box[folded->box_of[s]];
    if (box->stages++ == 0)
        *box = (struct box){1, 0, depth, depth, s, INT64_MAX, 0};
    box->tasks += stage->tasks;
    box->first_depth = depth < box->first_depth ? depth : box->first_depth;
    box->last_depth = depth > box->last_depth ? depth : box->last_depth;
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++) {
        const int64_t start = input->plan->start_ns[t], end = input->plan->end_ns[t];
        box->start_ns = start < box->start_ns ? start : box->start_ns;
        box->end_ns = end > box->end_ns ? end : box->end_ns;
    }
}

static bool fold(struct folded *folded, const struct br_emit_input *input)
{
    const struct br_dag *dag = input->dag;
    uint32_t deepest;
    folded->box_of = calloc((size_t)dag->stages + 1, sizeof *folded->box_of);
    if (!folded->box_of || !find_depths(dag, folded->box_of, &deepest))
        return false;
    folded->boxes = deepest + 1 < BOXES_MOST ? deepest + 1 : BOXES_MOST;
    folded->box = calloc(folded->boxes, sizeof *folded->box);
    folded->edges = calloc((size_t)folded->boxes * folded->boxes, sizeof *folded->edges);
    if (!folded->box || !folded->edges)
        return false;
    for (uint32_t s = 0; s < dag->stages; s++) {
        const uint32_t depth = folded->box_of[s];
        folded->box_of[s] = (uint32_t)((uint64_t)depth * folded->boxes / (deepest + (uint64_t)1));
        folded_dot_add_stage(folded, input, s, depth);
    }
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_edge *edge = &dag->edge[e];
        folded->edges[folded->box_of[edge->parent] * folded->boxes + folded->box_of[edge->child]]++;
    }
    return true;
}

static void folded_dot_write_box(const struct folded *folded, const struct br_emit_input *input,
                                 uint32_t b, FILE *out)
{
    const struct box *box = &folded->box[b];
    fprintf(out, "  %" PRIu32 " [label=\"depth %" PRIu32, b, box->first_depth);
    if (box->last_depth > box->first_depth)
        fprintf(out, " to %" PRIu32, box->last_depth);
    fprintf(out, "\\n%" PRIu32 " stage%s, %" PRIu32 " task%s\\n", box->stages,
            box->stages == 1 ? "" : "s", box->tasks, box->tasks == 1 ? "" : "s");
    br_write_cut(out, BR_QUOTE_LABEL, input->dag->stage[box->example].id, NAME_MOST);
    fputs(box->stages > 1 ? ", ...\\n" : "\\n", out);
    br_write_about(out, box->start_ns);
    fputs(" \xe2\x80\x93 ", out);
    br_write_about(out, box->end_ns);
    fputs(" s\"];\n", out);
}

static void write_graph(const struct folded *folded, const struct br_emit_input *input, FILE *out)
{
    fputs("digraph \"", out);
    br_write_text(out, BR_QUOTE_DOT, input->dag->name);
    fprintf(out,
            "\" {\n  graph [labelloc=t, fontname=\"Helvetica\", fontsize=12, label=\"%" PRIu32
            " stages, folded by depth; --nodes stage draws each of them\"];\n"
            "  node [shape=box, fontname=\"Helvetica\", fontsize=10];\n"
            "  edge [fontname=\"Helvetica\", fontsize=9, fontcolor=\"#666666\"];\n",
            input->dag->stages);
    for (uint32_t b = 0; b < folded->boxes; b++)
        if (folded->box[b].stages)
            folded_dot_write_box(folded, input, b, out);
    for (uint32_t a = 0; a < folded->boxes; a++)
        for (uint32_t b = a + 1; b < folded->boxes; b++) {
            const uint32_t edges = folded->edges[a * folded->boxes + b];
            if (edges)
                fprintf(out, "  %" PRIu32 " -> %" PRIu32 " [label=%" PRIu32 "];\n", a, b, edges);
        }
    fputs("}\n", out);
}

enum br_status br_emit_folded_dot(const struct br_emit_input *input, FILE *out,
                                  struct br_diag *diag)
{
    struct folded folded = {0};
    bool ok = fold(&folded, input);
    if (ok)
        write_graph(&folded, input, out);
    free(folded.box_of);
    free(folded.box);
    free(folded.edges);
    return ok ? BR_OK : br_fail_memory(diag);
}
