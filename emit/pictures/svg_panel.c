/* The elements of an SVG picture. */
#include "emit/pictures/svg_panel.h"

#include "base/numbers/wide.h"
#include "emit/pictures/draw.h"
#include "emit/write/write.h"

enum { KEY_NAME = 10 }; /* characters of a stage's key */

static void svg_panel_number(FILE *out, const char *name, int64_t value)
{
    fprintf(out, " %s=\"", name);
    br_draw_fixed(out, value, BR_PX, 2);
    putc('"', out);
}

void br_panel_rectangle(FILE *out, int64_t x, int64_t y, int64_t w, int64_t h)
{
    fputs("<rect", out);
    svg_panel_number(out, "x", x);
    svg_panel_number(out, "y", y);
    svg_panel_number(out, "width", w);
    svg_panel_number(out, "height", h);
}

void br_panel_begin_text(FILE *out, int64_t x, int64_t y, const char *attributes)
{
    fputs("<text", out);
    svg_panel_number(out, "x", x);
    svg_panel_number(out, "y", y);
    fprintf(out, " %s>", attributes);
}

int64_t br_panel_key(const struct br_panel *panel, uint32_t stage, int64_t x, int64_t y,
                     const char *attributes)
{
    const char *id = panel->input->dag->stage[stage].id;
    br_panel_rectangle(panel->out, x, y, 12 * BR_PX, 12 * BR_PX);
    fprintf(panel->out, "%s fill=\"%s\"/>", attributes, br_draw_palette(stage));
    br_panel_begin_text(panel->out, x + 16 * BR_PX, y + 10 * BR_PX, "");
    br_write_cut(panel->out, BR_QUOTE_XML, id, KEY_NAME);
    fputs("</text>\n", panel->out);
    uint32_t length = br_text_length(id);
    return x + 26 * BR_PX + (int64_t)(length < KEY_NAME ? length : KEY_NAME) * 6 * BR_PX;
}

void br_panel_line(FILE *out, int64_t x, int64_t y, int64_t height, const char *attributes)
{
    fputs("<line", out);
    svg_panel_number(out, "x1", x);
    svg_panel_number(out, "x2", x);
    svg_panel_number(out, "y1", y);
    svg_panel_number(out, "y2", y + height);
    fprintf(out, " %s/>\n", attributes);
}

int64_t br_panel_time_x(const struct br_panel *panel, int64_t ns)
{
    ns = ns < 0 ? 0 : ns > panel->span_ns ? panel->span_ns : ns; /* plans read from a file */
    return panel->left + (int64_t)((br_wide)ns * panel->width / panel->span_ns);
}

void br_panel_side(const struct br_panel *panel, int64_t y, const char *name)
{
    br_panel_begin_text(panel->out, panel->left - 6 * BR_PX, y, "text-anchor=\"end\"");
    br_write_cut(panel->out, BR_QUOTE_XML, name, BR_PANEL_NAME);
    fputs("</text>\n", panel->out);
}

void br_panel_when(const struct br_panel *panel, int64_t start_ns, int64_t end_ns)
{
    fputs(": ", panel->out);
    br_write_seconds(panel->out, start_ns);
    fputs(" s to ", panel->out);
    br_write_seconds(panel->out, end_ns);
    fputs(" s", panel->out);
}
