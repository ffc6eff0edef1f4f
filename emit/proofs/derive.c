/* The lines themselves: their text, and those that two rows make of a window. */
#include "emit/proofs/derive.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/text/diag.h"

enum br_status br_derive_too_long(struct br_diag *diag)
{
    return br_fail(diag, BR_NO, "leave --proof out: 'bigrocks check --certificate' needs no times",
                   "the proof would take more than %" PRIu64 " terms", BR_TERMS_MOST);
}

void br_derive_print(struct br_derivation *lines, const char *format, ...)
{
    lines->terms++;
    if (!lines->out)
        return;
    va_list args;
    va_start(args, format);
    vfprintf(lines->out, format, args);
    va_end(args);
}

uint64_t br_derive_line(struct br_derivation *lines)
{
    br_derive_print(lines, ";\n");
    return ++lines->next;
}

/* What is supposed: the tasks for which no other of the part waits have ended. */
static void derive_supposed(struct br_derivation *lines)
{
    const struct br_instance *in = lines->steps->in;
    for (uint32_t t = 0; t < in->tasks; t++)
        if (lines->sink[t] && br_steps_free(lines->steps, t, lines->end - in->duration[t] + 1))
            br_derive_print(lines, " 1 y%" PRIu32 "_%" PRId64, br_steps_name(lines->steps, t),
                            lines->end - in->duration[t] + 1);
}

static uint64_t derive_rup(struct br_derivation *lines, const char *sign, uint32_t task, int64_t s)
{
    br_derive_print(lines, "rup");
    if (br_steps_free(lines->steps, task, s))
        br_derive_print(lines, " 1 %sy%" PRIu32 "_%" PRId64, sign,
                        br_steps_name(lines->steps, task), s);
    if (lines->supposed)
        derive_supposed(lines);
    br_derive_print(lines, " >= 1 ");
    return br_derive_line(lines);
}

uint64_t br_derive_rup(struct br_derivation *lines, uint32_t task, int64_t s)
{
    return derive_rup(lines, "", task, s);
}

uint64_t br_derive_rup_before(struct br_derivation *lines, uint32_t task, int64_t s)
{
    return derive_rup(lines, "~", task, s);
}

uint64_t br_windows_add(struct br_derivation *lines, uint64_t a, uint64_t b)
{
    if (!a)
        return b;
    br_derive_print(lines, "pol %" PRIu64 " %" PRIu64 " +", a, b);
    return br_derive_line(lines);
}

/* The head is beyond the latest start: the conflict, or the end of the part. */
void br_windows_meet(struct br_derivation *lines, uint32_t task)
{
    const struct br_steps *steps = lines->steps;
    const struct br_derived_windows *windows = &lines->windows;
    if (windows->head[task] <= windows->latest[task] || lines->conflict || lines->closed)
        return;
    if (lines->supposed)
        lines->closed = true; /* what is behind the part finds it by propagation */
    else if (windows->head[task] > steps->last[task] && windows->head_line[task])
        lines->conflict = windows->head_line[task];
    else
        lines->conflict = br_derive_rup(lines, task, 0);
}

bool br_windows_back(struct br_derivation *lines, struct br_derived_windows *windows,
                     const bool *marked, uint32_t task)
{
    const struct br_steps *steps = lines->steps;
    const struct br_steps_edge *by = NULL;
    int64_t latest = windows->latest[task];
    for (uint32_t e = steps->edge_first[task]; e < steps->edge_first[task + 1]; e++) {
        const struct br_steps_edge *edge = &steps->edge[e];
        if (!lines->member[edge->to] || (marked && !marked[edge->to]))
            continue;
        if (windows->latest[edge->to] - steps->in->duration[task] < latest) {
            latest = windows->latest[edge->to] - steps->in->duration[task];
            by = edge;
        }
    }
    windows->latest[task] = latest;
    if (by && latest >= windows->head[task]) /* the row of s = latest + 1, which is 1 or more */
        windows->late_line[task] =
            br_windows_add(lines, windows->late_line[by->to], by->row + (uint64_t)latest + 1);
    return by;
}

void br_windows_forth(struct br_derivation *lines, struct br_derived_windows *windows, bool *marked,
                      uint32_t task)
{
    const struct br_steps *steps = lines->steps;
    const int64_t after = windows->head[task] + steps->in->duration[task];
    for (uint32_t e = steps->edge_first[task]; e < steps->edge_first[task + 1]; e++) {
        const struct br_steps_edge *edge = &steps->edge[e];
        if (!lines->member[edge->to] || windows->head[edge->to] >= after)
            continue;
        windows->head[edge->to] = after;
        if (after <= windows->latest[edge->to])
            windows->head_line[edge->to] = br_windows_add(
                lines, windows->head_line[task], edge->row + (uint64_t)windows->head[task]);
        marked[edge->to] = true;
    }
}

static bool windows_allocate(struct br_derivation *lines, struct br_derived_windows *windows)
{
    const size_t n = (size_t)lines->steps->in->tasks + 1;
    windows->head = br_arena_array(&lines->arena, n, sizeof *windows->head);
    windows->latest = br_arena_array(&lines->arena, n, sizeof *windows->latest);
    windows->head_line = br_arena_array(&lines->arena, n, sizeof *windows->head_line);
    windows->late_line = br_arena_array(&lines->arena, n, sizeof *windows->late_line);
    return windows->head && windows->latest && windows->head_line && windows->late_line;
}

enum br_status br_derivation_init(struct br_derivation *lines, const struct br_steps *steps,
                                  FILE *out, struct br_diag *diag)
{
    *lines = (struct br_derivation){.steps = steps, .out = out, .next = steps->rows};
    lines->count = br_arena_array(&lines->arena, (size_t)steps->makespan + 1, sizeof *lines->count);
    lines->slots =
        br_arena_array(&lines->arena, (size_t)steps->in->stages + 1, sizeof *lines->slots);
    lines->sink = br_arena_array(&lines->arena, (size_t)steps->in->tasks + 1, sizeof *lines->sink);
    lines->marked =
        br_arena_array(&lines->arena, (size_t)steps->in->tasks + 1, sizeof *lines->marked);
    return lines->count && lines->slots && lines->sink && lines->marked &&
                   windows_allocate(lines, &lines->windows) &&
                   windows_allocate(lines, &lines->scratch)
               ? BR_OK
               : br_fail_memory(diag);
}

void br_derivation_finish(struct br_derivation *lines)
{
    br_arena_finish(&lines->arena);
}
