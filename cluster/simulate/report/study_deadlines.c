#include "cluster/simulate/report/study_deadlines.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/numbers/real.h"
#include "emit/pictures/draw.h"
#include "emit/plots/plot.h"
#include "emit/write/write.h"

#define PX BR_PX

enum {
    ROWS_MOST = 16,
    JOBS_MOST = 3, /* of a policy */
    WIDTH = 1180,
    LEFT = 66,
    RIGHT = 656,
    PLOT = 490,
    ROW = 150,
    ROW_GAP = 52,
    HEAD = 44,
};

/* A job of a run. */
struct row {
    const struct br_study_run *run;
    uint32_t job;
};

static uint32_t study_deadlines_find_rows(const struct br_study *study, struct row row[ROWS_MOST])
{
    uint32_t rows = 0;
    for (uint32_t r = 0; r < study->runs; r++) {
        const struct br_study_run *run = &study->run[r];
        bool again = r && strcmp(run->policy, study->run[r - 1].policy) == 0;
        uint32_t jobs = 0;
        for (uint32_t k = 0; !again && run->allotments && k < run->allotments->rows; k++) {
            uint32_t job = run->allotments->row[k].job;
            bool known = false;
            for (uint32_t old = rows - jobs; old < rows; old++)
                known |= row[old].job == job;
            if (known || jobs == JOBS_MOST || rows == ROWS_MOST)
                continue;
            row[rows++] = (struct row){run, job};
            jobs++;
        }
    }
    return rows;
}

/* ---- Curves ---- */

/* The axes of a row's two plots. */
struct axes {
    struct br_plot tokens, ends;
    int64_t per_unit;
    struct br_plot_scale times, counts, lasts, shares;
    int64_t arrival_ns, end_ns;
};

typedef double figure_of(const struct br_allotment *row, int64_t elapsed_ns);

static double raw(const struct br_allotment *row, int64_t elapsed_ns)
{
    (void)elapsed_ns;
    return row->raw;
}

static double study_deadlines_amount(const struct br_allotment *row, int64_t elapsed_ns)
{
    (void)elapsed_ns;
    return row->amount;
}

static double study_deadlines_running(const struct br_allotment *row, int64_t elapsed_ns)
{
    (void)elapsed_ns;
    return row->running;
}

static double study_deadlines_forecast(const struct br_allotment *row, int64_t elapsed_ns)
{
    return (double)(elapsed_ns + row->left_ns) * 1e-9;
}

static double forecast_high(const struct br_allotment *row, int64_t elapsed_ns)
{
    return (double)(elapsed_ns + row->left_high_ns) * 1e-9;
}

static double study_deadlines_progress(const struct br_allotment *row, int64_t elapsed_ns)
{
    (void)elapsed_ns;
    return 100 * row->progress;
}

static double deadline(const struct br_allotment *row, int64_t elapsed_ns)
{
    return (double)(elapsed_ns + row->deadline_ns - row->at_ns) * 1e-9;
}

/* One figure of the job over time: level from one decision to the next, or joined by lines. */
static void study_deadlines_curve(const struct row *row, const struct axes *axes,
                                  const struct br_plot *plot, const struct br_plot_scale *scale,
                                  double unit, figure_of *of, bool level, const char *attributes)
{
    const struct br_allotments *all = row->run->allotments;
    bool first = true;
    int64_t x = 0;
    fprintf(plot->out, "<path class=\"curve %s\" d=\"", attributes);
    for (uint32_t k = 0; k < all->rows; k++) {
        if (all->row[k].job != row->job)
            continue;
        int64_t elapsed_ns = all->row[k].at_ns - axes->arrival_ns;
        double seconds = (double)elapsed_ns * 1e-9;
        int64_t y = br_plot_y(plot, scale, br_scale_value(of(&all->row[k], elapsed_ns) / unit));
        x = br_plot_x(plot, &axes->times, br_scale_value(seconds / (double)axes->per_unit));
        if (level && !first) {
            putc('H', plot->out);
            br_draw_fixed(plot->out, x, PX, 2);
            putc('V', plot->out);
            br_draw_fixed(plot->out, y, PX, 2);
        } else {
            br_plot_point(plot->out, first ? 'M' : 'L', x, y);
        }
        first = false;
    }
    if (level) {
        double seconds = (double)(axes->end_ns - axes->arrival_ns) * 1e-9;
        putc('H', plot->out);
        br_draw_fixed(
            plot->out,
            br_plot_x(plot, &axes->times, br_scale_value(seconds / (double)axes->per_unit)), PX, 2);
    }
    fputs("\"/>\n", plot->out);
}

/* ---- Rows ---- */

static struct axes axes_of(const struct br_study *study, const struct row *row, FILE *out,
                           int64_t top)
{
    const struct br_allotments *all = row->run->allotments;
    const struct br_job_metrics *m = &row->run->metrics->job[row->job];
    struct axes axes = {.tokens = {out, LEFT * PX, top, PLOT * PX, ROW * PX}};
    double tokens = 1, lasts = 0, span = 0;
    axes.ends = axes.tokens;
    axes.ends.left = RIGHT * PX;
    axes.arrival_ns = study->workload->job[row->job].arrival_ns;
    axes.end_ns = axes.arrival_ns;
    for (uint32_t k = 0; k < all->rows; k++) {
        const struct br_allotment *one = &all->row[k];
        if (one->job != row->job)
            continue;
        int64_t elapsed_ns = one->at_ns - axes.arrival_ns;
        axes.end_ns = one->at_ns;
        tokens = fmax(tokens, fmax(fmax(one->raw, one->amount), one->running));
        lasts = fmax(lasts, fmax(forecast_high(one, elapsed_ns), deadline(one, elapsed_ns)));
    }
    if (!isnan(m->jct_s))
        axes.end_ns = axes.arrival_ns + (int64_t)(m->jct_s * 1e9);
    span = fmax((double)(axes.end_ns - axes.arrival_ns) * 1e-9,
                (double)(m->allotted.deadline_ns - axes.arrival_ns) * 1e-9);
    axes.times = br_scale_time(span * 1.02, &axes.per_unit);
    axes.counts = br_scale_number(tokens * 1.05, "");
    axes.lasts = br_scale_number(lasts * 1.05 / (double)axes.per_unit, axes.times.unit);
    axes.shares = br_scale_number(100, "%");
    return axes;
}

/* The time of the deadline and of the end, as upright lines. */
static void draw_times(const struct axes *axes, const struct br_plot *plot,
                       const struct br_job_metrics *m)
{
    const int64_t at_ns[] = {m->allotted.deadline_ns, axes->end_ns};
    for (int k = 0; k < (isnan(m->jct_s) ? 1 : 2); k++) {
        double seconds = (double)(at_ns[k] - axes->arrival_ns) * 1e-9;
        int64_t x = br_plot_x(plot, &axes->times, br_scale_value(seconds / (double)axes->per_unit));
        br_plot_line(plot->out, x, plot->top, x, plot->top + plot->height,
                     k ? "class=\"s7\" stroke-width=\"1.2\""
                       : "class=\"s3\" stroke-width=\"1.2\" stroke-dasharray=\"5 3\"");
    }
}

/* The oracle's allocation, level. */
static void draw_oracle(const struct axes *axes, const struct br_job_metrics *m)
{
    if (isnan(m->allotted.oracle))
        return;
    int64_t y = br_plot_y(&axes->tokens, &axes->counts, br_scale_value(m->allotted.oracle));
    br_plot_line(axes->tokens.out, axes->tokens.left, y, axes->tokens.left + axes->tokens.width, y,
                 "class=\"s2\" stroke-width=\"1.4\" stroke-dasharray=\"2 3\"");
}

static void study_deadlines_draw_title(const struct br_study *study, const struct row *row,
                                       FILE *out, int64_t y)
{
    const struct br_job_metrics *m = &row->run->metrics->job[row->job];
    br_plot_begin_text(out, 16 * PX, y, "class=\"strong\"");
    br_write_cut(out, BR_QUOTE_XML, row->run->policy, 32);
    fputs(", job ", out);
    br_write_cut(out, BR_QUOTE_XML, study->workload->job[row->job].id, 32);
    if (isnan(m->lateness_s)) {
        fputs(": not finished", out);
    } else {
        fputs(m->lateness_s > 0 ? ": late by " : ": early by ", out);
        fprintf(out, "%" PRId64 " s", br_real_whole(fabs(m->lateness_s)));
    }
    if (!isnan(m->allotted.token_minutes))
        fprintf(out, "; %" PRId64 " token-minutes", br_real_whole(m->allotted.token_minutes));
    fputs("</text>\n", out);
}

static void draw_row(const struct br_study *study, const struct row *row, FILE *out, int64_t top)
{
    const struct br_job_metrics *m = &row->run->metrics->job[row->job];
    struct axes axes = axes_of(study, row, out, top);
    double per = (double)axes.per_unit;
    study_deadlines_draw_title(study, row, out, top - 9 * PX);
    br_plot_x_axis(&axes.tokens, &axes.times, true);
    br_plot_y_axis(&axes.tokens, &axes.counts);
    br_plot_x_axis(&axes.ends, &axes.times, true);
    br_plot_y_axis(&axes.ends, &axes.lasts);
    draw_times(&axes, &axes.tokens, m);
    draw_times(&axes, &axes.ends, m);
    draw_oracle(&axes, m);
    study_deadlines_curve(row, &axes, &axes.tokens, &axes.counts, 1, raw, true,
                          "s0\" style=\"stroke-width: 1");
    study_deadlines_curve(row, &axes, &axes.tokens, &axes.counts, 1, study_deadlines_running, false,
                          "s1\" style=\"stroke-width: 1.2");
    study_deadlines_curve(row, &axes, &axes.tokens, &axes.counts, 1, study_deadlines_amount, true,
                          "s4\" style=\"stroke-width: 2.2");
    study_deadlines_curve(row, &axes, &axes.ends, &axes.shares, 1, study_deadlines_progress, false,
                          "s2\" style=\"stroke-width: 1.2; stroke-dasharray: 2 3");
    study_deadlines_curve(row, &axes, &axes.ends, &axes.lasts, per, deadline, true,
                          "s3\" style=\"stroke-width: 1.2; stroke-dasharray: 5 3");
    study_deadlines_curve(row, &axes, &axes.ends, &axes.lasts, per, forecast_high, false,
                          "s0\" style=\"stroke-width: 1");
    study_deadlines_curve(row, &axes, &axes.ends, &axes.lasts, per, study_deadlines_forecast, false,
                          "s4\" style=\"stroke-width: 2.2");
}

/* A word with a piece of its curve; returns the place of the next one. */
static int64_t key(FILE *out, int64_t x, int64_t y, const char *stroke, const char *word)
{
    br_plot_line(out, x, y - 4 * PX, x + 16 * PX, y - 4 * PX, stroke);
    br_plot_text(out, x + 20 * PX, y, "", word);
    return x + br_plot_text_width(word) + 34 * PX;
}

static void study_deadlines_draw_head(FILE *out, int64_t y)
{
    static const char thick[] = "class=\"s4\" stroke-width=\"2.2\"",
                      thin[] = "class=\"s0\" stroke-width=\"1\"";
    br_plot_text(out, 16 * PX, y, "class=\"strong\" font-size=\"12\"", "Tokens:");
    int64_t x = key(out, 76 * PX, y, thick, "allocated");
    x = key(out, x, y, thin, "raw");
    x = key(out, x, y, "class=\"s1\" stroke-width=\"1.2\"", "tasks that run");
    x = key(out, x, y, "class=\"s2\" stroke-width=\"1.4\" stroke-dasharray=\"2 3\"", "oracle");
    x = key(out, x, y, "class=\"s3\" stroke-width=\"1.2\" stroke-dasharray=\"5 3\"", "deadline");
    key(out, x, y, "class=\"s7\" stroke-width=\"1.2\"", "end");
    x = (RIGHT - 50) * PX;
    br_plot_text(out, x, y, "class=\"strong\" font-size=\"12\"", "Forecast of the end:");
    x = key(out, x + 150 * PX, y, thick, "mean");
    x = key(out, x, y, thin, "95 %");
    key(out, x, y, "class=\"s2\" stroke-width=\"1.2\" stroke-dasharray=\"2 3\"",
        "progress (top: all)");
}

int64_t br_study_deadlines_height(const struct br_study *study)
{
    struct row row[ROWS_MOST];
    uint32_t rows = study_deadlines_find_rows(study, row);
    return rows ? (HEAD + rows * (ROW + ROW_GAP)) * PX : 0;
}

void br_study_deadlines_draw(const struct br_study *study, FILE *out, int64_t top)
{
    struct row row[ROWS_MOST];
    uint32_t rows = study_deadlines_find_rows(study, row);
    if (rows)
        study_deadlines_draw_head(out, top);
    for (uint32_t k = 0; k < rows; k++)
        draw_row(study, &row[k], out, top + (HEAD + k * (ROW + ROW_GAP)) * PX);
}

void br_study_deadlines_picture(const struct br_study *study, FILE *out)
{
    br_plot_open(out, WIDTH * PX, br_study_deadlines_height(study) + 10 * PX);
    br_study_deadlines_draw(study, out, 24 * PX);
    br_plot_close(out);
}
