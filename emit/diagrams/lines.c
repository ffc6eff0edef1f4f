/* Boxes get their lines in an order with parents first: by start, or by their stages' places in the
 * order of the job. */
#include "base/collections/csr.h"
#include "emit/diagrams/diagram.h"

#include <math.h>
#include <stdlib.h>

enum {
    LINES_FEW = 24, /* up to this many different starts have a line each; more share lines */
    WIDE = 20,      /* boxes on an uncut line */
    NARROW = 16,    /* least number on a cut line; then the picture is not much wider than high */
    CUT_MOST = 300, /* boxes of a diagram whose lines are cut; Graphviz takes 20 times as long for
                       600, as arrows cross more lines */
};

/* Number of lines for that many boxes. */
static uint32_t diagrams_lines_parts_of(uint32_t boxes)
{
    double width = 2 * sqrt(boxes);
    return boxes <= WIDE ? 1 : (uint32_t)ceil(boxes / (width > NARROW ? width : NARROW));
}

struct turn {
    int64_t start_ns;
    uint32_t position; /* of the stage in the topological order */
    uint32_t plan, box;
};

/* Arrows by their ends; a joint's line is the last of the boxes before it. */
struct inward {
    uint32_t *first, *arrow;
    uint32_t *joint_line; /* plus 1; 0: not known yet */
};

static int diagrams_lines_by_turn(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    if (x->plan != y->plan)
        return x->plan < y->plan ? -1 : 1;
    return x->box < y->box ? -1 : x->box > y->box;
}

static enum br_status inward_init(struct inward *in, const struct br_diagram *diagram,
                                  struct br_diag *diag)
{
    uint32_t places = diagram->boxes + diagram->joints;
    in->first = calloc(br_csr_room(places), sizeof *in->first);
    in->arrow = calloc((size_t)diagram->arrows + 1, sizeof *in->arrow);
    in->joint_line = calloc((size_t)diagram->joints + 1, sizeof *in->joint_line);
    if (!in->first || !in->arrow || !in->joint_line)
        return br_fail_memory(diag);
    for (uint32_t a = 0; a < diagram->arrows; a++)
        br_csr_count(in->first, diagram->arrow[a].to);
    br_csr_sum(in->first, places);
    for (uint32_t a = 0; a < diagram->arrows; a++)
        in->arrow[br_csr_place(in->first, diagram->arrow[a].to)] = a;
    return BR_OK;
}

static void inward_finish(struct inward *in)
{
    free(in->first);
    free(in->arrow);
    free(in->joint_line);
}

/* One more than the last line of the boxes that lead here; 0 if there is none. A box not yet
 * handled, in an invalid plan, counts as on the first line. */
static uint32_t diagrams_lines_after_parents(const struct br_diagram *diagram, struct inward *in,
                                             uint32_t place)
{
    uint32_t line = 0;
    for (uint32_t k = in->first[place]; k < in->first[place + 1]; k++) {
        uint32_t from = diagram->arrow[in->arrow[k]].from, after;
        if (from < diagram->boxes) {
            after = diagram->box[from].line + 1;
        } else {
            uint32_t *joint = &in->joint_line[from - diagram->boxes];
            if (*joint == 0)
                *joint = diagrams_lines_after_parents(diagram, in, from) + 1;
            after = *joint - 1;
        }
        line = after > line ? after : line;
    }
    return line;
}

static int64_t longest_line(const struct turn *turn, uint32_t turns)
{
    uint32_t different = 0;
    for (uint32_t k = 0; k < turns; k++)
        different += k == 0 || turn[k].start_ns != turn[k - 1].start_ns;
    if (different <= LINES_FEW)
        return 0;
    return (int64_t)((double)turn[turns - 1].start_ns / LINES_FEW) -
           (int64_t)((double)turn[0].start_ns / LINES_FEW);
}

/* The boxes of all diagrams in the order in which they get their lines. */
static enum br_status make_turns(struct turn *turn, uint32_t *turns,
                                 const struct br_diagram *diagrams, uint32_t count, bool by_time,
                                 struct br_diag *diag)
{
    for (uint32_t p = 0; p < count; p++) {
        const struct br_dag *dag = diagrams[p].input->dag;
        uint32_t *position = calloc((size_t)dag->stages + 1, sizeof *position);
        if (!position)
            return br_fail_memory(diag);
        for (uint32_t k = 0; k < dag->stages; k++)
            position[dag->topological[k]] = k;
        for (uint32_t b = 0; b < diagrams[p].boxes; b++) {
            const struct br_box *box = &diagrams[p].box[b];
            turn[(*turns)++] =
                (struct turn){by_time ? box->start_ns : 0, position[box->stage], p, b};
        }
        free(position);
    }
    qsort(turn, *turns, sizeof *turn, diagrams_lines_by_turn);
    return BR_OK;
}

static void diagrams_lines_take_turns(struct br_diagram_lines *lines, struct br_diagram *diagrams,
                                      struct inward *in, const struct turn *turn, uint32_t turns,
                                      bool by_time)
{
    int64_t longest = turns > 0 ? longest_line(turn, turns) : 0;
    uint32_t most = 2 * (uint32_t)sqrt(turns);
    most = turns > CUT_MOST ? UINT32_MAX : most > WIDE ? most : WIDE;
    for (uint32_t k = 0; k < turns; k++) {
        uint32_t line =
            diagrams_lines_after_parents(&diagrams[turn[k].plan], &in[turn[k].plan], turn[k].box);
        if (by_time && lines->lines > 0) {
            uint32_t last = lines->lines - 1;
            bool full = (double)turn[k].start_ns - (double)lines->begin_ns[last] > (double)longest;
            line =
                line > last || full || br_csr_counted(lines->first, last) >= most ? last + 1 : last;
        }
        if (line >= lines->lines)
            lines->begin_ns[lines->lines++] = by_time ? turn[k].start_ns : line;
        diagrams[turn[k].plan].box[turn[k].box].line = line;
        br_csr_count(lines->first, line);
    }
    br_csr_sum(lines->first, lines->lines);
    for (uint32_t k = 0; k < turns; k++) {
        uint32_t line = diagrams[turn[k].plan].box[turn[k].box].line;
        lines->member[br_csr_place(lines->first, line)] =
            (struct br_line_member){turn[k].plan, turn[k].box};
    }
}

/* Cuts lines wider than a page, with the boxes in their order. */
static enum br_status cut_lines(struct br_diagram_lines *lines, struct br_diagram *diagrams,
                                struct br_diag *diag)
{
    uint32_t boxes = lines->first[lines->lines], cut = 0;
    uint32_t *first = calloc((size_t)boxes + 3, sizeof *first);
    int64_t *begin = calloc((size_t)boxes + 1, sizeof *begin);
    if (!first || !begin) {
        free(first);
        free(begin);
        return br_fail_memory(diag);
    }
    for (uint32_t k = 0; k < lines->lines; k++) {
        uint32_t count = lines->first[k + 1] - lines->first[k],
                 parts = diagrams_lines_parts_of(count);
        for (uint32_t p = 0; p < parts; p++) {
            begin[cut] = lines->begin_ns[k];
            first[cut] = lines->first[k] + (uint32_t)((uint64_t)count * p / parts);
            cut++;
        }
    }
    first[cut] = boxes;
    for (uint32_t k = 0; k < cut; k++)
        for (uint32_t m = first[k]; m < first[k + 1]; m++)
            diagrams[lines->member[m].plan].box[lines->member[m].box].line = k;
    free(lines->first);
    free(lines->begin_ns);
    lines->first = first;
    lines->begin_ns = begin;
    lines->lines = cut;
    return BR_OK;
}

/* Arrows must not pull a box below a line that is above theirs, so Graphviz needs them. */
static void mark_upward(struct br_diagram *diagram, uint32_t *last)
{
    for (uint32_t j = 0; j < diagram->joints; j++)
        last[j] = 0;
    for (uint32_t a = 0; a < diagram->arrows; a++) {
        const struct br_arrow *arrow = &diagram->arrow[a];
        if (arrow->to >= diagram->boxes &&
            diagram->box[arrow->from].line > last[arrow->to - diagram->boxes])
            last[arrow->to - diagram->boxes] = diagram->box[arrow->from].line;
    }
    for (uint32_t a = 0; a < diagram->arrows; a++) {
        struct br_arrow *arrow = &diagram->arrow[a];
        if (arrow->to < diagram->boxes)
            arrow->upward = diagram->box[arrow->to].line <=
                            (arrow->from < diagram->boxes ? diagram->box[arrow->from].line
                                                          : last[arrow->from - diagram->boxes]);
    }
}

static enum br_status diagrams_make_lines(struct br_diagram_lines *lines,
                                          struct br_diagram *diagrams, uint32_t count, bool by_time,
                                          bool cuts, struct br_diag *diag)
{
    size_t boxes = 0;
    for (uint32_t p = 0; p < count; p++)
        boxes += diagrams[p].boxes;
    struct inward in[2] = {{0}};
    struct turn *turn = calloc(boxes + 1, sizeof *turn);
    uint32_t turns = 0;
    *lines = (struct br_diagram_lines){.begin_ns = calloc(boxes + 1, sizeof *lines->begin_ns),
                                       .first = calloc(boxes + 3, sizeof *lines->first),
                                       .member = calloc(boxes + 1, sizeof *lines->member)};
    enum br_status status = BR_OK;
    if (!turn || !lines->begin_ns || !lines->first || !lines->member)
        status = br_fail_memory(diag);
    if (!status)
        status = make_turns(turn, &turns, diagrams, count, by_time, diag);
    for (uint32_t p = 0; p < count && !status; p++)
        status = inward_init(&in[p], &diagrams[p], diag);
    if (!status)
        diagrams_lines_take_turns(lines, diagrams, in, turn, turns, by_time);
    if (!status && !by_time && cuts && turns <= CUT_MOST)
        status = cut_lines(lines, diagrams, diag);
    for (uint32_t p = 0; p < count && !status; p++)
        mark_upward(&diagrams[p], in[p].joint_line);
    for (uint32_t p = 0; p < count; p++)
        inward_finish(&in[p]);
    free(turn);
    if (status)
        br_diagram_lines_finish(lines);
    return status;
}

enum br_status br_diagram_lines_init(struct br_diagram_lines *lines, struct br_diagram *diagrams,
                                     uint32_t count, bool by_time, struct br_diag *diag)
{
    return diagrams_make_lines(lines, diagrams, count, by_time, true, diag);
}

enum br_status br_diagram_fold(struct br_diagram *diagram, struct br_diag *diag)
{
    struct br_diagram_lines lines;
    if (diagram->boxes > CUT_MOST)
        return BR_OK;
    enum br_status status = diagrams_make_lines(&lines, diagram, 1, false, false, diag);
    if (status)
        return status;
    for (uint32_t k = 0; k < lines.lines; k++) {
        uint32_t count = lines.first[k + 1] - lines.first[k],
                 parts = diagrams_lines_parts_of(count);
        for (uint32_t m = 0; m < count; m++)
            diagram->box[lines.member[lines.first[k] + m].box].below = 1 + m % parts;
    }
    br_diagram_lines_finish(&lines);
    return BR_OK;
}

void br_diagram_lines_finish(struct br_diagram_lines *lines)
{
    free(lines->begin_ns);
    free(lines->first);
    free(lines->member);
    *lines = (struct br_diagram_lines){0};
}
