/* Boxes are counted stage by stage, then arrows edge by edge. The order within an edge is by box
 * (those into a joint before those out of it), so that an arrow is found by its boxes. */
#include "emit/diagrams/diagram.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbers/wide.h"
#include "emit/analysis/analysis.h"
#include "emit/analysis/parents.h"

/* Plans read from files may have any times. */
static int64_t diagram_difference(int64_t later_ns, int64_t earlier_ns)
{
    br_wide ns = (br_wide)later_ns - earlier_ns;
    return ns > INT64_MAX ? INT64_MAX : ns < -INT64_MAX ? -INT64_MAX : (int64_t)ns;
}

/* The boxes of one stage; slot[machine] is the last box of the machine, plus 1. */
static void fill_boxes(struct br_diagram *diagram, uint32_t s, double share, uint32_t *slot)
{
    const struct br_emit_input *input = diagram->input;
    const struct br_stage *stage = &input->dag->stage[s];
    const struct br_plan *plan = input->plan;
    uint32_t first = diagram->first_box[s];
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++) {
        uint32_t machine = plan->machine[t], b = first;
        if (input->nodes == BR_NODES_TASK)
            b = diagram->boxes;
        else if (input->by_machine)
            b = slot[machine] > first ? slot[machine] - 1 : diagram->boxes;
        struct br_box *box = &diagram->box[b];
        if (b == diagram->boxes) {
            *box = (struct br_box){.stage = s,
                                   .task = t,
                                   .machine = machine,
                                   .start_ns = plan->start_ns[t],
                                   .end_ns = plan->end_ns[t]};
            diagram->boxes++;
        }
        if (slot[machine] != b + 1)
            box->machines++;
        slot[machine] = b + 1;
        box->start_ns = plan->start_ns[t] < box->start_ns ? plan->start_ns[t] : box->start_ns;
        box->end_ns = plan->end_ns[t] > box->end_ns ? plan->end_ns[t] : box->end_ns;
        box->tasks++;
        box->subset[br_subset_index(plan->subset[t])]++;
        box->work += share * (double)input->dag->duration_ns[t] / 1e9;
        diagram->box_of[t] = b;
    }
}

static enum br_status make_boxes(struct br_diagram *diagram, struct br_diag *diag)
{
    const struct br_dag *dag = diagram->input->dag;
    uint32_t machines = diagram->input->cluster->machines;
    uint32_t *slot = calloc((size_t)machines + 1, sizeof *slot);
    if (!slot)
        return br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages; s++) {
        diagram->first_box[s] = diagram->boxes;
        fill_boxes(diagram, s, br_use_share(dag, diagram->input->cluster, s), slot);
    }
    diagram->first_box[dag->stages] = diagram->boxes;
    free(slot);
    return BR_OK;
}

static struct br_arrow arrow_of(uint32_t edge, uint32_t from, uint32_t to, int64_t wait_ns)
{
    return (struct br_arrow){
        .from = from, .to = to, .edge = edge, .wait_ns = wait_ns, .transfer = BR_INPUTS_NONE};
}

static enum br_status add_arrow(struct br_diagram *diagram, uint32_t *room, struct br_arrow arrow,
                                struct br_diag *diag)
{
    if (diagram->arrows == *room) {
        *room = *room ? *room * 2 : 64;
        struct br_arrow *more = realloc(diagram->arrow, *room * sizeof *more);
        if (!more)
            return br_fail_memory(diag);
        diagram->arrow = more;
    }
    diagram->arrow[diagram->arrows++] = arrow;
    return BR_OK;
}

static int by_boxes(const void *a, const void *b)
{
    const struct br_arrow *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->wait_ns < y->wait_ns ? -1 : x->wait_ns > y->wait_ns;
}

/* An arrow for every pair of boxes with tasks of equal index, with the least wait. */
static enum br_status join_each(struct br_diagram *diagram, uint32_t *room, uint32_t e,
                                struct br_diag *diag)
{
    const struct br_dag *dag = diagram->input->dag;
    const struct br_plan *plan = diagram->input->plan;
    const struct br_edge *edge = &dag->edge[e];
    uint32_t first = diagram->arrows, parent = dag->stage[edge->parent].first_task,
             child = dag->stage[edge->child].first_task, kept = first;
    enum br_status status = BR_OK;
    for (uint32_t i = 0; i < dag->stage[edge->child].tasks && !status; i++) {
        struct br_arrow arrow =
            arrow_of(e, diagram->box_of[parent + i], diagram->box_of[child + i],
                     diagram_difference(plan->start_ns[child + i], plan->end_ns[parent + i]));
        arrow.pairs = 1;
        struct br_arrow *last =
            diagram->arrows > first ? &diagram->arrow[diagram->arrows - 1] : NULL;
        if (last && last->from == arrow.from && last->to == arrow.to) {
            last->pairs++;
            last->wait_ns = arrow.wait_ns < last->wait_ns ? arrow.wait_ns : last->wait_ns;
        } else {
            status = add_arrow(diagram, room, arrow, diag);
        }
    }
    if (status || diagram->arrows == first)
        return status;
    qsort(diagram->arrow + first, diagram->arrows - first, sizeof *diagram->arrow, by_boxes);
    for (uint32_t k = first; k < diagram->arrows; k++)
        if (k == first || diagram->arrow[k].from != diagram->arrow[kept - 1].from ||
            diagram->arrow[k].to != diagram->arrow[kept - 1].to)
            diagram->arrow[kept++] = diagram->arrow[k];
        else
            diagram->arrow[kept - 1].pairs += diagram->arrow[k].pairs;
    diagram->arrows = kept;
    return BR_OK;
}

static enum br_status join_all(struct br_diagram *diagram, uint32_t *room, uint32_t e,
                               struct br_diag *diag)
{
    const struct br_edge *edge = &diagram->input->dag->edge[e];
    const struct br_box *box = diagram->box;
    uint32_t p0 = diagram->first_box[edge->parent], p1 = diagram->first_box[edge->parent + 1],
             c0 = diagram->first_box[edge->child], c1 = diagram->first_box[edge->child + 1];
    bool joined = (uint64_t)(p1 - p0) * (c1 - c0) > (uint64_t)(p1 - p0) + (c1 - c0);
    int64_t end_ns = INT64_MIN, start_ns = INT64_MAX;
    for (uint32_t p = p0; p < p1; p++)
        end_ns = box[p].end_ns > end_ns ? box[p].end_ns : end_ns;
    for (uint32_t c = c0; c < c1; c++)
        start_ns = box[c].start_ns < start_ns ? box[c].start_ns : start_ns;
    uint32_t joint = UINT32_MAX - diagram->joints;
    enum br_status status = BR_OK;
    for (uint32_t p = p0; p < p1 && !status; p++) {
        if (joined)
            status =
                add_arrow(diagram, room,
                          arrow_of(e, p, joint, diagram_difference(start_ns, box[p].end_ns)), diag);
        for (uint32_t c = c0; c < c1 && !status && !joined; c++)
            status = add_arrow(
                diagram, room,
                arrow_of(e, p, c, diagram_difference(box[c].start_ns, box[p].end_ns)), diag);
    }
    for (uint32_t c = c0; c < c1 && !status && joined; c++)
        status =
            add_arrow(diagram, room,
                      arrow_of(e, joint, c, diagram_difference(box[c].start_ns, end_ns)), diag);
    diagram->joints += joined;
    return status;
}

static enum br_status make_arrows(struct br_diagram *diagram, struct br_diag *diag)
{
    const struct br_dag *dag = diagram->input->dag;
    uint32_t room = 0;
    enum br_status status = BR_OK;
    for (uint32_t e = 0; e < dag->edges && !status; e++)
        status = dag->edge[e].type == BR_ONE_TO_ONE ? join_each(diagram, &room, e, diag)
                                                    : join_all(diagram, &room, e, diag);
    return status;
}

/* The arrows by edge: those of an edge are adjacent, and the edges are in their order. NULL when
 * memory is out; the caller's. */
static uint32_t *arrows_by_edge(const struct br_diagram *diagram)
{
    uint32_t edges = diagram->input->dag->edges;
    uint32_t *first = calloc((size_t)edges + 2, sizeof *first);
    for (uint32_t a = 0; first && a < diagram->arrows; a++)
        first[diagram->arrow[a].edge + 1]++;
    for (uint32_t e = 0; first && e < edges; e++)
        first[e + 1] += first[e];
    return first;
}

/* The arrows of the edge on the way from box to box: one, or two if there is a joint between them.
 * Returns their number; they are ordered by `from`, then by `to`. O(log arrows). */
static uint32_t arrows_between(const struct br_diagram *diagram, const uint32_t *first_arrow,
                               uint32_t edge, const uint32_t boxes[2], struct br_arrow *found[2])
{
    uint32_t first = first_arrow[edge], past = first_arrow[edge + 1], count = 0;
    bool joined = first < past && diagram->arrow[first].to >= diagram->boxes;
    for (int side = 0; side <= (joined ? 1 : 0); side++) {
        uint32_t low = first, high = past;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            const struct br_arrow *arrow = &diagram->arrow[middle];
            bool second = arrow->from >= diagram->boxes; /* they come after those into the joint */
            bool before =
                side == 0 ? !second && arrow->from < boxes[0] : !second || arrow->to < boxes[1];
            if (!joined && arrow->from == boxes[0])
                before = arrow->to < boxes[1];
            if (before)
                low = middle + 1;
            else
                high = middle;
        }
        const struct br_arrow *arrow = &diagram->arrow[low];
        if (low < past && (side == 1 || arrow->from == boxes[0]) &&
            (joined && side == 0 ? true : arrow->to == boxes[1]))
            found[count++] = &diagram->arrow[low];
    }
    return count;
}

/* The chain's arrows. */
static void mark_step(struct br_diagram *diagram, const struct br_parents *parents,
                      const uint32_t *first_arrow, uint32_t from, uint32_t to)
{
    const struct br_dag *dag = diagram->input->dag;
    const uint32_t boxes[2] = {diagram->box_of[from], diagram->box_of[to]};
    uint32_t child = diagram->box[boxes[1]].stage;
    struct br_arrow *found[2];
    for (uint32_t k = parents->first[child]; k < parents->first[child + 1]; k++) {
        uint32_t e = parents->edge[k];
        if (dag->edge[e].parent != diagram->box[boxes[0]].stage)
            continue;
        for (uint32_t n = arrows_between(diagram, first_arrow, e, boxes, found); n > 0; n--)
            found[n - 1]->on_chain = true;
    }
}

/* Marks the arrows of transfers that tasks waited for. The source of a transfer is searched once
 * for consecutive tasks that wait for it. */
static void mark_transfers(struct br_diagram *diagram, const struct br_inputs *inputs,
                           const uint32_t *first_arrow)
{
    const struct br_plan *plan = diagram->input->plan;
    uint32_t last = BR_INPUTS_NONE, source = UINT32_MAX;
    for (uint32_t t = 0; t < plan->tasks; t++) {
        struct br_arrow *found[2];
        if (!br_inputs_bind(inputs, plan, t))
            continue;
        if (inputs->last[t] != last)
            source = br_inputs_source(diagram->input, inputs->last[t]);
        last = inputs->last[t];
        if (source == UINT32_MAX)
            continue;
        const uint32_t boxes[2] = {diagram->box_of[source], diagram->box_of[t]};
        uint32_t edge = plan->carried.transfer[last].edge;
        for (uint32_t n = arrows_between(diagram, first_arrow, edge, boxes, found); n > 0; n--)
            if (found[n - 1]->transfer > last)
                found[n - 1]->transfer = last;
    }
}

static enum br_status mark_chain(struct br_diagram *diagram, struct br_diag *diag)
{
    struct br_analysis analysis;
    struct br_parents parents = {NULL, NULL};
    uint32_t *first_arrow = arrows_by_edge(diagram);
    enum br_status status = br_analysis_init(&analysis, diagram->input, diag);
    if (!status) {
        diagram->handover = calloc((size_t)analysis.chain_tasks + 1, sizeof *diagram->handover);
        if (!diagram->handover || !first_arrow)
            status = br_fail_memory(diag);
    }
    if (!status)
        status = br_parents_init(&parents, diagram->input->dag, diag);
    if (!status)
        mark_transfers(diagram, &analysis.inputs, first_arrow);
    for (uint32_t k = 0; k < analysis.chain_tasks && !status; k++) {
        uint32_t box = diagram->box_of[analysis.chain[k]];
        diagram->box[box].on_chain = true;
        uint32_t before = k > 0 ? diagram->box_of[analysis.chain[k - 1]] : box;
        if (before == box)
            continue;
        if (analysis.waited[k] == BR_WAITED_MACHINE)
            diagram->handover[diagram->handovers++] = (struct br_handover){before, box};
        else
            mark_step(diagram, &parents, first_arrow, analysis.chain[k - 1], analysis.chain[k]);
    }
    free(first_arrow);
    br_parents_finish(&parents);
    br_analysis_finish(&analysis);
    return status;
}

enum br_status br_diagram_init(struct br_diagram *diagram, const struct br_emit_input *input,
                               struct br_diag *diag)
{
    const struct br_dag *dag = input->dag;
    *diagram = (struct br_diagram){
        .input = input,
        .box = calloc((size_t)dag->tasks + 1, sizeof *diagram->box),
        .first_box = calloc((size_t)dag->stages + 1, sizeof *diagram->first_box),
        .box_of = calloc((size_t)dag->tasks + 1, sizeof *diagram->box_of),
    };
    enum br_status status = BR_OK;
    if (!diagram->box || !diagram->first_box || !diagram->box_of)
        status = br_fail_memory(diag);
    if (!status)
        status = make_boxes(diagram, diag);
    if (!status)
        status = make_arrows(diagram, diag);
    for (uint32_t a = 0; a < diagram->arrows && !status; a++) {
        /* Joints were numbered from the other end while boxes were counted. */
        struct br_arrow *arrow = &diagram->arrow[a];
        if (arrow->from >= diagram->boxes)
            arrow->from = diagram->boxes + (UINT32_MAX - arrow->from);
        if (arrow->to >= diagram->boxes)
            arrow->to = diagram->boxes + (UINT32_MAX - arrow->to);
    }
    if (!status)
        status = mark_chain(diagram, diag);
    if (status)
        br_diagram_finish(diagram);
    return status;
}

void br_diagram_finish(struct br_diagram *diagram)
{
    free(diagram->box);
    free(diagram->first_box);
    free(diagram->box_of);
    free(diagram->arrow);
    free(diagram->handover);
    *diagram = (struct br_diagram){0};
}
