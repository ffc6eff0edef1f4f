#include "emit/pictures/svg_times.h"

#include <inttypes.h>
#include <stdio.h>

#include "emit/pictures/draw.h"
#include "emit/write/figures.h"
#include "emit/write/write.h"

enum { WINDOWS_MOST = 500 /* in one row */ };

bool br_panel_has_times(const struct br_emit_input *input)
{
    const struct br_times *times = input->dag->times;
    const struct br_calendar *calendar = input->cluster->calendar;
    return (times && (times->release_ns || times->deadline_ns)) ||
           (calendar && calendar->unavailables);
}

void br_panel_times_patterns(FILE *out)
{
    fputs("<defs><pattern id=\"away\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#FFF\"/><path "
          "d=\"M 0 0 V 6\" stroke=\"#777\" stroke-width=\"2\"/></pattern></defs>\n",
          out);
}

/* A triangle that points to the right from a release, or to the left from a deadline, and a bar at
 * the time itself. The caller closes it. */
static void begin_mark(FILE *out, const char *kind, int64_t x, int64_t y, int64_t height,
                       bool to_the_right)
{
    const int64_t way = (to_the_right ? 1 : -1) * (height < 12 * BR_PX ? height / 2 : 6 * BR_PX);
    fprintf(out, "<path class=\"%s\" d=\"M ", kind);
    br_draw_fixed(out, x, BR_PX, 2);
    putc(' ', out);
    br_draw_fixed(out, y + height, BR_PX, 2);
    fputs(" V ", out);
    br_draw_fixed(out, y, BR_PX, 2);
    fputs(" L ", out);
    br_draw_fixed(out, x + way, BR_PX, 2);
    putc(' ', out);
    br_draw_fixed(out, y + (way < 0 ? -way : way) / 2, BR_PX, 2);
    fputs(" L ", out);
    br_draw_fixed(out, x, BR_PX, 2);
    putc(' ', out);
    br_draw_fixed(out, y + (way < 0 ? -way : way), BR_PX, 2);
    fputs("\"", out);
}

void br_panel_draw_times_key(const struct br_panel *panel, int64_t y)
{
    const struct br_times *times = panel->input->dag->times;
    const struct br_calendar *calendar = panel->input->cluster->calendar;
    FILE *out = panel->out;
    int64_t x = 8 * BR_PX;
    if (!panel->legend)
        return;
    y -= 16 * BR_PX;
    if (calendar && calendar->unavailables) {
        br_panel_rectangle(out, x, y, 12 * BR_PX, 12 * BR_PX);
        fputs(" fill=\"url(#away)\" stroke=\"#777\"/>\n", out);
        br_panel_begin_text(out, x + 16 * BR_PX, y + 10 * BR_PX, "");
        fputs("the machine is away</text>\n", out);
        x += 135 * BR_PX;
    }
    if (times && times->release_ns) {
        begin_mark(out, "release", x, y, 12 * BR_PX, true);
        fputs("/>\n", out);
        br_panel_begin_text(out, x + 10 * BR_PX, y + 10 * BR_PX, "");
        fputs("release: no start before</text>\n", out);
        x += 150 * BR_PX;
    }
    if (times && times->deadline_ns) {
        begin_mark(out, "deadline", x + 6 * BR_PX, y, 12 * BR_PX, false);
        fputs("/>\n", out);
        br_panel_begin_text(out, x + 12 * BR_PX, y + 10 * BR_PX, "");
        fputs("deadline</text>\n", out);
    }
}

void br_panel_draw_away(const struct br_panel *panel, uint32_t machine, int64_t y, int64_t height)
{
    const struct br_calendar *calendar = panel->input->cluster->calendar;
    uint32_t drawn = 0;
    for (uint32_t k = 0; calendar && k < calendar->unavailables && drawn < WINDOWS_MOST; k++) {
        const struct br_span_of_machines *span = &calendar->unavailable[k].span;
        if (machine < span->first || machine - span->first >= span->count ||
            span->from_ns >= panel->span_ns)
            continue;
        const int64_t x = br_panel_time_x(panel, span->from_ns);
        drawn++;
        br_panel_rectangle(panel->out, x, y, br_panel_time_x(panel, span->to_ns) - x, height);
        fputs(" class=\"away\" fill=\"url(#away)\" stroke=\"none\"><title>", panel->out);
        br_write_machine(panel->out, BR_QUOTE_XML, panel->input->cluster, machine);
        fputs(" is away from ", panel->out);
        br_write_seconds(panel->out, span->from_ns);
        if (span->to_ns == BR_FOREVER) {
            fputs(" s on</title></rect>\n", panel->out);
            continue;
        }
        fputs(" s to ", panel->out);
        br_write_seconds(panel->out, span->to_ns);
        fputs(" s</title></rect>\n", panel->out);
    }
}

/* Those that are not on the axis are not drawn; their tasks say when they are. */
static void draw_release(const struct br_panel *panel, int64_t ns, int64_t y)
{
    if (ns <= 0 || ns > panel->span_ns)
        return;
    begin_mark(panel->out, "release", br_panel_time_x(panel, ns), y, panel->lane, true);
    fputs("><title>release at ", panel->out);
    br_write_seconds(panel->out, ns);
    fputs(" s</title></path>\n", panel->out);
}

static void draw_deadline(const struct br_panel *panel, int64_t ns, bool missed, int64_t y)
{
    if (ns > panel->span_ns)
        return;
    begin_mark(panel->out, missed ? "deadline missed" : "deadline", br_panel_time_x(panel, ns), y,
               panel->lane, false);
    fprintf(panel->out, "><title>deadline%s at ", missed ? ", missed," : "");
    br_write_seconds(panel->out, ns);
    fputs(" s</title></path>\n", panel->out);
}

void br_panel_draw_times(const struct br_panel *panel, uint32_t task, int64_t y)
{
    const int64_t deadline_ns = br_dag_deadline(panel->input->dag, task);
    draw_release(panel, br_dag_release(panel->input->dag, task), y);
    draw_deadline(panel, deadline_ns, panel->input->plan->end_ns[task] > deadline_ns, y);
}

void br_panel_draw_stage_times(const struct br_panel *panel, uint32_t stage, int64_t y)
{
    const struct br_dag *dag = panel->input->dag;
    const struct br_stage *of = &dag->stage[stage];
    int64_t release_ns = INT64_MAX, deadline_ns = INT64_MAX;
    bool missed = false;
    for (uint32_t t = of->first_task; t < of->first_task + of->tasks; t++) {
        const int64_t release = br_dag_release(dag, t), deadline = br_dag_deadline(dag, t);
        release_ns = release < release_ns ? release : release_ns;
        deadline_ns = deadline < deadline_ns ? deadline : deadline_ns;
        missed |= panel->input->plan->end_ns[t] > deadline;
    }
    draw_release(panel, release_ns, y);
    draw_deadline(panel, deadline_ns, missed, y);
}

void br_panel_write_times(const struct br_panel *panel, uint32_t task)
{
    const int64_t release_ns = br_dag_release(panel->input->dag, task);
    const int64_t deadline_ns = br_dag_deadline(panel->input->dag, task);
    if (release_ns > 0) {
        fputs(", not before ", panel->out);
        br_write_seconds(panel->out, release_ns);
        fputs(" s", panel->out);
    }
    if (deadline_ns == INT64_MAX)
        return;
    fputs(panel->input->plan->end_ns[task] > deadline_ns ? ", late: due at " : ", due at ",
          panel->out);
    br_write_seconds(panel->out, deadline_ns);
    fputs(" s", panel->out);
}
