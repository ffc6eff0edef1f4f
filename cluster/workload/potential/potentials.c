/* What jobs could gain: a table for people, CSV with a row for each job, and a picture of the
 * distributions. */
#include "cluster/workload/potential/potentials.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/workload/metrics.h"
#include "emit/plots/plot.h"
#include "emit/write/figures.h"
#include "emit/write/write.h"

#define PX BR_PX

enum { WIDTH = 620, HEIGHT = 400, TOP = 70, PLOT_HEIGHT = 280, PLOT_WIDTH = 540, POINTS = 200 };

/* Larger ratios are at the right edge of the picture. */
#define RATIO_MOST 10.0

static const char *const measure_name[BR_POTENTIAL_MEASURES] = {[BR_POTENTIAL_CRITICAL] =
                                                                    "critical path",
                                                                [BR_POTENTIAL_WORK] = "work",
                                                                [BR_POTENTIAL_BOUND] = "bound"};

struct potentials {
    const struct br_workload *workload;
    const struct br_potential *of;
};

/* ---- For programs ---- */

struct potential_row {
    const struct br_workload_job *job;
    const char *group;
    uint32_t tasks;
    const struct br_job_potential *of;
};

static double potentials_ratio(const struct potential_row *row, enum br_potential_measure measure)
{
    return br_potential_ratio(row->of, measure); /* not finite: empty */
}

#define POTENTIAL_FIGURES(FIGURE, LINE)                                                            \
    FIGURE(job, row->job->id)                                                                      \
    FIGURE(group, row->group)                                                                      \
    FIGURE(tasks, row->tasks)                                                                      \
    FIGURE(took, br_figure_time(row->of->took_ns))                                                 \
    FIGURE(critical_path, br_figure_time(row->of->least_ns[BR_POTENTIAL_CRITICAL]))                \
    FIGURE(work, br_figure_time(row->of->least_ns[BR_POTENTIAL_WORK]))                             \
    FIGURE(bound, br_figure_time(row->of->least_ns[BR_POTENTIAL_BOUND]))                           \
    FIGURE(method, row->of->method)                                                                \
    FIGURE(over_critical_path, potentials_ratio(row, BR_POTENTIAL_CRITICAL))                       \
    FIGURE(over_work, potentials_ratio(row, BR_POTENTIAL_WORK))                                    \
    FIGURE(over_bound, potentials_ratio(row, BR_POTENTIAL_BOUND))
BR_FIGURES(potential_figures, struct potential_row, POTENTIAL_FIGURES);

static enum br_status potentials_write_csv(const struct potentials *all, FILE *out,
                                           struct br_diag *diag)
{
    const struct br_workload *workload = all->workload;
    (void)diag;
    br_write_figures_head(out, "", &potential_figures, "\n");
    for (uint32_t k = 0; k < all->of->count && !ferror(out); k++) {
        const struct br_workload_job *job = &workload->job[all->of->job[k].job];
        const struct potential_row row = {job, workload->group[job->group].name,
                                          workload->dag[job->dag].dag->tasks, &all->of->job[k]};
        br_write_figures_row(out, "", &potential_figures, &row, "\n");
    }
    return BR_OK;
}

/* ---- For people ---- */

static void potentials_write_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, value < 1000 ? "%9.2f" : "%9.3g", value);
    else
        fprintf(out, "%9s", isnan(value) ? "-" : "any");
}

static void potentials_write_measure(const struct potentials *all,
                                     enum br_potential_measure measure, double *ratio, FILE *out)
{
    static const double shares[] = {0.25, 0.5, 0.75, 0.9, 0.99};
    uint32_t count = all->of->count, twice = 0, less = 0;
    br_potential_ratios(all->of, measure, ratio);
    for (uint32_t k = 0; k < count; k++) {
        twice += ratio[k] >= 2;
        less += ratio[k] < 1;
    }
    fprintf(out, "%-22s", measure_name[measure]);
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        /* Between a number and no limit there is nothing to interpolate. */
        uint32_t at = (uint32_t)(shares[k] * (count - 1) + 0.5);
        potentials_write_number(
            out, isfinite(ratio[count - 1]) ? br_percentile(ratio, count, shares[k]) : ratio[at]);
    }
    fprintf(out, "%9.1f%%%9.1f%%\n", 100.0 * twice / count, 100.0 * less / count);
}

static enum br_status potentials_write_text(const struct potentials *all, FILE *out,
                                            struct br_diag *diag)
{
    double *ratio = malloc(((size_t)all->of->count + 1) * sizeof *ratio), took_s = 0, least_s = 0;
    if (!ratio)
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < all->of->count; k++) {
        took_s += (double)all->of->job[k].took_ns / 1e9;
        least_s += (double)all->of->job[k].least_ns[BR_POTENTIAL_BOUND] / 1e9;
    }
    fprintf(out, "jobs       %" PRIu32 " with a recorded end", all->of->count);
    if (all->of->unrecorded)
        fprintf(out, ", %" PRIu32 " without", all->of->unrecorded);
    if (all->of->refused) {
        fprintf(out, ", %" PRIu32 " that do not fit (", all->of->refused);
        br_write_text(out, BR_QUOTE_TABS, all->of->refusal.what);
        putc(')', out);
    }
    fprintf(
        out,
        "\ntook       %.6g s on average; their bounds are %.6g s\n\n%-22s%9s%9s%9s%9s%9s%10s%10s\n",
        took_s / all->of->count, least_s / all->of->count, "took over", "25%", "50%", "75%", "90%",
        "99%", "twice", "less");
    for (int m = 0; m < BR_POTENTIAL_MEASURES; m++)
        potentials_write_measure(all, (enum br_potential_measure)m, ratio, out);
    fputs(
        "\nEach job as if it had the whole cluster, with the durations that were recorded. "
        "Critical "
        "path: longest chain\nof tasks; work: all of it, perfectly packed; bound: what no schedule "
        "can beat. Twice: jobs that took twice as\nlong or more; less: jobs that took less, as on "
        "a "
        "larger cluster\n",
        out);
    free(ratio);
    return BR_OK;
}

/* ---- A picture ---- */

static void potentials_draw_curve(const struct br_plot *plot, const struct br_plot_scale *x,
                                  const struct br_plot_scale *y, const double *ratio,
                                  uint32_t count, int colour)
{
    fprintf(plot->out, "<path class=\"curve s%d\" d=\"", colour);
    br_plot_point(plot->out, 'M', br_plot_x(plot, x, br_scale_value(fmin(ratio[0], RATIO_MOST))),
                  br_plot_y(plot, y, 0));
    for (int k = 0; k <= POINTS; k++) {
        uint32_t at = (uint32_t)((uint64_t)(count - 1) * (uint64_t)k / POINTS);
        br_plot_point(plot->out, 'L',
                      br_plot_x(plot, x, br_scale_value(fmin(ratio[at], RATIO_MOST))),
                      br_plot_y(plot, y, br_scale_value(100.0 * (at + 1) / count)));
    }
    fputs("\"/>\n", plot->out);
}

static enum br_status potentials_write_svg(const struct potentials *all, FILE *out,
                                           struct br_diag *diag)
{
    const struct br_plot plot = {out, 50 * PX, TOP * PX, PLOT_WIDTH * PX, PLOT_HEIGHT * PX};
    const struct br_plot_scale x = br_scale_number(RATIO_MOST, ""), y = br_scale_number(100, "%");
    double *ratio = malloc(((size_t)all->of->count + 1) * sizeof *ratio);
    int64_t place = 16 * PX;
    char buffer[32];
    if (!ratio)
        return br_fail_memory(diag);
    br_plot_open(out, WIDTH * PX, HEIGHT * PX);
    br_plot_text(out, plot.left, (TOP - 14) * PX, "class=\"strong\" font-size=\"12\"",
                 "Jobs that took up to so many times as long as");
    br_plot_x_axis(&plot, &x, true);
    br_plot_y_axis(&plot, &y);
    for (int m = 0; m < BR_POTENTIAL_MEASURES; m++) {
        snprintf(buffer, sizeof buffer, "class=\"f%d\"", m);
        br_plot_rectangle(out, place, 15 * PX, 12 * PX, 11 * PX, buffer);
        br_plot_text(out, place + 17 * PX, 24 * PX, "", measure_name[m]);
        place += br_plot_text_width(measure_name[m]) + 34 * PX;
        br_potential_ratios(all->of, (enum br_potential_measure)m, ratio);
        potentials_draw_curve(&plot, &x, &y, ratio, all->of->count, m);
    }
    br_plot_close(out);
    free(ratio);
    return BR_OK;
}

static const struct {
    struct br_named named;
    enum br_status (*write)(const struct potentials *all, FILE *out, struct br_diag *diag);
} formats[] = {
    {{"text", "a table for people (the default)"}, potentials_write_text},
    {{"csv", "a row for each job"}, potentials_write_csv},
    {{"svg", "a picture: how many jobs took up to so many times as long"}, potentials_write_svg},
};

const struct br_names br_potential_formats = {BR_NAMES(formats)};

enum br_status br_emit_potential(const char *format, const struct br_workload *workload,
                                 const struct br_potential *potential, FILE *out,
                                 struct br_diag *diag)
{
    uint32_t k = br_named_find(&br_potential_formats, format);
    if (k == BR_NO_ROW)
        return br_fail_unnamed(diag, &br_potential_formats, format, SIZE_MAX,
                               "--potential has no output '%.100s'", format);
    const struct potentials all = {workload, potential};
    enum br_status status = formats[k].write(&all, out, diag);
    return status ? status : br_write_finish(out, diag);
}
