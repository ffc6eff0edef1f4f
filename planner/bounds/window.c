/* One pass over the stages, parents first, gives heads; the same pass over reversed arcs gives
 * tails.
 *
 * A pass keeps by stage `done`: the least time until all its tasks have ended. All start at the
 * stage's head or later, so it is at least head + length; when one-to-one arcs give its tasks
 * different heads, those with a head of h or more end no earlier than h + their work by slots; and
 * the task that follows the last one to end of a one-to-one parent still has to run. A child behind
 * a barrier starts when all of the parent's tasks have ended. It also waits for all stages that are
 * wholly ahead of it: those with heads of at least h start at h or later, and their work in any
 * measure takes work / capacity from then on. */
#include "planner/bounds/window.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/wide.h"
#include "planner/bounds/closure.h"

static int window_downwards(const void *a, const void *b)
{
    const struct br_by_time *x = a, *y = b;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    return x->stage < y->stage ? -1 : x->stage > y->stage;
}

void br_by_time_sort(struct br_by_time *item, uint32_t count)
{
    br_sort_by(item, count, sizeof *item, window_downwards);
}

struct pass {
    const struct br_instance *in;
    const struct br_measures *measures; /* NULL: without work */
    const uint64_t *ahead;              /* rows of the closure; NULL: parents only */
    uint32_t words;
    bool backward;
    const int64_t *length;
    const uint64_t *slots; /* by stage */
    int64_t *head;         /* by task */
    int64_t *stage_head;
    int64_t *done;             /* by stage */
    struct br_by_time *sorted; /* by head downwards: with a closure all stages so far */
    uint32_t sorted_count;
    br_wide *sum;                    /* by measure */
    struct br_window_reason *reason; /* by stage */
};

static const struct br_arc *window_arcs_ahead(const struct pass *p, uint32_t stage, uint32_t *count)
{
    const uint32_t *first = p->backward ? p->in->child_first : p->in->parent_first;
    *count = first[stage + 1] - first[stage];
    return (p->backward ? p->in->child : p->in->parent) + first[stage];
}

static int64_t window_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Raises *best to at + sum / capacity, rounded up, if that is more. Divides only then. */
static bool window_lift(int64_t *best, int64_t at, br_wide sum, int64_t capacity)
{
    if (sum <= (br_wide)(*best - at) * capacity)
        return false;
    *best = at + (int64_t)((sum + capacity - 1) / capacity);
    return true;
}

/* Puts the stage into the list by head downwards. */
static void window_insert(struct pass *p, uint32_t stage)
{
    uint32_t low = 0, high = p->sorted_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->sorted[middle].time >= p->stage_head[stage])
            low = middle + 1;
        else
            high = middle;
    }
    memmove(p->sorted + low + 1, p->sorted + low, (p->sorted_count - low) * sizeof *p->sorted);
    p->sorted[low] = (struct br_by_time){p->stage_head[stage], stage};
    assert(low == 0 || p->sorted[low - 1].time >= p->sorted[low].time);
    p->sorted_count++;
}

/* The time for all stages wholly ahead, at least `least`. */
static int64_t work_ahead(struct pass *p, uint32_t stage, int64_t least)
{
    const struct br_measures *ms = p->measures;
    if (!p->ahead) { /* only the other ends of the barriers */
        uint32_t count;
        const struct br_arc *arc = window_arcs_ahead(p, stage, &count);
        p->sorted_count = 0;
        for (uint32_t a = 0; a < count; a++)
            if (!arc[a].one_to_one)
                p->sorted[p->sorted_count++] =
                    (struct br_by_time){p->stage_head[arc[a].stage], arc[a].stage};
        br_by_time_sort(p->sorted, p->sorted_count);
    }
    memset(p->sum, 0, ms->count * sizeof *p->sum);
    for (uint32_t k = 0; k < p->sorted_count; k++) {
        uint32_t u = p->sorted[k].stage;
        if (p->ahead && !br_closure_bit(p->ahead, p->words, stage, u))
            continue;
        for (uint32_t m = 0; m < ms->count; m++) {
            int64_t weight = ms->measure[m].weight[u];
            if (weight == 0)
                continue;
            p->sum[m] += (br_wide)weight * ms->work[u];
            if (window_lift(&least, p->sorted[k].time, p->sum[m], ms->measure[m].capacity))
                p->reason[stage] = (struct br_window_reason){least, p->sorted[k].time, m};
        }
    }
    return least;
}

struct headed {
    int64_t head, duration;
};

static int window_by_head_downwards(const void *a, const void *b)
{
    const struct headed *x = a, *y = b;
    return x->head > y->head ? -1 : x->head < y->head;
}

/* For tasks with different heads: the best of h + work by slots of those with a head of h. */
static int64_t spread_done(const struct pass *p, uint32_t stage, struct headed *task)
{
    const struct br_instance *in = p->in;
    uint32_t first = in->stage_first[stage], n = in->stage_first[stage + 1] - first;
    int64_t best = 0, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        task[i] = (struct headed){p->head[first + i], in->duration[first + i]};
    br_sort_by(task, n, sizeof *task, window_by_head_downwards);
    for (uint32_t i = 0; i < n; i++) {
        sum += task[i].duration;
        window_lift(&best, task[i].head, sum, (int64_t)p->slots[stage]);
    }
    return best;
}

static void window_visit(struct pass *p, uint32_t stage, struct headed *scratch)
{
    const struct br_instance *in = p->in;
    uint32_t first = in->stage_first[stage], end = in->stage_first[stage + 1], count;
    const struct br_arc *arc = window_arcs_ahead(p, stage, &count);
    int64_t base = 0, done = 0, shortest = INT64_MAX, least = INT64_MAX, most = 0;
    for (uint32_t a = 0; a < count; a++)
        if (!arc[a].one_to_one)
            base = window_larger(base, p->done[arc[a].stage]);
    for (uint32_t t = first; t < end; t++)
        p->head[t] = base;
    for (uint32_t a = 0; a < count; a++) {
        uint32_t other = in->stage_first[arc[a].stage];
        for (uint32_t t = first; arc[a].one_to_one && t < end; t++)
            p->head[t] = window_larger(p->head[t], p->head[other + t - first] +
                                                       in->duration[other + t - first]);
    }
    if (p->measures && count > 0 && !br_stopped(p->measures->stop)) {
        int64_t plain = INT64_MAX;
        for (uint32_t t = first; t < end; t++)
            plain = p->head[t] < plain ? p->head[t] : plain;
        base = work_ahead(p, stage, plain);
        for (uint32_t t = first; t < end; t++)
            p->head[t] = window_larger(p->head[t], base);
    }
    for (uint32_t t = first; t < end; t++) {
        done = window_larger(done, p->head[t] + in->duration[t]);
        least = p->head[t] < least ? p->head[t] : least;
        most = window_larger(most, p->head[t]);
        shortest = in->duration[t] < shortest ? in->duration[t] : shortest;
    }
    p->stage_head[stage] = least;
    done = window_larger(done, least + p->length[stage]);
    for (uint32_t a = 0; a < count; a++)
        if (arc[a].one_to_one)
            done = window_larger(done, p->done[arc[a].stage] + shortest);
    if (most > least && p->slots)
        done = window_larger(done, spread_done(p, stage, scratch));
    p->done[stage] = done;
    if (p->ahead)
        window_insert(p, stage);
}

static int64_t stage_work(const struct br_instance *in, uint32_t stage)
{
    int64_t sum = 0, best = 0;
    for (uint32_t t = in->stage_first[stage]; t < in->stage_first[stage + 1]; t++)
        sum += in->duration[t];
    for (uint32_t r = 0; r < in->resources; r++)
        if (in->total[r] > 0)
            window_lift(&best, 0, (br_wide)sum * in->demand[(size_t)stage * in->resources + r],
                        in->total[r]);
    return best;
}

static bool find_lengths(struct br_windows *w, const struct br_instance *in, enum br_length length)
{
    uint32_t largest = 0;
    for (uint32_t s = 0; s < in->stages; s++)
        if (in->stage_first[s + 1] - in->stage_first[s] > largest)
            largest = in->stage_first[s + 1] - in->stage_first[s];
    int64_t *scratch = br_malloc(largest * sizeof *scratch);
    if (!scratch)
        return false;
    for (uint32_t s = 0; s < in->stages; s++) {
        w->length[s] = in->stage_longest[s];
        if (length == BR_LENGTH_WAVES)
            w->length[s] = br_stage_waves(in, s, scratch);
        else if (length == BR_LENGTH_WORK)
            w->length[s] = window_larger(w->length[s], stage_work(in, s));
        assert(w->length[s] >= in->stage_longest[s]);
    }
    br_free(scratch);
    return true;
}

bool br_windows_init(struct br_windows *w, const struct br_instance *in, enum br_length length,
                     const struct br_measures *measures)
{
    *w = (struct br_windows){0};
    struct br_arena *arena = &w->arena;
    w->length = br_arena_array(arena, in->stages, sizeof *w->length);
    w->stage_head = br_arena_array(arena, in->stages, sizeof *w->stage_head);
    w->stage_tail = br_arena_array(arena, in->stages, sizeof *w->stage_tail);
    w->head = br_arena_array(arena, in->tasks, sizeof *w->head);
    w->tail = br_arena_array(arena, in->tasks, sizeof *w->tail);
    w->head_reason = br_arena_array(arena, in->stages, sizeof *w->head_reason);
    w->tail_reason = br_arena_array(arena, in->stages, sizeof *w->tail_reason);
    struct br_closure closure = {0};
    struct headed *scratch = br_malloc(in->tasks * sizeof *scratch);
    uint64_t *slots = br_malloc(in->stages * sizeof *slots);
    struct pass p = {.in = in, .measures = measures, .length = w->length};
    p.done = br_malloc(in->stages * sizeof *p.done);
    p.sorted = br_malloc(((size_t)in->stages + 1) * sizeof *p.sorted);
    p.sum = measures ? br_malloc(((size_t)measures->count + 1) * sizeof *p.sum) : NULL;
    bool ok = w->length && w->stage_head && w->stage_tail && w->head && w->tail && w->head_reason &&
              w->tail_reason && scratch && slots && p.done && p.sorted && (p.sum || !measures) &&
              find_lengths(w, in, length);
    if (ok && measures && !br_stopped(measures->stop) && in->stages <= BR_CLOSURE_STAGES) {
        ok = br_closure_init(&closure, in);
        p.words = closure.words;
    }
    for (uint32_t s = 0; ok && s < in->stages; s++)
        slots[s] = br_stage_slots(in, s, in->stage_first[s + 1] - in->stage_first[s]);
    p.slots = length == BR_LENGTH_LONGEST ? NULL : slots;
    for (int backward = 0; ok && backward < 2; backward++) {
        p.backward = backward;
        p.ahead = backward ? closure.after : closure.before;
        p.head = backward ? w->tail : w->head;
        p.stage_head = backward ? w->stage_tail : w->stage_head;
        p.reason = backward ? w->tail_reason : w->head_reason;
        p.sorted_count = 0;
        for (uint32_t k = 0; k < in->stages; k++)
            window_visit(&p, in->topological[backward ? in->stages - 1 - k : k], scratch);
    }
    for (uint32_t t = 0; ok && t < in->tasks; t++)
        w->ticks = window_larger(w->ticks, w->head[t] + in->duration[t] + w->tail[t]);
    for (uint32_t s = 0; ok && s < in->stages; s++)
        w->ticks = window_larger(w->ticks, w->stage_head[s] + w->length[s] + w->stage_tail[s]);
    br_closure_finish(&closure);
    br_free(scratch);
    br_free(slots);
    br_free(p.done);
    br_free(p.sorted);
    br_free(p.sum);
    if (!ok)
        br_windows_finish(w);
    return ok;
}

void br_windows_finish(struct br_windows *w)
{
    br_arena_finish(&w->arena);
    *w = (struct br_windows){0};
}
