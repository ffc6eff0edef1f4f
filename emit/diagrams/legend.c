/* The legend is a table in Graphviz's HTML-like form. */
#include "emit/diagrams/legend.h"
#include "emit/pictures/draw.h"

#include <inttypes.h>

enum {
    COLOURS_MOST = BR_PALETTE, /* with a patch in the legend */
    COLOURS_A_ROW = 8,
    NAME_MOST = 24, /* characters */
};

enum br_colour br_legend_colour(const struct br_emit_input *input)
{
    bool used[BR_SUBSETS], other = false,
                           parts = input->nodes == BR_NODES_TASK || input->by_machine;
    if (input->colour != BR_COLOUR_CHOOSE)
        return input->colour;
    if (input->other)
        other = br_subsets_used(input->other->plan, used);
    /* If every box is a whole stage, its name identifies it better than a colour. */
    return br_subsets_used(input->plan, used) || other ? BR_COLOUR_SUBSET
           : parts                                     ? BR_COLOUR_STAGE
                                                       : BR_COLOUR_CHOOSE;
}

static void write_subsets(FILE *out, const struct br_emit_input *input)
{
    bool used[BR_SUBSETS], other[BR_SUBSETS] = {false};
    br_subsets_used(input->plan, used);
    if (input->other)
        br_subsets_used(input->other->plan, other);
    fputs("<tr><td>", out);
    for (uint32_t k = 0; k < BR_SUBSETS; k++)
        if (used[k] || other[k])
            fprintf(out, "<font color=\"%s\">\xe2\x96\xa0</font> %c: %s&nbsp;&nbsp; ",
                    br_subset_style[k].colour, br_subset_style[k].letter,
                    br_subset_style[k].meaning);
    fputs("</td></tr>", out);
}

static void write_patch(FILE *out, const char *colour)
{
    fprintf(out, "<td border=\"1\" width=\"18\" bgcolor=\"%s\"></td><td align=\"left\">", colour);
}

/* Stages or machines. */
static void write_members(FILE *out, const struct br_emit_input *input, bool stages)
{
    uint32_t members = stages ? input->dag->stages : input->cluster->machines;
    uint32_t shown = members < COLOURS_MOST ? members : COLOURS_MOST;
    fputs("<tr><td><table border=\"0\" cellborder=\"0\" cellspacing=\"3\" cellpadding=\"1\">", out);
    for (uint32_t k = 0; k < shown; k++) {
        fputs(k % COLOURS_A_ROW == 0 ? "<tr>" : "", out);
        write_patch(out, br_draw_palette(k));
        if (stages)
            br_write_cut(out, BR_QUOTE_XML, input->dag->stage[k].id, NAME_MOST);
        else
            br_write_machine(out, BR_QUOTE_XML, input->cluster, k);
        fputs(k % COLOURS_A_ROW == COLOURS_A_ROW - 1 || k + 1 == shown ? "</td></tr>" : "</td>",
              out);
    }
    if (!stages) {
        fputs("<tr>", out);
        write_patch(out, BR_COLOUR_SEVERAL);
        fputs("several</td></tr>", out);
    }
    if (members > shown)
        fprintf(out,
                "<tr><td colspan=\"16\" align=\"left\">and %" PRIu32
                " more, in the same colours again</td></tr>",
                members - shown);
    fputs("</table></td></tr>", out);
}

static void legend_write_lines(FILE *out, const struct br_emit_input *input)
{
    bool moves = input->plan->network || (input->other && input->other->plan->network);
    fputs(
        "<tr><td>"
        "<font color=\"" BR_COLOUR_CHAIN "\"><b>\xe2\x94\x81\xe2\x94\x81</b></font> critical chain "
        "(<font color=\"" BR_COLOUR_CHAIN "\"><b>\xc2\xb7\xc2\xb7\xc2\xb7</b></font> waits for its "
        "machine)&nbsp;&nbsp; "
        "<font color=\"" BR_COLOUR_BINDS "\"><b>\xe2\x94\x80\xe2\x94\x80</b></font> binds: the "
        "child starts at the parent's end",
        out);
    fputs(moves ? ", or when its bytes have come" : "", out);
    fputs("</td></tr><tr><td>"
          "<font color=\"" BR_COLOUR_WAITS "\"><b>\xe2\x94\x80\xe2\x94\x80</b></font> +3 s: it "
          "starts that much later&nbsp;&nbsp; "
          "- - one task for one&nbsp;&nbsp; larger boxes: more work",
          out);
    fputs(input->layout == BR_LAYOUT_TIME    ? "&nbsp;&nbsp; lines: by first start"
          : input->layout == BR_LAYOUT_DEPTH ? "&nbsp;&nbsp; lines: by depth"
                                             : "",
          out);
    fputs("</td></tr>", out);
}

/* Without patches of colours. */
static void write_plain(FILE *out, const struct br_emit_input *input)
{
    fputs("  graph [label=\"", out);
    if (!input->other) {
        br_write_headline(out, BR_QUOTE_LABEL, input);
        fputs("\\n", out);
    }
    fputs("bold: critical chain (dotted: waits for its machine); dark: binds; light, +3 s: starts "
          "that "
          "much later\"];\n",
          out);
}

void br_legend_write(FILE *out, const struct br_emit_input *input)
{
    enum br_colour colour = br_legend_colour(input);
    if (input->plain) {
        write_plain(out, input);
        return;
    }
    fputs("  label=<<table border=\"0\" cellspacing=\"2\" cellborder=\"0\">", out);
    if (!input->other) {
        fputs("<tr><td><b>", out);
        br_write_headline(out, BR_QUOTE_XML, input);
        fputs("</b></td></tr>", out);
    }
    if (colour == BR_COLOUR_SUBSET)
        write_subsets(out, input);
    if (colour == BR_COLOUR_STAGE || colour == BR_COLOUR_MACHINE)
        write_members(out, input, colour == BR_COLOUR_STAGE);
    legend_write_lines(out, input);
    fputs("</table>>;\n", out);
}
