/* Parallel generation on one machine: the ready tasks are bits in the order of their priorities, so
 * that "the first that fits" is a walk over set bits. */
#include "planner/rcpsp/kernels.h"

#include <assert.h>
#include <string.h>

#include "base/collections/heap.h"

#define INLINE static inline __attribute__((always_inline))

/* Tasks that end together leave in any order: all of them leave before anything starts. */
static bool rcpsp_parallel_ends_before(const void *none, const struct br_rcpsp_running *a,
                                       const struct br_rcpsp_running *b)
{
    (void)none;
    return a->end < b->end;
}

BR_HEAP(running, struct br_rcpsp_running, const void *, rcpsp_parallel_ends_before, 2)

static void set_ready(struct br_rcpsp_workspace *workspace, uint32_t task)
{
    workspace->ready[workspace->place[task] / 64] |= UINT64_C(1) << workspace->place[task] % 64;
}

/* The node has ended, so tasks that waited only for it become ready. */
static void rcpsp_parallel_release(struct br_rcpsp_workspace *workspace,
                                   const struct br_rcpsp_side *side, uint32_t node)
{
    for (uint32_t a = side->after_first[node]; a < side->after_first[node + 1]; a++) {
        uint32_t next = side->after[a];
        if (--workspace->waiting[next] > 0)
            continue;
        if (next < workspace->model->tasks)
            set_ready(workspace, next);
        else
            rcpsp_parallel_release(workspace, side, next); /* a hub, for which only tasks wait */
    }
}

INLINE bool take(uint64_t *free, const uint64_t *lane, const uint64_t *guard, const uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        if (((free[w] - lane[w]) & guard[w]) != guard[w])
            return false;
    for (uint32_t w = 0; w < words; w++)
        free[w] -= lane[w];
    return true;
}

INLINE int64_t generate(struct br_rcpsp_workspace *workspace, enum br_direction direction,
                        const uint32_t *priority, int64_t limit, const uint32_t words)
{
    const struct br_rcpsp_model *m = workspace->model;
    const struct br_rcpsp_side *side = &m->side[direction];
    uint32_t tasks = m->tasks, rows = (tasks + 63) / 64, running = 0, left = tasks;
    int64_t now = 0, makespan = 0;
    memcpy(workspace->free, m->whole, words * sizeof *workspace->free);
    memcpy(workspace->waiting, side->waits, side->nodes * sizeof *workspace->waiting);
    memset(workspace->ready, 0, rows * sizeof *workspace->ready);
    for (uint32_t k = 0; k < tasks; k++)
        workspace->place[priority[k]] = k;
    for (uint32_t t = 0; t < tasks; t++)
        if (workspace->waiting[t] == 0)
            set_ready(workspace, t);
    for (;;) {
        for (uint32_t row = 0; row < rows; row++)
            for (uint64_t bits = workspace->ready[row]; bits; bits &= bits - 1) {
                uint32_t task = priority[row * 64 + (uint32_t)__builtin_ctzll(bits)];
                if (!take(workspace->free, m->lane + (size_t)task * words, m->guard, words))
                    continue;
                int64_t end = now + m->in->duration[task], reach = end + side->tail[task];
                workspace->ready[row] ^= bits & -bits;
                workspace->end[task] = end;
                running_push(NULL, workspace->running, &running,
                             (struct br_rcpsp_running){end, task});
                if (reach > makespan)
                    makespan = reach;
                left--;
                if (reach > limit) {
                    workspace->left = left;
                    return BR_RCPSP_CUT;
                }
            }
        if (!running) {
            assert(left == 0);
            return makespan;
        }
        now = workspace->running[0].end;
        while (running && workspace->running[0].end == now) {
            uint32_t task = running_pop(NULL, workspace->running, &running).task;
            for (uint32_t w = 0; w < words; w++)
                workspace->free[w] += m->lane[(size_t)task * words + w];
            rcpsp_parallel_release(workspace, side, task);
        }
    }
}

int64_t br_rcpsp_run_parallel(struct br_rcpsp_workspace *workspace, enum br_direction direction,
                              const uint32_t *priority, int64_t limit)
{
    switch (workspace->model->words) {
    case 1:
        return generate(workspace, direction, priority, limit, 1);
    case 2:
        return generate(workspace, direction, priority, limit, 2);
    default:
        return generate(workspace, direction, priority, limit, workspace->model->words);
    }
}
