/* The top of a row is the largest limit or the peak; a limit far above the peak is only told. */
#include "emit/pictures/svg_held.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/numbers/wide.h"
#include "emit/pictures/draw.h"
#include "emit/pictures/svg_times.h"
#include "emit/write/write.h"

enum {
    HELD_ROWS_MOST = 12, /* rows in the picture */
    HOLDERS_MOST = 4,    /* named below a row */
    HOLDERS_LISTED = 40, /* in the title of the peak */
    HOLDER_NAME = 40,    /* characters */
    HELD_TEXT = 17,      /* pixels of the line below a row */
};

static uint32_t rows_of(const struct br_panel *panel)
{
    return panel->held->rows < HELD_ROWS_MOST ? panel->held->rows : HELD_ROWS_MOST;
}

static int64_t row_height(const struct br_panel *panel)
{
    return panel->curve < 30 * BR_PX ? 36 * BR_PX : 64 * BR_PX;
}

static int64_t pitch(const struct br_panel *panel)
{
    return row_height(panel) + HELD_TEXT * BR_PX + 2 * panel->gap;
}

int64_t br_panel_held_height(const struct br_panel *panel)
{
    const bool more = panel->held->rows > HELD_ROWS_MOST;
    return panel->held->rows ? rows_of(panel) * pitch(panel) + (more ? HELD_TEXT * BR_PX : 0) : 0;
}

void br_panel_held_styles(FILE *out)
{
    fputs("\n.held { stroke: #333; stroke-width: 0.3 } .limit { fill: none; stroke: #C43C00; "
          "stroke-width: 1.5 }\n.peak { fill: #C43C00; stroke: none } .release { fill: #0072B2; "
          "stroke: #0072B2; stroke-width: 1 }\n.deadline { fill: #222; stroke: #222; stroke-width: "
          "1 } .missed { fill: #C43C00; stroke: #C43C00 }",
          out);
}

/* The height of the amount above the ground. */
static int64_t level_of(const struct br_panel *panel, const struct br_held_row *row, br_wide amount)
{
    const br_wide height = row_height(panel), full = row->full;
    /* Amounts below 2^127 / height; larger ones lose digits that no picture shows. */
    if (amount > ((br_wide)1 << 100))
        return (int64_t)((amount >> 24) * height / (full >> 24));
    return (int64_t)(amount * height / full);
}

static void write_piece(const struct br_panel *panel, const struct br_held_row *row,
                        const struct br_held_piece *piece, int64_t ground)
{
    const int64_t x = br_panel_time_x(panel, piece->start_ns);
    const int64_t low = level_of(panel, row, piece->low), high = level_of(panel, row, piece->high);
    const struct br_dag *dag = panel->input->dag;
    FILE *out = panel->out;
    br_panel_rectangle(out, x, ground - high, br_panel_time_x(panel, piece->end_ns) - x,
                       high - low);
    fprintf(out, " fill=\"%s\"><title>",
            piece->stage == BR_HELD_NONE ? "#DDD" : br_draw_palette(piece->stage));
    if (piece->stage == BR_HELD_NONE)
        fputs("other stages", out);
    else
        br_write_cut(out, BR_QUOTE_XML, dag->stage[piece->stage].id, HOLDER_NAME);
    br_panel_when(panel, piece->start_ns, piece->end_ns);
    fprintf(out, ", %s of ", br_held_text(dag, row, piece->high - piece->low).text);
    br_write_text(out, BR_QUOTE_XML, dag->resource[row->resource].name);
    fputs("</title></rect>\n", out);
}

static void write_limit(const struct br_panel *panel, const struct br_held_row *row, int64_t ground)
{
    const struct br_held *held = panel->held;
    if (br_held_most(held, row) > row->full)
        return;
    fputs("<path class=\"limit\" d=\"M ", panel->out);
    for (uint32_t k = row->first_step; k < row->first_step + row->steps; k++) {
        const bool last = k + 1 == row->first_step + row->steps;
        if (k > row->first_step)
            fputs(" V ", panel->out);
        else {
            br_draw_fixed(panel->out, panel->left, BR_PX, 2);
            putc(' ', panel->out);
        }
        br_draw_fixed(panel->out, ground - level_of(panel, row, held->steps.step[k].amount), BR_PX,
                      2);
        fputs(" H ", panel->out);
        br_draw_fixed(panel->out,
                      last ? panel->left + panel->width
                           : br_panel_time_x(panel, held->steps.step[k + 1].at_ns),
                      BR_PX, 2);
    }
    fputs("\"><title>what there is: ", panel->out);
    for (uint32_t k = row->first_step; k < row->first_step + row->steps; k++) {
        fprintf(panel->out, "%s%s", k > row->first_step ? ", " : "",
                br_held_text(panel->input->dag, row, held->steps.step[k].amount).text);
        if (k == row->first_step)
            continue;
        fputs(" from ", panel->out);
        br_write_seconds(panel->out, held->steps.step[k].at_ns);
        fputs(" s", panel->out);
    }
    fputs("</title></path>\n", panel->out);
}

/* "build[3] 2 GiB", or "build[3] 'table' 2 GiB" for an output. */
static void write_holder(const struct br_panel *panel, const struct br_held_row *row,
                         const struct br_held_holder *holder)
{
    const struct br_dag *dag = panel->input->dag;
    br_write_task(panel->out, BR_QUOTE_XML, dag, holder->task);
    if (holder->output != BR_HELD_NONE) {
        fputs(" '", panel->out);
        br_write_cut(panel->out, BR_QUOTE_XML, dag->storage->output[holder->output].id,
                     HOLDER_NAME);
        putc('\'', panel->out);
    }
    fprintf(panel->out, " %s", br_held_text(dag, row, holder->amount).text);
}

static void write_holders(const struct br_panel *panel, const struct br_held_row *row,
                          uint32_t most)
{
    const uint32_t shown = row->holders <= most + 1 ? row->holders : most;
    for (uint32_t k = 0; k < shown; k++) {
        fputs(k ? ", " : "", panel->out);
        write_holder(panel, row, &panel->held->holder[row->first_holder + k]);
    }
    if (shown < row->holders)
        fprintf(panel->out, " and %" PRIu32 " more", row->holders - shown);
}

static void write_peak(const struct br_panel *panel, const struct br_held_row *row, int64_t ground)
{
    const int64_t x = br_panel_time_x(panel, row->peak_ns);
    const int64_t y = ground - level_of(panel, row, row->peak);
    fputs("<circle class=\"peak\" r=\"3\" cx=\"", panel->out);
    br_draw_fixed(panel->out, x, BR_PX, 2);
    fputs("\" cy=\"", panel->out);
    br_draw_fixed(panel->out, y, BR_PX, 2);
    fputs("\"><title>peak", panel->out);
    br_panel_when(panel, row->peak_ns, row->peak_end_ns);
    fprintf(panel->out, ", %s: ", br_held_text(panel->input->dag, row, row->peak).text);
    write_holders(panel, row, HOLDERS_LISTED);
    fputs("</title></circle>\n", panel->out);
}

/* To the right of the row and below it. */
static void write_words(const struct br_panel *panel, const struct br_held_row *row, int64_t y)
{
    const struct br_dag *dag = panel->input->dag;
    const struct br_held *held = panel->held;
    const int64_t x = panel->left + panel->width + 6 * BR_PX, height = row_height(panel);
    br_panel_begin_text(panel->out, x, y + height / 2 - 3 * BR_PX, "fill=\"#C43C00\"");
    fprintf(panel->out, "peak %s</text>\n", br_held_text(dag, row, row->peak).text);
    br_panel_begin_text(panel->out, x, y + height / 2 + 11 * BR_PX, "fill=\"#555\"");
    fprintf(panel->out, "of %s%s%s</text>\n", br_held_text(dag, row, br_held_most(held, row)).text,
            row->steps > 1 ? " at most" : "",
            br_held_most(held, row) > row->full ? ", not drawn" : "");
    if (!row->holders)
        return;
    br_panel_begin_text(panel->out, panel->left, y + height + 12 * BR_PX,
                        "class=\"holders\" fill=\"#555\"");
    fputs("at the peak, from ", panel->out);
    br_write_seconds(panel->out, row->peak_ns);
    fputs(" s to ", panel->out);
    br_write_seconds(panel->out, row->peak_end_ns);
    fputs(" s: ", panel->out);
    write_holders(panel, row, HOLDERS_MOST);
    fputs("</text>\n", panel->out);
}

static void draw_row(const struct br_panel *panel, const struct br_held_row *row, int64_t y)
{
    const int64_t height = row_height(panel), ground = y + height;
    FILE *out = panel->out;
    br_panel_rectangle(out, panel->left, y, panel->width, height);
    fputs(" class=\"place\" fill=\"#F7F7F7\" stroke=\"none\"/>\n", out);
    if (row->machine != BR_HELD_NONE)
        br_panel_draw_away(panel, row->machine, y, height);
    br_panel_side(panel, y + height / 2 + 4 * BR_PX, br_held_name(panel->input, row).text);
    if (row->machine != BR_HELD_NONE && row->of > 1 && panel->input->cluster->machines > 4) {
        br_panel_begin_text(out, panel->left - 6 * BR_PX, y + height / 2 + 18 * BR_PX,
                            "text-anchor=\"end\" fill=\"#555\"");
        fprintf(out, "of %" PRIu32 " machines</text>\n", row->of);
    }
    fputs("<g class=\"held\">\n", out);
    for (uint32_t k = row->first_piece; k < row->first_piece + row->pieces && !ferror(out); k++)
        write_piece(panel, row, &panel->held->piece[k], ground);
    fputs("</g>\n", out);
    write_limit(panel, row, ground);
    if (row->peak > 0)
        write_peak(panel, row, ground);
    write_words(panel, row, y);
}

int64_t br_panel_draw_held(const struct br_panel *panel, int64_t top)
{
    const uint32_t rows = rows_of(panel);
    if (!rows)
        return top;
    for (uint32_t r = 0; r < rows; r++)
        draw_row(panel, &panel->held->row[r], top + r * pitch(panel) + 2 * panel->gap);
    if (rows == panel->held->rows)
        return top + rows * pitch(panel);
    br_panel_begin_text(panel->out, panel->left, top + rows * pitch(panel) + 12 * BR_PX,
                        "fill=\"#555\"");
    fprintf(panel->out, "and %" PRIu32 " more like these</text>\n", panel->held->rows - rows);
    return top + rows * pitch(panel) + HELD_TEXT * BR_PX;
}
