/* A study as a picture. From the top: the distribution of completion times, and their means with
 * the bound; makespans and fairness; then a row for each policy, with its running tasks over time
 * by their jobs' arrivals, and the use of each resource. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/numbers/real.h"
#include "emit/pictures/draw.h"
#include "emit/plots/plot.h"
#include "cluster/simulate/report/study_deadlines.h"
#include "cluster/simulate/report/study_fields.h"
#include "cluster/simulate/report/study_outputs.h"
#include "cluster/simulate/report/study_sample.h"
#include "emit/write/write.h"

#define PX BR_PX

enum {
    POLICIES_MOST = 16, /* that are drawn */
    USES_MOST = 6,      /* resources with a curve */
    WIDTH = 1180,
    LEFT = 66, /* of the left column of plots, and of the right one */
    RIGHT = 656,
    PLOT = 490,
    CURVE_HEIGHT = 250, /* at least */
    FEW = 6,
    BAR = 20,      /* a policy's height in bars */
    BARS_GAP = 60, /* below bars, for the axis and the next heading */
    ROW = 84,      /* a policy's height over time */
    ROW_GAP = 38,
};

struct picture {
    const struct br_study *study;
    FILE *out;
    uint32_t policies, drawn; /* all, and those that fit */
    struct br_study_policy *policy;
    struct br_sample *sample;
    const struct br_series *series[POLICIES_MOST]; /* of the first run that has them; NULL: none */
    uint32_t rows;                                 /* policies with series */
    bool fairness;                                 /* jobs of more than one group */
};

static const char *in_class(char buffer[64], const char *classes, uint32_t k, const char *more)
{
    snprintf(buffer, 64, "class=\"%s%" PRIu32 "\"%s", classes, k % BR_PLOT_COLOURS, more);
    return buffer;
}

/* From the ninth policy on colours repeat: dashed in curves, and paler in bars. */
static const char *pale(uint32_t k)
{
    return k < BR_PLOT_COLOURS ? "" : " fill-opacity=\"0.6\"";
}

static void heading(const struct picture *p, int64_t x, int64_t y, const char *text)
{
    br_plot_text(p->out, x, y, "class=\"strong\" font-size=\"12\"", text);
}

/* Names of policies with their colours, in as many lines as they need; returns the height. */
static int64_t study_svg_legend(const struct picture *p, int64_t top, bool draw)
{
    int64_t x = 16 * PX, y = top;
    for (uint32_t k = 0; k < p->drawn; k++) {
        char buffer[64];
        int64_t room = br_plot_text_width(p->policy[k].name) + 34 * PX;
        room = room > 260 * PX ? 260 * PX : room;
        if (x + room > (WIDTH - 16) * PX && x > 16 * PX) {
            x = 16 * PX;
            y += 18 * PX;
        }
        if (draw) {
            br_plot_rectangle(p->out, x, y - 9 * PX, 12 * PX, 11 * PX,
                              in_class(buffer, "f", k, pale(k)));
            br_plot_fit_text(p->out, x + 17 * PX, y, "", p->policy[k].name, room - 30 * PX);
        }
        x += room;
    }
    return y - top + 18 * PX;
}

/* The scale of completion times: plain, or logarithmic if most jobs are much shorter than the
 * longest. */
struct times {
    bool logarithmic;
    double least, most; /* seconds */
    int64_t per_unit;   /* seconds */
    struct br_plot_scale scale;
};

static double study_svg_decades(double ratio)
{
    return br_real_log(ratio) / br_real_log(10);
}

static struct times scale_times(const struct picture *p)
{
    struct times t = {.least = INFINITY};
    double middle = 0;
    for (uint32_t k = 0; k < p->drawn; k++) {
        const struct br_sample *s = &p->sample[k];
        if (s->points == 0)
            continue;
        t.most = fmax(t.most, s->jct_s[s->points - 1]);
        middle = fmax(middle, s->jct_s[s->points / 2]);
        for (uint32_t i = 0; i < s->points && t.least > s->jct_s[i]; i++)
            if (s->jct_s[i] > 0)
                t.least = s->jct_s[i];
    }
    t.logarithmic = middle > 0 && t.most > 8 * middle && t.least < t.most;
    if (t.logarithmic) { /* whole decades, at most nine of them */
        double top = 1e-9;
        while (top < t.most)
            top *= 10;
        double low = top;
        for (int k = 0; k < 9 && low > t.least; k++)
            low /= 10;
        t.least = low;
        t.most = top;
        t.scale = br_scale_number(study_svg_decades(top / low), "");
    } else {
        t.scale = br_scale_time(t.most, &t.per_unit);
    }
    return t;
}

static int64_t study_svg_time_x(const struct br_plot *plot, const struct times *t, double seconds)
{
    double at = t->logarithmic ? (seconds > t->least ? study_svg_decades(seconds / t->least) : 0)
                               : seconds / (double)t->per_unit;
    return br_plot_x(plot, &t->scale, br_scale_value(at));
}

static void times_axis(const struct br_plot *plot, const struct times *t)
{
    if (!t->logarithmic) {
        br_plot_x_axis(plot, &t->scale, true);
        return;
    }
    double at = t->least;
    while (at < 1.5 * t->most) {
        int64_t x = study_svg_time_x(plot, t, at), foot = plot->top + plot->height;
        br_plot_line(plot->out, x, plot->top, x, foot + 4 * PX, "class=\"grid\"");
        br_plot_begin_text(plot->out, x, foot + 16 * PX, "class=\"soft\" text-anchor=\"middle\"");
        br_write_figure_about(plot->out, at, "");
        fputs(" s</text>\n", plot->out);
        at *= 10;
    }
}

static void draw_distribution(const struct picture *p, int64_t top, int64_t height)
{
    struct br_plot plot = {p->out, LEFT * PX, top, PLOT * PX, height};
    struct br_plot_scale shares = br_scale_number(100, "%");
    struct times times = scale_times(p);
    heading(p, 16 * PX, top - 12 * PX, "Jobs done within a time after their arrival");
    br_plot_y_axis(&plot, &shares);
    times_axis(&plot, &times);
    for (uint32_t k = 0; k < p->drawn; k++) {
        const struct br_sample *s = &p->sample[k];
        char buffer[64];
        if (s->points == 0)
            continue;
        /* Thinner and thinner, so that a covered curve is still visible. */
        fputs("<path style=\"stroke-width: ", p->out);
        br_draw_fixed(p->out, 280 - 140 * (int64_t)k / p->drawn, PX, 2);
        fprintf(
            p->out, "\" %s d=\"",
            in_class(buffer, "curve s", k, k < BR_PLOT_COLOURS ? "" : " stroke-dasharray=\"6 3\""));
        int64_t last = study_svg_time_x(&plot, &times, s->jct_s[0]);
        br_plot_point(p->out, 'M', last, plot.top + plot.height);
        for (uint32_t i = 0; i < s->points; i++) {
            int64_t y = br_plot_y(&plot, &shares, br_scale_value(100 * s->share[i]));
            int64_t x = study_svg_time_x(&plot, &times, s->jct_s[i]);
            fputs("H", p->out);
            br_draw_fixed(p->out, x, PX, 2);
            fputs("V", p->out);
            br_draw_fixed(p->out, y, PX, 2);
        }
        fputs("\"><title>", p->out);
        br_write_text(p->out, BR_QUOTE_XML, p->policy[k].name);
        fputs("</title></path>\n", p->out);
    }
}

/* Bars of one figure by policy, with its value; `marks` are additional figures, drawn as strokes,
 * and `bound` (may be NULL) is a line through all. */
struct bars {
    const char *title, *bounded_title;
    const char *field, *mark, *bound;
};

static void draw_bars(const struct picture *p, const struct bars *bars, int64_t left, int64_t top)
{
    struct br_plot plot = {p->out, left, top, PLOT * PX, p->drawn * BAR * PX};
    double most = 0, bound = NAN;
    int64_t per_unit;
    for (uint32_t k = 0; k < p->drawn; k++) {
        double value = br_study_mean(&p->policy[k], bars->field);
        double at = br_study_mean(&p->policy[k], bars->mark);
        most = fmax(most, fmax(isnan(value) ? 0 : value, isnan(at) ? 0 : at));
        if (isnan(bound))
            bound = br_study_mean(&p->policy[k], bars->bound);
    }
    struct br_plot_scale scale = br_scale_time(most * 1.2, &per_unit); /* room for the values */
    bool bounded = !isnan(bound) && bound <= most;
    heading(p, left - 50 * PX, top - 12 * PX, bounded ? bars->bounded_title : bars->title);
    br_plot_x_axis(&plot, &scale, true);
    for (uint32_t k = 0; k < p->drawn; k++) {
        char buffer[64];
        int64_t y = top + k * BAR * PX;
        double value = br_study_mean(&p->policy[k], bars->field);
        double at = br_study_mean(&p->policy[k], bars->mark);
        if (isnan(value))
            continue;
        int64_t x = br_plot_x(&plot, &scale, br_scale_value(value / (double)per_unit));
        br_plot_rectangle(p->out, left, y + 3 * PX, x - left, (BAR - 6) * PX,
                          in_class(buffer, "f", k, pale(k)));
        int64_t end = x;
        if (!isnan(at)) {
            int64_t to = br_plot_x(&plot, &scale, br_scale_value(at / (double)per_unit));
            br_plot_line(p->out, x, y + BAR / 2 * PX, to, y + BAR / 2 * PX,
                         in_class(buffer, "s", k, " stroke-width=\"1.5\""));
            br_plot_line(p->out, to, y + 5 * PX, to, y + (BAR - 5) * PX,
                         in_class(buffer, "s", k, " stroke-width=\"2\""));
            end = to > end ? to : end;
        }
        br_plot_begin_text(p->out, end + 5 * PX, y + (BAR / 2 + 4) * PX, "");
        br_write_figure_about(p->out, value, "");
        fputs(" s</text>\n", p->out);
    }
    if (bounded) {
        int64_t x = br_plot_x(&plot, &scale, br_scale_value(bound / (double)per_unit));
        br_plot_line(p->out, x, top - 4 * PX, x, top + plot.height, "class=\"bound\"");
    }
}

/* Jain's index: a bar for each window and policy. */
static void draw_fairness(const struct picture *p, int64_t left, int64_t top)
{
    static const char *const fields[BR_JAIN_WINDOWS] = {"jain_10s", "jain_60s", "jain_240s"};
    static const char *const fade[BR_JAIN_WINDOWS] = {" fill-opacity=\"0.45\"",
                                                      " fill-opacity=\"0.7\"", ""};
    struct br_plot plot = {p->out, left, top, PLOT * PX, p->drawn * BAR * PX};
    struct br_plot_scale scale = br_scale_number(1, "");
    heading(p, left - 50 * PX, top - 12 * PX,
            "Jain's index between groups in windows of 10 s (pale), 60 s, 240 s; 1 is fair");
    br_plot_x_axis(&plot, &scale, true);
    for (uint32_t k = 0; k < p->drawn; k++)
        for (int w = 0; w < BR_JAIN_WINDOWS; w++) {
            char buffer[64];
            double value = br_study_mean(&p->policy[k], fields[w]);
            if (isnan(value))
                continue;
            int64_t y = top + k * BAR * PX + 2 * PX + w * 5 * PX + w * PX / 2;
            int64_t x = br_plot_x(&plot, &scale, br_scale_value(value));
            br_plot_rectangle(p->out, left, y, x - left, 5 * PX, in_class(buffer, "f", k, fade[w]));
        }
}

/* The outline of a sum of bands from the foot, filled; columns of one height are one step. */
static void draw_area(const struct br_plot *plot, const struct br_plot_scale *times,
                      const struct br_plot_scale *counts, const struct br_series *series,
                      double unit_s, const double *sum, const char *attributes)
{
    int64_t column_s = 0, foot = plot->top + plot->height, last_y = foot;
    double width_s = (double)series->span_ns / 1e9 / BR_SERIES_COLUMNS;
    int64_t x = plot->left;
    fprintf(plot->out, "<path %s d=\"", attributes);
    br_plot_point(plot->out, 'M', x, foot);
    for (int c = 0; c < BR_SERIES_COLUMNS; c++) {
        int64_t y = br_plot_y(plot, counts, br_scale_value(sum[c]));
        if (y != last_y) {
            if (c > column_s) {
                putc('H', plot->out);
                br_draw_fixed(plot->out, x, PX, 2);
            }
            putc('V', plot->out);
            br_draw_fixed(plot->out, y, PX, 2);
            column_s = c;
        }
        last_y = y;
        x = br_plot_x(plot, times, br_scale_value(width_s * (c + 1) / unit_s));
    }
    putc('H', plot->out);
    br_draw_fixed(plot->out, x, PX, 2);
    putc('V', plot->out);
    br_draw_fixed(plot->out, foot, PX, 2);
    fputs("Z\"/>\n", plot->out);
}

/* Stacked bands: the sum of all first, in the last one's shade, and smaller sums over it. */
static void draw_running(const struct br_plot *plot, const struct br_plot_scale *times,
                         const struct br_plot_scale *counts, const struct br_series *series,
                         double unit_s)
{
    double sum[BR_SERIES_COLUMNS] = {0};
    for (uint32_t b = 0; b < series->bands; b++)
        for (int c = 0; c < BR_SERIES_COLUMNS; c++)
            sum[c] += series->running[(size_t)b * BR_SERIES_COLUMNS + c];
    for (uint32_t b = series->bands; b-- > 0;) {
        char attributes[32];
        uint32_t shade = series->bands > 1 ? b * (BR_PLOT_SHADES - 1) / (series->bands - 1) : 0;
        snprintf(attributes, sizeof attributes, "class=\"b%" PRIu32 "\"", shade);
        draw_area(plot, times, counts, series, unit_s, sum, attributes);
        for (int c = 0; c < BR_SERIES_COLUMNS; c++)
            sum[c] -= series->running[(size_t)b * BR_SERIES_COLUMNS + c];
    }
}

static void study_svg_draw_use(const struct br_plot *plot, const struct br_plot_scale *times,
                               const struct br_plot_scale *shares, const struct br_series *series,
                               double unit_s)
{
    double width_s = (double)series->span_ns / 1e9 / BR_SERIES_COLUMNS;
    for (uint32_t r = 0; r < series->resources && r < USES_MOST; r++) {
        char buffer[64];
        const double *use = series->use + (size_t)r * BR_SERIES_COLUMNS;
        fprintf(plot->out, "<path %s d=\"",
                in_class(buffer, "curve s", r, " style=\"stroke-width: 1.2\""));
        for (int c = 0; c + 1 < BR_SERIES_COLUMNS; c += 2) /* two columns are one point */
            br_plot_point(plot->out, c ? 'L' : 'M',
                          br_plot_x(plot, times, br_scale_value(width_s * (c + 1) / unit_s)),
                          br_plot_y(plot, shares, br_scale_value(50 * (use[c] + use[c + 1]))));
        fputs("\"><title>", plot->out);
        br_write_text(plot->out, BR_QUOTE_XML, series->resource[r]);
        fputs("</title></path>\n", plot->out);
    }
}

static void time_headings(const struct picture *p, const struct br_series *series, int64_t top)
{
    int64_t x = 16 * PX, width = 0;
    heading(p, x, top, "Tasks that run, by their jobs' arrival");
    x += 250 * PX;
    br_plot_text(p->out, x, top, "class=\"soft\"", "first");
    x += 28 * PX;
    for (uint32_t k = 0; k < BR_PLOT_SHADES; k++) {
        char attributes[32];
        snprintf(attributes, sizeof attributes, "class=\"b%" PRIu32 "\"", k);
        br_plot_rectangle(p->out, x + k * 5 * PX, top - 9 * PX, 5 * PX, 10 * PX, attributes);
    }
    br_plot_text(p->out, x + (BR_PLOT_SHADES * 5 + 5) * PX, top, "class=\"soft\"", "last");
    x = (RIGHT - 50) * PX;
    heading(p, x, top, "Use of");
    x += 52 * PX;
    for (uint32_t r = 0; r < series->resources && r < USES_MOST; r++, x += width) {
        char buffer[64];
        width = br_plot_text_width(series->resource[r]) + 36 * PX;
        width = width > 84 * PX ? 84 * PX : width;
        br_plot_line(p->out, x, top - 4 * PX, x + 12 * PX, top - 4 * PX,
                     in_class(buffer, "s", r, " stroke-width=\"2\""));
        br_plot_fit_text(p->out, x + 16 * PX, top, "", series->resource[r], width - 24 * PX);
    }
}

/* Scales common to all rows. */
struct scales {
    int64_t per_unit;
    struct br_plot_scale times, counts, shares;
};

static struct scales scale_rows(const struct picture *p)
{
    struct scales s;
    double span = 0, count = 0, share = 1;
    for (uint32_t k = 0; k < p->drawn; k++) {
        const struct br_series *series = p->series[k];
        if (!series)
            continue;
        span = fmax(span, (double)series->span_ns / 1e9);
        for (int c = 0; c < BR_SERIES_COLUMNS; c++) {
            double sum = 0;
            for (uint32_t b = 0; b < series->bands; b++)
                sum += series->running[(size_t)b * BR_SERIES_COLUMNS + c];
            count = fmax(count, sum);
            for (uint32_t r = 0; r < series->resources; r++)
                share = fmax(share, series->use[(size_t)r * BR_SERIES_COLUMNS + c]);
        }
    }
    s.times = br_scale_time(span, &s.per_unit);
    s.counts = br_scale_number(count, "");
    s.counts.step = s.counts.span / 2 > 0 ? br_draw_step(6 * (s.counts.span / 2)) : 1;
    s.shares = br_scale_number(100 * share, "%");
    s.shares.step = br_scale_value(50);
    return s;
}

static void study_svg_draw_rows(const struct picture *p, int64_t top)
{
    struct scales s = scale_rows(p);
    bool headed = false;
    for (uint32_t k = 0, row = 0; k < p->drawn; k++) {
        const struct br_series *series = p->series[k];
        if (!series)
            continue;
        if (!headed)
            time_headings(p, series, top);
        headed = true;
        int64_t y = top + 34 * PX + row++ * (ROW + ROW_GAP) * PX;
        struct br_plot running = {p->out, LEFT * PX, y, PLOT * PX, ROW * PX}, use = running;
        use.left = RIGHT * PX;
        char buffer[64];
        br_plot_rectangle(p->out, 16 * PX, y - 18 * PX, 9 * PX, 9 * PX,
                          in_class(buffer, "f", k, pale(k)));
        br_plot_fit_text(p->out, 30 * PX, y - 10 * PX, "", p->policy[k].name, 400 * PX);
        for (int side = 0; side < 2; side++) {
            const struct br_plot *plot = side ? &use : &running;
            br_plot_x_axis(plot, &s.times, row == p->rows);
            br_plot_y_axis(plot, side ? &s.shares : &s.counts);
        }
        draw_running(&running, &s.times, &s.counts, series, (double)s.per_unit);
        study_svg_draw_use(&use, &s.times, &s.shares, series, (double)s.per_unit);
    }
}

static void study_svg_draw_title(const struct picture *p)
{
    const struct br_workload *workload = p->study->workload;
    br_plot_begin_text(p->out, 16 * PX, 24 * PX, "class=\"strong\" font-size=\"14\"");
    br_write_cut(p->out, BR_QUOTE_XML,
                 workload->name && *workload->name ? workload->name : "workload", 60);
    fprintf(p->out, ": %" PRIu32 " job%s, %" PRIu64 " task%s on %" PRIu32 " machine%s",
            workload->jobs, workload->jobs == 1 ? "" : "s", workload->tasks,
            workload->tasks == 1 ? "" : "s", p->study->cluster->machines,
            p->study->cluster->machines == 1 ? "" : "s");
    if (p->policies && p->policy[0].runs > 1)
        fprintf(p->out, "; %" PRIu32 " seeds", p->policy[0].runs);
    if (p->policies > p->drawn)
        fprintf(p->out, "; %" PRIu32 " of %" PRIu32 " policies", p->drawn, p->policies);
    fputs("</text>\n", p->out);
}

static void study_svg_draw(const struct picture *p)
{
    static const struct bars jct = {
        "Mean completion time (stroke: 90th percentile)",
        "Mean completion time (stroke: 90th percentile; dashed: proven bound)", "mean_jct",
        "p90_jct", "mean_jct_bound"};
    static const struct bars makespan = {"Makespan", "Makespan (dashed: proven bound)", "makespan",
                                         NULL, "makespan_bound"};
    int64_t block = (p->drawn * BAR + BARS_GAP) * PX, top = 46 * PX;
    int64_t plots = top + study_svg_legend(p, top, false) + 26 * PX;
    int64_t blocks = p->fairness ? 3 : 2;
    /* Few policies: all bars stand beside the curves. Many: below them, two beside each other. */
    bool few = p->drawn <= FEW;
    int64_t curves = few ? blocks * block - BARS_GAP * PX : block - BARS_GAP * PX;
    curves = curves < CURVE_HEIGHT * PX ? CURVE_HEIGHT * PX : curves;
    int64_t second = few ? plots + block : plots + curves + BARS_GAP * PX;
    int64_t rows = (few ? plots + curves : second + block - BARS_GAP * PX) + 56 * PX;
    int64_t height = p->rows ? rows + (34 + p->rows * (ROW + ROW_GAP)) * PX : rows - 20 * PX;
    int64_t deadlines = br_study_deadlines_height(p->study);
    br_plot_open(p->out, WIDTH * PX, height + deadlines);
    study_svg_draw_title(p);
    study_svg_legend(p, top, true);
    draw_distribution(p, plots, curves);
    draw_bars(p, &jct, RIGHT * PX, plots);
    draw_bars(p, &makespan, few ? RIGHT * PX : LEFT * PX, second);
    if (p->fairness)
        draw_fairness(p, RIGHT * PX, few ? second + block : second);
    if (p->rows)
        study_svg_draw_rows(p, rows);
    if (deadlines)
        br_study_deadlines_draw(p->study, p->out, height + 10 * PX);
    br_plot_close(p->out);
}

enum br_status br_study_svg(const struct br_study *study, FILE *out, struct br_diag *diag)
{
    struct picture p = {.study = study, .out = out};
    enum br_status status = BR_OK;
    p.policy = br_study_policies(study, &p.policies);
    p.drawn = p.policies < POLICIES_MOST ? p.policies : POLICIES_MOST;
    p.sample = calloc((size_t)p.drawn + 1, sizeof *p.sample);
    if (!p.policy || !p.sample)
        status = br_fail_memory(diag);
    for (uint32_t k = 0; k < p.drawn && !status; k++) {
        const struct br_study_policy *policy = &p.policy[k];
        status = br_sample_make(study, policy, &p.sample[k], diag);
        for (uint32_t r = policy->first_run; r < policy->first_run + policy->runs; r++)
            if (!p.series[k])
                p.series[k] = study->run[r].series;
        p.rows += p.series[k] != NULL;
    }
    for (uint32_t j = 1; j < study->workload->jobs; j++)
        p.fairness |= study->workload->job[j].group != study->workload->job[0].group;
    if (!status)
        study_svg_draw(&p);
    free(p.policy);
    free(p.sample);
    return status;
}
