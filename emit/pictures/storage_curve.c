/* Makespans by limits of a resource: rows for other programs, and a picture. In the picture the
 * upper line falls in steps: the makespan of a plan within the limit. The lower, dashed line is the
 * bound of all plans within it. Left of the dashed upright no order fits. Places are in hundredths
 * of a pixel and integers, so that equal curves give equal bytes. */
#include "emit/pictures/storage_curve.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/numbers/wide.h"
#include "emit/pictures/draw.h"
#include "emit/pictures/picture.h"
#include "emit/write/figures.h"
#include "emit/write/write.h"

#define PX INT64_C(100)
enum { LEFT = 80, RIGHT = 40, TOP = 64, PLOT = 260, WIDTH = 620, LABELS = 90, LEAST_STEP = 16 };

static const struct br_named formats[] = {
    {"text", "a table for people (the default)"},
    {"csv", "limit, makespan and lower bound in seconds, method, argument"},
    {"json", "the same as JSON, with the least peak and its bound"},
    {"svg", "a picture of the curve"},
};

const struct br_names br_stored_formats = {BR_NAMES(formats)};

static void stored_amount(FILE *out, const struct br_stored_amount *amount)
{
    char text[BR_DECIMAL_TEXT];
    br_decimal_format(amount->amount, text, sizeof text);
    fputs(text, out);
}

static void stored_quote(FILE *out, const char *text)
{
    putc('"', out);
    br_write_text(out, BR_QUOTE_CSV, text);
    putc('"', out);
}

static void stored_csv(FILE *out, const struct br_stored_curve *c)
{
    fputs("limit,makespan,lower_bound,method,bound_method\n", out);
    for (uint32_t k = 0; k < c->points; k++) {
        const struct br_stored_point *p = &c->point[k];
        stored_amount(out, &p->limit);
        putc(',', out);
        br_write_seconds(out, p->makespan_ns);
        putc(',', out);
        br_write_seconds(out, p->lower_bound_ns);
        putc(',', out);
        stored_quote(out, p->method);
        putc(',', out);
        stored_quote(out, p->bound_method);
        putc('\n', out);
    }
}

static void stored_json(FILE *out, const struct br_stored_curve *c)
{
    fputs("{\"format\": \"bigrocks-storage/1\"", out);
    br_write_text_key(out, ",\n ", "job", c->job);
    br_write_text_key(out, ",\n ", "resource", c->resource);
    fputs(",\n \"least_peak\": ", out);
    stored_amount(out, &c->peak);
    br_write_text_key(out, ", ", "method", c->method);
    fputs(",\n \"least_peak_bound\": ", out);
    stored_amount(out, &c->bound);
    br_write_text_key(out, ", ", "bound_method", c->bound_method);
    fputs(",\n \"points\": [", out);
    for (uint32_t k = 0; k < c->points; k++) {
        const struct br_stored_point *p = &c->point[k];
        fputs(k ? ",\n  {\"limit\": " : "\n  {\"limit\": ", out);
        stored_amount(out, &p->limit);
        fputs(", \"makespan\": ", out);
        br_write_seconds(out, p->makespan_ns);
        fputs(", \"lower_bound\": ", out);
        br_write_seconds(out, p->lower_bound_ns);
        br_write_text_key(out, ", ", "method", p->method);
        br_write_text_key(out, ", ", "bound_method", p->bound_method);
        putc('}', out);
    }
    fputs("]}\n", out);
}

/* ---- The picture ---- */

struct stored_plot {
    FILE *out;
    const struct br_stored_curve *curve;
    int64_t from, span; /* units */
    int64_t span_ns;
};

static int64_t stored_x(const struct stored_plot *p, int64_t units)
{
    return LEFT * PX + (int64_t)((br_wide)(units - p->from) * WIDTH * PX / p->span);
}

static int64_t stored_y(const struct stored_plot *p, int64_t ns)
{
    return (TOP + PLOT) * PX - (int64_t)((br_wide)ns * PLOT * PX / p->span_ns);
}

static void stored_place(FILE *out, const char *name, int64_t value)
{
    fprintf(out, " %s=\"", name);
    br_draw_fixed(out, value, PX, 2);
    putc('"', out);
}

static void stored_line(const struct stored_plot *p, int64_t x1, int64_t y1, int64_t x2, int64_t y2,
                        const char *attributes)
{
    fputs("<line", p->out);
    stored_place(p->out, "x1", x1);
    stored_place(p->out, "y1", y1);
    stored_place(p->out, "x2", x2);
    stored_place(p->out, "y2", y2);
    fprintf(p->out, " %s/>\n", attributes);
}

static void stored_axis(const struct stored_plot *p)
{
    const int64_t step = br_draw_step(p->span_ns), right = (LEFT + WIDTH) * PX;
    for (int64_t ns = 0; ns <= p->span_ns; ns += step) {
        stored_line(p, LEFT * PX, stored_y(p, ns), right, stored_y(p, ns),
                    ns ? "stroke=\"#ddd\"" : "stroke=\"#222\"");
        fputs("<text", p->out);
        stored_place(p->out, "x", (LEFT - 6) * PX);
        stored_place(p->out, "y", stored_y(p, ns) + 4 * PX);
        fputs(" text-anchor=\"end\">", p->out);
        br_write_about(p->out, ns);
        fputs(" s</text>\n", p->out);
    }
}

/* A line in steps, to the right edge. */
static void stored_steps(const struct stored_plot *p, bool bounds, const char *attributes)
{
    const struct br_stored_curve *c = p->curve;
    fputs("<path d=\"", p->out);
    for (uint32_t k = 0; k < c->points; k++) {
        const struct br_stored_point *point = &c->point[k];
        fputs(k ? " H" : "M", p->out);
        br_draw_fixed(p->out, stored_x(p, point->limit.units), PX, 2);
        fputs(k ? " V" : " ", p->out);
        br_draw_fixed(p->out, stored_y(p, bounds ? point->lower_bound_ns : point->makespan_ns), PX,
                      2);
    }
    fprintf(p->out, " H%d\" fill=\"none\" %s/>\n", LEFT + WIDTH, attributes);
}

static void stored_label(const struct stored_plot *p, int64_t x, const char *text)
{
    fputs("<g transform=\"translate(", p->out);
    br_draw_fixed(p->out, x + 4 * PX, PX, 2);
    fprintf(p->out, " %d) rotate(-45)\"><text text-anchor=\"end\">", TOP + PLOT + 16);
    br_write_text(p->out, BR_QUOTE_XML, text);
    fputs("</text></g>\n", p->out);
}

static void stored_points(const struct stored_plot *p)
{
    const struct br_stored_curve *c = p->curve;
    int64_t last = INT64_MIN / 2;
    for (uint32_t k = 0; k < c->points; k++) {
        const struct br_stored_point *point = &c->point[k];
        const int64_t x = stored_x(p, point->limit.units);
        if (x - last >= LEAST_STEP * PX) {
            stored_label(p, x, point->limit.text);
            last = x;
        }
        fputs("<circle", p->out);
        stored_place(p->out, "cx", x);
        stored_place(p->out, "cy", stored_y(p, point->makespan_ns));
        fputs(" r=\"4\" fill=\"" BR_COLOUR_MAKESPAN "\"><title>", p->out);
        br_write_text(p->out, BR_QUOTE_XML, point->limit.text);
        fputs(": ", p->out);
        br_write_seconds(p->out, point->makespan_ns);
        fputs(" s, at least ", p->out);
        br_write_seconds(p->out, point->lower_bound_ns);
        fputs(" s (", p->out);
        br_write_text(p->out, BR_QUOTE_XML, point->bound_method);
        fputs(")</title></circle>\n", p->out);
    }
}

static void stored_heading(const struct stored_plot *p)
{
    const struct br_stored_curve *c = p->curve;
    fputs("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"8\" y=\"22\" "
          "font-size=\"14\">",
          p->out);
    br_write_cut(p->out, BR_QUOTE_XML, c->job, 40);
    fputs(": makespan by limit of ", p->out);
    br_write_cut(p->out, BR_QUOTE_XML, c->resource, 40);
    fputs("</text>\n<text x=\"8\" y=\"40\">least peak ", p->out);
    br_write_text(p->out, BR_QUOTE_XML, c->peak.text);
    if (c->bound.units < c->peak.units) {
        fputs(", no order below ", p->out);
        br_write_text(p->out, BR_QUOTE_XML, c->bound.text);
    }
    fputs("; dashed: no plan within the limit is shorter</text>\n", p->out);
}

static void stored_svg(FILE *out, const struct br_stored_curve *c)
{
    struct stored_plot p = {.out = out, .curve = c, .from = c->bound.units, .span_ns = 1};
    int64_t to = c->peak.units;
    for (uint32_t k = 0; k < c->points; k++) {
        const struct br_stored_point *point = &c->point[k];
        to = point->limit.units > to ? point->limit.units : to;
        p.span_ns = point->makespan_ns > p.span_ns ? point->makespan_ns : p.span_ns;
    }
    p.span_ns += p.span_ns / 20 + 1;
    const int64_t margin = (to - p.from) / 12 + 1;
    p.from = p.from > margin ? p.from - margin : 0;
    p.span = to + margin - p.from;
    const int width = LEFT + WIDTH + RIGHT, height = TOP + PLOT + LABELS;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">\n",
            width, height, width, height);
    stored_heading(&p);
    stored_axis(&p);
    const int64_t x = stored_x(&p, c->bound.units);
    stored_line(&p, x, TOP * PX, x, (TOP + PLOT) * PX,
                "stroke=\"#D55E00\" stroke-dasharray=\"2 3\"");
    if (c->points) {
        stored_steps(&p, true, "stroke=\"" BR_COLOUR_BOUND "\" stroke-dasharray=\"6 3\"");
        stored_steps(&p, false, "stroke=\"" BR_COLOUR_MAKESPAN "\" stroke-width=\"2\"");
    }
    stored_points(&p);
    fputs("</svg>\n", out);
}

enum br_status br_emit_stored(const char *format, const struct br_stored_curve *curve, FILE *out,
                              struct br_diag *diag)
{
    if (strcmp(format, "csv") == 0)
        stored_csv(out, curve);
    else if (strcmp(format, "json") == 0)
        stored_json(out, curve);
    else if (strcmp(format, "svg") == 0)
        stored_svg(out, curve);
    else
        return br_fail(diag, BR_USAGE, "use text, csv, json or svg", "no format '%.100s'", format);
    return br_write_finish(out, diag);
}
