/* Shares of jobs over powers of ten, a curve for each property. */
#include "cluster/workload/potential/structure.h"

#include <math.h>
#include <stdlib.h>

#include "base/numbers/real.h"
#include "cluster/workload/metrics.h"
#include "emit/plots/plot.h"
#include "emit/write/write.h"
#include "planner/model/shape.h"

#define PX BR_PX

enum property { DEPTH, PARTS, STAGES, BARRIERS, EDGES, TASKS, PROPERTIES };
enum { WIDTH = 620, HEIGHT = 400, TOP = 70, PLOT_HEIGHT = 280, PLOT_WIDTH = 540, POINTS = 200 };

static const char *const property_name[PROPERTIES] = {
    [DEPTH] = "levels",      [PARTS] = "parts", [STAGES] = "stages",
    [BARRIERS] = "barriers", [EDGES] = "edges", [TASKS] = "tasks"};

/* Larger numbers than ten to this power are at the right edge of the picture. */
#define DECADES 6.0
#define LN_10 2.302585092994046

/* The properties of every kind of job: number[kind * PROPERTIES + property]. */
static enum br_status structure_measure(const struct br_workload *workload, uint32_t *number,
                                        struct br_diag *diag)
{
    for (uint32_t d = 0; d < workload->dags; d++) {
        const struct br_dag *dag = workload->dag[d].dag;
        uint32_t *of = number + (size_t)d * PROPERTIES;
        struct br_shape shape;
        enum br_status status = br_shape_measure(dag, &shape, diag);
        if (status)
            return status;
        of[DEPTH] = shape.depth;
        of[PARTS] = shape.parts;
        of[STAGES] = dag->stages;
        of[BARRIERS] = shape.barriers;
        of[EDGES] = dag->edges;
        of[TASKS] = dag->tasks;
        br_shape_finish(&shape);
    }
    return BR_OK;
}

/* The power of ten; none is at the left edge, as one is. */
static double decade(uint32_t number)
{
    double power = number > 1 ? br_real_log(number) / LN_10 : 0;
    return power < DECADES ? power : DECADES;
}

static int structure_by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void structure_draw_curve(const struct br_plot *plot, const struct br_plot_scale *x,
                                 const struct br_plot_scale *y, const double *power, uint32_t jobs,
                                 int colour)
{
    fprintf(plot->out, "<path class=\"curve s%d\" d=\"", colour);
    br_plot_point(plot->out, 'M', br_plot_x(plot, x, br_scale_value(power[0])),
                  br_plot_y(plot, y, 0));
    for (uint32_t k = 0; k <= POINTS; k++) {
        uint32_t at = (uint32_t)((uint64_t)(jobs - 1) * k / POINTS);
        br_plot_point(plot->out, 'L', br_plot_x(plot, x, br_scale_value(power[at])),
                      br_plot_y(plot, y, br_scale_value(100.0 * (at + 1) / jobs)));
    }
    fputs("\"/>\n", plot->out);
}

static void structure_draw(const struct br_workload *workload, const uint32_t *number,
                           double *power, FILE *out)
{
    const struct br_plot plot = {out, 50 * PX, TOP * PX, PLOT_WIDTH * PX, PLOT_HEIGHT * PX};
    const struct br_plot_scale x = br_scale_number(DECADES, ""), y = br_scale_number(100, "%");
    int64_t place = 16 * PX;
    char buffer[32];
    br_plot_open(out, WIDTH * PX, HEIGHT * PX);
    br_plot_text(out, plot.left, (TOP - 14) * PX, "class=\"strong\" font-size=\"12\"",
                 "Jobs with at most ten to the power of so many");
    br_plot_x_axis(&plot, &x, true);
    br_plot_y_axis(&plot, &y);
    for (int p = 0; p < PROPERTIES; p++) {
        snprintf(buffer, sizeof buffer, "class=\"f%d\"", p);
        br_plot_rectangle(out, place, 15 * PX, 12 * PX, 11 * PX, buffer);
        br_plot_text(out, place + 17 * PX, 24 * PX, "", property_name[p]);
        place += br_plot_text_width(property_name[p]) + 34 * PX;
        for (uint32_t j = 0; j < workload->jobs; j++)
            power[j] = decade(number[(size_t)workload->job[j].dag * PROPERTIES + (size_t)p]);
        qsort(power, workload->jobs, sizeof *power, structure_by_size);
        structure_draw_curve(&plot, &x, &y, power, workload->jobs, p);
    }
    br_plot_close(out);
}

enum br_status br_emit_structure(const struct br_workload *workload, FILE *out,
                                 struct br_diag *diag)
{
    if (!workload->jobs)
        return br_fail(diag, BR_BAD_INPUT, NULL, "the workload has no job to draw");
    uint32_t *number = malloc((size_t)workload->dags * PROPERTIES * sizeof *number);
    double *power = malloc((size_t)workload->jobs * sizeof *power);
    enum br_status status =
        number && power ? structure_measure(workload, number, diag) : br_fail_memory(diag);
    if (!status)
        structure_draw(workload, number, power, out);
    free(number);
    free(power);
    return status ? status : br_write_finish(out, diag);
}
