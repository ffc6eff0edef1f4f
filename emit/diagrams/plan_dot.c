/* The job graph with the plan on it, as a Graphviz digraph: boxes coloured and sized, the critical
 * chain in bold, binding arrows darker than those whose child waits for something else, with the
 * time it waits, and a legend that explains all this. Two plans stand beside each other.
 *
 * Graphviz places everything; lines of boxes (lines.c) are tied to an axis of texts. */
#include "base/roles.h"
#include "base/text/diag.h"
#include "emit/diagrams/diagram.h"
#include "emit/diagrams/folded_dot.h"
#include "emit/diagrams/legend.h"
#include "emit/diagrams/styles.h"
#include "emit/pictures/draw.h"
#include "emit/write/figures.h"
#include "emit/write/outputs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WAITS_MOST = 90, /* most arrows with texts on them; beyond that, a tooltip has the text */
    FONT_LEAST = 10, /* of a box with hardly any work, in points */
    FONT_MORE = 8,   /* of the box with most */
    NAME_MOST = 40,  /* characters */
    WORDS_FEW = 40,  /* most boxes with a text of what they do; beyond that, a tooltip has it */
    WORDS_MOST = 200,
};

struct drawing {
    FILE *out;
    const struct br_diagram *diagram;
    const struct br_styles *styles;
    const struct br_emit_input *input;
    const char **words;                  /* by stage: what it does; NULL: unknown */
    uint32_t plan, plans, arrows, boxes; /* the last two of all plans */
    bool bare_names;                     /* boxes have the names of their stages */
    double most_work;                    /* of a box of any plan */
};

/* A box's name is its stage's, if that is unique. Else it begins with a number, and the names of
 * other nodes do not. */
static void plan_dot_write_name(const struct drawing *drawing, uint32_t place)
{
    const struct br_diagram *diagram = drawing->diagram;
    FILE *out = drawing->out;
    putc('"', out);
    if (place >= diagram->boxes)
        fprintf(out, "joint %" PRIu32 ".%" PRIu32, drawing->plan, place - diagram->boxes);
    else if (!drawing->bare_names && drawing->plans > 1)
        fprintf(out, "%" PRIu32 ".%" PRIu32 " ", drawing->plan + 1, place + 1);
    else if (!drawing->bare_names)
        fprintf(out, "%" PRIu32 " ", place + 1);
    if (place < diagram->boxes) {
        const struct br_box *box = &diagram->box[place];
        if (drawing->input->nodes == BR_NODES_TASK)
            br_write_task(out, BR_QUOTE_DOT, drawing->input->dag, box->task);
        else
            br_write_text(out, BR_QUOTE_DOT, drawing->input->dag->stage[box->stage].id);
    }
    putc('"', out);
}

/* "map", "map[3]" or "map × 12". */
static void write_title(const struct drawing *drawing, const struct br_box *box, uint32_t most)
{
    const struct br_stage *stage = &drawing->input->dag->stage[box->stage];
    if (!br_styles_label(drawing->styles, box->stage, drawing->out))
        br_write_cut(drawing->out, BR_QUOTE_LABEL, stage->id, most);
    char suffix[BR_SUFFIX];
    br_write_suffix(stage, box->task, box->tasks, suffix);
    br_write_text(drawing->out, BR_QUOTE_LABEL, suffix);
}

/* "Seq Scan on a ... Hash": the source of rows, and their use. */
static void plan_dot_write_ends(const struct drawing *drawing, const char *words)
{
    const char *last = words, *first = strstr(words, ", ");
    for (const char *next = first; next; next = strstr(last, ", "))
        last = next + 2;
    fputs("\\n", drawing->out);
    br_write_cut_part(drawing->out, BR_QUOTE_LABEL, words,
                      first ? (size_t)(first - words) : strlen(words), NAME_MOST);
    if (!first)
        return;
    fputs(strstr(first + 2, ", ") ? " \xe2\x80\xa6 " : ", ", drawing->out);
    br_write_cut(drawing->out, BR_QUOTE_LABEL, last, NAME_MOST);
}

static void plan_dot_write_span(FILE *out, const struct br_box *box)
{
    br_write_about(out, box->start_ns);
    fputs(" \xe2\x80\x93 ", out);
    br_write_about(out, box->end_ns);
    fputs(" s", out);
}

static void plan_dot_write_place(const struct drawing *drawing, const struct br_box *box)
{
    if (box->machines == 1)
        br_write_machine(drawing->out, BR_QUOTE_LABEL, drawing->input->cluster, box->machine);
    else
        fprintf(drawing->out, "%" PRIu32 " machines", box->machines);
}

static void write_stripes(FILE *out, const struct br_box *box)
{
    const char *before = ", style=striped, fillcolor=\"";
    for (uint32_t k = 0; k < BR_SUBSETS; k++) {
        if (box->subset[k] == 0)
            continue;
        fprintf(out, "%s%s;", before, br_subset_style[k].colour);
        br_write_ratio(out, box->subset[k], box->tasks);
        before = ":";
    }
    putc('"', out);
}

static void write_filling(const struct drawing *drawing, const struct br_box *box)
{
    const struct br_emit_input *input = drawing->input;
    uint32_t kinds = 0, largest = 0;
    for (uint32_t k = 0; k < BR_SUBSETS; k++) {
        kinds += box->subset[k] > 0;
        largest = box->subset[k] > box->subset[largest] ? k : largest;
    }
    enum br_colour colour = br_legend_colour(input);
    if (colour == BR_COLOUR_SUBSET && kinds > 1 && br_styles_is_box(drawing->styles, box->stage)) {
        write_stripes(drawing->out, box);
        return;
    }
    const char *filling = colour == BR_COLOUR_SUBSET   ? br_subset_style[largest].colour
                          : colour == BR_COLOUR_STAGE  ? br_draw_palette(box->stage)
                          : colour == BR_COLOUR_INPUT  ? NULL
                          : colour == BR_COLOUR_CHOOSE ? BR_COLOUR_BOX
                          : box->machines > 1          ? BR_COLOUR_SEVERAL
                                                       : br_draw_palette(box->machine);
    if (filling)
        fprintf(drawing->out, ", fillcolor=\"%s\"", filling);
    br_styles_fill(drawing->styles, box->stage, drawing->out);
}

/* The height grows with the root of the work, in steps, so that areas compare. */
static uint32_t plan_dot_size_of(const struct drawing *drawing, const struct br_box *box)
{
    return drawing->most_work > 0
               ? (uint32_t)(FONT_MORE * sqrt(box->work / drawing->most_work) + 0.5)
               : 0;
}

static void plan_dot_write_box(const struct drawing *drawing, uint32_t b)
{
    const struct br_box *box = &drawing->diagram->box[b];
    FILE *out = drawing->out;
    uint32_t size = plan_dot_size_of(drawing, box);
    fputs("  ", out);
    plan_dot_write_name(drawing, b);
    fputs(" [label=\"", out);
    write_title(drawing, box, NAME_MOST);
    const char *words = drawing->words[box->stage];
    if (words && drawing->boxes <= WORDS_FEW)
        plan_dot_write_ends(drawing, words);
    fputs("\\n", out);
    plan_dot_write_span(out, box);
    if (!drawing->input->by_machine && drawing->input->cluster->machines > 1) {
        fputs("\\n", out);
        plan_dot_write_place(drawing, box);
    }
    fputs("\", tooltip=\"", out);
    write_title(drawing, box, 200);
    fputs(": ", out);
    plan_dot_write_span(out, box);
    fputs(", ", out);
    plan_dot_write_place(drawing, box);
    fputs(box->on_chain ? ", on the critical chain" : "", out);
    if (words) {
        fputs("\\n", out);
        br_write_cut(out, BR_QUOTE_LABEL, words, WORDS_MOST);
    }
    putc('"', out);
    write_filling(drawing, box);
    if (size > 0)
        fprintf(out,
                ", fontsize=%" PRIu32 ", height=%" PRIu32 ".%02" PRIu32 ", width=%" PRIu32
                ".%02" PRIu32,
                FONT_LEAST + size, (50 + 8 * size) / 100, (50 + 8 * size) % 100,
                (75 + 13 * size) / 100, (75 + 13 * size) % 100);
    br_styles_node(drawing->styles, box->stage, drawing->out, !box->on_chain);
    if (box->on_chain)
        fputs(", color=\"" BR_COLOUR_CHAIN "\", penwidth=3", out);
    fputs("];\n", out);
}

/* "+3 s" for a child that something else delays. */
static void write_wait(FILE *out, int64_t wait_ns)
{
    if (wait_ns >= 0) {
        putc('+', out);
        br_write_about(out, wait_ns);
        fputs(" s", out);
    } else {
        br_write_about(out, -wait_ns);
        fputs(" s too early", out);
    }
}

/* The share of its stage's tasks in the box; for a joint, all. */
static double plan_dot_share_of(const struct drawing *drawing, uint32_t place)
{
    const struct br_diagram *diagram = drawing->diagram;
    if (place >= diagram->boxes)
        return 1;
    const struct br_box *box = &diagram->box[place];
    return (double)box->tasks / drawing->input->dag->stage[box->stage].tasks;
}

/* The bytes of the arrow, whether they leave a machine or not. */
static double plan_dot_bytes_of(const struct drawing *drawing, const struct br_arrow *arrow)
{
    const struct br_edge *edge = &drawing->input->dag->edge[arrow->edge];
    double share = plan_dot_share_of(drawing, arrow->from) * plan_dot_share_of(drawing, arrow->to);
    if (edge->type == BR_ONE_TO_ONE)
        share = arrow->pairs / (double)drawing->input->dag->stage[edge->child].tasks;
    return share * (double)edge->bytes;
}

static void write_bytes(FILE *out, double bytes)
{
    char text[BR_ROLE_AMOUNT_TEXT];
    br_role_bytes_text((int64_t)(bytes + 0.5), text);
    fputs(text, out);
}

static void write_tooltip(const struct drawing *drawing, const struct br_arrow *arrow)
{
    const struct br_edge *edge = &drawing->input->dag->edge[arrow->edge];
    FILE *out = drawing->out;
    fputs("tooltip=\"", out);
    if (arrow->on_chain)
        fputs("on the critical chain", out);
    else if (arrow->wait_ns == 0 || arrow->transfer != BR_INPUTS_NONE)
        fputs("binds", out);
    else
        write_wait(out, arrow->wait_ns);
    if (arrow->transfer != BR_INPUTS_NONE) {
        fputs(": ", out);
        br_inputs_write(out, BR_QUOTE_LABEL, drawing->input, arrow->transfer);
    } else if (edge->bytes) {
        fputs(", ", out);
        write_bytes(out, plan_dot_bytes_of(drawing, arrow));
    }
    putc('"', out);
}

/* The number of lines that one must stand below the other. */
static uint32_t lines_between(const struct drawing *drawing, const struct br_arrow *arrow)
{
    const struct br_diagram *diagram = drawing->diagram;
    uint32_t below = arrow->to < diagram->boxes ? diagram->box[arrow->to].below : 0;
    if (arrow->from < diagram->boxes && diagram->box[arrow->from].line == 0 &&
        diagram->box[arrow->from].below > below)
        below = diagram->box[arrow->from].below;
    return below;
}

static void write_arrow(const struct drawing *drawing, const struct br_arrow *arrow)
{
    const struct br_edge *edge = &drawing->input->dag->edge[arrow->edge];
    FILE *out = drawing->out;
    bool into_joint = arrow->to >= drawing->diagram->boxes;
    fputs("  ", out);
    plan_dot_write_name(drawing, arrow->from);
    fputs(" -> ", out);
    plan_dot_write_name(drawing, arrow->to);
    fputs(" [", out);
    fputs(edge->type == BR_ONE_TO_ONE ? "style=dashed, " : "", out);
    fputs(into_joint ? "arrowhead=none, " : "", out);
    fputs(arrow->upward ? "constraint=false, " : "", out);
    if (lines_between(drawing, arrow) > 1)
        fprintf(out, "minlen=%" PRIu32 ", ", lines_between(drawing, arrow));
    if (arrow->on_chain)
        fputs("color=\"" BR_COLOUR_CHAIN "\", penwidth=3, ", out);
    else if (arrow->wait_ns == 0 || arrow->transfer != BR_INPUTS_NONE)
        fputs("color=\"" BR_COLOUR_BINDS "\", penwidth=1.6, ", out);
    else
        fputs("color=\"" BR_COLOUR_WAITS "\", ", out);
    write_tooltip(drawing, arrow);
    bool few = drawing->arrows <= WAITS_MOST;
    bool waits = few && arrow->wait_ns != 0, carries = few && edge->bytes;
    if (br_styles_arrow(drawing->styles, arrow->edge, out, waits || carries) || waits || carries) {
        if (carries)
            write_bytes(out, plan_dot_bytes_of(drawing, arrow));
        fputs(carries && waits ? "\\n" : "", out);
        if (waits)
            write_wait(out, arrow->wait_ns);
        putc('"', out);
    }
    fputs("];\n", out);
}

static void open_machine(const struct drawing *drawing, uint32_t m)
{
    fprintf(drawing->out, "  subgraph \"cluster %" PRIu32 ".%" PRIu32 "\" {\n  label=\"",
            drawing->plan, m);
    br_write_machine(drawing->out, BR_QUOTE_LABEL, drawing->input->cluster, m);
    fputs("\"; style=\"rounded,filled\"; color=\"#BBBBBB\"; fillcolor=\"#F7F7F7\"; "
          "tooltip=\" \";\n",
          drawing->out);
}

static void open_plan(const struct drawing *drawing)
{
    fprintf(drawing->out, "  subgraph \"cluster %" PRIu32 "\" {\n  label=\"", drawing->plan);
    br_write_headline(drawing->out, BR_QUOTE_LABEL, drawing->input);
    fputs("\"; color=\"#999999\"; style=solid; tooltip=\" \";\n", drawing->out);
}

static void write_member(const struct drawing *drawing, uint32_t place)
{
    fputs("  ", drawing->out);
    plan_dot_write_name(drawing, place);
    fputs(";\n", drawing->out);
}

/* Frames of the machines: with their boxes, or with the names of boxes written before. */
static void plan_dot_write_machines(const struct drawing *drawing)
{
    const struct br_diagram *diagram = drawing->diagram;
    for (uint32_t m = 0; m < drawing->input->cluster->machines; m++) {
        bool open = false;
        for (uint32_t b = 0; b < diagram->boxes && !ferror(drawing->out); b++) {
            if (diagram->box[b].machine != m)
                continue;
            if (!open)
                open_machine(drawing, m);
            open = true;
            if (drawing->input->plain)
                write_member(drawing, b);
            else
                plan_dot_write_box(drawing, b);
        }
        fputs(open ? "  }\n" : "", drawing->out);
    }
}

static void write_boxes(const struct drawing *drawing)
{
    const struct br_diagram *diagram = drawing->diagram;
    if (drawing->input->by_machine && !drawing->input->plain)
        plan_dot_write_machines(drawing);
    else
        for (uint32_t b = 0; b < diagram->boxes && !ferror(drawing->out); b++)
            plan_dot_write_box(drawing, b);
    for (uint32_t j = 0; j < diagram->joints; j++) {
        fputs("  ", drawing->out);
        plan_dot_write_name(drawing, diagram->boxes + j);
        fputs(
            " [shape=point, width=0.06, label=\"\", tooltip=\"all before wait for all after\"];\n",
            drawing->out);
    }
}

static void write_arrows(const struct drawing *drawing)
{
    const struct br_diagram *diagram = drawing->diagram;
    for (uint32_t a = 0; a < diagram->arrows && !ferror(drawing->out); a++)
        write_arrow(drawing, &diagram->arrow[a]);
    for (uint32_t h = 0; h < diagram->handovers; h++) {
        fputs("  ", drawing->out);
        plan_dot_write_name(drawing, diagram->handover[h].from);
        fputs(" -> ", drawing->out);
        plan_dot_write_name(drawing, diagram->handover[h].to);
        fputs(" [style=dotted, constraint=false, color=\"" BR_COLOUR_CHAIN
              "\", penwidth=3, tooltip=\"waits for its machine\"];\n",
              drawing->out);
    }
}

/* The axis: a text for every line, one above the other. */
static void write_axis(const struct drawing *drawing, const struct br_diagram_lines *lines)
{
    static const char looks[] =
        "shape=plaintext, style=\"\", width=0, height=0, fontcolor=\"#555555\"";
    FILE *out = drawing[0].out;
    const bool by_time = drawing[0].input->layout == BR_LAYOUT_TIME;
    const bool plain = drawing[0].input->plain;
    if (!plain)
        fprintf(out, "  {node [%s];\n", looks);
    for (uint32_t k = 0; k < lines->lines; k++) {
        fprintf(out, "  \"line %" PRIu32 "\" [%s%stooltip=\" \", label=\"", k, plain ? looks : "",
                plain ? ", " : "");
        if (by_time) {
            br_write_about(out, lines->begin_ns[k]);
            fputs(" s\"];\n", out);
        } else {
            fprintf(out, "depth %" PRId64 "\"];\n", lines->begin_ns[k]);
        }
        if (k > 0)
            fprintf(out,
                    "  \"line %" PRIu32 "\" -> \"line %" PRIu32
                    "\" [color=\"#BBBBBB\", arrowhead=none, tooltip=\" \", weight=100];\n",
                    k - 1, k);
    }
    fputs(plain ? "" : "  }\n", out);
}

/* The nodes of each line. */
static void plan_dot_write_lines(const struct drawing *drawing,
                                 const struct br_diagram_lines *lines)
{
    FILE *out = drawing[0].out;
    for (uint32_t k = 0; k < lines->lines && !ferror(out); k++) {
        fprintf(out, "  {rank=same; \"line %" PRIu32 "\"", k);
        for (uint32_t m = lines->first[k]; m < lines->first[k + 1]; m++) {
            fputs("; ", out);
            plan_dot_write_name(&drawing[lines->member[m].plan], lines->member[m].box);
        }
        fputs("}\n", out);
    }
}

static void plan_dot_write_head(const struct drawing *drawing)
{
    const struct br_emit_input *input = drawing[0].input;
    FILE *out = drawing[0].out;
    fputs("digraph \"", out);
    br_write_text(out, BR_QUOTE_DOT, input->dag->name);
    fputs(
        "\" {\n  graph [labelloc=t, fontname=\"Helvetica\", fontsize=12, nodesep=0.2, ranksep=0.4",
        out);
    /* Otherwise Graphviz ranks frames one by one, and fails if arrows go from one to another. */
    fputs(drawing[0].bare_names ? "" : ", newrank=true", out);
    br_styles_graph(drawing[0].styles, out);
    fputs("];\n"
          "  node [shape=box, style=filled, fillcolor=\"#FFFFFF\", color=\"#555555\", "
          "fontname=\"Helvetica\", fontsize=10, width=0.75, height=0.5, margin=\"0.08,0.04\"];\n"
          "  edge [fontname=\"Helvetica\", fontsize=9, fontcolor=\"#666666\", arrowsize=0.7];\n",
          out);
    br_legend_write(out, input);
}

static void dot_write_plan(const struct drawing *drawing)
{
    const bool frame = drawing->plans > 1 && !drawing->input->plain;
    if (frame)
        open_plan(drawing);
    write_boxes(drawing);
    write_arrows(drawing);
    fputs(frame ? "  }\n" : "", drawing->out);
}

/* Written after all boxes, whose names they hold: some readers take a box in a frame for another
 * one. */
static void write_plain_frames(const struct drawing *drawing)
{
    const struct br_diagram *diagram = drawing->diagram;
    if (drawing->plans > 1)
        open_plan(drawing);
    if (drawing->input->by_machine)
        plan_dot_write_machines(drawing);
    for (uint32_t b = 0; drawing->plans > 1 && b < diagram->boxes + diagram->joints; b++)
        if (b >= diagram->boxes || !drawing->input->by_machine)
            write_member(drawing, b);
    fputs(drawing->plans > 1 ? "  }\n" : "", drawing->out);
}

static void plan_dot_write_all(struct drawing *drawing, const struct br_diagram *diagram,
                               const struct br_diagram_lines *lines)
{
    uint32_t plans = drawing[0].plans;
    const struct br_emit_input *input = drawing[0].input;
    bool bare = plans == 1 && input->layout == BR_LAYOUT_GRAPH && input->nodes == BR_NODES_STAGE &&
                !input->by_machine;
    double most = 0;
    uint32_t arrows = 0, boxes = 0;
    for (uint32_t p = 0; p < plans; p++) {
        arrows += diagram[p].arrows;
        boxes += diagram[p].boxes;
        for (uint32_t b = 0; b < diagram[p].boxes; b++)
            most = diagram[p].box[b].work > most ? diagram[p].box[b].work : most;
    }
    for (uint32_t p = 0; p < plans; p++) {
        drawing[p].bare_names = bare;
        drawing[p].most_work = most;
        drawing[p].arrows = arrows;
        drawing[p].boxes = boxes;
    }
    plan_dot_write_head(drawing);
    if (input->layout != BR_LAYOUT_GRAPH)
        write_axis(drawing, lines);
    for (uint32_t p = 0; p < plans; p++)
        dot_write_plan(&drawing[p]);
    for (uint32_t p = 0; input->plain && p < plans; p++)
        write_plain_frames(&drawing[p]);
    if (input->layout != BR_LAYOUT_GRAPH)
        plan_dot_write_lines(drawing, lines);
    fputs("}\n", drawing[0].out);
}

enum br_status br_emit_plan_dot(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    const struct br_emit_input *inputs[2] = {input, input->other};
    struct br_diagram diagram[2] = {{0}};
    struct br_styles styles[2] = {{0}};
    const char **words[2] = {NULL, NULL};
    struct drawing drawing[2];
    struct br_diagram_lines lines = {0};
    uint32_t plans = input->other ? 2 : 1;
    enum br_status status = BR_OK;
    if (input->fold && plans == 1 && input->dag->stages > BR_FOLD_ABOVE)
        return br_emit_folded_dot(input, out, diag);
    for (uint32_t p = 0; p < plans && !status; p++) {
        status = br_diagram_init(&diagram[p], inputs[p], diag);
        if (!status && input->layout == BR_LAYOUT_GRAPH && !input->by_machine)
            status = br_diagram_fold(&diagram[p], diag);
        if (!status)
            status = br_styles_init(&styles[p], inputs[p], diag);
        if (!status && !(words[p] = br_attributes_words(inputs[p]->dag)))
            status = br_fail_memory(diag);
        drawing[p] = (struct drawing){.out = out,
                                      .diagram = &diagram[p],
                                      .styles = &styles[p],
                                      .input = inputs[p],
                                      .words = words[p],
                                      .plan = p,
                                      .plans = plans};
    }
    if (!status && input->layout != BR_LAYOUT_GRAPH)
        status =
            br_diagram_lines_init(&lines, diagram, plans, input->layout == BR_LAYOUT_TIME, diag);
    if (!status)
        plan_dot_write_all(drawing, diagram, &lines);
    br_diagram_lines_finish(&lines);
    for (uint32_t p = 0; p < plans; p++) {
        br_diagram_finish(&diagram[p]);
        br_styles_finish(&styles[p]);
        free(words[p]);
    }
    return status;
}
