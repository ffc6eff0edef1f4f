/* The height of a row is its port's rate; boxes are coloured by the stage that produced the bytes.
 */
#include "emit/pictures/svg_ports.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/numbers/wide.h"
#include "base/roles.h"
#include "emit/pictures/draw.h"
#include "emit/write/write.h"

enum {
    KEYS_MOST = 10, /* stages with a key of their colour */
    TEXT = 18,      /* pixels of the line above the rows */
    FONT = 11,
};

/* The height of one row, without the gap between two. */
static int64_t row_height(const struct br_panel *panel)
{
    return panel->ports->rows == 1     ? panel->curve
           : panel->curve < 30 * BR_PX ? 12 * BR_PX
                                       : 18 * BR_PX;
}

int64_t br_panel_ports_height(const struct br_panel *panel)
{
    const struct br_port_chart *ports = panel->ports;
    return ports->rows
               ? TEXT * BR_PX + 2 * panel->gap + ports->rows * (row_height(panel) + 2 * BR_PX)
               : 0;
}

/* The meaning of the colours, for the stages that produced bytes. */
static void draw_keys(const struct br_panel *panel, int64_t y)
{
    const struct br_dag *dag = panel->input->dag;
    int64_t x = panel->left;
    uint32_t keys = 0, more = 0;
    br_panel_begin_text(panel->out, x, y + 10 * BR_PX, "fill=\"#555\"");
    fputs("bytes on the ports, full height at their full rate, put out by</text>\n", panel->out);
    x += 345 * BR_PX;
    for (uint32_t s = 0; s < dag->stages; s++) {
        if (!panel->ports->moves[s])
            continue;
        if (keys == KEYS_MOST) {
            more++;
            continue;
        }
        keys++;
        x = br_panel_key(panel, s, x, y, " class=\"key\"");
    }
    if (!more)
        return;
    br_panel_begin_text(panel->out, x, y + 10 * BR_PX, "fill=\"#555\"");
    fprintf(panel->out, "and %" PRIu32 " more</text>\n", more);
}

static void svg_ports_write_row_name(const struct br_panel *panel, const struct br_port_row *row,
                                     int64_t y)
{
    br_panel_begin_text(panel->out, panel->left - 6 * BR_PX, y, "text-anchor=\"end\"");
    if (row->machine == BR_PORT_ALL)
        fputs("all ports", panel->out);
    else
        br_write_machine(panel->out, BR_QUOTE_XML, panel->input->cluster, row->machine);
    fputs(row->machine == BR_PORT_ALL ? "</text>\n"
          : row->down                 ? " receives</text>\n"
                                      : " sends</text>\n",
          panel->out);
}

static void draw_box(const struct br_panel *panel, const struct br_port_box *box, int64_t bottom)
{
    const struct br_port_row *row = &panel->ports->row[box->row];
    int64_t height = row_height(panel), x = br_panel_time_x(panel, box->start_ns);
    int64_t low = (int64_t)((br_wide)height * box->low / row->rate);
    int64_t high = (int64_t)((br_wide)height * (box->low + (br_wide)box->rate) / row->rate);
    char rate[BR_ROLE_AMOUNT_TEXT];
    if (high == low)
        return;
    br_panel_rectangle(panel->out, x, bottom - high, br_panel_time_x(panel, box->end_ns) - x,
                       high - low);
    fprintf(panel->out, " fill=\"%s\"><title>", br_draw_palette(box->stage));
    if (box->transfer == BR_PORT_ALL)
        br_write_cut(panel->out, BR_QUOTE_XML, panel->input->dag->stage[box->stage].id,
                     BR_PANEL_NAME);
    else
        br_inputs_write(panel->out, BR_QUOTE_XML, panel->input, box->transfer);
    br_role_bytes_text(box->rate, rate);
    br_panel_when(panel, box->start_ns, box->end_ns);
    fprintf(panel->out, " at %s/s</title></rect>\n", rate);
}

int64_t br_panel_draw_ports(const struct br_panel *panel, int64_t top)
{
    const struct br_port_chart *ports = panel->ports;
    int64_t height = row_height(panel), y = top + 2 * panel->gap;
    FILE *out = panel->out;
    if (!ports->rows)
        return top;
    draw_keys(panel, y);
    y += TEXT * BR_PX;
    for (uint32_t r = 0; r < ports->rows; r++) {
        const struct br_port_row *row = &ports->row[r];
        int64_t at = y + r * (height + 2 * BR_PX), middle = at + height / 2 + 4 * BR_PX;
        br_panel_rectangle(out, panel->left, at, panel->width, height);
        fputs(" class=\"port\" fill=\"#F7F7F7\" stroke=\"none\"/>\n", out);
        svg_ports_write_row_name(panel, row, middle);
        br_panel_begin_text(out, panel->left + panel->width + 6 * BR_PX, middle, "fill=\"#555\"");
        br_draw_fixed(out, row->use < 1e6 ? (int64_t)(row->use * 1000 + 0.5) : 0, 10, 1);
        fputs(" % in use</text>\n", out);
    }
    fputs("<g class=\"moves\">\n", out);
    for (uint32_t b = 0; b < ports->boxes && !ferror(out); b++)
        draw_box(panel, &ports->box[b], y + ports->box[b].row * (height + 2 * BR_PX) + height);
    fputs("</g>\n", out);
    return y + ports->rows * (height + 2 * BR_PX);
}

void br_panel_chain_transfer(const struct br_panel *panel, uint32_t transfer, int64_t y,
                             int64_t height)
{
    const struct br_transfers *all = &panel->input->plan->carried;
    int64_t x = br_panel_time_x(panel, br_transfer_start(all, transfer));
    int64_t w = br_panel_time_x(panel, br_transfer_end(all, transfer)) - x;
    br_panel_rectangle(panel->out, x, y, w > BR_PX ? w : BR_PX, height);
    fprintf(panel->out, " class=\"moved\" fill=\"%s\"><title>",
            br_draw_palette(all->transfer[transfer].parent));
    br_inputs_write(panel->out, BR_QUOTE_XML, panel->input, transfer);
    fputs("</title></rect>\n", panel->out);
}

void br_panel_inputs(const struct br_panel *panel, uint32_t task)
{
    const struct br_inputs *inputs = &panel->analysis->inputs;
    uint32_t count = inputs->count[task];
    if (!count)
        return;
    fprintf(panel->out, ", waits for %" PRIu32 " transfer%s ", count, count == 1 ? ":" : "s, last");
    br_inputs_write(panel->out, BR_QUOTE_XML, panel->input, inputs->last[task]);
}
