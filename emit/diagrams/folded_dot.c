#include "emit/diagrams/folded_dot.h"

#include <inttypes.h>

#include "emit/diagrams/folded.h"
#include "emit/write/figures.h"
#include "emit/write/write.h"

enum { BOXES_MOST = 60, NAME_MOST = 30 };

static void folded_dot_write_box(const struct br_folded *folded, const struct br_emit_input *input,
                                 uint32_t b, FILE *out)
{
    const struct br_folded_box *box = &folded->box[b];
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

static void write_graph(const struct br_folded *folded, const struct br_emit_input *input,
                        FILE *out)
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
    struct br_folded folded;
    enum br_status status = br_folded_init(&folded, input, BOXES_MOST, diag);
    if (!status)
        write_graph(&folded, input, out);
    br_folded_finish(&folded);
    return status;
}
