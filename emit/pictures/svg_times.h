/* Times in an SVG picture: windows in which machines are away, releases and deadlines. Nothing is
 * drawn for a job that has none. */
#ifndef BR_EMIT_PICTURES_SVG_TIMES_H
#define BR_EMIT_PICTURES_SVG_TIMES_H

#include "emit/pictures/svg_panel.h"

/* Is there something of them in the picture? */
bool br_panel_has_times(const struct br_emit_input *input);
/* The hatching. */
void br_panel_times_patterns(FILE *out);
/* What hatching and marks mean, on a line at y. */
void br_panel_draw_times_key(const struct br_panel *panel, int64_t y);
/* The windows of the machine, in a row. */
void br_panel_draw_away(const struct br_panel *panel, uint32_t machine, int64_t y, int64_t height);
/* The release and the deadline of the task, in its lane. */
void br_panel_draw_times(const struct br_panel *panel, uint32_t task, int64_t y);
/* The first release and the first deadline of the stage, in its row. */
void br_panel_draw_stage_times(const struct br_panel *panel, uint32_t stage, int64_t y);
/* ", not before 3 s, due at 9 s" */
void br_panel_write_times(const struct br_panel *panel, uint32_t task);

#endif
