/* Plots in a study's picture: a frame with axes, and its contents. Places are in hundredths of a
 * pixel and integers, so that equal studies give equal bytes. Colours are classes of a style that
 * follows light and dark. */
#ifndef BR_EMIT_PLOTS_PLOT_H
#define BR_EMIT_PLOTS_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A pixel. */
#define BR_PX INT64_C(100)

enum { BR_PLOT_COLOURS = 8, BR_PLOT_SHADES = 24 };

/* The inner area of a plot. */
struct br_plot {
    FILE *out;
    int64_t left, top, width, height;
};

/* A scale from 0 to `span`, in billionths of `unit` if that is not 0. */
struct br_plot_scale {
    int64_t span; /* at least 1 */
    int64_t step; /* between its ticks, of which there are at most six; >= 1 */
    const char *unit;
};
/* A scale of seconds, with days, hours or minutes as the unit if there are many; *per_unit seconds
 * each.
 */
struct br_plot_scale br_scale_time(double seconds, int64_t *per_unit);
struct br_plot_scale br_scale_number(double most, const char *unit);
/* Billionths, within what a scale holds. */
int64_t br_scale_value(double value);

/* The picture's beginning, with its style, and its end. */
void br_plot_open(FILE *out, int64_t width, int64_t height);
void br_plot_close(FILE *out);

/* Text at a place; `attributes` may hold a class: ink (the default), soft, strong. */
void br_plot_begin_text(FILE *out, int64_t x, int64_t y, const char *attributes);
void br_plot_text(FILE *out, int64_t x, int64_t y, const char *attributes, const char *text);
/* Writes text cut to the characters that fit the width. */
void br_plot_fit_text(FILE *out, int64_t x, int64_t y, const char *attributes, const char *text,
                      int64_t width);
/* Approximate width of a text at the usual size. */
int64_t br_plot_text_width(const char *text);
void br_plot_line(FILE *out, int64_t x1, int64_t y1, int64_t x2, int64_t y2,
                  const char *attributes);
void br_plot_rectangle(FILE *out, int64_t x, int64_t y, int64_t width, int64_t height,
                       const char *attributes);
/* A place in the data of a path. */
void br_plot_point(FILE *out, char letter, int64_t x, int64_t y);

/* Lines and texts of the axes; without `labels`, only lines. */
void br_plot_x_axis(const struct br_plot *plot, const struct br_plot_scale *scale, bool labels);
void br_plot_y_axis(const struct br_plot *plot, const struct br_plot_scale *scale);
int64_t br_plot_x(const struct br_plot *plot, const struct br_plot_scale *scale, int64_t value);
int64_t br_plot_y(const struct br_plot *plot, const struct br_plot_scale *scale, int64_t value);

#endif
