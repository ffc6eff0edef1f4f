/* A history as a picture: a strip for each stage of a job, or for each job, with a point for every
 * task (or run) over the runs in their order. Every strip has its own scale, since the point is how
 * a stage changes and scatters, not which is longest; the strips are ordered by work.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/arena.h"
#include "base/collections/sort.h"
#include "base/numbers/real.h"
#include "store/report/histories_outputs.h"
#include "emit/plots/plot.h"
#include "emit/write/figures.h"
#include "emit/write/write.h"
#include "store/history/gather.h"

#define PX BR_PX
enum {
    LEFT = 210,
    NAME = 150,
    TOP = 64,
    WIDTH = 560,
    STRIP = 46,
    GAP = 14,
    RIGHT = 130,
    BOTTOM = 46,
    STRIPS_MOST = 40,
    POINTS_MOST = 2000 /* of a strip; more are thinned evenly */
};

struct strip {
    const char *name;
    uint32_t runs, points;
    const struct br_gathered_sample *point;
    int64_t most_ns, middle_ns; /* middle: the estimate; -1: none */
    double work_s;
};

static void write_duration(FILE *out, int64_t x, int64_t y, const char *attributes,
                           const char *before, int64_t ns)
{
    br_plot_begin_text(out, x, y, attributes);
    fputs(before, out);
    br_write_about(out, ns);
    fputs(" s</text>\n", out);
}

static void draw_strip(FILE *out, const struct strip *strip, int64_t top, uint32_t runs)
{
    const struct br_plot plot = {out, LEFT * PX, top, WIDTH * PX, STRIP * PX};
    /* Some space above the longest. */
    const struct br_plot_scale y = {
        strip->most_ns > 0 ? strip->most_ns + strip->most_ns / 10 + 1 : 1, 1, ""};
    assert(strip->runs <= runs);
    /* A job that ran less often than others ends at its last run. */
    const uint32_t later = runs - strip->runs;
    const uint32_t each = 1 + strip->points / POINTS_MOST;
    br_plot_rectangle(out, plot.left, plot.top, plot.width, plot.height, "class=\"frame\"");
    br_plot_fit_text(out, 20 * PX, top + STRIP * PX / 2 + 4 * PX, "", strip->name,
                     NAME * PX + 30 * PX);
    write_duration(out, plot.left + plot.width + 8 * PX, top + 9 * PX, "class=\"soft\"", "",
                   strip->most_ns);
    br_plot_text(out, plot.left + plot.width + 8 * PX, top + STRIP * PX, "class=\"soft\"", "0");
    if (strip->middle_ns >= 0) {
        const int64_t at = br_plot_y(&plot, &y, strip->middle_ns);
        br_plot_line(out, plot.left, at, plot.left + plot.width, at, "class=\"s1\"");
        write_duration(out, plot.left + plot.width + 60 * PX, top + STRIP * PX / 2 + 4 * PX,
                       "class=\"f1\"", "~", strip->middle_ns);
    }
    for (uint32_t k = 0; k < strip->points; k += each) {
        assert(strip->point[k].run < strip->runs);
        const int64_t at = 2 * (int64_t)(strip->point[k].run + later) + 1;
        fputs("<path class=\"point\" d=\"", out);
        br_plot_point(out, 'M', plot.left + plot.width * at / (2 * (int64_t)runs),
                      br_plot_y(&plot, &y, strip->point[k].wall_ns));
        fputs("h0\"/>\n", out);
    }
}

static void histories_svg_describe(struct strip *strip)
{
    for (uint32_t k = 0; k < strip->points; k++) {
        strip->work_s += (double)strip->point[k].wall_ns / 1e9;
        if (strip->point[k].wall_ns > strip->most_ns)
            strip->most_ns = strip->point[k].wall_ns;
    }
}

/* A strip for each stage of the job. */
static uint32_t of_stages(const struct br_gathered_job *job, struct strip *strip)
{
    for (uint32_t s = 0; s < job->stages; s++) {
        const struct br_gathered_stage *stage = &job->stage[s];
        strip[s] = (struct strip){stage->label,
                                  job->runs,
                                  stage->samples,
                                  stage->sample,
                                  0,
                                  stage->estimate.samples ? stage->estimate.wall_ns : -1,
                                  0};
        histories_svg_describe(&strip[s]);
    }
    return job->stages;
}

/* A strip for each job: the work of its runs. */
static uint32_t of_jobs(const struct br_gathered *gathered, struct br_arena *arena,
                        struct strip *strip)
{
    for (uint32_t j = 0; j < gathered->jobs; j++) {
        const struct br_gathered_job *job = &gathered->job[j];
        struct br_gathered_sample *work = br_arena_array(arena, job->runs, sizeof *work);
        for (uint32_t r = 0; work && r < job->runs; r++) {
            const double ns = job->run[r].work_s * 1e9;
            work[r] = (struct br_gathered_sample){r, ns < 4e18 ? br_real_whole(ns) : INT64_MAX / 4};
        }
        strip[j] = (struct strip){job->name, job->runs, work ? job->runs : 0, work, 0, -1, 0};
        histories_svg_describe(&strip[j]);
    }
    return gathered->jobs;
}

static int histories_svg_by_work(const void *a, const void *b)
{
    const struct strip *one = a, *other = b;
    if (one->work_s != other->work_s)
        return one->work_s > other->work_s ? -1 : 1;
    return strcmp(one->name, other->name);
}

static void write_foot(FILE *out, uint32_t runs, uint32_t strips, uint32_t left, bool one,
                       int64_t y)
{
    br_plot_begin_text(out, LEFT * PX, y, "class=\"soft\"");
    fprintf(out, runs == 1 ? "one run" : "%u runs, the oldest at the left", runs);
    if (left)
        fprintf(out, "; %u %s with less work are not shown", left, one ? "stages" : "jobs");
    fputs("</text>\n", out);
    if (!strips)
        br_plot_text(out, LEFT * PX, (TOP + 14) * PX, "", "nothing has been measured");
}

void br_histories_svg(const struct br_gathered *gathered, FILE *out)
{
    struct br_arena arena = {0};
    const bool one = gathered->jobs && gathered->job[0].stage;
    const uint32_t room = one ? gathered->job[0].stages : gathered->jobs;
    struct strip *strip = br_arena_array(&arena, room, sizeof *strip);
    uint32_t strips = 0, runs = 1, left = 0;
    if (strip)
        strips = one ? of_stages(&gathered->job[0], strip) : of_jobs(gathered, &arena, strip);
    assert(strips <= room);
    if (strips)
        qsort(strip, strips, sizeof *strip, histories_svg_by_work);
    if (strips > STRIPS_MOST) {
        left = strips - STRIPS_MOST;
        strips = STRIPS_MOST;
    }
    for (uint32_t k = 0; k < strips; k++)
        runs = strip[k].runs > runs ? strip[k].runs : runs;
    const int64_t end = (TOP + (int64_t)(strips ? strips : 1) * (STRIP + GAP)) * PX;
    br_plot_open(out, (LEFT + WIDTH + RIGHT) * PX, end + BOTTOM * PX);
    fputs(
        "<style>.point { stroke: #0072B2; stroke-width: 4; stroke-linecap: round; "
        "stroke-opacity: 0.55 }\n@media (prefers-color-scheme: dark) { .point { stroke: #4AA8E8 } "
        "}</style>\n",
        out);
    br_plot_begin_text(out, 20 * PX, 26 * PX, "class=\"strong\" font-size=\"14\"");
    if (one)
        br_write_cut(out, BR_QUOTE_XML, gathered->job[0].name, 60);
    fputs(one ? ": durations of tasks, run by run</text>\n" : "Work of jobs, run by run</text>\n",
          out);
    br_plot_text(
        out, 20 * PX, 46 * PX, "class=\"soft\"",
        one ? "a point is a task; the line is what the next plan goes by; each stage has "
              "its own scale"
            : "a point is a run: the sum of what its tasks took; each job has its own scale");
    for (uint32_t k = 0; k < strips; k++)
        draw_strip(out, &strip[k], (TOP + (int64_t)k * (STRIP + GAP)) * PX, runs);
    write_foot(out, runs, strips, left, one, end + 10 * PX);
    br_plot_close(out);
    br_arena_finish(&arena);
}
