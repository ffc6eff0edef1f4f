/* The tasks of a schedule in the order of their starts, each on its machine as soon as that has
 * room: none starts later than it did. The proof is by induction over the order. At and after the
 * old start of a task, the tasks placed before it take no more room than they did, since each has
 * moved to the left, and its parents have ended. So the old start is still free. No task can start
 * earlier any more while the others stay: it did not find room on its machine among the tasks
 * before it, and those after it only take room away. On other machines there may be room yet. If a
 * task finds room there among all the others, it moves; the next round finds the gap that it left.
 * Every move makes the sum of starts smaller, so this ends. */
#include "planner/schedule/keep.h"

#include <string.h>

#include "base/collections/memory.h"
#include "base/invariant.h"
#include "planner/space/stage_holes.h"

enum {
    LOOKS_FEW = 20000,    /* tasks that rounds look at, even after a stop */
    LOOKS_ALL = 1 << 20,  /* beyond that a round has to have moved one task in GAINFUL */
    GAINFUL = 1000,       /* for another one to follow */
    QUICK_GAINFUL = 20,   /* if that shall be quick, after every round */
    ASKED_MOST = 50000000 /* machines that tasks without an index may ask */
};

/* Decides when the tasks of a stage may start. */
struct gate {
    int64_t end;   /* of all its tasks placed so far */
    uint32_t left; /* of its tasks not placed yet */
    int64_t ready; /* after all parents behind barriers; -1: not known yet */
};

/* Placing the tasks one by one. */
struct keeping {
    const struct br_instance *in;
    struct br_space *space;
    struct br_stage_holes holes;
    uint64_t empty;     /* mark of the empty space */
    struct gate *gate;  /* by stage */
    uint32_t *sequence; /* the tasks in order */
    int64_t *start;     /* by task; -1: not placed yet */
    bool quick;
    const struct br_stop *stop;
    uint64_t looked; /* tasks, by all rounds over all machines */
    uint64_t asked;  /* machines, by tasks whose stage has no index */
};

static bool keep_init(struct keeping *k, const struct br_instance *in)
{
    *k = (struct keeping){.in = in};
    k->space = br_space_create(in);
    k->gate = br_calloc(in->stages, sizeof *k->gate);
    k->sequence = br_malloc((size_t)in->tasks * sizeof *k->sequence);
    k->start = br_malloc((size_t)in->tasks * sizeof *k->start);
    if (k->space)
        k->empty = br_space_mark(k->space);
    return k->space && k->gate && k->sequence && k->start;
}

static void keep_finish(struct keeping *k)
{
    br_stage_holes_finish(&k->holes);
    br_space_destroy(k->space);
    br_free(k->gate);
    br_free(k->sequence);
    br_free(k->start);
}

static void open_gates(struct keeping *k)
{
    const struct br_instance *in = k->in;
    for (uint32_t s = 0; s < in->stages; s++)
        k->gate[s] =
            (struct gate){.left = in->stage_first[s + 1] - in->stage_first[s], .ready = -1};
}

/* The least start after the task's parents, or -1: one of them has not been passed yet. */
static int64_t keep_after_parents(const struct keeping *k, uint32_t task)
{
    const struct br_instance *in = k->in;
    const uint32_t s = in->task_stage[task], index = task - in->stage_first[s];
    const struct gate *gate = k->gate;
    int64_t ready = gate[s].ready < 0 ? 0 : gate[s].ready;
    for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++) {
        const struct br_arc *arc = &in->parent[a];
        int64_t end = gate[arc->stage].end;
        if (arc->one_to_one) {
            const uint32_t parent = in->stage_first[arc->stage] + index;
            if (k->start[parent] < 0)
                return -1;
            end = k->start[parent] + in->duration[parent];
        } else if (gate[s].ready >= 0) {
            continue; /* is in it */
        } else if (gate[arc->stage].left) {
            return -1;
        }
        if (end > ready)
            ready = end;
    }
    return ready;
}

/* Looks at the barriers once a stage. */
static void settle_barriers(struct keeping *k, uint32_t s)
{
    const struct br_instance *in = k->in;
    k->gate[s].ready = 0;
    for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++)
        if (!in->parent[a].one_to_one && k->gate[in->parent[a].stage].end > k->gate[s].ready)
            k->gate[s].ready = k->gate[in->parent[a].stage].end;
}

/* Records that the task stays at its start. */
static void keep_pass(struct keeping *k, uint32_t task)
{
    struct gate *gate = &k->gate[k->in->task_stage[task]];
    const int64_t end = k->start[task] + k->in->duration[task];
    if (gate->ready < 0)
        settle_barriers(k, k->in->task_stage[task]);
    assert(gate->left > 0);
    gate->left--;
    if (end > gate->end)
        gate->end = end;
}

/* Every task of the sequence on its machine. */
static enum br_keep schedule_keep(struct keeping *k, const uint32_t *machine, uint32_t *taken)
{
    const struct br_instance *in = k->in;
    open_gates(k);
    for (uint32_t t = 0; t < in->tasks; t++)
        k->start[t] = -1;
    for (uint32_t i = 0; i < in->tasks; i++) {
        const uint32_t t = k->sequence[i], s = in->task_stage[t];
        const int64_t from = keep_after_parents(k, t);
        if (from < 0)
            return BR_KEEP_NOT_IN_ORDER;
        struct br_fit fit = br_space_earliest_on(k->space, machine[t], s, in->duration[t], from);
        if (!br_space_place(k->space, s, in->duration[t], fit, 1))
            return BR_KEEP_NO_MEMORY;
        k->start[t] = fit.start;
        taken[t] = fit.machine;
        keep_pass(k, t);
    }
    return BR_KEEP_MADE;
}

enum br_keep br_keep_machines(struct br_schedule *schedule, const struct br_instance *in,
                              const struct br_order *order, const uint32_t *machine)
{
    struct keeping k;
    enum br_keep outcome = BR_KEEP_NO_MEMORY;
    if (keep_init(&k, in)) {
        for (uint32_t t = 0; t < in->tasks; t++)
            k.sequence[order->place[t]] = t;
        outcome = schedule_keep(&k, machine, schedule->machine);
    }
    if (outcome == BR_KEEP_MADE) {
        memcpy(schedule->start, k.start, in->tasks * sizeof *k.start);
        br_schedule_measure(schedule, in);
    }
    keep_finish(&k);
    return outcome;
}

/* ---- Left shift ---- */

/* The tasks by start; those that start together by the position of the stage, so that a parent
 * without duration is before its children. */
static bool keep_sort(struct keeping *k, const int64_t *start)
{
    const struct br_instance *in = k->in;
    struct br_key *key = br_malloc((size_t)in->tasks * sizeof *key);
    struct br_order order = {0};
    for (uint32_t t = 0; key && t < in->tasks; t++)
        key[t] = (struct br_key){.first = ~start[t], /* the sooner the larger */
                                 .second = -(int64_t)in->position[in->task_stage[t]]};
    bool ok = key && br_order_init(&order, in, key);
    for (uint32_t t = 0; ok && t < in->tasks; t++)
        k->sequence[order.place[t]] = t;
    br_order_finish(&order);
    br_free(key);
    return ok;
}

/* Begins the stage's index, if several of its tasks are left and there is room for another one.
 * False when memory is out. */
static bool begin_index(struct keeping *k, uint32_t s)
{
    const struct br_instance *in = k->in;
    int64_t shortest = INT64_MAX;
    if (k->gate[s].left < BR_STAGE_HOLES_LEAST || !br_stage_holes_has_room(&k->holes))
        return true;
    for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
        if (in->duration[t] && in->duration[t] < shortest)
            shortest = in->duration[t];
    if (k->gate[s].ready < 0)
        settle_barriers(k, s);
    return br_stage_holes_begin(&k->holes, true, s, k->gate[s].ready, shortest);
}

/* Looks for room for the task from there on and before its start, on any machine. False when memory
 * is out. */
static bool find_earlier(struct keeping *k, uint32_t task, int64_t from, struct br_fit *fit,
                         bool *found)
{
    const struct br_instance *in = k->in;
    const uint32_t s = in->task_stage[task];
    const int64_t duration = in->duration[task], limit = k->start[task];
    *found = false;
    if (duration && !br_stage_holes_runs(&k->holes, s) && !begin_index(k, s))
        return false;
    if (duration && br_stage_holes_runs(&k->holes, s))
        return br_holes_find_before(br_stage_holes_of(&k->holes, s), duration, from, limit, fit,
                                    found);
    if (duration && (k->asked += in->machines) > ASKED_MOST)
        return true;
    *found = br_space_earliest_before(k->space, s, duration, from, limit, fit);
    return true;
}

/* May another task be looked at? */
static bool goes_on(const struct keeping *k)
{
    return k->looked < LOOKS_FEW || !br_stopped(k->stop);
}

/* Moves tasks to room on other machines, each among all others; *moved: so many. The space keeps
 * the gaps that they left. False when memory is out. */
static bool change_machines(struct keeping *k, uint32_t *machine, uint32_t *moved)
{
    const struct br_instance *in = k->in;
    *moved = 0;
    open_gates(k);
    br_stage_holes_clear(&k->holes);
    for (uint32_t i = 0; i < in->tasks && goes_on(k); i++, k->looked++) {
        const uint32_t t = k->sequence[i], s = in->task_stage[t];
        const int64_t from = keep_after_parents(k, t);
        struct br_fit fit = {0};
        bool found = false;
        assert(from >= 0 && from <= k->start[t]);
        if (from < k->start[t] && !find_earlier(k, t, from, &fit, &found))
            return false;
        if (found) {
            if (!br_space_place(k->space, s, in->duration[t], fit, 1))
                return false;
            k->start[t] = fit.start;
            machine[t] = fit.machine;
            ++*moved;
        }
        keep_pass(k, t);
        if (k->gate[s].left == 0)
            br_stage_holes_end(&k->holes, s);
    }
    return true;
}

/* Is another round over all machines worth its time, after one that moved so many tasks? */
static bool is_worth_it(const struct keeping *k, uint32_t moved)
{
    const uint32_t tasks = k->in->tasks;
    return goes_on(k) && (k->quick ? moved > tasks / QUICK_GAINFUL
                                   : k->looked < LOOKS_ALL || moved > tasks / GAINFUL);
}

/* In rounds; the result is in k->start and `machine`. */
static bool shift(struct keeping *k, const struct br_schedule *schedule, uint32_t *machine)
{
    const int64_t *start = schedule->start;
    const bool several = k->in->machines > 1;
    uint32_t moved = k->in->tasks;
    if (several && !br_stage_holes_init(&k->holes, k->space))
        return false;
    while (moved) {
        br_space_undo(k->space, k->empty);
        if (!keep_sort(k, start) || schedule_keep(k, machine, machine) != BR_KEEP_MADE)
            return false;
        start = k->start;
        if (!several || !is_worth_it(k, moved))
            return true;
        if (!change_machines(k, machine, &moved))
            return false;
    }
    return true;
}

bool br_left_shift(struct br_schedule *schedule, const struct br_instance *in, bool quick,
                   const struct br_stop *stop, uint64_t *moved)
{
    struct keeping k;
    uint32_t *machine = br_malloc((size_t)in->tasks * sizeof *machine);
    bool ok = keep_init(&k, in) && machine;
    *moved = 0;
    if (ok) {
        memcpy(machine, schedule->machine, in->tasks * sizeof *machine);
        k.quick = quick;
        k.stop = stop;
        ok = shift(&k, schedule, machine);
    }
    if (ok) {
        const int64_t makespan = schedule->makespan;
        for (uint32_t t = 0; t < in->tasks; t++) {
            assert(k.start[t] <= schedule->start[t]);
            *moved += k.start[t] < schedule->start[t];
            schedule->start[t] = k.start[t];
            schedule->machine[t] = machine[t];
        }
        br_schedule_measure(schedule, in);
        assert(schedule->makespan <= makespan);
        (void)makespan;
    }
    keep_finish(&k);
    br_free(machine);
    return ok;
}
