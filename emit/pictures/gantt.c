/* A Gantt chart as a Graphviz graph whose nodes are pinned: `neato -n2 -Tsvg` draws it. Rows and
 * boxes come from chart.h; here they get their places on the page, a time axis, labels if they fit,
 * and lines for the makespan and the lower bound. The name of a node describes its box; SVG viewers
 * show it under the pointer.
 *
 * Places are in hundredths of a point, y downwards from the top; integers, so that a plan gives
 * equal bytes everywhere. */
#include "base/numbers/wide.h"
#include "emit/pictures/chart.h"
#include "emit/pictures/draw.h"
#include "emit/write/figures.h"
#include "emit/write/outputs.h"
#include "emit/pictures/picture.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PT INT64_C(100)
#define SMALLEST_FONT (7 * PT) /* size limit, to which larger ones shrink */

enum { NAME_MOST = 28 }; /* characters of a row's name */

struct page {
    FILE *out;
    const struct br_emit_input *input;
    const struct br_chart *chart;
    int64_t left, width; /* of the plot */
    int64_t top, height; /* of the plot */
    int64_t lane, gap;   /* height of a lane, space between rows */
    int64_t font;        /* of labels in boxes */
};

struct place {
    int64_t x, y, w, h; /* upper left corner and size */
};

static int64_t text_width(uint32_t characters, int64_t font)
{
    return characters * font * 58 / 100;
}

static int64_t gantt_time_x(const struct page *page, int64_t ns)
{
    assert(ns >= 0 && ns <= page->chart->span_ns);
    return page->left + (int64_t)((br_wide)ns * page->width / page->chart->span_ns);
}

static void gantt_write_place(const struct page *page, struct place at)
{
    FILE *out = page->out;
    fputs(" [pos=\"", out);
    br_draw_fixed(out, at.x + at.w / 2, PT, 2);
    putc(',', out);
    br_draw_fixed(out, -(at.y + at.h / 2), PT, 2); /* Graphviz counts upwards */
    fputs("!\", width=", out);
    br_draw_fixed(out, at.w * 10000 / (72 * PT), 10000, 4);
    fputs(", height=", out);
    br_draw_fixed(out, at.h * 10000 / (72 * PT), 10000, 4);
}

/* A coloured area without text or border. */
static void area(const struct page *page, const char *name, uint64_t number, struct place at,
                 const char *colour)
{
    fprintf(page->out, "  \"%s %" PRIu64 "\"", name, number);
    gantt_write_place(page, at);
    fprintf(page->out, ", penwidth=0, fillcolor=\"%s\"];\n", colour);
}

/* Opens a node that holds only text; the caller writes the label and calls end_text. Graphviz 14
 * warns of text higher than its node, which some fonts are, unless only the shape is fixed. */
static void begin_text(const struct page *page, const char *name, uint64_t number, struct place at,
                       int64_t font)
{
    fprintf(page->out, "  \"%s %" PRIu64 "\"", name, number);
    gantt_write_place(page, at);
    fprintf(page->out,
            ", shape=plaintext, fixedsize=shape, style=\"\", fontsize=%" PRId64 ", label=\"", font);
}

/* side: "\\l", "\\r", or "" for the middle. */
static void end_text(const struct page *page, const char *side, const char *more)
{
    fprintf(page->out, "%s\"%s];\n", side, more);
}

static int64_t gantt_row_top(const struct page *page, uint32_t r)
{
    assert(r < page->chart->rows);
    const struct br_chart_row *row = &page->chart->row[r];
    return page->top + row->first_lane * page->lane + r * page->gap;
}

static bool gantt_is_profile(const struct br_chart *chart)
{
    return chart->level == BR_CHART_STAGES;
}

static void gantt_write_row_name(const struct page *page, const struct br_chart_row *row)
{
    char name[4 * NAME_MOST + 8];
    br_draw_row_name(page->input, page->chart, row, name, sizeof name);
    br_write_cut(page->out, BR_QUOTE_LABEL, name, NAME_MOST);
}

static uint32_t row_name_length(const struct page *page, const struct br_chart_row *row)
{
    char name[4 * NAME_MOST + 8];
    br_draw_row_name(page->input, page->chart, row, name, sizeof name);
    uint32_t length = br_text_length(name);
    return length < NAME_MOST ? length : NAME_MOST;
}

static void gantt_draw_rows(const struct page *page)
{
    for (uint32_t r = 0; r < page->chart->rows; r++) {
        const struct br_chart_row *row = &page->chart->row[r];
        struct place at = {page->left, gantt_row_top(page, r), page->width,
                           row->lanes * page->lane};
        area(page, "row", r, at, r % 2 ? "#F7F7F7" : "#EFEFEF");
        struct place name = {0, at.y, page->left - 6 * PT, at.h};
        begin_text(page, "row name", r, name, 10);
        gantt_write_row_name(page, row);
        end_text(page, "\\r", "");
        if (!gantt_is_profile(page->chart))
            continue;
        struct place side = {page->left + page->width + 6 * PT, at.y, 160 * PT, at.h};
        begin_text(page, "row count", r, side, 9);
        fprintf(page->out, "%" PRIu32 " task%s, up to %" PRIu32, row->tasks,
                row->tasks == 1 ? "" : "s", row->most);
        end_text(page, " at once\\l", ", fontcolor=\"#555555\"");
    }
}

static void gantt_draw_axis(const struct page *page)
{
    int64_t step = br_draw_step(page->chart->span_ns), bottom = page->top + page->height;
    uint64_t tick = 0;
    for (int64_t ns = 0; ns <= page->chart->span_ns; ns += step, tick++) {
        int64_t x = gantt_time_x(page, ns);
        area(page, "axis line", tick,
             (struct place){x - PT / 4, page->top, PT / 2, page->height + 4 * PT}, "#CCCCCC");
        begin_text(page, "axis", tick,
                   (struct place){x - 40 * PT, bottom + 5 * PT, 80 * PT, 12 * PT}, 9);
        br_write_seconds(page->out, ns);
        end_text(page, " s", "");
        if (ns > INT64_MAX - step)
            break;
    }
}

/* A vertical line through the plot with a text at its head, to the right or to the left of it. */
static void gantt_draw_mark(const struct page *page, const char *name, int64_t ns,
                            const char *colour, bool right)
{
    int64_t x = gantt_time_x(page, ns), wide = text_width((uint32_t)strlen(name) + 12, 9 * PT),
            head = page->top - 16 * PT;
    area(page, name, 0, (struct place){x - PT / 2, head + 2 * PT, PT, page->height + 14 * PT},
         colour);
    begin_text(page, name, 1,
               (struct place){right ? x + 4 * PT : x - 4 * PT - wide, head, wide, 12 * PT}, 9);
    fprintf(page->out, "%s ", name);
    br_write_about(page->out, ns);
    fprintf(page->out, " s%s\", fontcolor=\"%s\"];\n", right ? "\\l" : "\\r", colour);
}

static void gantt_draw_marks(const struct page *page)
{
    const struct br_plan *plan = page->input->plan;
    int64_t bound_ns = plan->lower_bound_ns;
    if (bound_ns > 0 && bound_ns < page->chart->span_ns) {
        bool room = gantt_time_x(page, bound_ns) > 120 * PT;
        gantt_draw_mark(page, "lower bound", bound_ns, BR_COLOUR_BOUND, !room);
    }
    gantt_draw_mark(page, bound_ns == plan->makespan_ns ? "makespan = lower bound" : "makespan",
                    plan->makespan_ns > 0 ? page->chart->span_ns : 0, BR_COLOUR_MAKESPAN, true);
}

static void gantt_draw_head(const struct page *page)
{
    bool used[BR_SUBSETS];
    bool explain = br_subsets_used(page->input->plan, used);
    int64_t all = page->left + page->width;
    begin_text(page, "title", 0, (struct place){0, 0, all, 18 * PT}, 14);
    br_write_headline(page->out, BR_QUOTE_LABEL, page->input);
    end_text(page, "\\l", "");
    static const char *const what[] = {"a box is a task", "a box is a run of tasks of one stage",
                                       "rows are stages, heights the tasks that run at once"};
    int64_t x = 0;
    for (uint32_t k = 0; k < BR_SUBSETS; k++) {
        if (!used[k] || !explain)
            continue;
        area(page, "legend colour", k, (struct place){x, 24 * PT, 12 * PT, 12 * PT},
             br_subset_style[k].colour);
        begin_text(page, "legend", k, (struct place){x + 16 * PT, 24 * PT, 150 * PT, 12 * PT}, 10);
        fprintf(page->out, "%c: %s", br_subset_style[k].letter, br_subset_style[k].meaning);
        end_text(page, "\\l", "");
        x +=
            16 * PT + text_width(br_text_length(br_subset_style[k].meaning) + 3, 10 * PT) + 14 * PT;
    }
    begin_text(page, "legend boxes", 0, (struct place){x, 24 * PT, 320 * PT, 12 * PT}, 10);
    fputs(what[page->chart->level], page->out);
    end_text(page, "\\l", ", fontcolor=\"#555555\"");
}

/* The stage's id with the index or the number of tasks, or the id alone, in the largest type in
 * which one of them fits the box. If none fits, nothing, or the beginning of an id that is long
 * anyway. */
static void write_label(const struct page *page, const struct br_chart_box *box, int64_t width)
{
    const struct br_dag *dag = page->input->dag;
    const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, box->task)];
    char suffix[BR_SUFFIX];
    br_write_suffix(stage, box->task, box->tasks, suffix);
    int64_t id = br_text_length(stage->id), all = id + br_text_length(suffix);
    fputs(", label=\"", page->out);
    int64_t font = page->font, room = 0;
    int64_t smallest = font < SMALLEST_FONT ? font : SMALLEST_FONT;
    for (; font >= smallest; font -= PT) {
        room = (width - 3 * PT) / text_width(1, font);
        if (id <= room)
            break;
    }
    if (font >= smallest) {
        br_write_text(page->out, BR_QUOTE_LABEL, stage->id);
        if (all <= room)
            br_write_text(page->out, BR_QUOTE_LABEL, suffix);
    } else if (room >= 12) {
        font = smallest;
        br_write_cut(page->out, BR_QUOTE_LABEL, stage->id, (uint32_t)room);
    }
    putc('"', page->out);
    if (font >= smallest && font != page->font)
        fprintf(page->out, ", fontsize=%" PRId64, font / PT);
}

static void gantt_draw_task_box(const struct page *page, const struct br_chart_box *box)
{
    const struct br_emit_input *input = page->input;
    FILE *out = page->out;
    uint32_t stage = br_dag_task_stage(input->dag, box->task);
    const struct br_subset_style *style = &br_subset_style[br_subset_index(box->subset)];
    int64_t x = gantt_time_x(page, box->start_ns), w = gantt_time_x(page, box->end_ns) - x;
    assert(box->row < page->chart->rows && box->lane < page->chart->row[box->row].lanes);
    struct place at = {x, gantt_row_top(page, box->row) + box->lane * page->lane, w > PT ? w : PT,
                       page->lane};
    fputs("  \"", out);
    br_write_task(out, BR_QUOTE_DOT, input->dag, box->task);
    if (box->tasks > 1)
        fprintf(out, " and %" PRIu32 " more", box->tasks - 1);
    fputs(": ", out);
    br_write_seconds(out, box->start_ns);
    fputs(" s to ", out);
    br_write_seconds(out, box->end_ns);
    fputs(" s on ", out);
    br_write_machine(out, BR_QUOTE_DOT, input->cluster, page->chart->row[box->row].which);
    putc('"', out);
    gantt_write_place(page, at);
    write_label(page, box, w);
    fprintf(out, ", fillcolor=\"%s\"];\n", stage % 2 ? style->tint : style->colour);
}

static void gantt_draw_profile_box(const struct page *page, const struct br_chart_box *box)
{
    FILE *out = page->out;
    const struct br_chart_row *row = &page->chart->row[box->row];
    const struct br_subset_style *style = &br_subset_style[br_subset_index(box->subset)];
    assert(box->at_once_milli > 0 && box->at_once_milli <= row->peak_milli);
    int64_t x = gantt_time_x(page, box->start_ns), full = page->lane;
    int64_t h = (int64_t)((br_uwide)box->at_once_milli * (uint64_t)full / row->peak_milli);
    struct place at = {x, gantt_row_top(page, box->row) + full - h,
                       gantt_time_x(page, box->end_ns) - x, h};
    fputs("  \"", out);
    gantt_write_row_name(page, row);
    fprintf(out, " (row %" PRIu32 "): ", box->row + 1);
    br_write_seconds(out, box->start_ns);
    fputs(" s to ", out);
    br_write_seconds(out, box->end_ns);
    fputs(" s, ", out);
    br_draw_milli(out, box->at_once_milli);
    fputs(" at once\"", out);
    gantt_write_place(page, at);
    fprintf(out, ", penwidth=0, fillcolor=\"%s\"];\n", style->colour);
}

static void gantt_set_up(struct page *page)
{
    const struct br_chart *chart = page->chart;
    assert(chart->rows > 0);
    uint32_t longest = 4;
    for (uint32_t r = 0; r < chart->rows; r++) {
        uint32_t length = row_name_length(page, &chart->row[r]);
        longest = length > longest ? length : longest;
    }
    page->left = text_width(longest, 10 * PT) + 14 * PT;
    page->width = 960 * PT;
    page->top = 62 * PT;
    static const struct {
        uint32_t lanes;
        int64_t lane, font;
    } sizes[] = {{24, 24, 10}, {48, 18, 10}, {96, 13, 8}, {UINT32_MAX, 8, 6}};
    size_t size = 0;
    while (chart->lanes > sizes[size].lanes)
        size++;
    page->lane = sizes[size].lane * PT;
    page->font = sizes[size].font * PT;
    page->gap = 4 * PT;
    page->height = chart->lanes * page->lane + (chart->rows - 1) * page->gap;
}

enum br_status br_emit_gantt(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    struct br_chart chart;
    enum br_status status = br_chart_init(&chart, input, diag);
    if (status)
        return status;
    struct page page = {.out = out, .input = input, .chart = &chart};
    gantt_set_up(&page);
    fputs("// Draw it by: neato -n2 -Tsvg\ngraph \"", out);
    br_write_text(out, BR_QUOTE_DOT, input->dag->name);
    fprintf(out,
            "\" {\n"
            "  graph [bgcolor=white, pad=0.2];\n"
            "  node [shape=box, style=filled, fixedsize=true, margin=0, penwidth=0.5, "
            "color=\"#333333\", fontname=\"Helvetica\", fontsize=%" PRId64 ", label=\"\"];\n",
            page.font / PT);
    gantt_draw_head(&page);
    gantt_draw_rows(&page);
    gantt_draw_axis(&page);
    for (uint32_t b = 0; b < chart.boxes && !ferror(out); b++) {
        if (gantt_is_profile(&chart))
            gantt_draw_profile_box(&page, &chart.box[b]);
        else
            gantt_draw_task_box(&page, &chart.box[b]);
    }
    gantt_draw_marks(&page);
    fputs("}\n", out);
    br_chart_finish(&chart);
    return BR_OK;
}
