/* Windows from edges: two rows are added to a line for each task, forward, then backward. */
#include <inttypes.h>

#include "base/text/diag.h"
#include "emit/proofs/derive.h"

static uint64_t lines_add(struct br_derivation *lines, uint64_t a, uint64_t b)
{
    if (!a)
        return b;
    fprintf(lines->out, "pol %" PRIu64 " %" PRIu64 " +;\n", a, b);
    return ++lines->next;
}

/* The edge over which the task waits longest; NULL: it may start at 0. */
static void windows_take(struct br_derivation *lines, const struct br_steps_edge **by,
                         uint32_t task)
{
    const struct br_steps *steps = lines->steps;
    const int64_t head = lines->head[task];
    if (by[task]) {
        const uint32_t from = by[task]->from;
        lines->head_line[task] =
            lines_add(lines, lines->head_line[from], by[task]->row + (uint64_t)lines->head[from]);
    }
    if (head > steps->last[task] && !lines->conflict)
        lines->conflict = by[task] ? lines->head_line[task] : steps->fits[task];
    for (uint32_t e = steps->edge_first[task]; e < steps->edge_first[task + 1]; e++) {
        const struct br_steps_edge *edge = &steps->edge[e];
        if (head + steps->in->duration[task] > lines->head[edge->to]) {
            lines->head[edge->to] = head + steps->in->duration[task];
            by[edge->to] = edge;
        }
    }
}

static void windows_take_back(struct br_derivation *lines, uint32_t task)
{
    const struct br_steps *steps = lines->steps;
    const struct br_steps_edge *by = NULL;
    int64_t latest = steps->last[task];
    for (uint32_t e = steps->edge_first[task]; e < steps->edge_first[task + 1]; e++) {
        const struct br_steps_edge *edge = &steps->edge[e];
        if (lines->latest[edge->to] - steps->in->duration[task] < latest) {
            latest = lines->latest[edge->to] - steps->in->duration[task];
            by = edge;
        }
    }
    lines->latest[task] = latest;
    if (by) /* the row of s = latest + 1, which is 1 or more since the task has a window */
        lines->late_line[task] =
            lines_add(lines, lines->late_line[by->to], by->row + (uint64_t)latest + 1);
}

enum br_status br_derive_windows(struct br_derivation *lines, const struct br_steps *steps,
                                 FILE *out, struct br_diag *diag)
{
    const struct br_instance *in = steps->in;
    *lines = (struct br_derivation){.steps = steps, .out = out, .next = steps->rows};
    const size_t n = (size_t)in->tasks + 1;
    const struct br_steps_edge **by = br_arena_array(&lines->arena, n, sizeof *by);
    lines->head = br_arena_array(&lines->arena, n, sizeof *lines->head);
    lines->latest = br_arena_array(&lines->arena, n, sizeof *lines->latest);
    lines->head_line = br_arena_array(&lines->arena, n, sizeof *lines->head_line);
    lines->late_line = br_arena_array(&lines->arena, n, sizeof *lines->late_line);
    if (!by || !lines->head || !lines->latest || !lines->head_line || !lines->late_line)
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < in->stages && !lines->conflict; k++) {
        uint32_t s = in->topological[k];
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1] && !lines->conflict; t++)
            if (steps->used[t])
                windows_take(lines, by, t);
    }
    for (uint32_t k = in->stages; k > 0 && !lines->conflict; k--) {
        uint32_t s = in->topological[k - 1];
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            if (steps->used[t])
                windows_take_back(lines, t);
    }
    return BR_OK;
}

void br_derivation_finish(struct br_derivation *lines)
{
    br_arena_finish(&lines->arena);
}
