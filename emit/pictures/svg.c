/* The Gantt chart as an SVG picture, of one plan or of two under each other on one time scale. From
 * the top: the headline, a row with the critical chain, the rows of chart.h, and a curve for the
 * use of each resource, with lines for the makespan and the lower bound through all of it.
 *
 * Places are in hundredths of a pixel and integers, so that a plan gives equal bytes everywhere. No
 * script, no font but the viewer's own. */
#include "base/numbers/wide.h"
#include "emit/analysis/analysis.h"
#include "emit/pictures/chart.h"
#include "emit/pictures/draw.h"
#include "emit/write/figures.h"
#include "emit/write/outputs.h"
#include "emit/pictures/picture.h"
#include "emit/pictures/svg_held.h"
#include "emit/pictures/svg_panel.h"
#include "emit/pictures/svg_ports.h"
#include "emit/pictures/svg_times.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum {
    CURVES_MOST = 12, /* resources with a curve */
    KEYS_MOST = 10,   /* stages with a key of their colour; more are named by their rows */
    WORDS_MOST = 200, /* characters of what a stage does */
};

static int64_t svg_row_top(const struct br_panel *panel, const struct br_chart_row *row)
{
    return panel->rows + row->first_lane * panel->lane + (row - panel->chart->row) * panel->gap;
}

/* A key for each stage, if they fit on a line. Returns where the line continues. */
static int64_t draw_stage_keys(const struct br_panel *panel, int64_t x, int64_t y)
{
    const struct br_dag *dag = panel->input->dag;
    for (uint32_t s = 0; s < dag->stages && dag->stages <= KEYS_MOST; s++) {
        x = br_panel_key(panel, s, x, y, "");
    }
    return x;
}

static void svg_draw_head(const struct br_panel *panel)
{
    const struct br_chart *chart = panel->chart;
    FILE *out = panel->out;
    static const char *const what[] = {"a box is a task", "a box is a run of tasks of one stage",
                                       "rows are stages, heights the tasks that run at once"};
    bool used[BR_SUBSETS];
    br_subsets_used(panel->input->plan, used);
    br_panel_begin_text(out, 8 * BR_PX, panel->top + 20 * BR_PX, "font-size=\"14\"");
    br_write_headline(out, BR_QUOTE_XML, panel->input);
    fputs("</text>\n", out);
    int64_t x = 8 * BR_PX, y = panel->top + 30 * BR_PX;
    bool by_stage = br_draw_is_by_stage(panel->input);
    for (uint32_t k = 0; k < BR_SUBSETS && !by_stage; k++) {
        const struct br_subset_style *style = &br_subset_style[k];
        if (!used[k])
            continue;
        br_panel_rectangle(out, x, y, 12 * BR_PX, 12 * BR_PX);
        fprintf(out, " fill=\"%s\"/>", style->colour);
        br_panel_begin_text(out, x + 16 * BR_PX, y + 10 * BR_PX, "");
        fprintf(out, "%c: %s</text>\n", style->letter, style->meaning);
        x += 34 * BR_PX + (int64_t)(strlen(style->meaning) + 3) * 6 * BR_PX;
    }
    if (by_stage)
        x = draw_stage_keys(panel, x, y);
    br_panel_begin_text(out, x, y + 10 * BR_PX, "fill=\"#555\"");
    fprintf(out, "%s%s; dark borders: the critical chain</text>\n", what[chart->level],
            by_stage && panel->input->dag->stages > KEYS_MOST ? ", coloured by stage" : "");
    br_panel_draw_times_key(panel, panel->rows - 34 * BR_PX);
}

/* The task's name if it fits, cut if a good part of it does. */
static void draw_label(const struct br_panel *panel, uint32_t task, uint32_t tasks, int64_t x,
                       int64_t y, int64_t w, int64_t h)
{
    const struct br_dag *dag = panel->input->dag;
    const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, task)];
    char suffix[BR_SUFFIX];
    br_write_suffix(stage, task, tasks, suffix);
    int64_t room = (w - 4 * BR_PX) * 100 / (panel->font * 58), id = br_text_length(stage->id);
    if (room < 2 || (id > room && room < 8))
        return;
    br_panel_begin_text(panel->out, x + w / 2, y + h / 2 + panel->font * 35 / 100,
                        "text-anchor=\"middle\" pointer-events=\"none\"");
    if (id > room) {
        br_write_cut(panel->out, BR_QUOTE_XML, stage->id, (uint32_t)room);
    } else {
        br_write_text(panel->out, BR_QUOTE_XML, stage->id);
        if (id + (int64_t)br_text_length(suffix) <= room)
            br_write_text(panel->out, BR_QUOTE_XML, suffix);
    }
    fputs("</text>\n", panel->out);
}

/* Writes the words that describe the stage, on a line of their own. */
static void write_words(const struct br_panel *panel, uint32_t stage)
{
    if (!panel->analysis->words[stage])
        return;
    putc('\n', panel->out);
    br_write_cut(panel->out, BR_QUOTE_XML, panel->analysis->words[stage], WORDS_MOST);
}

static void svg_draw_task_box(const struct br_panel *panel, const struct br_chart_box *box)
{
    const struct br_emit_input *input = panel->input;
    const struct br_chart_row *row = &panel->chart->row[box->row];
    FILE *out = panel->out;
    uint32_t stage = br_dag_task_stage(input->dag, box->task);
    int64_t x = br_panel_time_x(panel, box->start_ns), w = br_panel_time_x(panel, box->end_ns) - x;
    int64_t y = svg_row_top(panel, row) + box->lane * panel->lane;
    bool critical = box->tasks == 1 && panel->analysis->on_chain[box->task];
    br_panel_rectangle(out, x, y, w > BR_PX ? w : BR_PX, panel->lane);
    fprintf(out, " fill=\"%s\"%s><title>", br_draw_colour(input, stage, box->subset),
            critical ? " class=\"critical\"" : "");
    br_write_task(out, BR_QUOTE_XML, input->dag, box->task);
    if (box->tasks > 1)
        fprintf(out, " and %" PRIu32 " more", box->tasks - 1);
    br_panel_when(panel, box->start_ns, box->end_ns);
    fputs(" on ", out);
    br_write_machine(out, BR_QUOTE_XML, input->cluster, row->which);
    if (box->tasks == 1 && input->dag->stage[stage].chosen) {
        fputs(", by the alternative ", out);
        br_write_text(out, BR_QUOTE_XML, input->dag->stage[stage].chosen);
    }
    fputs(critical ? ", on the critical chain" : "", out);
    if (box->tasks == 1 && panel->analysis->slack) {
        fputs(", may be late by ", out);
        br_write_about(out, panel->analysis->slack[box->task].total_ns);
        fputs(" s", out);
    }
    if (box->tasks == 1) {
        br_panel_inputs(panel, box->task);
        br_panel_write_times(panel, box->task);
    }
    write_words(panel, stage);
    fputs("</title></rect>\n", out);
    if (panel->font * 100 <= panel->lane * 90)
        draw_label(panel, box->task, box->tasks, x, y, w, panel->lane);
}

static void svg_draw_profile_box(const struct br_panel *panel, const struct br_chart_box *box)
{
    const struct br_chart_row *row = &panel->chart->row[box->row];
    FILE *out = panel->out;
    char name[4 * BR_PANEL_NAME + 8];
    assert(box->at_once_milli > 0 && box->at_once_milli <= row->peak_milli);
    int64_t x = br_panel_time_x(panel, box->start_ns), full = panel->lane;
    int64_t h = (int64_t)((br_uwide)box->at_once_milli * (uint64_t)full / row->peak_milli);
    bool single = row->which < panel->input->dag->stages;
    br_draw_row_name(panel->input, panel->chart, row, name, sizeof name);
    br_panel_rectangle(out, x, svg_row_top(panel, row) + full - h,
                       br_panel_time_x(panel, box->end_ns) - x, h);
    fprintf(out, " stroke=\"none\" fill=\"%s\"><title>",
            br_draw_colour(panel->input, single ? row->which : 0, box->subset));
    br_write_cut(out, BR_QUOTE_XML, name, BR_PANEL_NAME);
    br_panel_when(panel, box->start_ns, box->end_ns);
    fputs(", ", out);
    br_draw_milli(out, box->at_once_milli);
    fputs(" at once on average</title></rect>\n", out);
}

static void svg_draw_rows(const struct br_panel *panel)
{
    const struct br_chart *chart = panel->chart;
    for (uint32_t r = 0; r < chart->rows; r++) {
        const struct br_chart_row *row = &chart->row[r];
        int64_t y = svg_row_top(panel, row), height = row->lanes * panel->lane;
        char name[4 * BR_PANEL_NAME + 8];
        br_panel_rectangle(panel->out, panel->left, y, panel->width, height);
        fputs(r % 2 ? " fill=\"#F7F7F7\" stroke=\"none\"/>\n"
                    : " fill=\"#EFEFEF\" stroke=\"none\"/>\n",
              panel->out);
        if (chart->level != BR_CHART_STAGES)
            br_panel_draw_away(panel, row->which, y, height);
        br_draw_row_name(panel->input, chart, row, name, sizeof name);
        br_panel_side(panel, y + height / 2 + 4 * BR_PX, name);
        if (chart->level != BR_CHART_STAGES)
            continue;
        br_panel_begin_text(panel->out, panel->left + panel->width + 6 * BR_PX,
                            y + height / 2 + 4 * BR_PX, "fill=\"#555\"");
        fprintf(panel->out, "%" PRIu32 " task%s, up to %" PRIu32 " at once</text>\n", row->tasks,
                row->tasks == 1 ? "" : "s", row->most);
    }
}

/* A row of its own, so that it is visible at any level of detail. */
static void draw_chain(const struct br_panel *panel)
{
    static const char *const waited[] = {[BR_WAITED_PARENT] = ", waited for its parent",
                                         [BR_WAITED_MACHINE] = ", waited for its machine",
                                         [BR_WAITED_TRANSFER] = ", waited for its input",
                                         [BR_WAITED_LAG] = ", waited for its parent and a lag",
                                         [BR_WAITED_RELEASE] = ", waited for its release",
                                         [BR_WAITED_WINDOW] = ", waited for a window to end",
                                         [BR_WAITED_ROOM] = ", waited for room"};
    const struct br_analysis *analysis = panel->analysis;
    const struct br_plan *plan = panel->input->plan;
    int64_t y = panel->rows - 26 * BR_PX, h = 16 * BR_PX;
    br_panel_side(panel, y + 12 * BR_PX, "critical chain");
    for (uint32_t k = 0; k < analysis->chain_tasks; k++) {
        uint32_t task = analysis->chain[k];
        uint32_t stage = br_dag_task_stage(panel->input->dag, task);
        if (k > 0 && analysis->waited[k] == BR_WAITED_TRANSFER)
            br_panel_chain_transfer(panel, analysis->inputs.last[task], y + h / 4, h / 2);
        int64_t x = br_panel_time_x(panel, plan->start_ns[task]);
        int64_t w = br_panel_time_x(panel, plan->end_ns[task]) - x;
        br_panel_rectangle(panel->out, x, y, w > BR_PX ? w : BR_PX, h);
        fprintf(panel->out, " class=\"critical\" fill=\"%s\"><title>",
                br_draw_colour(panel->input, stage, plan->subset[task]));
        br_write_task(panel->out, BR_QUOTE_XML, panel->input->dag, task);
        br_panel_when(panel, plan->start_ns[task], plan->end_ns[task]);
        if (k > 0 || analysis->waited[k] >= BR_WAITED_LAG)
            fputs(waited[analysis->waited[k]], panel->out);
        write_words(panel, stage);
        fputs("</title></rect>\n", panel->out);
        draw_label(panel, task, 1, x, y, w, h);
    }
}

static void svg_draw_curves(struct br_panel *panel)
{
    const struct br_analysis *analysis = panel->analysis;
    int64_t height = panel->curve, y = panel->foot;
    for (uint32_t r = 0; r < analysis->uses.count && r < CURVES_MOST; r++) {
        const struct br_use_curves *uses = &analysis->uses;
        const struct br_use *use = &uses->use[r];
        y += 2 * panel->gap;
        br_panel_rectangle(panel->out, panel->left, y, panel->width, height);
        fputs(" fill=\"#F7F7F7\" stroke=\"none\"/>\n<path class=\"use\" d=\"M ", panel->out);
        br_draw_fixed(panel->out, panel->left, BR_PX, 2);
        putc(' ', panel->out);
        br_draw_fixed(panel->out, y + height, BR_PX, 2);
        for (uint32_t c = 0; c < uses->pieces; c++) {
            double milli = use->milli[c] < 0 ? 0 : use->milli[c] > 1000 ? 1000 : use->milli[c];
            int64_t level = (int64_t)(milli + 0.5) * height / 1000;
            fputs(" V ", panel->out);
            br_draw_fixed(panel->out, y + height - level, BR_PX, 2);
            fputs(" H ", panel->out);
            br_draw_fixed(panel->out, br_panel_time_x(panel, uses->from_ns[c + 1]), BR_PX, 2);
        }
        fputs(" V ", panel->out);
        br_draw_fixed(panel->out, y + height, BR_PX, 2);
        fputs(" Z\"/>\n", panel->out);
        br_panel_side(panel, y + height / 2 + 4 * BR_PX, use->name);
        br_panel_begin_text(panel->out, panel->left + panel->width + 6 * BR_PX,
                            y + height / 2 + 4 * BR_PX, "fill=\"#555\"");
        br_draw_fixed(panel->out, (int64_t)(br_use_mean(uses, r) + 0.5), 10, 1);
        fputs(" % in use</text>\n", panel->out);
        y += height;
    }
    panel->foot = y;
}

static void svg_draw_axis(const struct br_panel *panel)
{
    int64_t step = br_draw_step(panel->span_ns);
    for (int64_t ns = 0; ns <= panel->span_ns; ns += step) {
        int64_t x = br_panel_time_x(panel, ns);
        br_panel_line(panel->out, x, panel->rows, panel->foot - panel->rows + 4 * BR_PX,
                      "stroke=\"#CCC\"");
        br_panel_begin_text(panel->out, x, panel->foot + 15 * BR_PX, "text-anchor=\"middle\"");
        br_write_seconds(panel->out, ns);
        fputs(" s</text>\n", panel->out);
        if (ns > INT64_MAX - step)
            break;
    }
}

/* A line through the panel with its text at the foot, to the left of it or to the right. */
static void svg_draw_mark(const struct br_panel *panel, const char *name, int64_t ns,
                          const char *colour, const char *dashes, bool right, int64_t below)
{
    int64_t x = br_panel_time_x(panel, ns), y = panel->rows - 30 * BR_PX;
    char attributes[120];
    snprintf(attributes, sizeof attributes, "stroke=\"%s\" stroke-width=\"1.5\"%s", colour, dashes);
    br_panel_line(panel->out, x, y, panel->foot - y + below, attributes);
    snprintf(attributes, sizeof attributes, "fill=\"%s\" text-anchor=\"%s\"", colour,
             right ? "start" : "end");
    br_panel_begin_text(panel->out, right ? x + 4 * BR_PX : x - 4 * BR_PX, panel->foot + below,
                        attributes);
    fprintf(panel->out, "%s ", name);
    br_write_about(panel->out, ns);
    fputs(" s</text>\n", panel->out);
}

static void svg_draw_marks(const struct br_panel *panel)
{
    const struct br_plan *plan = panel->input->plan;
    int64_t bound_ns = plan->lower_bound_ns;
    bool met = bound_ns == plan->makespan_ns;
    if (bound_ns > 0 && !met && bound_ns < panel->span_ns)
        svg_draw_mark(panel, "lower bound", bound_ns, BR_COLOUR_BOUND, " stroke-dasharray=\"6 3\"",
                      br_panel_time_x(panel, bound_ns) < panel->left + 160 * BR_PX, 30 * BR_PX);
    svg_draw_mark(
        panel, met ? "makespan = lower bound" : "makespan", plan->makespan_ns, BR_COLOUR_MAKESPAN,
        "", br_panel_time_x(panel, plan->makespan_ns) < panel->left + 220 * BR_PX, 44 * BR_PX);
}

/* Two plans are made low enough for a window, as far as their rows stay legible. */
static void size_panel(struct br_panel *panel, uint32_t lanes_of_both)
{
    static const struct {
        uint32_t lanes;
        int64_t lane, font;
    } sizes[] = {{24, 24, 11}, {48, 18, 11}, {96, 13, 10}, {UINT32_MAX, 8, 7}};
    const struct br_chart *chart = panel->chart;
    size_t size = 0;
    while (chart->lanes > sizes[size].lanes)
        size++;
    panel->lane = sizes[size].lane * BR_PX;
    panel->font = sizes[size].font * BR_PX;
    panel->gap = 4 * BR_PX;
    panel->head = 86 * BR_PX;
    panel->curve = 36 * BR_PX;
    if (lanes_of_both > 0) {
        int64_t room = 470 * BR_PX / lanes_of_both - 2 * BR_PX;
        int64_t least = panel->lane < 9 * BR_PX ? panel->lane : 9 * BR_PX;
        panel->lane = room < least ? least : room < panel->lane ? room : panel->lane;
        panel->font = panel->font < panel->lane ? panel->font : panel->lane;
        panel->gap = 2 * BR_PX;
        panel->head = 74 * BR_PX;
        panel->curve = 20 * BR_PX;
    }
    panel->head += panel->legend ? 16 * BR_PX : 0;
    panel->rows = panel->top + panel->head;
    panel->foot = panel->rows + chart->lanes * panel->lane + (chart->rows - 1) * panel->gap;
}

/* Below the panel, including the texts at its foot. */
static int64_t panel_end(const struct br_panel *panel)
{
    uint32_t curves =
        panel->analysis->uses.count < CURVES_MOST ? panel->analysis->uses.count : CURVES_MOST;
    return panel->foot + curves * (panel->curve + 2 * panel->gap) + br_panel_held_height(panel) +
           br_panel_ports_height(panel) + 52 * BR_PX;
}

/* Releases and deadlines, in the lanes of their tasks or in the rows of their stages. */
static void draw_times(const struct br_panel *panel)
{
    const struct br_chart *chart = panel->chart;
    if (!panel->input->dag->times)
        return;
    for (uint32_t b = 0; b < chart->boxes && chart->level != BR_CHART_STAGES; b++) {
        const struct br_chart_box *box = &chart->box[b];
        if (box->tasks == 1)
            br_panel_draw_times(panel, box->task,
                                svg_row_top(panel, &chart->row[box->row]) +
                                    box->lane * panel->lane);
    }
    for (uint32_t r = 0; r < chart->rows && chart->level == BR_CHART_STAGES; r++)
        if (chart->row[r].which < panel->input->dag->stages)
            br_panel_draw_stage_times(panel, chart->row[r].which,
                                      svg_row_top(panel, &chart->row[r]));
}

static void draw_panel(struct br_panel *panel)
{
    const struct br_chart *chart = panel->chart;
    FILE *out = panel->out;
    svg_draw_head(panel);
    svg_draw_rows(panel);
    svg_draw_curves(panel);
    panel->foot = br_panel_draw_held(panel, panel->foot);
    panel->foot = br_panel_draw_ports(panel, panel->foot);
    svg_draw_axis(panel);
    fprintf(out, "<g stroke=\"#333\" stroke-width=\"0.5\" font-size=\"%" PRId64 "\">\n",
            panel->font / BR_PX);
    draw_chain(panel);
    for (uint32_t b = 0; b < chart->boxes && !ferror(out); b++)
        if (chart->level == BR_CHART_STAGES)
            svg_draw_profile_box(panel, &chart->box[b]);
        else
            svg_draw_task_box(panel, &chart->box[b]);
    fputs("</g>\n", out);
    draw_times(panel);
    svg_draw_marks(panel);
}

enum br_status br_emit_svg(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    const struct br_emit_input *inputs[2] = {input, input->other};
    struct br_chart chart[2] = {{0}};
    struct br_analysis analysis[2] = {{0}};
    struct br_port_chart ports[2] = {{0}};
    struct br_held held[2] = {{0}};
    struct br_panel panel[2];
    uint32_t panels = input->other ? 2 : 1;
    int64_t span_ns = 1, end = 0;
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < panels && !status; k++) {
        status = br_chart_init(&chart[k], inputs[k], diag);
        if (!status)
            status = br_analysis_init(&analysis[k], inputs[k], diag);
        if (!status)
            status = br_port_chart_init(&ports[k], inputs[k], diag);
        if (!status)
            status = br_held_init(&held[k], inputs[k], diag);
        if (!status && chart[k].span_ns > span_ns)
            span_ns = chart[k].span_ns;
    }
    for (uint32_t k = 0; k < panels && !status; k++) {
        panel[k] = (struct br_panel){.out = out,
                                     .input = inputs[k],
                                     .chart = &chart[k],
                                     .analysis = &analysis[k],
                                     .ports = &ports[k],
                                     .held = &held[k],
                                     .legend = br_panel_has_times(inputs[k]),
                                     .span_ns = span_ns,
                                     .left = 190 * BR_PX,
                                     .width = 960 * BR_PX,
                                     .top = end};
        size_panel(&panel[k], panels > 1 ? chart[0].lanes + chart[1].lanes : 0);
        end = panel_end(&panel[k]);
    }
    if (!status) {
        fputs(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
            "viewBox=\"0 0 1340 ",
            out);
        br_draw_fixed(out, end, BR_PX, 2);
        fputs("\" width=\"1340\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"11\">\n"
              "<style>text { stroke: none } .critical { stroke: #000; stroke-width: 2 }\n"
              ".use { fill: #7FA8D1; stroke: #0072B2; stroke-width: 0.7 }",
              out);
        if (ports[0].rows || ports[1].rows)
            fputs("\n.moves { stroke: #333; stroke-width: 0.3 } .moved { stroke-dasharray: 3 2 }",
                  out);
        if (held[0].rows || held[1].rows || panel[0].legend || panel[panels - 1].legend)
            br_panel_held_styles(out);
        fputs("</style>\n", out);
        if (panel[0].legend || panel[panels - 1].legend)
            br_panel_times_patterns(out);
        br_panel_rectangle(out, 0, 0, 1340 * BR_PX, end);
        fputs(" fill=\"#FFF\"/>\n", out);
        for (uint32_t k = 0; k < panels; k++)
            draw_panel(&panel[k]);
        fputs("</svg>\n", out);
    }
    for (uint32_t k = 0; k < panels; k++) {
        br_chart_finish(&chart[k]);
        br_analysis_finish(&analysis[k]);
        br_port_chart_finish(&ports[k]);
        br_held_finish(&held[k]);
    }
    return status;
}
