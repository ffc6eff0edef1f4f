#include "base/numbers/real.h"
#include "emit/plots/plot.h"

#include <math.h>
#include <string.h>

#include "base/numbers/wide.h"
#include "emit/pictures/draw.h"
#include "emit/write/write.h"

#define BILLION INT64_C(1000000000)

/* From Okabe and Ito; those too light for a white ground, or too dark for a black one, are shifted.
 * Shades run from the first jobs to the last ones. */
static const char style[] =
    "<style>\n"
    ".ground { fill: #fff } text { fill: #222; stroke: none } .soft { fill: #555 }\n"
    ".strong { font-weight: bold } .grid { stroke: #ddd } .axis { stroke: #888 }\n"
    ".frame { fill: #f7f7f7 } .bound { stroke: #222; stroke-dasharray: 5 3 }\n"
    ".curve { fill: none; stroke-width: 1.8; stroke-linejoin: round }\n";
static const char dark[] = "@media (prefers-color-scheme: dark) {\n"
                           ".ground { fill: #16181c } text { fill: #e4e4e4 } .soft { fill: #aaa } "
                           ".grid { stroke: #3a3d42 }\n"
                           ".frame { fill: #1e2126 } .bound { stroke: #e4e4e4 }\n";
static const char *const colours[BR_PLOT_COLOURS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                     "#C28800", "#56B4E9", "#7A7A7A", "#8A6FC9"};
static const char *const dark_colours[BR_PLOT_COLOURS] = {
    "#4AA8E8", "#F07A30", "#23C496", "#DD94BC", "#E6AC1E", "#8FD0F7", "#A8A8A8", "#AC95E6"};
static const char *const shades[BR_PLOT_SHADES] = {
    "#3B2A78", "#403A87", "#424A91", "#415A97", "#3D699B", "#37789D", "#31869D", "#2D949C",
    "#2FA198", "#3BAD92", "#4EB988", "#65C37C", "#7ECC6F", "#98D262", "#B1D657", "#C8D752",
    "#DDD452", "#EDCB54", "#F6BC53", "#F8AA4F", "#F4954A", "#EB7F46", "#DD6943", "#CB5342"};

struct br_plot_scale br_scale_number(double most, const char *unit)
{
    int64_t span = br_scale_value(most);
    span = span < 1 ? 1 : span;
    /* br_draw_step allows for twelve. */
    return (struct br_plot_scale){span, br_draw_step(span < INT64_MAX / 2 ? 2 * span : span), unit};
}

struct br_plot_scale br_scale_time(double seconds, int64_t *per_unit)
{
    static const struct {
        const char *name;
        int64_t seconds;
    } units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
    int k = 0;
    while (units[k].seconds > 1 && seconds < 10 * (double)units[k].seconds)
        k++;
    /* Four hours are better given in minutes than ten minutes are; seconds serve up to two hours.
     */
    if (units[k].seconds == 60 && seconds < 7200)
        k++;
    *per_unit = units[k].seconds;
    return br_scale_number(seconds / (double)units[k].seconds, units[k].name);
}

int64_t br_scale_value(double value)
{
    if (!(value > 0))
        return 0;
    return value < 9e9 ? br_real_whole(value * (double)BILLION) : 9 * BILLION * BILLION;
}

void br_plot_open(FILE *out, int64_t width, int64_t height)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
          "viewBox=\"0 0 ",
          out);
    br_draw_fixed(out, width, BR_PX, 2);
    putc(' ', out);
    br_draw_fixed(out, height, BR_PX, 2);
    fputs("\" width=\"", out);
    br_draw_fixed(out, width, BR_PX, 2);
    fputs("\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"11\">\n", out);
    fputs(style, out);
    for (int k = 0; k < BR_PLOT_COLOURS; k++)
        fprintf(out, ".f%d { fill: %s } .s%d { stroke: %s }\n", k, colours[k], k, colours[k]);
    for (int k = 0; k < BR_PLOT_SHADES; k++)
        fprintf(out, ".b%d { fill: %s }%s", k, shades[k], k % 6 == 5 ? "\n" : " ");
    fputs(dark, out);
    for (int k = 0; k < BR_PLOT_COLOURS; k++)
        fprintf(out, ".f%d { fill: %s } .s%d { stroke: %s }\n", k, dark_colours[k], k,
                dark_colours[k]);
    fputs("}\n</style>\n", out);
    br_plot_rectangle(out, 0, 0, width, height, "class=\"ground\"");
}

void br_plot_close(FILE *out)
{
    fputs("</svg>\n", out);
}

static void plot_number(FILE *out, const char *name, int64_t value)
{
    fprintf(out, " %s=\"", name);
    br_draw_fixed(out, value, BR_PX, 2);
    putc('"', out);
}

void br_plot_begin_text(FILE *out, int64_t x, int64_t y, const char *attributes)
{
    fputs("<text", out);
    plot_number(out, "x", x);
    plot_number(out, "y", y);
    fprintf(out, " %s>", attributes);
}

void br_plot_text(FILE *out, int64_t x, int64_t y, const char *attributes, const char *text)
{
    br_plot_begin_text(out, x, y, attributes);
    br_write_text(out, BR_QUOTE_XML, text);
    fputs("</text>\n", out);
}

void br_plot_fit_text(FILE *out, int64_t x, int64_t y, const char *attributes, const char *text,
                      int64_t width)
{
    int64_t most = width / br_plot_text_width("x");
    br_plot_begin_text(out, x, y, attributes);
    br_write_cut(out, BR_QUOTE_XML, text, most < 2 ? 2 : (uint32_t)most);
    fputs("</text>\n", out);
}

int64_t br_plot_text_width(const char *text)
{
    return br_text_length(text) * 62 * BR_PX / 10;
}

void br_plot_line(FILE *out, int64_t x1, int64_t y1, int64_t x2, int64_t y2, const char *attributes)
{
    fputs("<line", out);
    plot_number(out, "x1", x1);
    plot_number(out, "y1", y1);
    plot_number(out, "x2", x2);
    plot_number(out, "y2", y2);
    fprintf(out, " %s/>\n", attributes);
}

void br_plot_rectangle(FILE *out, int64_t x, int64_t y, int64_t width, int64_t height,
                       const char *attributes)
{
    fputs("<rect", out);
    plot_number(out, "x", x);
    plot_number(out, "y", y);
    plot_number(out, "width", width);
    plot_number(out, "height", height);
    fprintf(out, " %s/>\n", attributes);
}

void br_plot_point(FILE *out, char letter, int64_t x, int64_t y)
{
    putc(letter, out);
    br_draw_fixed(out, x, BR_PX, 2);
    putc(' ', out);
    br_draw_fixed(out, y, BR_PX, 2);
}

int64_t br_plot_x(const struct br_plot *plot, const struct br_plot_scale *scale, int64_t value)
{
    value = value < scale->span ? value : scale->span;
    return plot->left + (int64_t)((br_wide)value * plot->width / scale->span);
}

int64_t br_plot_y(const struct br_plot *plot, const struct br_plot_scale *scale, int64_t value)
{
    value = value < scale->span ? value : scale->span;
    return plot->top + plot->height - (int64_t)((br_wide)value * plot->height / scale->span);
}

static void tick_text(FILE *out, int64_t x, int64_t y, const char *attributes, int64_t value,
                      const char *unit)
{
    br_plot_begin_text(out, x, y, attributes);
    br_write_seconds(out, value);
    fprintf(out, "%s%s</text>\n", *unit && *unit != '%' ? " " : "", unit);
}

void br_plot_x_axis(const struct br_plot *plot, const struct br_plot_scale *scale, bool labels)
{
    int64_t foot = plot->top + plot->height;
    for (int64_t value = 0;; value += scale->step) {
        int64_t x = br_plot_x(plot, scale, value);
        br_plot_line(plot->out, x, plot->top, x, foot + (labels ? 4 * BR_PX : 0),
                     value ? "class=\"grid\"" : "class=\"axis\"");
        if (labels)
            tick_text(plot->out, x, foot + 16 * BR_PX, "class=\"soft\" text-anchor=\"middle\"",
                      value, scale->unit);
        if (value > scale->span - scale->step)
            break;
    }
}

void br_plot_y_axis(const struct br_plot *plot, const struct br_plot_scale *scale)
{
    for (int64_t value = 0;; value += scale->step) {
        int64_t y = br_plot_y(plot, scale, value);
        br_plot_line(plot->out, plot->left - 3 * BR_PX, y, plot->left + plot->width, y,
                     value ? "class=\"grid\"" : "class=\"axis\"");
        tick_text(plot->out, plot->left - 6 * BR_PX, y + 4 * BR_PX,
                  "class=\"soft\" text-anchor=\"end\"", value, scale->unit);
        if (value > scale->span - scale->step)
            break;
    }
}
