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
#include "planner/space/space.h"

/* Looks at machines that rounds over all of them may take together; after a stop. */
static const uint64_t looks_most = 100000000, looks_stopped = 20000;

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
    uint64_t empty;     /* mark of the empty space */
    struct gate *gate;  /* by stage */
    uint32_t *sequence; /* the tasks in order */
    int64_t *start;     /* by task; -1: not placed yet */
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

/* Looks of a round: every task at every machine. */
static uint64_t keep_round_of(const struct br_instance *in)
{
    return (uint64_t)in->tasks * in->machines;
}

/* Looks that are left after `taken`: fewer once the stop is raised. */
static uint64_t looks_left(const struct br_stop *stop, uint64_t taken)
{
    const uint64_t most = br_stopped(stop) ? looks_stopped : looks_most;
    return taken < most ? most - taken : 0;
}

/* Moves tasks to room on other machines, each among all others; *any: there was some. The space
 * keeps the gaps that they left. Moves none if a round is too long by the steps `taken` so far, and
 * no more after a stop. False when memory is out. */
static bool change_machines(struct keeping *k, uint32_t *machine, const struct br_stop *stop,
                            uint64_t taken, bool *any)
{
    const struct br_instance *in = k->in;
    *any = false;
    open_gates(k);
    for (uint32_t i = 0; i < in->tasks && looks_left(stop, taken) >= keep_round_of(in); i++) {
        const uint32_t t = k->sequence[i], s = in->task_stage[t];
        const int64_t from = keep_after_parents(k, t);
        assert(from >= 0 && from <= k->start[t]);
        if (from < k->start[t]) {
            struct br_fit fit = br_space_earliest(k->space, s, in->duration[t], from);
            if (fit.start < k->start[t]) {
                if (!br_space_place(k->space, s, in->duration[t], fit, 1))
                    return false;
                k->start[t] = fit.start;
                machine[t] = fit.machine;
                *any = true;
            }
        }
        keep_pass(k, t);
    }
    return true;
}

/* In rounds; the result is in k->start and `machine`. */
static bool shift(struct keeping *k, const struct br_schedule *schedule, uint32_t *machine,
                  const struct br_stop *stop)
{
    const struct br_instance *in = k->in;
    const int64_t *start = schedule->start;
    uint64_t taken = 0;
    bool any = true;
    while (any) {
        br_space_undo(k->space, k->empty);
        if (!keep_sort(k, start) || schedule_keep(k, machine, machine) != BR_KEEP_MADE)
            return false;
        start = k->start;
        any = false;
        if (in->machines > 1 && !change_machines(k, machine, stop, taken, &any))
            return false;
        taken += keep_round_of(in);
    }
    return true;
}

bool br_left_shift(struct br_schedule *schedule, const struct br_instance *in,
                   const struct br_stop *stop, uint64_t *moved)
{
    struct keeping k;
    uint32_t *machine = br_malloc((size_t)in->tasks * sizeof *machine);
    bool ok = keep_init(&k, in) && machine;
    *moved = 0;
    if (ok) {
        memcpy(machine, schedule->machine, in->tasks * sizeof *machine);
        ok = shift(&k, schedule, machine, stop);
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
