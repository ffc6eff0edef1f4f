#include "planner/modes/reasons.h"

#include <string.h>

#include "base/collections/memory.h"

struct asking {
    const struct br_modes *modes;
    const struct br_plan *plan;
    uint32_t task, stage;
    int64_t ready_ns; /* when its parents allow it */
    uint32_t *way;    /* by task: that of the plan */
    uint32_t *beside; /* other tasks that count on the machine which is looked at */
    uint32_t besides;
    int64_t *held; /* by resource */
};

/* So many starts are tried on a machine; then its end is not known. */
enum { STARTS_MOST = 100 };

/* The way by which the plan runs the task. */
static uint32_t find_way(const struct asking *a, uint32_t task)
{
    const struct br_modes *modes = a->modes;
    const uint32_t s = modes->task_stage[task];
    const uint32_t chosen = a->plan->alternative ? a->plan->alternative[task] : 0;
    const uint32_t cls = br_cluster_machine_class(modes->cluster, a->plan->machine[task]);
    for (uint32_t w = modes->way_first[s]; w < modes->way_first[s + 1]; w++)
        for (uint32_t k = 0; k < modes->way[w].classes && modes->way[w].alternative == chosen; k++)
            if (modes->class_of[modes->way[w].first_class + k] == cls)
                return w;
    return modes->way_first[s];
}

/* ---- When it may start, and until when nothing waits for it ---- */

static int64_t after_parent(const struct asking *a, const struct br_stage_arc *arc, uint32_t task)
{
    const int64_t from = arc->stream ? a->plan->start_ns[task] : a->plan->end_ns[task];
    return from + arc->lag;
}

static void find_ready(struct asking *a)
{
    const struct br_modes *modes = a->modes;
    const struct br_dag *dag = modes->dag;
    const uint32_t index = a->task - dag->stage[a->stage].first_task;
    a->ready_ns = modes->release[a->task];
    for (uint32_t k = modes->parent_first[a->stage]; k < modes->parent_first[a->stage + 1]; k++) {
        const struct br_stage_arc *arc = &modes->parent[k];
        const struct br_stage *of = &dag->stage[arc->stage];
        for (uint32_t i = 0; i < of->tasks; i++) {
            const int64_t ns = after_parent(a, arc, of->first_task + i);
            if ((!arc->one_to_one || i == index) && ns > a->ready_ns)
                a->ready_ns = ns;
        }
    }
}

/* The first start of a child, or the end of the plan. */
static int64_t awaited_ns(const struct asking *a)
{
    const struct br_modes *modes = a->modes;
    const struct br_dag *dag = modes->dag;
    const uint32_t index = a->task - dag->stage[a->stage].first_task;
    int64_t least = a->plan->makespan_ns;
    for (uint32_t k = modes->child_first[a->stage]; k < modes->child_first[a->stage + 1]; k++) {
        const struct br_stage_arc *arc = &modes->child[k];
        const struct br_stage *of = &dag->stage[arc->stage];
        for (uint32_t i = 0; i < of->tasks; i++) {
            const int64_t ns = a->plan->start_ns[of->first_task + i] - arc->lag;
            if ((!arc->one_to_one || i == index) && ns < least)
                least = ns;
        }
    }
    return least;
}

/* ---- Room ---- */

/* Tasks that hold something of the machine, or of what is shared, after this one is ready. */
static void list_beside(struct asking *a, uint32_t machine)
{
    a->besides = 0;
    for (uint32_t t = 0; t < a->modes->tasks; t++)
        if (t != a->task && a->plan->end_ns[t] > a->ready_ns &&
            (a->plan->machine[t] == machine || a->modes->any_shared))
            a->beside[a->besides++] = t;
}

/* What they hold at the time, into a->held; the first end of those that run then. */
static int64_t hold_at(const struct asking *a, uint32_t machine, int64_t at)
{
    const struct br_modes *modes = a->modes;
    int64_t frees = INT64_MAX;
    memset(a->held, 0, modes->resources * sizeof *a->held);
    for (uint32_t k = 0; k < a->besides; k++) {
        const uint32_t t = a->beside[k];
        const int64_t *takes = &modes->demand[(size_t)a->way[t] * modes->resources];
        if (a->plan->start_ns[t] > at || a->plan->end_ns[t] <= at)
            continue;
        for (uint32_t r = 0; r < modes->resources; r++)
            if (modes->shared[r] || a->plan->machine[t] == machine)
                a->held[r] += takes[r];
        if (a->plan->end_ns[t] < frees)
            frees = a->plan->end_ns[t];
    }
    return frees;
}

/* start_ns if the way has room on the machine from then on for its whole duration; else a later
 * time, before which it has none. */
static int64_t next_start(const struct asking *a, uint32_t way, uint32_t machine, int64_t start_ns)
{
    const struct br_modes *modes = a->modes;
    const int64_t end_ns = start_ns + br_way_duration(modes, way, a->task);
    const int64_t *demand = &modes->demand[(size_t)way * modes->resources];
    const uint32_t cls = br_cluster_machine_class(modes->cluster, machine);
    int64_t next = start_ns;
    /* More is held from the start of a task on: so it is enough to look at these times. */
    for (uint32_t e = 0; e <= a->besides; e++) {
        const int64_t at = e < a->besides ? a->plan->start_ns[a->beside[e]] : start_ns;
        if (e < a->besides && (at <= start_ns || at >= end_ns))
            continue;
        const int64_t frees = hold_at(a, machine, at);
        for (uint32_t r = 0; r < modes->resources; r++) {
            const int64_t has = modes->shared[r]
                                    ? modes->shared_capacity[r]
                                    : modes->capacity[(size_t)cls * modes->resources + r];
            if (demand[r] && a->held[r] + demand[r] > has && frees > next)
                next = frees;
        }
    }
    return next;
}

static int64_t earliest_end(struct asking *a, uint32_t way)
{
    const struct br_modes *modes = a->modes;
    int64_t least = INT64_MAX;
    for (uint32_t k = 0; k < modes->way[way].classes; k++) {
        const struct br_class *cls =
            &modes->cluster->cls[modes->class_of[modes->way[way].first_class + k]];
        for (uint32_t i = 0; i < cls->count; i++) {
            int64_t start = a->ready_ns, next = INT64_MAX;
            list_beside(a, cls->first_machine + i);
            for (int tried = 0; tried < STARTS_MOST && next != start; tried++) {
                start = tried ? next : start;
                next = next_start(a, way, cls->first_machine + i, start);
            }
            const int64_t end = start + br_way_duration(modes, way, a->task);
            if (next == start && end < least)
                least = end;
        }
    }
    return least;
}

/* Does what all tasks consume suffice if this one runs by the way? */
static bool affords(const struct asking *a, uint32_t way)
{
    const struct br_modes *modes = a->modes;
    for (uint32_t b = 0; b < modes->budgets; b++) {
        int64_t spent = 0;
        for (uint32_t t = 0; t < modes->tasks; t++)
            spent += modes->consumed[(size_t)(t == a->task ? way : a->way[t]) * modes->budgets + b];
        if (spent > modes->budget[b])
            return false;
    }
    return true;
}

static void find_reason(struct asking *a, uint32_t alternative, struct br_reason *reason)
{
    const struct br_modes *modes = a->modes;
    const int64_t end_ns = a->plan->end_ns[a->task];
    uint32_t best = UINT32_MAX, any = UINT32_MAX;
    find_ready(a);
    for (uint32_t w = modes->way_first[a->stage]; w < modes->way_first[a->stage + 1]; w++) {
        if (modes->way[w].alternative != alternative)
            continue;
        const int64_t lasts = br_way_duration(modes, w, a->task), ends = earliest_end(a, w);
        any = w;
        if (lasts < reason->lasts_ns)
            reason->lasts_ns = lasts;
        if (ends < reason->ends_ns) {
            reason->ends_ns = ends;
            best = w;
        }
    }
    if (any == UINT32_MAX)
        return;
    if (reason->ends_ns >= end_ns)
        reason->why =
            reason->lasts_ns >= end_ns - a->plan->start_ns[a->task] ? BR_WHY_LONGER : BR_WHY_BUSY;
    else if (!affords(a, best))
        reason->why = BR_WHY_BUDGET;
    else
        reason->why = awaited_ns(a) > end_ns ? BR_WHY_IDLE : BR_WHY_SEARCH;
}

bool br_why_not(const struct br_modes *modes, const struct br_plan *plan, uint32_t task,
                uint32_t alternative, struct br_reason *reason)
{
    struct asking a = {
        .modes = modes, .plan = plan, .task = task, .stage = modes->task_stage[task]};
    *reason = (struct br_reason){BR_WHY_NOWHERE, INT64_MAX, INT64_MAX};
    a.way = br_malloc(((size_t)modes->tasks + 1) * sizeof *a.way);
    a.beside = br_malloc(((size_t)modes->tasks + 1) * sizeof *a.beside);
    a.held = br_malloc(((size_t)modes->resources + 1) * sizeof *a.held);
    const bool ok = a.way && a.beside && a.held;
    for (uint32_t t = 0; ok && t < modes->tasks; t++)
        a.way[t] = find_way(&a, t);
    if (ok)
        find_reason(&a, alternative, reason);
    br_free(a.way);
    br_free(a.beside);
    br_free(a.held);
    return ok;
}
