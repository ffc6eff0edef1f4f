#include "cluster/executors/report/curve.h"

#include <inttypes.h>
#include <string.h>

#include "emit/plots/plot.h"
#include "emit/write/write.h"

#define PX BR_PX
enum { LEFT = 62, TOP = 62, WIDTH = 620, HEIGHT = 340, RIGHT = 110, BOTTOM = 50 };

static const struct br_named forms[] = {{"csv", NULL}, {"svg", NULL}};
const struct br_names br_learning_forms = {BR_NAMES(forms)};

static void learn_curve_write_csv(const struct br_course *course, FILE *out)
{
    fputs("iteration,trained_s,tried_s,entropy,decisions,taught\n", out);
    for (uint32_t k = 0; k < course->rows; k++) {
        const struct br_course_row *row = &course->row[k];
        fprintf(out, "%" PRIu64 ",%.3f,%.3f,%.4f,%.1f,%.3f\n", row->iteration, row->trained_s,
                row->tried_s, row->entropy, row->decisions, row->taught);
    }
}

struct picture {
    struct br_plot plot;
    struct br_plot_scale x, y;
};

static void learn_curve_draw(const struct picture *p, const struct br_course *course, bool tried,
                             int colour)
{
    FILE *out = p->plot.out;
    int64_t y = p->plot.top + (tried ? 28 : 10) * PX, x = p->plot.left + p->plot.width + 14 * PX;
    char attributes[40];
    snprintf(attributes, sizeof attributes, "class=\"curve s%d\"", colour);
    fprintf(out, "<path %s d=\"", attributes);
    for (uint32_t k = 0; k < course->rows; k++) {
        const struct br_course_row *row = &course->row[k];
        br_plot_point(
            out, k ? 'L' : 'M', br_plot_x(&p->plot, &p->x, br_scale_value((double)row->iteration)),
            br_plot_y(&p->plot, &p->y, br_scale_value(tried ? row->tried_s : row->trained_s)));
    }
    fputs("\"/>\n", out);
    br_plot_line(out, x, y - 4 * PX, x + 20 * PX, y - 4 * PX, attributes);
    br_plot_text(out, x + 26 * PX, y, "", tried ? "trials" : "training");
}

static void learn_curve_write_svg(const struct br_course *course, FILE *out)
{
    struct picture p = {.plot = {.out = out,
                                 .left = LEFT * PX,
                                 .top = TOP * PX,
                                 .width = WIDTH * PX,
                                 .height = HEIGHT * PX}};
    double most = 1;
    for (uint32_t k = 0; k < course->rows; k++) {
        const struct br_course_row *row = &course->row[k];
        most = row->tried_s > most ? row->tried_s : most;
        most = row->trained_s > most ? row->trained_s : most;
    }
    p.x = br_scale_number((double)course->trainer.iteration, "");
    p.y = br_scale_number(most, "s");
    br_plot_open(out, (LEFT + WIDTH + RIGHT) * PX, (TOP + HEIGHT + BOTTOM) * PX);
    br_plot_text(out, LEFT * PX, 26 * PX, "class=\"strong\"",
                 course->trainer.options.objective == BR_MAKESPAN
                     ? "Makespan by iterations"
                     : "Mean completion time by iterations");
    br_plot_x_axis(&p.plot, &p.x, true);
    br_plot_y_axis(&p.plot, &p.y);
    learn_curve_draw(&p, course, false, 1);
    learn_curve_draw(&p, course, true, 0);
    br_plot_close(out);
}

enum br_status br_emit_learning(const char *form, const struct br_course *course, FILE *out,
                                struct br_diag *diag)
{
    if (strcmp(form, "csv") == 0)
        learn_curve_write_csv(course, out);
    else if (strcmp(form, "svg") == 0)
        learn_curve_write_svg(course, out);
    else
        return br_fail(diag, BR_USAGE, NULL, "there is no form '%s' of a curve", form);
    return ferror(out) ? br_fail(diag, BR_SYSTEM, NULL, "the curve cannot be written") : BR_OK;
}
