/* Lower bounds on changed clusters: rows for other programs, and a picture. In the picture the
 * changes stand side by side, those of one range joined by a line; dashed lines are the bound on
 * the given cluster, and the critical path, which no cluster shortens. Places are in hundredths of
 * a pixel and integers, so that equal curves give equal bytes. */
#include "emit/pictures/curve.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/numbers/wide.h"
#include "emit/pictures/draw.h"
#include "emit/pictures/picture.h"
#include "emit/write/figures.h"
#include "emit/write/write.h"

#define PX INT64_C(100)
enum {
    LEFT = 80,
    RIGHT = 130,
    TOP = 48,
    PLOT = 260,
    LABELS = 110,
    LEAST_STEP = 26,
    LABEL_MOST = 22
};

static const struct br_named formats[] = {
    {"text", "a table for people (the default)"},
    {"csv", "change, bound in seconds, share of the present bound, argument"},
    {"json", "the same as JSON"},
    {"svg", "a picture of the curve"},
};

const struct br_names br_curve_formats = {BR_NAMES(formats)};

static void csv_text(FILE *out, const char *text)
{
    putc('"', out);
    br_write_text(out, BR_QUOTE_CSV, text);
    putc('"', out);
}

static void csv_row(FILE *out, const struct br_curve *c, const char *label, int64_t bound_ns,
                    const char *method)
{
    csv_text(out, label);
    putc(',', out);
    br_write_seconds(out, bound_ns);
    putc(',', out);
    if (c->now_ns > 0)
        br_write_ratio(out, bound_ns, c->now_ns);
    putc(',', out);
    csv_text(out, method);
    putc('\n', out);
}

static void pictures_curve_write_csv(FILE *out, const struct br_curve *c)
{
    fputs("change,lower_bound,of_now,method\n", out);
    csv_row(out, c, "now", c->now_ns, c->now_method);
    for (uint32_t k = 0; k < c->points; k++)
        if (c->point[k].feasible) {
            csv_row(out, c, c->point[k].label, c->point[k].bound_ns, c->point[k].method);
        } else {
            csv_text(out, c->point[k].label);
            fputs(",,,\"some task fits no machine\"\n", out);
        }
}

static void pictures_curve_json_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, "\"%s\": \"", key);
    br_write_text(out, BR_QUOTE_JSON, text);
    putc('"', out);
}

static void pictures_curve_write_json(FILE *out, const struct br_curve *c)
{
    fputs("{\"format\": \"bigrocks-what-if/1\",\n ", out);
    pictures_curve_json_text(out, "job", c->job);
    fputs(",\n \"lower_bound\": ", out);
    br_write_seconds(out, c->now_ns);
    fputs(", ", out);
    pictures_curve_json_text(out, "method", c->now_method);
    fputs(",\n \"critical_path\": ", out);
    br_write_seconds(out, c->path_ns);
    fputs(",\n \"changes\": [", out);
    for (uint32_t k = 0; k < c->points; k++) {
        fputs(k ? ",\n  {" : "\n  {", out);
        pictures_curve_json_text(out, "change", c->point[k].label);
        fputs(", \"lower_bound\": ", out);
        if (c->point[k].feasible) {
            br_write_seconds(out, c->point[k].bound_ns);
            fputs(", ", out);
            pictures_curve_json_text(out, "method", c->point[k].method);
        } else {
            fputs("null", out);
        }
        putc('}', out);
    }
    fputs("]}\n", out);
}

/* The plot: where points and times lie. */
struct plot {
    FILE *out;
    const struct br_curve *curve;
    int64_t width, step; /* pixels */
    int64_t span_ns;
};

static int64_t point_x(const struct plot *p, uint32_t k)
{
    assert(k < p->curve->points);
    return (LEFT + p->step * k + p->step / 2) * PX;
}

static int64_t time_y(const struct plot *p, int64_t ns)
{
    assert(p->span_ns > 0);
    return (TOP + PLOT) * PX - (int64_t)((br_wide)ns * PLOT * PX / p->span_ns);
}

static void pictures_curve_place(FILE *out, const char *name, int64_t value)
{
    fprintf(out, " %s=\"", name);
    br_draw_fixed(out, value, PX, 2);
    putc('"', out);
}

static void draw_level(const struct plot *p, int64_t ns, const char *attributes)
{
    fputs("<line", p->out);
    pictures_curve_place(p->out, "x1", LEFT * PX);
    pictures_curve_place(p->out, "x2", (p->width - RIGHT) * PX);
    pictures_curve_place(p->out, "y1", time_y(p, ns));
    pictures_curve_place(p->out, "y2", time_y(p, ns));
    fprintf(p->out, " %s/>\n", attributes);
}

static void draw_text(const struct plot *p, int64_t x, int64_t y, const char *attributes,
                      const char *text)
{
    fputs("<text", p->out);
    pictures_curve_place(p->out, "x", x);
    pictures_curve_place(p->out, "y", y);
    fprintf(p->out, " %s>", attributes);
    br_write_cut(p->out, BR_QUOTE_XML, text, LABEL_MOST);
    fputs("</text>\n", p->out);
}

static void draw_time(const struct plot *p, int64_t x, int64_t y, const char *attributes,
                      const char *before, int64_t ns)
{
    fputs("<text", p->out);
    pictures_curve_place(p->out, "x", x);
    pictures_curve_place(p->out, "y", y);
    fprintf(p->out, " %s>%s", attributes, before);
    br_write_about(p->out, ns);
    fputs(" s</text>\n", p->out);
}

static void pictures_curve_draw_axis(const struct plot *p)
{
    int64_t step = br_draw_step(p->span_ns);
    for (int64_t ns = 0; ns <= p->span_ns; ns += step) {
        draw_level(p, ns, ns ? "stroke=\"#ddd\"" : "stroke=\"#222\"");
        draw_time(p, (LEFT - 6) * PX, time_y(p, ns) + 4 * PX, "text-anchor=\"end\"", "", ns);
    }
}

static void draw_levels(const struct plot *p)
{
    const struct br_curve *c = p->curve;
    int64_t now = time_y(p, c->now_ns), path = time_y(p, c->path_ns),
            x = (p->width - RIGHT + 6) * PX;
    draw_level(p, c->now_ns, "stroke=\"#222\" stroke-dasharray=\"6 3\"");
    draw_level(p, c->path_ns, "stroke=\"#D55E00\" stroke-dasharray=\"2 3\"");
    /* The texts keep a distance even if the lines do not. */
    if (path - now < 14 * PX)
        path = now + 14 * PX;
    draw_time(p, x, now + 4 * PX, "", "now ", c->now_ns);
    draw_time(p, x, path + 4 * PX, "fill=\"#D55E00\"", "critical path ", c->path_ns);
}

static void draw_points(const struct plot *p)
{
    const struct br_curve *c = p->curve;
    /* Every n-th label, so that they do not overlap. */
    uint32_t every = p->step >= 16 ? 1 : (uint32_t)(16 / p->step + 1);
    for (uint32_t k = 0; k < c->points; k++) {
        const struct br_curve_point *point = &c->point[k];
        int64_t x = point_x(p, k), y = time_y(p, point->bound_ns);
        if (k % every == 0) {
            fprintf(p->out, "<g transform=\"translate(");
            br_draw_fixed(p->out, x + 4 * PX, PX, 2);
            fprintf(p->out, " %d) rotate(-45)\">", TOP + PLOT + 16);
            draw_text(p, 0, 0, "text-anchor=\"end\"", point->label);
            fputs("</g>\n", p->out);
        }
        if (!point->feasible) {
            draw_text(p, x, (TOP + PLOT - 6) * PX, "text-anchor=\"middle\" fill=\"#D55E00\"", "x");
            continue;
        }
        if (k > 0 && point->series == c->point[k - 1].series && c->point[k - 1].feasible) {
            fputs("<line", p->out);
            pictures_curve_place(p->out, "x1", point_x(p, k - 1));
            pictures_curve_place(p->out, "y1", time_y(p, c->point[k - 1].bound_ns));
            pictures_curve_place(p->out, "x2", x);
            pictures_curve_place(p->out, "y2", y);
            fputs(" stroke=\"" BR_COLOUR_BOUND "\" stroke-width=\"2\"/>\n", p->out);
        }
        fputs("<circle", p->out);
        pictures_curve_place(p->out, "cx", x);
        pictures_curve_place(p->out, "cy", y);
        fputs(" r=\"4\" fill=\"" BR_COLOUR_BOUND "\"><title>", p->out);
        br_write_text(p->out, BR_QUOTE_XML, point->label);
        fputs(": ", p->out);
        br_write_seconds(p->out, point->bound_ns);
        fputs(" s, ", p->out);
        br_write_text(p->out, BR_QUOTE_XML, point->method);
        fputs("</title></circle>\n", p->out);
    }
}

static void pictures_curve_write_svg(FILE *out, const struct br_curve *c)
{
    assert(c->points > 0);
    int64_t step = 600 / c->points;
    step = step < LEAST_STEP ? LEAST_STEP : step > 120 ? 120 : step;
    struct plot p = {.out = out, .curve = c, .step = step, .span_ns = c->now_ns};
    p.width = LEFT + step * c->points + RIGHT;
    for (uint32_t k = 0; k < c->points; k++)
        if (c->point[k].feasible && c->point[k].bound_ns > p.span_ns)
            p.span_ns = c->point[k].bound_ns;
    p.span_ns += p.span_ns / 20 + 1;
    int height = TOP + PLOT + LABELS;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRId64 "\" height=\"%d\" "
            "viewBox=\"0 0 %" PRId64 " %d\" font-family=\"sans-serif\" font-size=\"11\">\n",
            p.width, height, p.width, height);
    fputs("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"8\" y=\"22\" "
          "font-size=\"14\">",
          out);
    br_write_cut(out, BR_QUOTE_XML, c->job, 40);
    fputs(": no plan is shorter than this</text>\n", out);
    pictures_curve_draw_axis(&p);
    draw_levels(&p);
    draw_points(&p);
    fputs("</svg>\n", out);
}

enum br_status br_emit_curve(const char *format, const struct br_curve *curve, FILE *out,
                             struct br_diag *diag)
{
    if (strcmp(format, "csv") == 0)
        pictures_curve_write_csv(out, curve);
    else if (strcmp(format, "json") == 0)
        pictures_curve_write_json(out, curve);
    else if (strcmp(format, "svg") == 0)
        pictures_curve_write_svg(out, curve);
    else
        return br_fail(diag, BR_USAGE, "use text, csv, json or svg", "no format '%.100s'", format);
    return br_write_finish(out, diag);
}
