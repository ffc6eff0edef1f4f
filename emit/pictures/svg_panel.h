/* One plan in an SVG picture: the places of its parts, and the elements that they share. Places are
 * integers, in hundredths of a pixel. */
#ifndef BR_EMIT_PICTURES_SVG_PANEL_H
#define BR_EMIT_PICTURES_SVG_PANEL_H

#include "emit/analysis/analysis.h"
#include "emit/pictures/chart.h"
#include "emit/analysis/held.h"
#include "emit/analysis/ports.h"

#define BR_PX INT64_C(100)

enum { BR_PANEL_NAME = 28 }; /* characters of a row's name */

struct br_panel {
    FILE *out;
    const struct br_emit_input *input;
    const struct br_chart *chart;
    const struct br_analysis *analysis;
    const struct br_port_chart *ports;
    const struct br_held *held;
    bool legend;             /* of windows, releases and deadlines; there are some */
    int64_t span_ns;         /* of the time axis; that of the longer plan */
    int64_t left, width;     /* of the plot */
    int64_t top, rows, foot; /* of the panel, of its rows, and below its curves */
    int64_t lane, gap, font;
    int64_t head, curve; /* heights of the part above the rows, and of a curve */
};

/* `<rect` with its place; the caller adds attributes and closes it. */
void br_panel_rectangle(FILE *out, int64_t x, int64_t y, int64_t w, int64_t h);
/* `<text ...>`; the caller writes and closes it. */
void br_panel_begin_text(FILE *out, int64_t x, int64_t y, const char *attributes);
/* The key of a stage's colour, with its name; returns where the line continues. */
int64_t br_panel_key(const struct br_panel *panel, uint32_t stage, int64_t x, int64_t y,
                     const char *attributes);
/* An upright line. */
void br_panel_line(FILE *out, int64_t x, int64_t y, int64_t height, const char *attributes);
/* The place of a time, which is clipped to the axis. */
int64_t br_panel_time_x(const struct br_panel *panel, int64_t ns);
/* A row's name to the left of the plot. */
void br_panel_side(const struct br_panel *panel, int64_t y, const char *name);
/* ": 9 s to 12.5 s", exactly. */
void br_panel_when(const struct br_panel *panel, int64_t start_ns, int64_t end_ns);

#endif
