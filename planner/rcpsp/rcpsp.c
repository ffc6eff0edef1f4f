/* The direction of time, and justification, over the kernels. A kernel knows one
 * direction: backward generation is forward generation on the reversed job, and its times count
 * from the end. [Valls05] */
#include "planner/rcpsp/rcpsp.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = BR_RCPSP_DIGIT_BITS, DIGITS = BR_RCPSP_DIGITS };

/* From ends in the direction's time to starts from 0. */
static void take_starts(const struct br_rcpsp_workspace *workspace, enum br_direction direction,
                        int64_t makespan, int64_t *start)
{
    const struct br_rcpsp_model *m = workspace->model;
    if (direction == BR_FORWARD)
        for (uint32_t t = 0; t < m->tasks; t++)
            start[t] = workspace->end[t] - m->in->duration[t];
    else
        for (uint32_t t = 0; t < m->tasks; t++)
            start[t] = makespan - workspace->end[t];
}

static int64_t rcpsp_serial(struct br_rcpsp_workspace *workspace, enum br_direction direction,
                            const uint32_t *list, int64_t limit)
{
    int step = 1;
    if (direction == BR_BACKWARD) {
        list += workspace->model->tasks - 1;
        step = -1;
    }
    if (workspace->model->profile == BR_RCPSP_SLICES)
        return br_rcpsp_run_slices(workspace, direction, list, step, limit);
    return br_rcpsp_run_events(workspace, direction, list, step, limit);
}

int64_t br_rcpsp_serial(struct br_rcpsp_workspace *workspace, enum br_direction direction,
                        const uint32_t *list, int64_t limit, int64_t *start)
{
    int64_t makespan = rcpsp_serial(workspace, direction, list, limit);
    if (makespan != BR_RCPSP_CUT)
        take_starts(workspace, direction, makespan, start);
    return makespan;
}

int64_t br_rcpsp_parallel(struct br_rcpsp_workspace *workspace, enum br_direction direction,
                          const uint32_t *priority, int64_t limit, int64_t *start)
{
    int64_t makespan = br_rcpsp_run_parallel(workspace, direction, priority, limit);
    if (makespan != BR_RCPSP_CUT)
        take_starts(workspace, direction, makespan, start);
    return makespan;
}

/* Stable, by digits from the lowest; keys are 0..most. A horizon of up to a thousand ticks, the
 * usual one, is a single digit. */
static void sort_list(struct br_rcpsp_workspace *workspace, uint32_t *list, const int64_t *key,
                      int64_t most)
{
    uint32_t tasks = workspace->model->tasks, *from = list, *to = workspace->other,
             *count = workspace->count;
    for (unsigned shift = 0; shift < 64 && (shift == 0 || most >> shift > 0); shift += DIGIT_BITS) {
        int64_t top = most >> shift;
        uint32_t digits = top < DIGITS ? (uint32_t)top + 1 : DIGITS, sum = 0;
        memset(count, 0, digits * sizeof *count);
        for (uint32_t t = 0; t < tasks; t++)
            count[key[t] >> shift & (DIGITS - 1)]++;
        for (uint32_t d = 0; d < digits; d++) {
            uint32_t here = count[d];
            count[d] = sum;
            sum += here;
        }
        for (uint32_t k = 0; k < tasks; k++)
            to[count[key[from[k]] >> shift & (DIGITS - 1)]++] = from[k];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != list)
        memcpy(list, from, tasks * sizeof *list);
}

void br_rcpsp_sort(struct br_rcpsp_workspace *workspace, uint32_t *list, const int64_t *start)
{
    int64_t most = 0;
    for (uint32_t t = 0; t < workspace->model->tasks; t++)
        most = start[t] > most ? start[t] : most;
    sort_list(workspace, list, start, most);
}

/* Read backward, the list is by decreasing ends: sorted by ends, with ties in their old order. A
 * parent ends before its child does, or together with a child of duration 0, and then precedes it
 * in the list; the same holds for starts. */
int64_t br_rcpsp_justify(struct br_rcpsp_workspace *workspace, uint32_t *list, int64_t *start)
{
    const struct br_rcpsp_model *m = workspace->model;
    int64_t most = 0;
    for (uint32_t t = 0; t < m->tasks; t++) {
        workspace->key[t] = start[t] + m->in->duration[t];
        most = workspace->key[t] > most ? workspace->key[t] : most;
    }
    sort_list(workspace, list, workspace->key, most);
    int64_t makespan = rcpsp_serial(workspace, BR_BACKWARD, list, BR_RCPSP_NO_LIMIT);
    assert(makespan <= most);
    take_starts(workspace, BR_BACKWARD, makespan, start);
    sort_list(workspace, list, start, makespan);
    makespan = rcpsp_serial(workspace, BR_FORWARD, list, BR_RCPSP_NO_LIMIT);
    take_starts(workspace, BR_FORWARD, makespan, start);
    sort_list(workspace, list, start, makespan);
    return makespan;
}
