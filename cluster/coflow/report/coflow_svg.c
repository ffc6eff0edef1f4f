/* A study of coflows as a picture: the distribution of completion times, on a logarithmic scale,
 * and below it for each policy the part of the uplinks in use over time. */
#include <math.h>
#include <stdlib.h>

#include "base/numbers/real.h"
#include "emit/pictures/draw.h"
#include "cluster/coflow/report/coflow_outputs.h"
#include "cluster/coflow/report/coflows.h"
#include "emit/plots/plot.h"
#include "emit/write/figures.h"
#include "emit/write/write.h"

#define PX BR_PX

enum {
    DRAWN_MOST = 16,
    WIDTH = 900,
    LEFT = 66,
    PLOT = 800,
    CURVES = 300,
    ROW = 70,
    ROW_GAP = 34,
    COLUMNS = 400,
};

struct picture {
    const struct br_coflow_study *study;
    FILE *out;
    uint32_t drawn;
    double *cct_s; /* sorted, of one policy at a time */
    double least_s, most_s, end_s;
};

static int coflow_svg_by_value(const void *one, const void *two)
{
    double a = *(const double *)one, b = *(const double *)two;
    return (a > b) - (a < b);
}

/* The completion times of a policy, sorted. */
static uint32_t coflow_svg_sort(struct picture *p, uint32_t k)
{
    const struct br_coflow_outcome *outcome = p->study->result[k].outcome;
    uint32_t count = 0;
    for (uint32_t c = 0; c < outcome->coflows; c++)
        if (!isnan(outcome->end_ms[c]))
            p->cct_s[count++] = (outcome->end_ms[c] - outcome->start_ms[c]) / 1000;
    qsort(p->cct_s, count, sizeof *p->cct_s, coflow_svg_by_value);
    return count;
}

static double coflow_svg_decades(double ratio)
{
    return br_real_log(ratio) / br_real_log(10);
}

static const char *class_of(char text[64], const char *kind, uint32_t k, const char *more)
{
    snprintf(text, 64, "class=\"%s%u\"%s", kind, (unsigned)(k % BR_PLOT_COLOURS), more);
    return text;
}

static int64_t coflow_svg_legend(const struct picture *p, int64_t top)
{
    int64_t x = 16 * PX, y = top;
    for (uint32_t k = 0; k < p->drawn; k++) {
        char text[64];
        int64_t room = br_plot_text_width(p->study->result[k].policy) + 34 * PX;
        if (x + room > (WIDTH - 16) * PX && x > 16 * PX) {
            x = 16 * PX;
            y += 18 * PX;
        }
        br_plot_rectangle(p->out, x, y - 9 * PX, 12 * PX, 11 * PX, class_of(text, "f", k, ""));
        br_plot_text(p->out, x + 17 * PX, y, "", p->study->result[k].policy);
        x += room;
    }
    return y + 30 * PX;
}

/* Whole decades around all completion times. */
static void find_range(struct picture *p)
{
    double least = INFINITY, most = 0;
    for (uint32_t k = 0; k < p->drawn; k++) {
        uint32_t count = coflow_svg_sort(p, k);
        for (uint32_t i = 0; i < count; i++) {
            least = p->cct_s[i] > 0 && p->cct_s[i] < least ? p->cct_s[i] : least;
            most = p->cct_s[i] > most ? p->cct_s[i] : most;
        }
        double end = p->study->result[k].figures.makespan_s;
        p->end_s = end > p->end_s ? end : p->end_s;
    }
    p->most_s = 1e-6;
    while (p->most_s < most)
        p->most_s *= 10;
    p->least_s = p->most_s / 10;
    while (p->least_s > least && p->most_s / p->least_s < 1e9)
        p->least_s /= 10;
}

static void coflow_svg_draw_curves(struct picture *p, int64_t top)
{
    struct br_plot plot = {p->out, LEFT * PX, top, PLOT * PX, CURVES * PX};
    struct br_plot_scale shares = br_scale_number(100, "%");
    struct br_plot_scale times = br_scale_number(coflow_svg_decades(p->most_s / p->least_s), "");
    char text[64];
    br_plot_text(p->out, 16 * PX, top - 12 * PX, "class=\"strong\" font-size=\"12\"",
                 "Coflows done within a time");
    br_plot_y_axis(&plot, &shares);
    double mark = p->least_s;
    while (mark < 1.5 * p->most_s) {
        int64_t x = br_plot_x(&plot, &times, br_scale_value(coflow_svg_decades(mark / p->least_s)));
        br_plot_line(p->out, x, top, x, top + (CURVES + 4) * PX, "class=\"grid\"");
        br_plot_begin_text(p->out, x, top + (CURVES + 16) * PX,
                           "class=\"soft\" text-anchor=\"middle\"");
        br_write_figure_about(p->out, mark, "");
        fputs(" s</text>\n", p->out);
        mark *= 10;
    }
    for (uint32_t k = 0; k < p->drawn; k++) {
        uint32_t count = coflow_svg_sort(p, k), step = count / COLUMNS + 1;
        if (!count)
            continue;
        fprintf(
            p->out, "<path %s d=\"",
            class_of(text, "curve s", k, k < BR_PLOT_COLOURS ? "" : " stroke-dasharray=\"6 3\""));
        br_plot_point(p->out, 'M', plot.left, plot.top + plot.height);
        for (uint32_t i = step - 1; i < count;
             i = i + step < count || i + 1 == count ? i + step : count - 1) {
            double at = p->cct_s[i] > p->least_s ? coflow_svg_decades(p->cct_s[i] / p->least_s) : 0;
            double share = 100.0 * (i + 1) / p->study->trace->coflows;
            fputs("H", p->out);
            br_draw_fixed(p->out, br_plot_x(&plot, &times, br_scale_value(at)), PX, 2);
            fputs("V", p->out);
            br_draw_fixed(p->out, br_plot_y(&plot, &shares, br_scale_value(share)), PX, 2);
        }
        fputs("\"/>\n", p->out);
    }
}

/* The bytes of a policy's spans, by column of time. */
static void sum_columns(const struct picture *p, uint32_t k, double column[COLUMNS])
{
    const struct br_coflow_outcome *outcome = p->study->result[k].outcome;
    double from = 0, width = p->end_s * 1000 / COLUMNS;
    for (int c = 0; c < COLUMNS; c++)
        column[c] = 0;
    for (uint32_t i = 0; i < outcome->spans; i++) {
        double to = outcome->span[i].end_ms, bytes = outcome->span[i].bytes;
        int first = (int)(from / width), last = (int)(to / width);
        for (int c = first; to > from && c <= last && c < COLUMNS; c++) {
            double left = fmax(from, c * width), right = fmin(to, (c + 1) * width);
            column[c] += right > left ? bytes * (right - left) / (to - from) : 0;
        }
        from = to;
    }
}

static void coflow_svg_draw_use(const struct picture *p, uint32_t k, int64_t top)
{
    struct br_plot plot = {p->out, LEFT * PX, top, PLOT * PX, ROW * PX};
    struct br_plot_scale shares = br_scale_number(100, "%");
    int64_t per_unit;
    struct br_plot_scale times = br_scale_time(p->end_s, &per_unit);
    double column[COLUMNS];
    double full = p->end_s * 1000 / COLUMNS * p->study->port_rate * p->study->trace->ports;
    char text[64];
    sum_columns(p, k, column);
    br_plot_text(p->out, LEFT * PX, top - 6 * PX, "class=\"strong\"", p->study->result[k].policy);
    br_plot_x_axis(&plot, &times, k + 1 == p->drawn);
    br_plot_y_axis(&plot, &shares);
    fprintf(p->out, "<path %s d=\"", class_of(text, "f", k, " fill-opacity=\"0.7\""));
    br_plot_point(p->out, 'M', plot.left, top + ROW * PX);
    for (int c = 0; c < COLUMNS; c++) {
        double share = full > 0 ? 100 * column[c] / full : 0;
        fputs("V", p->out);
        br_draw_fixed(p->out, br_plot_y(&plot, &shares, br_scale_value(share)), PX, 2);
        fputs("H", p->out);
        br_draw_fixed(p->out, plot.left + plot.width * (c + 1) / COLUMNS, PX, 2);
    }
    fputs("V", p->out);
    br_draw_fixed(p->out, top + ROW * PX, PX, 2);
    fputs("Z\"/>\n", p->out);
}

enum br_status br_coflows_svg(const struct br_coflow_study *study, FILE *out, struct br_diag *diag)
{
    struct picture p = {.study = study, .out = out};
    p.drawn = study->results < DRAWN_MOST ? study->results : DRAWN_MOST;
    p.cct_s = malloc(((size_t)study->trace->coflows + 1) * sizeof *p.cct_s);
    if (!p.cct_s)
        return br_fail_memory(diag);
    find_range(&p);
    int64_t lines = 1 + p.drawn / 4;
    int64_t height = (60 + 18 * lines + CURVES + 60 + p.drawn * (ROW + ROW_GAP) + 30) * PX;
    br_plot_open(out, WIDTH * PX, height);
    int64_t top = coflow_svg_legend(&p, 24 * PX);
    coflow_svg_draw_curves(&p, top + 14 * PX);
    top += (14 + CURVES + 56) * PX;
    br_plot_text(out, 16 * PX, top, "class=\"strong\" font-size=\"12\"",
                 "Uplinks in use over time");
    for (uint32_t k = 0; k < p.drawn; k++)
        coflow_svg_draw_use(&p, k, top + (28 + (int64_t)k * (ROW + ROW_GAP)) * PX);
    br_plot_close(out);
    free(p.cct_s);
    return BR_OK;
}

/* ---- For a browser ---- */

static void coflow_svg_write_row(FILE *out, const struct br_coflow_result *result)
{
    const struct br_coflow_figures *f = &result->figures;
    const double figure[] = {f->average_cct_s,
                             f->p50_cct_s,
                             f->p90_cct_s,
                             f->makespan_s,
                             f->average_cct_s / result->lower_bound_s,
                             100 * f->utilisation};
    fputs("<tr><th>", out);
    br_write_text(out, BR_QUOTE_XML, result->policy);
    fputs("</th>", out);
    for (size_t k = 0; k < sizeof figure / sizeof *figure; k++) {
        fputs("<td>", out);
        br_write_figure_about(out, figure[k], "-");
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
}

enum br_status br_coflows_html(const struct br_coflow_study *study, FILE *out, struct br_diag *diag)
{
    char *picture = NULL;
    size_t size = 0;
    FILE *drawn = open_memstream(&picture, &size);
    if (!drawn)
        return br_fail_memory(diag);
    enum br_status status = br_coflows_svg(study, drawn, diag);
    if (fclose(drawn) && !status)
        status = br_fail_memory(diag);
    if (!status) {
        const char *svg = picture;
        for (; *svg && *svg != '\n'; svg++) /* an XML declaration has no place in HTML */
            ;
        fputs(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<title>Coflows</title>\n<style>\n"
            "body { font-family: Helvetica, Arial, sans-serif; margin: 2em }\n"
            "td, th { padding: 2px 10px; text-align: right } th:first-child { text-align: left }\n"
            "@media (prefers-color-scheme: dark) { body { background: #16181c; color: #e4e4e4 } "
            "}\n</style></head>\n<body><h1>Coflows</h1>\n<table><tr><th>policy</th>"
            "<th>mean CCT (s)</th><th>p50 (s)</th><th>p90 (s)</th><th>makespan (s)</th>"
            "<th>over the bound</th><th>use (%)</th></tr>\n",
            out);
        for (uint32_t k = 0; k < study->results; k++)
            coflow_svg_write_row(out, &study->result[k]);
        fprintf(out, "</table>\n%s</body></html>\n", svg);
    }
    free(picture);
    return status;
}
