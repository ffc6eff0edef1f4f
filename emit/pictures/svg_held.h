/* What is held over time in an SVG picture, below the use of resources: a row for each place of
 * each resource (held.h), stacked by stage, with what there is and the peak. */
#ifndef BR_EMIT_PICTURES_SVG_HELD_H
#define BR_EMIT_PICTURES_SVG_HELD_H

#include "emit/pictures/svg_panel.h"

/* The height that the rows take. */
int64_t br_panel_held_height(const struct br_panel *panel);
/* Draws them below the place, and returns their end. */
int64_t br_panel_draw_held(const struct br_panel *panel, int64_t top);
/* The styles of rows, and of the marks of times. */
void br_panel_held_styles(FILE *out);

#endif
