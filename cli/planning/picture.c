/* Values of emit, from rows of options, which are numbered in the same way. */
#include "cli/planning/picture.h"

#include <string.h>

enum br_status cli_picture(const struct cli_output_settings *settings, const char *format,
                           struct br_emit_input *input, struct br_diag *diag)
{
    const bool coloured = settings->colour != BR_NO_ROW, laid = settings->layout != BR_NO_ROW,
               boxed = settings->nodes != BR_NO_ROW;
    input->colour = coloured ? (enum br_colour)settings->colour : BR_COLOUR_CHOOSE;
    input->layout = laid ? (enum br_layout)settings->layout : BR_LAYOUT_GRAPH;
    input->nodes = boxed ? (enum br_nodes)settings->nodes : BR_NODES_STAGE;
    input->by_machine = settings->by_machine;
    input->plain = settings->plain;
    input->shell = settings->shell;
    input->fold = !boxed && !laid && !settings->by_machine;
    const char *given = laid                   ? "--layout"
                        : boxed                ? "--nodes"
                        : settings->by_machine ? "--by-machine"
                        : settings->plain      ? "--plain"
                        : input->colour == BR_COLOUR_MACHINE || input->colour == BR_COLOUR_INPUT
                            ? "this --colour"
                            : NULL;
    if (given && (!format || strcmp(format, "dot") != 0))
        return br_fail(diag, BR_USAGE, "add --format dot, or leave it out",
                       "%s is for the format 'dot'", given);
    if (coloured && !(format && br_emit_shows_two(format)))
        return br_fail(diag, BR_USAGE, "add --format dot, svg or html, or leave it out",
                       "--colour is for the formats 'dot', 'svg' and 'html'");
    return BR_OK;
}
