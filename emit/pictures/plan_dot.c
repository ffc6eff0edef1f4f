/* The job graph with the plan on it: one node per stage, coloured by the subset of its tasks
 * (striped in proportion where they differ), labelled with when and where it runs. Edges are solid
 * for barriers and dashed for one-to-one. */
#include "emit/write/figures.h"
#include "emit/write/outputs.h"
#include "emit/pictures/picture.h"

#include <inttypes.h>
#include <stdlib.h>

/* The place of a stage in the plan. */
struct span {
    int64_t start_ns, end_ns;
    uint32_t machines; /* different ones */
    uint32_t subset[BR_SUBSETS];
};

/* seen[machine] is the stage after which the machine was counted last, plus 1. */
static struct span span_of(const struct br_emit_input *input, uint32_t s, uint32_t *seen)
{
    const struct br_stage *stage = &input->dag->stage[s];
    const struct br_plan *plan = input->plan;
    struct span span = {.start_ns = INT64_MAX, .end_ns = INT64_MIN};
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++) {
        if (plan->start_ns[t] < span.start_ns)
            span.start_ns = plan->start_ns[t];
        if (plan->end_ns[t] > span.end_ns)
            span.end_ns = plan->end_ns[t];
        if (seen[plan->machine[t]] != s + 1) {
            seen[plan->machine[t]] = s + 1;
            span.machines++;
        }
        span.subset[br_subset_index(plan->subset[t])]++;
    }
    return span;
}

static void write_colours(FILE *out, const struct br_stage *stage, const struct span *span)
{
    uint32_t kinds = 0;
    for (uint32_t k = 0; k < BR_SUBSETS; k++)
        kinds += span->subset[k] > 0;
    bool first = true;
    fputs(kinds > 1 ? ", style=striped, fillcolor=\"" : ", fillcolor=\"", out);
    for (uint32_t k = 0; k < BR_SUBSETS; k++) {
        if (span->subset[k] == 0)
            continue;
        fprintf(out, "%s%s", first ? "" : ":", br_subset_style[k].colour);
        if (kinds > 1) {
            putc(';', out);
            br_write_ratio(out, span->subset[k], stage->tasks);
        }
        first = false;
    }
    putc('"', out);
}

static void write_stage(FILE *out, const struct br_emit_input *input, uint32_t s, uint32_t *seen)
{
    const struct br_stage *stage = &input->dag->stage[s];
    struct span span = span_of(input, s, seen);
    fputs("  \"", out);
    br_write_text(out, BR_QUOTE_DOT, stage->id);
    fputs("\" [label=\"", out);
    br_write_cut(out, BR_QUOTE_LABEL, stage->id, 40);
    if (stage->tasks > 1)
        fprintf(out, " \xc3\x97 %" PRIu32, stage->tasks);
    fputs("\\n", out);
    br_write_about(out, span.start_ns);
    fputs(" \xe2\x80\x93 ", out);
    br_write_about(out, span.end_ns);
    fputs(" s\\n", out);
    if (span.machines == 1)
        br_write_machine(out, BR_QUOTE_LABEL, input->cluster,
                         input->plan->machine[stage->first_task]);
    else
        fprintf(out, "%" PRIu32 " machines", span.machines);
    putc('"', out);
    write_colours(out, stage, &span);
    fputs("];\n", out);
}

static void write_title(FILE *out, const struct br_emit_input *input)
{
    bool used[BR_SUBSETS];
    fputs("  label=<<table border=\"0\" cellspacing=\"0\"><tr><td><b>", out);
    br_write_headline(out, BR_QUOTE_XML, input);
    fputs("</b></td></tr>", out);
    if (br_subsets_used(input->plan, used)) {
        fputs("<tr><td><table border=\"0\" cellspacing=\"4\"><tr>", out);
        for (uint32_t k = 0; k < BR_SUBSETS; k++)
            if (used[k])
                fprintf(out, "<td border=\"1\" bgcolor=\"%s\">&nbsp;%c&nbsp;</td><td>%s</td>",
                        br_subset_style[k].colour, br_subset_style[k].letter,
                        br_subset_style[k].meaning);
        fputs("</tr></table></td></tr>", out);
    }
    fputs("</table>>;\n", out);
}

enum br_status br_emit_plan_dot(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    const struct br_dag *dag = input->dag;
    uint32_t *seen = calloc((size_t)input->cluster->machines + 1, sizeof *seen);
    if (!seen)
        return br_fail_memory(diag);
    fputs("digraph \"", out);
    br_write_text(out, BR_QUOTE_DOT, dag->name);
    fputs("\" {\n"
          "  graph [labelloc=t, fontname=\"Helvetica\", fontsize=12];\n"
          "  node [shape=box, style=filled, fontname=\"Helvetica\", fontsize=10];\n"
          "  edge [color=\"#555555\", arrowsize=0.7];\n",
          out);
    write_title(out, input);
    for (uint32_t s = 0; s < dag->stages && !ferror(out); s++)
        write_stage(out, input, s, seen);
    for (uint32_t e = 0; e < dag->edges && !ferror(out); e++) {
        fputs("  \"", out);
        br_write_text(out, BR_QUOTE_DOT, dag->stage[dag->edge[e].parent].id);
        fputs("\" -> \"", out);
        br_write_text(out, BR_QUOTE_DOT, dag->stage[dag->edge[e].child].id);
        fputs(dag->edge[e].type == BR_ONE_TO_ONE ? "\" [style=dashed];\n" : "\";\n", out);
    }
    fputs("}\n", out);
    free(seen);
    return BR_OK;
}
