/* Translates words of options into values of emit, by their places in the tables of choices. */
#include "cli/planning/picture.h"

#include <string.h>

#include "cli/common/choices.h"

/* The index of a word among the choices of its option, which has been parsed; 0 if not given. */
static uint32_t planning_picture_place_of(const char *word, const struct br_names *rows)
{
    return word ? br_named_find(rows, word) : 0;
}

enum br_status cli_picture(const struct cli_output_settings *settings, const char *format,
                           struct br_emit_input *input, struct br_diag *diag)
{
    static const enum br_colour colours[] = {BR_COLOUR_CHOOSE, BR_COLOUR_SUBSET, BR_COLOUR_STAGE,
                                             BR_COLOUR_MACHINE, BR_COLOUR_INPUT};
    static const enum br_layout layouts[] = {BR_LAYOUT_GRAPH, BR_LAYOUT_DEPTH, BR_LAYOUT_TIME};
    static const enum br_nodes nodes[] = {BR_NODES_STAGE, BR_NODES_TASK};
    input->colour = colours[planning_picture_place_of(settings->colour, &cli_colours)];
    input->layout = layouts[planning_picture_place_of(settings->layout, &cli_layouts)];
    input->nodes = nodes[planning_picture_place_of(settings->nodes, &cli_node_kinds)];
    input->by_machine = settings->by_machine;
    input->plain = settings->plain;
    input->shell = settings->shell;
    input->fold = !settings->nodes && !settings->layout && !settings->by_machine;
    const char *given = settings->layout       ? "--layout"
                        : settings->nodes      ? "--nodes"
                        : settings->by_machine ? "--by-machine"
                        : settings->plain      ? "--plain"
                        : input->colour == BR_COLOUR_MACHINE || input->colour == BR_COLOUR_INPUT
                            ? "this --colour"
                            : NULL;
    if (given && (!format || strcmp(format, "dot") != 0))
        return br_fail(diag, BR_USAGE, "add --format dot, or leave it out",
                       "%s is for the format 'dot'", given);
    if (settings->colour && !(format && br_emit_shows_two(format)))
        return br_fail(diag, BR_USAGE, "add --format dot, svg or html, or leave it out",
                       "--colour is for the formats 'dot', 'svg' and 'html'");
    return BR_OK;
}
