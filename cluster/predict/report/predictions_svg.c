/* Predictions as a picture: on the left the share of jobs up to an error, for each predictor; on
 * the right the share of truths inside of intervals over the share that was promised. */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "emit/plots/plot.h"
#include "cluster/predict/report/predictions.h"
#include "cluster/predict/report/predictions_outputs.h"

#define PX BR_PX

enum { WIDTH = 1000, HEIGHT = 400, TOP = 70, PLOT_HEIGHT = 280, POINTS = 200, DRAWN_MOST = 16 };

/* Larger errors are at the right edge. */
#define ERROR_MOST 150.0 /* percent */

static int predictions_svg_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Errors in percent, sorted; the caller's. NULL when memory is out. */
static double *sort_errors(const struct br_evaluation *evaluation, uint32_t *count)
{
    double *error = malloc(((size_t)evaluation->count + 1) * sizeof *error);
    *count = 0;
    for (uint32_t k = 0; error && k < evaluation->count; k++) {
        const struct br_prediction *p = &evaluation->prediction[k];
        if (p->work_ns > 0)
            error[(*count)++] = 100 * fabs(p->estimate.work_ns - p->work_ns) / p->work_ns;
    }
    if (error)
        qsort(error, *count, sizeof *error, predictions_svg_compare);
    return error;
}

static const char *curve_class(char buffer[64], uint32_t k)
{
    snprintf(buffer, 64, "class=\"curve s%" PRIu32 "\"%s", k % BR_PLOT_COLOURS,
             k < BR_PLOT_COLOURS ? "" : " stroke-dasharray=\"5 3\"");
    return buffer;
}

static bool draw_errors(const struct br_plot *plot, const struct br_plot_scale *x,
                        const struct br_plot_scale *y, const struct br_predictions *p)
{
    char buffer[64];
    for (uint32_t r = 0; r < p->runs && r < DRAWN_MOST; r++) {
        uint32_t count;
        double *error = sort_errors(p->run[r].evaluation, &count);
        if (!error)
            return false;
        fprintf(plot->out, "<path %s d=\"", curve_class(buffer, r));
        br_plot_point(plot->out, 'M', br_plot_x(plot, x, 0), br_plot_y(plot, y, 0));
        for (int k = 1; k <= POINTS && count; k++) {
            uint32_t at = (uint32_t)((uint64_t)(count - 1) * (uint64_t)k / POINTS);
            br_plot_point(plot->out, 'L',
                          br_plot_x(plot, x, br_scale_value(fmin(error[at], ERROR_MOST))),
                          br_plot_y(plot, y, br_scale_value(100.0 * (at + 1) / count)));
        }
        fputs("\"/>\n", plot->out);
        free(error);
    }
    return true;
}

static void draw_calibration(const struct br_plot *plot, const struct br_plot_scale *scale,
                             const struct br_predictions *p)
{
    char buffer[64];
    br_plot_line(plot->out, br_plot_x(plot, scale, 0), br_plot_y(plot, scale, 0),
                 br_plot_x(plot, scale, br_scale_value(100)),
                 br_plot_y(plot, scale, br_scale_value(100)),
                 "class=\"grid\" stroke-dasharray=\"3 3\"");
    for (uint32_t r = 0; r < p->runs && r < DRAWN_MOST; r++) {
        const struct br_calibration *c = p->run[r].calibration;
        if (isnan(c[0].inside))
            continue;
        fprintf(plot->out, "<path %s d=\"", curve_class(buffer, r));
        br_plot_point(plot->out, 'M', br_plot_x(plot, scale, 0), br_plot_y(plot, scale, 0));
        for (int k = 0; k < BR_CALIBRATIONS; k++)
            br_plot_point(plot->out, 'L',
                          br_plot_x(plot, scale, br_scale_value(100 * c[k].interval)),
                          br_plot_y(plot, scale, br_scale_value(100 * c[k].inside)));
        fputs("\"/>\n", plot->out);
    }
}

static void predictions_svg_draw_legend(FILE *out, const struct br_predictions *p)
{
    int64_t x = 16 * PX;
    char buffer[64];
    for (uint32_t r = 0; r < p->runs && r < DRAWN_MOST; r++) {
        int64_t width = br_plot_text_width(p->run[r].predictor) + 34 * PX;
        if (x + width > WIDTH * PX)
            break;
        snprintf(buffer, sizeof buffer, "class=\"f%" PRIu32 "\"%s", r % BR_PLOT_COLOURS,
                 r < BR_PLOT_COLOURS ? "" : " fill-opacity=\"0.6\"");
        br_plot_rectangle(out, x, 15 * PX, 12 * PX, 11 * PX, buffer);
        br_plot_text(out, x + 17 * PX, 24 * PX, "", p->run[r].predictor);
        x += width;
    }
}

enum br_status br_predictions_svg(const struct br_predictions *p, FILE *out, struct br_diag *diag)
{
    const struct br_plot errors = {out, 50 * PX, TOP * PX, 520 * PX, PLOT_HEIGHT * PX};
    const struct br_plot intervals = {out, 660 * PX, TOP * PX, 320 * PX, PLOT_HEIGHT * PX};
    const struct br_plot_scale percent = br_scale_number(100, "%");
    const struct br_plot_scale error = br_scale_number(ERROR_MOST, "%");
    br_plot_open(out, WIDTH * PX, HEIGHT * PX);
    predictions_svg_draw_legend(out, p);
    br_plot_text(out, errors.left, (TOP - 14) * PX, "class=\"strong\" font-size=\"12\"",
                 "Jobs with an error up to");
    br_plot_text(out, intervals.left, (TOP - 14) * PX, "class=\"strong\" font-size=\"12\"",
                 "Truths inside of intervals, by what they promise");
    br_plot_x_axis(&errors, &error, true);
    br_plot_y_axis(&errors, &percent);
    br_plot_x_axis(&intervals, &percent, true);
    br_plot_y_axis(&intervals, &percent);
    bool memory = draw_errors(&errors, &error, &percent, p);
    draw_calibration(&intervals, &percent, p);
    br_plot_close(out);
    return memory ? BR_OK : br_fail_memory(diag);
}
