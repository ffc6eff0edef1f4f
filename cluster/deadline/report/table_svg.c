/* Time left against progress: a line for the median at each of a few allocations, and a band from
 * the 10th to the 90th percentile; dashed, the median in the planned order. */
#include "cluster/deadline/report/table.h"

#include <inttypes.h>
#include <math.h>

#include "emit/pictures/draw.h"
#include "emit/plots/plot.h"
#include "emit/write/write.h"

#define PX BR_PX
enum { LEFT = 62, TOP = 62, WIDTH = 620, HEIGHT = 380, RIGHT = 130, BOTTOM = 50, LINES = 7 };

struct picture {
    const struct br_deadline_table *table;
    struct br_plot plot;
    struct br_plot_scale x, y;
    int64_t per_unit;
};

/* Picks allocations whose times, which go with their reciprocals, are about evenly spaced: the
 * most, half of it, and so on. Returns their number. */
static uint32_t choose_lines(const struct br_deadline_table *table, uint32_t index[LINES])
{
    static const uint32_t divisor[LINES] = {1, 2, 3, 5, 8, 12, 20};
    uint32_t most = table->allocation[table->allocations - 1], lines = 0;
    for (uint32_t k = 0; k < LINES; k++) {
        uint32_t a = br_table_index(table, most / divisor[k] ? most / divisor[k] : 1);
        if (lines == 0 || a < index[lines - 1])
            index[lines++] = a;
    }
    return lines;
}

static void point(const struct picture *p, char letter, uint32_t cell, int64_t left_ns)
{
    int64_t x = br_plot_x(&p->plot, &p->x, br_scale_value(100 * p->table->at[cell]));
    double left = (double)left_ns / 1e9 / (double)p->per_unit;
    br_plot_point(p->plot.out, letter, x, br_plot_y(&p->plot, &p->y, br_scale_value(left)));
}

static int64_t left_ns(const struct picture *p, uint32_t layer, uint32_t cell, uint32_t a, double q)
{
    return br_table_quantile_ns(p->table, layer, (struct br_table_place){.low = cell, .high = cell},
                                a, q);
}

static void draw_band(const struct picture *p, uint32_t a, uint32_t colour)
{
    FILE *out = p->plot.out;
    fprintf(out, "<path class=\"f%" PRIu32 "\" fill-opacity=\"0.18\" d=\"", colour);
    for (uint32_t c = 0; c < p->table->cells; c++)
        point(p, c ? 'L' : 'M', c, left_ns(p, 0, c, a, 0.9));
    for (uint32_t c = p->table->cells; c-- > 0;)
        point(p, 'L', c, left_ns(p, 0, c, a, 0.1));
    fputs("Z\"/>\n", out);
}

static void draw_line(const struct picture *p, uint32_t layer, uint32_t a, uint32_t colour)
{
    FILE *out = p->plot.out;
    fprintf(out, "<path class=\"curve s%" PRIu32 "\"%s d=\"", colour,
            layer ? " stroke-dasharray=\"5 3\"" : "");
    for (uint32_t c = 0; c < p->table->cells; c++)
        point(p, c ? 'L' : 'M', c, left_ns(p, layer, c, a, 0.5));
    fprintf(out, "\"><title>%" PRIu32 " %s, %s order</title></path>\n", p->table->allocation[a],
            br_allocation_name(p->table->kind), br_order_name(layer));
}

static void table_svg_draw_legend(const struct picture *p, const uint32_t *index, uint32_t lines)
{
    FILE *out = p->plot.out;
    int64_t x = p->plot.left + p->plot.width + 14 * PX, y = p->plot.top + 10 * PX;
    for (uint32_t k = 0; k < lines; k++, y += 18 * PX) {
        char attributes[40], text[40];
        snprintf(attributes, sizeof attributes, "class=\"curve s%" PRIu32 "\"", k);
        snprintf(text, sizeof text, "%" PRIu32 " %s", p->table->allocation[index[k]],
                 br_allocation_name(p->table->kind));
        br_plot_line(out, x, y - 4 * PX, x + 20 * PX, y - 4 * PX, attributes);
        br_plot_text(out, x + 26 * PX, y, "", text);
    }
    br_plot_text(out, x, y + 6 * PX, "class=\"soft\"", "line: median");
    br_plot_text(out, x, y + 21 * PX, "class=\"soft\"", "band: 10 % to 90 %");
    if (p->table->layers > 1)
        br_plot_text(out, x, y + 36 * PX, "class=\"soft\"", "dashed: planned");
}

static void draw_words(const struct picture *p)
{
    FILE *out = p->plot.out;
    char text[160];
    br_plot_fit_text(out, 16 * PX, 24 * PX, "class=\"strong\" font-size=\"14\"", p->table->job,
                     (LEFT + WIDTH) * PX);
    snprintf(text, sizeof text,
             "Time left at each progress (%s), from %" PRIu32 " runs for each "
             "allocation",
             br_named_name(&br_indicators, p->table->indicator), p->table->runs);
    br_plot_text(out, 16 * PX, 42 * PX, "class=\"soft\"", text);
    br_plot_text(out, p->plot.left + p->plot.width / 2, p->plot.top + p->plot.height + 36 * PX,
                 "class=\"soft\" text-anchor=\"middle\"", "progress");
}

void br_table_svg(const struct br_deadline_table *table, FILE *out)
{
    struct picture p = {.table = table,
                        .plot = {out, LEFT * PX, TOP * PX, WIDTH * PX, HEIGHT * PX}};
    uint32_t index[LINES] = {0}, lines = choose_lines(table, index);
    double most_s = 0;
    for (uint32_t c = 0; c < table->cells; c++)
        most_s = fmax(most_s, (double)left_ns(&p, 0, c, index[lines - 1], 0.9) / 1e9);
    p.x = br_scale_number(100, "%");
    p.y = br_scale_time(most_s * 1.02, &p.per_unit);
    br_plot_open(out, (LEFT + WIDTH + RIGHT) * PX, (TOP + HEIGHT + BOTTOM) * PX);
    draw_words(&p);
    br_plot_x_axis(&p.plot, &p.x, true);
    br_plot_y_axis(&p.plot, &p.y);
    for (uint32_t k = lines; k-- > 0;)
        draw_band(&p, index[k], k);
    for (uint32_t k = lines; k-- > 0;)
        for (uint32_t layer = table->layers; layer-- > 0;)
            draw_line(&p, layer, index[k], k);
    table_svg_draw_legend(&p, index, lines);
    br_plot_close(out);
}
