/* Serial schedule generation on a subset. Readiness is counted on stages: a barrier arc counts once
 * for the whole stage, and only tasks with one-to-one parents are counted one by one. The heap of
 * ready tasks holds a cursor for each ready stage instead of its tasks. If all tasks are placed and
 * none comes before its parents in the order, the heap would give the order itself. */
#include "planner/schedule/place.h"

#include <stdatomic.h>
#include <string.h>

#include "base/collections/heap.h"
#include "base/collections/memory.h"
#include "base/invariant.h"
#include "planner/space/stage_holes.h"

enum { STOP_INTERVAL = 128 };

/* A ready task; if at != ALONE it is the first of its stage's sorted run that is not yet placed,
 * and stands for the rest of the run. */
struct ready {
    uint32_t place, task, at;
};
#define ALONE UINT32_MAX

/* The extent of a stage's placed tasks. */
struct extent {
    int64_t begin, end; /* least start and greatest end; valid if placed > 0 */
    uint32_t placed;
};

struct level {
    uint64_t space_mark;
    int64_t reach_begin, reach_end;
    uint32_t logged;
    struct extent *extent; /* as it was */
};

struct br_placer {
    const struct br_instance *in;
    struct br_space *space;
    int64_t *start;
    uint32_t *machine;
    struct extent *extent; /* by stage */
    uint32_t *log;         /* tasks in the order in which they were placed */
    uint32_t logged;
    bool *alike;           /* by stage: tasks of equal duration without one-to-one arcs */
    bool has_pairs;        /* some arc is one-to-one */
    bool plain;            /* no bulk placement */
    const int64_t *beyond; /* by task, or NULL; see br_placer_set_limit */
    int64_t limit;
    bool over;

    struct level *level;
    uint32_t levels, level_room;

    const struct br_reach *reach;
    const _Atomic int64_t *most;
    int64_t reach_begin, reach_end; /* what the placed tasks need at least, with heads and tails */

    /* Scratch of one br_place. */
    uint32_t *left;         /* by stage: tasks of the subset not yet placed */
    uint32_t *waiting;      /* by stage: unfinished stages of the subset before it, barrier arcs */
    uint32_t *task_waiting; /* by task: unplaced one-to-one neighbours of the subset before it */
    int64_t *base;          /* by stage: bound from barrier neighbours, once the stage is ready */
    bool *by_task;          /* by stage: has one-to-one neighbours of the subset before it */
    struct ready *heap;
    uint32_t heap_size;
    struct br_stage_holes holes;
    uint64_t placements;
};

struct br_placer *br_placer_create(const struct br_instance *in)
{
    struct br_placer *p = br_calloc(1, sizeof *p);
    if (!p)
        return NULL;
    size_t n = in->tasks, s = in->stages;
    p->in = in;
    p->space = br_space_create(in);
    p->start = br_malloc(n * sizeof *p->start);
    p->machine = br_calloc(n, sizeof *p->machine);
    p->extent = br_calloc(s, sizeof *p->extent);
    p->log = br_malloc(n * sizeof *p->log);
    p->alike = br_malloc(s * sizeof *p->alike);
    p->left = br_malloc(s * sizeof *p->left);
    p->waiting = br_malloc(s * sizeof *p->waiting);
    p->base = br_malloc(s * sizeof *p->base);
    p->by_task = br_malloc(s * sizeof *p->by_task);
    p->heap = br_malloc(n * sizeof *p->heap);
    bool ok = p->space && br_stage_holes_init(&p->holes, p->space) && p->start && p->machine &&
              p->extent && p->log && p->alike && p->left && p->waiting && p->base && p->by_task &&
              p->heap;
    for (uint32_t k = 0; ok && k < in->stages; k++) {
        p->alike[k] = in->stage_equal[k];
        for (uint32_t a = in->parent_first[k]; a < in->parent_first[k + 1]; a++)
            if (in->parent[a].one_to_one)
                p->alike[k] = false, p->has_pairs = true;
        for (uint32_t a = in->child_first[k]; a < in->child_first[k + 1]; a++)
            if (in->child[a].one_to_one)
                p->alike[k] = false;
    }
    if (ok && p->has_pairs)
        ok = (p->task_waiting = br_malloc(n * sizeof *p->task_waiting)) != NULL;
    if (!ok) {
        br_placer_destroy(p);
        return NULL;
    }
    for (size_t t = 0; t < n; t++)
        p->start[t] = BR_UNPLACED;
    return p;
}

void br_placer_destroy(struct br_placer *p)
{
    if (!p)
        return;
    br_space_destroy(p->space);
    for (uint32_t k = 0; k < p->level_room; k++)
        br_free(p->level[k].extent);
    br_free(p->level);
    br_free(p->start);
    br_free(p->machine);
    br_free(p->extent);
    br_free(p->log);
    br_free(p->alike);
    br_free(p->left);
    br_free(p->waiting);
    br_free(p->task_waiting);
    br_free(p->base);
    br_free(p->by_task);
    br_free(p->heap);
    br_stage_holes_finish(&p->holes);
    br_free(p);
}

static bool ready_before(const void *none, const struct ready *a, const struct ready *b)
{
    (void)none;
    return a->place < b->place;
}

BR_HEAP(ready, struct ready, const void *, ready_before, 2)

/* One call of br_place: the direction is folded into which arcs come before and which after. */
struct placing {
    struct br_placer *p;
    bool forward;
    const uint32_t *before_first, *after_first;
    const struct br_arc *before, *after;
    const char *letter;
    char subset;
    const struct br_order *order;
    bool in_order; /* tasks come as the order has them, not from the heap */
};

/* Puts the next task of the stage's sorted run at or after `at` into the heap, if there is one. */
static void push_cursor(const struct placing *run, uint32_t stage, uint32_t at)
{
    const struct br_instance *in = run->p->in;
    for (; at < in->stage_first[stage + 1]; at++) {
        uint32_t task = run->order->by_stage[at];
        if (run->letter[task] == run->subset) {
            ready_push(NULL, run->p->heap, &run->p->heap_size,
                       (struct ready){run->order->place[task], task, at});
            return;
        }
    }
}

/* Sets the stage's bound: all barrier neighbours before it are placed, as far as they are of the
 * subset. */
static void set_base(const struct placing *run, uint32_t stage)
{
    struct br_placer *p = run->p;
    int64_t base = BR_UNPLACED;
    for (uint32_t a = run->before_first[stage]; a < run->before_first[stage + 1]; a++) {
        const struct extent *e = &p->extent[run->before[a].stage];
        if (run->before[a].one_to_one || !e->placed)
            continue;
        if (base == BR_UNPLACED || (run->forward ? e->end > base : e->begin < base))
            base = run->forward ? e->end : e->begin;
    }
    p->base[stage] = base;
}

static void schedule_place_stage_ready(const struct placing *run, uint32_t stage)
{
    struct br_placer *p = run->p;
    const struct br_instance *in = p->in;
    set_base(run, stage);
    if (!p->by_task[stage]) {
        push_cursor(run, stage, in->stage_first[stage]);
        return;
    }
    for (uint32_t t = in->stage_first[stage]; t < in->stage_first[stage + 1]; t++)
        if (run->letter[t] == run->subset && p->task_waiting[t] == 0)
            ready_push(NULL, p->heap, &p->heap_size,
                       (struct ready){run->order->place[t], t, ALONE});
}

/* The bound from everything placed before the task: earliest start, or latest end. */
static int64_t schedule_place_bound_of(const struct placing *run, uint32_t stage, uint32_t task)
{
    const struct br_placer *p = run->p;
    const struct br_instance *in = p->in;
    int64_t bound = p->base[stage];
    for (uint32_t a = run->before_first[stage]; p->has_pairs && a < run->before_first[stage + 1];
         a++) {
        if (!run->before[a].one_to_one)
            continue;
        uint32_t other = in->stage_first[run->before[a].stage] + (task - in->stage_first[stage]);
        if (p->start[other] == BR_UNPLACED)
            continue;
        int64_t edge = p->start[other] + (run->forward ? in->duration[other] : 0);
        if (bound == BR_UNPLACED || (run->forward ? edge > bound : edge < bound))
            bound = edge;
    }
    if (bound == BR_UNPLACED)
        bound = run->forward ? br_space_begin(p->space) : br_space_end(p->space);
    return bound;
}

/* --- invariants ------------------------------------------------------------------------------- */

/* Does the task start no earlier than its placed parents end if `before`, else end no later than
 * its placed children start? It counts all that was placed, in whatever subset. The search bounds a
 * task on one side; that the other holds too is for the order of the subsets (graphene.c). */
static bool respects(const struct br_placer *p, bool before, uint32_t stage, uint32_t task)
{
    const struct br_instance *in = p->in;
    const uint32_t *first = before ? in->parent_first : in->child_first;
    const struct br_arc *arc = before ? in->parent : in->child;
    int64_t start = p->start[task], end = start + in->duration[task];
    for (uint32_t a = first[stage]; a < first[stage + 1]; a++) {
        const struct extent *e = &p->extent[arc[a].stage];
        if (!arc[a].one_to_one) {
            if (e->placed && (before ? e->end > start : e->begin < end))
                return false;
            continue;
        }
        uint32_t other = in->stage_first[arc[a].stage] + (task - in->stage_first[stage]);
        if (p->start[other] != BR_UNPLACED &&
            (before ? p->start[other] + in->duration[other] > start : p->start[other] < end))
            return false;
    }
    return true;
}

/* Whether the whole subset is placed. */
static bool is_placed(const struct br_instance *in, const int64_t *start, const char *letter,
                      char subset)
{
    for (uint32_t t = 0; t < in->tasks; t++)
        if (letter[t] == subset && start[t] == BR_UNPLACED)
            return false;
    return true;
}

/* --- placing ---------------------------------------------------------------------------------- */

/* Notes where the task is. */
static void book(struct br_placer *p, uint32_t stage, uint32_t task, struct br_fit fit)
{
    struct extent *e = &p->extent[stage];
    int64_t end = fit.start + p->in->duration[task];
    assert(p->start[task] == BR_UNPLACED);
    p->start[task] = fit.start;
    p->machine[task] = fit.machine;
    assert(p->logged < p->in->tasks);
    p->log[p->logged++] = task;
    if (!e->placed || fit.start < e->begin)
        e->begin = fit.start;
    if (!e->placed || end > e->end)
        e->end = end;
    e->placed++;
    br_costly_assert(e->placed <= p->in->stage_first[stage + 1] - p->in->stage_first[stage]);
}

static void schedule_place_settle(const struct placing *run, uint32_t stage, uint32_t task,
                                  struct br_fit fit)
{
    struct br_placer *p = run->p;
    int64_t end = fit.start + p->in->duration[task];
    book(p, stage, task, fit);
    br_costly_assert(respects(p, run->forward, stage, task));
    p->placements++;
    assert(p->left[stage] > 0);
    p->left[stage]--;
    if (p->beyond && (run->forward ? end : -fit.start) + p->beyond[task] > p->limit)
        p->over = true;
    if (p->most) {
        int64_t reach_begin = fit.start - p->reach->head[task];
        int64_t reach_end = end + p->reach->tail[task];
        if (p->logged == 1 || reach_begin < p->reach_begin)
            p->reach_begin = reach_begin;
        if (p->logged == 1 || reach_end > p->reach_end)
            p->reach_end = reach_end;
        p->over |=
            p->reach_end - p->reach_begin > atomic_load_explicit(p->most, memory_order_relaxed);
    }
}

/* Counts down what waited for the task, and for its stage if that is done. */
static void schedule_place_release(const struct placing *run, uint32_t stage, uint32_t task)
{
    struct br_placer *p = run->p;
    const struct br_instance *in = p->in;
    if (run->in_order)
        return;
    for (uint32_t a = run->after_first[stage]; a < run->after_first[stage + 1]; a++) {
        uint32_t next = run->after[a].stage;
        if (run->after[a].one_to_one) {
            uint32_t other = in->stage_first[next] + (task - in->stage_first[stage]);
            assert(run->letter[other] != run->subset || p->task_waiting[other] > 0);
            if (run->letter[other] == run->subset && --p->task_waiting[other] == 0 &&
                p->waiting[next] == 0)
                ready_push(NULL, p->heap, &p->heap_size,
                           (struct ready){run->order->place[other], other, ALONE});
        } else if (p->left[stage] == 0 && p->left[next] > 0 && --p->waiting[next] == 0) {
            schedule_place_stage_ready(run, next);
        }
    }
}

/* Counts what each stage, and each task with one-to-one neighbours, waits for. */
static void schedule_place_count_waiting(const struct placing *run)
{
    struct br_placer *p = run->p;
    const struct br_instance *in = p->in;
    for (uint32_t s = 0; s < in->stages; s++) {
        p->left[s] = 0;
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            p->left[s] += run->letter[t] == run->subset;
    }
    for (uint32_t s = 0; s < in->stages; s++) {
        p->waiting[s] = 0;
        p->by_task[s] = false;
        if (p->left[s] == 0)
            continue;
        for (uint32_t a = run->before_first[s]; a < run->before_first[s + 1]; a++) {
            uint32_t other = run->before[a].stage;
            if (p->left[other] == 0)
                continue;
            if (!run->before[a].one_to_one) {
                p->waiting[s]++;
                continue;
            }
            uint32_t here = in->stage_first[s], there = in->stage_first[other];
            if (!p->by_task[s])
                memset(p->task_waiting + here, 0,
                       (in->stage_first[s + 1] - here) * sizeof *p->task_waiting);
            p->by_task[s] = true;
            for (uint32_t i = 0; i < in->stage_first[s + 1] - here; i++)
                p->task_waiting[here + i] += run->letter[there + i] == run->subset;
        }
    }
}

/* Fills the heap with what waits for nothing. */
static void find_ready(const struct placing *run)
{
    struct br_placer *p = run->p;
    schedule_place_count_waiting(run);
    for (uint32_t s = 0; s < p->in->stages; s++)
        if (p->left[s] > 0 && p->waiting[s] == 0)
            schedule_place_stage_ready(run, s);
}

/* The tasks of one batch, taken from the stage's sorted run. */
struct batch {
    const struct placing *run;
    uint32_t stage, at;
};

static void settle_batch(void *context, struct br_fit fit, uint32_t copies)
{
    struct batch *b = context;
    const struct placing *run = b->run;
    for (; copies; copies--) {
        while (run->letter[run->order->by_stage[b->at]] != run->subset)
            b->at++;
        uint32_t task = run->order->by_stage[b->at++];
        assert(b->at <= run->p->in->stage_first[b->stage + 1]);
        schedule_place_settle(run, b->stage, task, fit);
        schedule_place_release(run, b->stage, task);
    }
}

/* One-to-one neighbours, of whatever subset, give every task a bound of its own. */
static bool shares_bound(const struct placing *run, uint32_t stage)
{
    for (uint32_t a = run->before_first[stage];
         run->p->has_pairs && a < run->before_first[stage + 1]; a++)
        if (run->before[a].one_to_one)
            return false;
    return true;
}

/* Finds where the task goes: by the stage's index over holes, if several tasks are worth one. False
 * when memory is out. */
static bool schedule_place_find(const struct placing *run, uint32_t stage, int64_t duration,
                                int64_t bound, struct br_fit *fit)
{
    struct br_placer *p = run->p;
    const struct br_instance *in = p->in;
    const bool runs = br_stage_holes_runs(&p->holes, stage);
    if (duration == 0 || p->plain ||
        (!runs && (p->left[stage] < BR_STAGE_HOLES_LEAST || !br_stage_holes_has_room(&p->holes)))) {
        *fit = br_space_find(p->space, run->forward, stage, duration, bound);
        return true;
    }
    if (!runs) {
        int64_t shortest = duration, least = bound;
        for (uint32_t t = in->stage_first[stage]; t < in->stage_first[stage + 1]; t++)
            if (run->letter[t] == run->subset && in->duration[t] && in->duration[t] < shortest)
                shortest = in->duration[t];
        if (!shares_bound(run, stage))
            least = p->base[stage] != BR_UNPLACED ? p->base[stage]
                    : run->forward                ? br_space_begin(p->space)
                                                  : br_space_end(p->space);
        if (!br_stage_holes_begin(&p->holes, run->forward, stage, least, shortest))
            return false;
    }
    return br_holes_find(br_stage_holes_of(&p->holes, stage), duration, bound, fit);
}

/* Places the task, and with it, if its stage is alike, all that follow it in the order. */
static bool place_next(const struct placing *run, const struct ready *entry)
{
    struct br_placer *p = run->p;
    const struct br_instance *in = p->in;
    uint32_t stage = in->task_stage[entry->task];
    int64_t duration = in->duration[entry->task];
    int64_t bound = schedule_place_bound_of(run, stage, entry->task);
    if (p->alike[stage] && !p->plain) {
        const uint32_t *place = run->order->place, *by_stage = run->order->by_stage;
        uint32_t at = entry->at + 1, copies = 1;
        for (;
             at < in->stage_first[stage + 1] && place[by_stage[at]] == place[by_stage[at - 1]] + 1;
             at++)
            copies += run->letter[by_stage[at]] == run->subset;
        if (copies > 1) {
            struct batch batch = {run, stage, entry->at};
            if (!br_space_fill(p->space, run->forward, stage, duration, bound, copies, settle_batch,
                               &batch))
                return false;
            if (p->left[stage] == 0)
                br_stage_holes_end(&p->holes, stage);
            else if (!run->in_order)
                push_cursor(run, stage, at);
            return true;
        }
    }
    struct br_fit fit;
    if (!schedule_place_find(run, stage, duration, bound, &fit) ||
        !br_space_place(p->space, stage, duration, fit, 1))
        return false;
    schedule_place_settle(run, stage, entry->task, fit);
    if (p->left[stage] == 0)
        br_stage_holes_end(&p->holes, stage);
    schedule_place_release(run, stage, entry->task);
    if (entry->at != ALONE && !run->in_order)
        push_cursor(run, stage, entry->at + 1);
    return true;
}

/* Whether every task comes before those that wait for it. */
static bool order_is_topological(const struct placing *run)
{
    const struct br_instance *in = run->p->in;
    const uint32_t *place = run->order->place, *by_stage = run->order->by_stage;
    for (uint32_t s = 0; s < in->stages; s++) {
        const uint32_t here = in->stage_first[s], tasks = in->stage_first[s + 1] - here;
        for (uint32_t a = run->before_first[s]; a < run->before_first[s + 1]; a++) {
            const uint32_t other = run->before[a].stage, there = in->stage_first[other];
            if (!run->before[a].one_to_one) {
                if (place[by_stage[in->stage_first[other + 1] - 1]] > place[by_stage[here]])
                    return false;
                continue;
            }
            for (uint32_t i = 0; i < tasks; i++)
                if (place[there + i] > place[here + i])
                    return false;
        }
    }
    return true;
}

/* Whether the subset is the whole job. */
static bool is_whole(const struct placing *run)
{
    uint32_t t = 0;
    while (t < run->p->in->tasks && run->letter[t] == run->subset)
        t++;
    return t == run->p->in->tasks;
}

/* Lists the tasks by their places, in the memory of the heap. */
static void list_in_order(const struct placing *run)
{
    struct br_placer *p = run->p;
    const struct br_instance *in = p->in;
    for (uint32_t t = 0; t < in->tasks; t++)
        p->heap[run->order->place[t]].task = t;
    for (uint32_t s = 0; s < in->stages; s++)
        p->left[s] = in->stage_first[s + 1] - in->stage_first[s];
}

/* The task at that place in the order, unless it has been placed with others. */
static bool at_place(const struct placing *run, uint32_t place, struct ready *entry)
{
    struct br_placer *p = run->p;
    const struct br_instance *in = p->in;
    const uint32_t task = p->heap[place].task, stage = in->task_stage[task];
    if (p->start[task] != BR_UNPLACED)
        return false;
    assert(p->left[stage] > 0);
    if (p->left[stage] == in->stage_first[stage + 1] - in->stage_first[stage])
        set_base(run, stage);
    *entry = (struct ready){place, task, in->stage_first[stage + 1] - p->left[stage]};
    return true;
}

bool br_place(struct br_placer *p, enum br_direction direction, const char *letter, char subset,
              const struct br_order *order, const struct br_stop *stop)
{
    const struct br_instance *in = p->in;
    bool forward = direction == BR_FORWARD;
    struct placing run = {.p = p,
                          .forward = forward,
                          .before_first = forward ? in->parent_first : in->child_first,
                          .before = forward ? in->parent : in->child,
                          .after_first = forward ? in->child_first : in->parent_first,
                          .after = forward ? in->child : in->parent,
                          .letter = letter,
                          .subset = subset,
                          .order = order};
    uint64_t next_check = p->placements + STOP_INTERVAL;
    uint32_t place = 0;
    p->heap_size = 0;
    p->over = false;
    br_stage_holes_clear(&p->holes);
    run.in_order = is_whole(&run) && order_is_topological(&run);
    if (run.in_order)
        list_in_order(&run);
    else
        find_ready(&run);
    while (run.in_order ? place < in->tasks : p->heap_size > 0) {
        struct ready entry;
        if (!run.in_order)
            entry = ready_pop(NULL, p->heap, &p->heap_size);
        else if (!at_place(&run, place++, &entry))
            continue;
        if (!place_next(&run, &entry) || p->over)
            return false;
        if (p->placements >= next_check) {
            if (br_stopped(stop))
                return false;
            next_check = p->placements + STOP_INTERVAL;
        }
    }
    br_costly_assert(is_placed(in, p->start, letter, subset));
    return true;
}

bool br_placer_put(struct br_placer *p, uint32_t task, int64_t start, uint32_t machine)
{
    const struct br_instance *in = p->in;
    uint32_t stage = in->task_stage[task];
    struct br_fit fit = {start, machine};
    if (!br_space_place(p->space, stage, in->duration[task], fit, 1))
        return false;
    book(p, stage, task, fit);
    return true;
}

bool br_placer_push(struct br_placer *p)
{
    if (p->levels == p->level_room) {
        struct level *larger = br_realloc(p->level, (p->level_room + 1) * sizeof *larger);
        if (!larger)
            return false;
        p->level = larger;
        larger[p->level_room].extent = br_malloc(p->in->stages * sizeof *p->extent);
        if (!larger[p->level_room].extent)
            return false;
        p->level_room++;
    }
    struct level *level = &p->level[p->levels++];
    level->space_mark = br_space_mark(p->space);
    level->logged = p->logged;
    level->reach_begin = p->reach_begin;
    level->reach_end = p->reach_end;
    memcpy(level->extent, p->extent, p->in->stages * sizeof *p->extent);
    return true;
}

void br_placer_pop(struct br_placer *p)
{
    assert(p->levels > 0);
    const struct level *level = &p->level[--p->levels];
    br_space_undo(p->space, level->space_mark);
    p->reach_begin = level->reach_begin;
    p->reach_end = level->reach_end;
    while (p->logged > level->logged)
        p->start[p->log[--p->logged]] = BR_UNPLACED;
    memcpy(p->extent, level->extent, p->in->stages * sizeof *p->extent);
    assert(p->logged == level->logged);
}

void br_placer_set_span(struct br_placer *p, const struct br_reach *reach,
                        const _Atomic int64_t *most)
{
    p->reach = reach;
    p->most = most;
}

void br_placer_set_plain(struct br_placer *p, bool plain)
{
    p->plain = plain;
}

void br_placer_set_limit(struct br_placer *p, const int64_t *beyond, int64_t limit)
{
    p->beyond = beyond;
    p->limit = limit;
    p->over = false;
}

bool br_placer_over(const struct br_placer *p)
{
    return p->over;
}

void br_placer_set_weights(struct br_placer *p, const double *factor)
{
    br_space_set_weights(p->space, factor);
}

const struct br_space *br_placer_space(const struct br_placer *p)
{
    return p->space;
}

const int64_t *br_placer_start(const struct br_placer *p)
{
    return p->start;
}

const uint32_t *br_placer_machine(const struct br_placer *p)
{
    return p->machine;
}

uint64_t br_placer_placements(const struct br_placer *p)
{
    return p->placements;
}
