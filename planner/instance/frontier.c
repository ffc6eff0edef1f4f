#include "planner/instance/frontier.h"

#include <assert.h>
#include <stddef.h>

#include "base/collections/heap.h"
#include "base/collections/memory.h"

static bool turn_before(const void *context, const struct br_frontier_turn *a,
                        const struct br_frontier_turn *b)
{
    (void)context;
    return a->rank != b->rank ? a->rank < b->rank : a->task < b->task;
}
BR_HEAP(turn, struct br_frontier_turn, const void *, turn_before, 4)

bool br_frontier_init(struct br_frontier *f, uint32_t stages, uint32_t tasks,
                      const uint32_t *task_stage)
{
    const size_t k = (size_t)stages + 1, n = (size_t)tasks + 1;
    *f = (struct br_frontier){.stages = stages, .tasks = tasks, .task_stage = task_stage};
    f->stage_first = br_calloc(k, sizeof *f->stage_first);
    f->left = br_malloc(k * sizeof *f->left);
    f->last_start = br_malloc(k * sizeof *f->last_start);
    f->last_end = br_malloc(k * sizeof *f->last_end);
    f->barriers = br_malloc(k * sizeof *f->barriers);
    f->stage_from = br_malloc(k * sizeof *f->stage_from);
    f->pairs = br_malloc(n * sizeof *f->pairs);
    f->task_from = br_malloc(n * sizeof *f->task_from);
    f->turn = br_malloc(n * sizeof *f->turn);
    if (!f->stage_first || !f->left || !f->last_start || !f->last_end || !f->barriers ||
        !f->stage_from || !f->pairs || !f->task_from || !f->turn)
        return false;
    for (uint32_t t = 0; t < tasks; t++) {
        assert(!t || task_stage[t] >= task_stage[t - 1]);
        f->stage_first[task_stage[t] + 1]++;
    }
    for (uint32_t s = 0; s < stages; s++)
        f->stage_first[s + 1] += f->stage_first[s];
    return true;
}

void br_frontier_finish(struct br_frontier *f)
{
    br_free(f->stage_first);
    br_free(f->left);
    br_free(f->last_start);
    br_free(f->last_end);
    br_free(f->barriers);
    br_free(f->stage_from);
    br_free(f->pairs);
    br_free(f->task_from);
    br_free(f->turn);
}

void br_frontier_again(struct br_frontier *f, uint32_t task)
{
    const uint32_t rank = f->last_first ? UINT32_MAX - f->rank[task] : f->rank[task];
    turn_push(NULL, f->turn, &f->turns, (struct br_frontier_turn){rank, task});
}

void br_frontier_begin(struct br_frontier *f, struct br_stage_arcs behind,
                       struct br_stage_arcs ahead, const uint32_t *rank, bool last_first,
                       const int64_t *release)
{
    f->rank = rank;
    f->ahead = ahead;
    f->last_first = last_first;
    f->turns = 0;
    for (uint32_t s = 0; s < f->stages; s++) {
        uint32_t pairs = 0;
        f->left[s] = f->stage_first[s + 1] - f->stage_first[s];
        f->barriers[s] = 0;
        f->stage_from[s] = f->last_start[s] = f->last_end[s] = 0;
        for (uint32_t a = behind.first[s]; a < behind.first[s + 1]; a++) {
            pairs += behind.arc[a].one_to_one;
            f->barriers[s] += !behind.arc[a].one_to_one;
        }
        for (uint32_t t = f->stage_first[s]; t < f->stage_first[s + 1]; t++) {
            f->pairs[t] = pairs;
            f->task_from[t] = release ? release[t] : 0;
            if (!pairs && !f->barriers[s])
                br_frontier_again(f, t);
        }
    }
}

bool br_frontier_next(struct br_frontier *f, uint32_t *task)
{
    if (!f->turns)
        return false;
    *task = turn_pop(NULL, f->turn, &f->turns).task;
    return true;
}

static void raise_to(int64_t *value, int64_t least)
{
    *value = least > *value ? least : *value;
}

/* A stage is placed as a whole, and the arc leads to one that waits for it over a barrier. */
static void pass_barrier(struct br_frontier *f, uint32_t stage, const struct br_stage_arc *arc)
{
    const int64_t last = arc->stream ? f->last_start[stage] : f->last_end[stage];
    raise_to(&f->stage_from[arc->stage], last + arc->lag);
    assert(f->barriers[arc->stage]);
    if (--f->barriers[arc->stage])
        return;
    for (uint32_t t = f->stage_first[arc->stage]; t < f->stage_first[arc->stage + 1]; t++)
        if (!f->pairs[t])
            br_frontier_again(f, t);
}

void br_frontier_place(struct br_frontier *f, uint32_t task, int64_t start, int64_t end)
{
    const uint32_t stage = f->task_stage[task], index = task - f->stage_first[stage];
    assert(f->left[stage] && start <= end);
    raise_to(&f->last_start[stage], start);
    raise_to(&f->last_end[stage], end);
    f->left[stage]--;
    for (uint32_t a = f->ahead.first[stage]; a < f->ahead.first[stage + 1]; a++) {
        const struct br_stage_arc *arc = &f->ahead.arc[a];
        if (!arc->one_to_one) {
            if (!f->left[stage])
                pass_barrier(f, stage, arc);
            continue;
        }
        const uint32_t other = f->stage_first[arc->stage] + index;
        raise_to(&f->task_from[other], (arc->stream ? start : end) + arc->lag);
        assert(f->pairs[other]);
        if (!--f->pairs[other] && !f->barriers[arc->stage])
            br_frontier_again(f, other);
    }
}
