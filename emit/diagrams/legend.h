/* The meaning of colours, lines and sizes in a diagram. */
#ifndef BR_EMIT_DIAGRAMS_LEGEND_H
#define BR_EMIT_DIAGRAMS_LEGEND_H

#include "emit/pictures/picture.h"

#define BR_COLOUR_CHAIN "#C43C00"   /* the critical chain */
#define BR_COLOUR_BINDS "#222222"   /* arrows whose child starts when the parent ends */
#define BR_COLOUR_WAITS "#A0A0A0"   /* arrows whose child starts later */
#define BR_COLOUR_BOX "#D6E9F8"     /* boxes whose colour has no meaning */
#define BR_COLOUR_SEVERAL "#DDDDDD" /* boxes on several machines */

/* The meaning of the colours: input->colour, or our choice if it is left to us; BR_COLOUR_CHOOSE
 * then means that they have none. */
enum br_colour br_legend_colour(const struct br_emit_input *input);
/* The title of the graph: the plan's headline if there is one plan, and the legend. */
void br_legend_write(FILE *out, const struct br_emit_input *input);

#endif
