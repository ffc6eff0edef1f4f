/* Styles of nodes and edges in the job's file, taken over into a diagram: shapes, fonts, texts and
 * the layout of the graph. Attributes that fetch files or lead elsewhere (image, shapefile, URL,
 * texts in angle brackets) are left out, and so are those that would hide the diagram's own
 * information. */
#ifndef BR_EMIT_DIAGRAMS_STYLES_H
#define BR_EMIT_DIAGRAMS_STYLES_H

#include <stdio.h>

#include "emit/write/attributes.h"
#include "emit/write/input.h"

struct br_styles {
    const struct br_emit_input *input;
    struct br_attributes by;
};

/* The input is borrowed; the arrays are the struct's, released by br_styles_finish, also on
 * failure. */
enum br_status br_styles_init(struct br_styles *styles, const struct br_emit_input *input,
                              struct br_diag *diag);
void br_styles_finish(struct br_styles *styles);

/* Does the stage keep the shape of a box? Only such stages have stripes. O(attributes of the
 * stage), also for the other calls. */
bool br_styles_is_box(const struct br_styles *styles, uint32_t stage);
/* Writes the stage's label from the job's file; false if it has none. */
bool br_styles_label(const struct br_styles *styles, uint32_t stage, FILE *out);
/* Each writes ", name=value" for the styles taken over: of the graph, of a box's filling (with
 * BR_COLOUR_INPUT also its colour), of the rest of a box, with or without its border. */
void br_styles_graph(const struct br_styles *styles, FILE *out);
void br_styles_fill(const struct br_styles *styles, uint32_t stage, FILE *out);
void br_styles_node(const struct br_styles *styles, uint32_t stage, FILE *out, bool border);
/* Does this for an arrow. Opens its label, `, label="`, if the file has one or `more` is to follow;
 * true if the file has one, and then the caller closes it. */
bool br_styles_arrow(const struct br_styles *styles, uint32_t edge, FILE *out, bool more);

#endif
