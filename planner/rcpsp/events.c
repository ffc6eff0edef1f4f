/* Serial generation on a list of the times at which free capacity changes, for any durations and
 * amounts.
 *
 * Every end of a task that holds something is a point of the list and stays one, so each task
 * remembers the point of its end, and a search begins at the point of the latest parent's end after
 * hardly a step. Points are never taken out during a schedule; there are at most two a task. */
#include "planner/rcpsp/kernels.h"

#include <assert.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define NONE UINT32_MAX

INLINE bool fits(const uint64_t *free, const uint64_t *lane, const uint64_t *guard,
                 const uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        if (((free[w] - lane[w]) & guard[w]) != guard[w])
            return false;
    return true;
}

/* Makes a new point after `at`, with the free capacity of `at`. */
INLINE uint32_t split(struct br_rcpsp_events *e, uint32_t at, int64_t time, const uint32_t words)
{
    uint32_t point = e->count++;
    e->time[point] = time;
    e->next[point] = e->next[at];
    e->next[at] = point;
    for (uint32_t w = 0; w < words; w++)
        e->free[(size_t)point * words + w] = e->free[(size_t)at * words + w];
    return point;
}

/* Starts the task at the earliest time from `bound` on at which it fits, in or after the point
 * `at`. Gives the start, and in *at the point at the end. */
INLINE int64_t place(struct br_rcpsp_events *e, const struct br_rcpsp_model *m,
                     const uint64_t *lane, int64_t duration, int64_t bound, uint32_t *at,
                     const uint32_t words)
{
    uint32_t first = *at, point = first, last;
    int64_t start = bound;
    for (;;) {
        uint32_t next = e->next[point];
        if (!fits(e->free + (size_t)point * words, lane, m->guard, words)) {
            first = next; /* after the last point everything is free */
            start = e->time[next];
        } else if (next == NONE || e->time[next] - start >= duration) {
            last = point;
            break;
        }
        point = next;
    }
    assert(start >= bound && e->time[first] <= start);
    int64_t finish = start + duration;
    if (e->time[first] < start) {
        uint32_t begin = split(e, first, start, words);
        last = last == first ? begin : last;
        first = begin;
    }
    uint32_t after = e->next[last];
    *at = after != NONE && e->time[after] == finish ? after : split(e, last, finish, words);
    for (point = first; point != *at; point = e->next[point])
        for (uint32_t w = 0; w < words; w++)
            e->free[(size_t)point * words + w] -= lane[w];
    return start;
}

INLINE int64_t generate(struct br_rcpsp_workspace *workspace, enum br_direction direction,
                        const uint32_t *list, int step, int64_t limit, const uint32_t words)
{
    const struct br_rcpsp_model *m = workspace->model;
    const struct br_rcpsp_side *side = &m->side[direction];
    struct br_rcpsp_events *e = &workspace->events;
    int64_t *end = workspace->end, makespan = 0;
    e->count = 1;
    e->time[0] = 0;
    e->next[0] = NONE;
    memcpy(e->free, m->whole, words * sizeof *e->free);
    for (uint32_t v = m->tasks; v < side->nodes; v++) {
        end[v] = 0;
        e->point[v] = 0;
    }
    for (uint32_t left = m->tasks; left; left--, list += step) {
        uint32_t task = *list, last = br_rcpsp_origin(m);
        for (uint32_t a = side->before_first[task]; a < side->before_first[task + 1]; a++)
            if (end[side->before[a]] > end[last])
                last = side->before[a];
        int64_t start = end[last], duration = m->in->duration[task];
        uint32_t point = e->point[last];
        /* A task that holds nothing has no point at its end, and points may have come before that
         * since. */
        while (e->next[point] != NONE && e->time[e->next[point]] <= start)
            point = e->next[point];
        if (m->holds[task])
            start = place(e, m, m->lane + (size_t)task * words, duration, start, &point, words);
        int64_t finish = start + duration, reach = finish + side->tail[task];
        end[task] = finish;
        e->point[task] = point;
        if (reach > makespan)
            makespan = reach;
        if (reach > limit) {
            workspace->left = left - 1;
            return BR_RCPSP_CUT;
        }
        uint32_t hub = side->hub[task];
        if (hub && end[hub] < finish) {
            end[hub] = finish;
            e->point[hub] = point;
        }
    }
    assert(e->count <= 2 * m->tasks + 1 && makespan <= m->horizon);
    return makespan;
}

int64_t br_rcpsp_run_events(struct br_rcpsp_workspace *workspace, enum br_direction direction,
                            const uint32_t *list, int step, int64_t limit)
{
    switch (workspace->model->words) {
    case 1:
        return generate(workspace, direction, list, step, limit, 1);
    case 2:
        return generate(workspace, direction, list, step, limit, 2);
    default: /* 0 if nothing runs short */
        return generate(workspace, direction, list, step, limit, workspace->model->words);
    }
}
