#include "planner/modes/mode_lister.h"

#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/heap.h"
#include "base/collections/memory.h"

/* What is used over time: from time[k] to time[k + 1], and from the last one for ever. The first is
 * 0. */
struct profile {
    uint32_t steps, room, used_room;
    int64_t *time;
    int64_t *used; /* [step * resources + resource] */
};

struct br_mode_lister {
    const struct br_modes *modes;
    struct profile *profile; /* by machine; behind them what is shared */
    uint32_t machines;
    uint32_t *most_first; /* by way: its classes in `most`, then what is shared */
    int64_t *most; /* [class of a way * resources + resource]: used where the way still fits */
    int64_t *spent;
    struct br_frontier frontier;
    bool failed;
};

/* What may be used of the resources beside a task that runs by the way; any amount of what it does
 * not demand. */
static void fill_room(const struct br_modes *modes, uint32_t way, const int64_t *capacity,
                      bool shared, int64_t *most)
{
    const int64_t *demand = modes->demand + (size_t)way * modes->resources;
    for (uint32_t r = 0; r < modes->resources; r++)
        most[r] = demand[r] && modes->shared[r] == shared ? capacity[r] - demand[r] : INT64_MAX;
}

static bool fill_most(struct br_mode_lister *s)
{
    const struct br_modes *modes = s->modes;
    const uint32_t ways = modes->way_first[modes->stages];
    const size_t width = modes->resources;
    size_t rows = 0;
    for (uint32_t w = 0; w < ways; w++)
        rows += modes->way[w].classes + 1;
    s->most_first = br_malloc(((size_t)ways + 1) * sizeof *s->most_first);
    s->most = br_malloc((rows * width + 1) * sizeof *s->most);
    if (!s->most_first || !s->most)
        return false;
    uint32_t row = 0;
    for (uint32_t w = 0; w < ways; w++) {
        const struct br_way *way = &modes->way[w];
        s->most_first[w] = row;
        for (uint32_t k = 0; k < way->classes; k++) {
            const size_t cls = modes->class_of[way->first_class + k];
            fill_room(modes, w, modes->capacity + cls * width, false, s->most + row++ * width);
        }
        fill_room(modes, w, modes->shared_capacity, true, s->most + row++ * width);
    }
    return true;
}

struct br_mode_lister *br_mode_lister_create(const struct br_modes *modes)
{
    struct br_mode_lister *s = br_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->modes = modes;
    s->machines = modes->cluster->machines;
    s->profile = br_calloc((size_t)s->machines + 1, sizeof *s->profile);
    s->spent = br_calloc((size_t)modes->budgets + 1, sizeof *s->spent);
    const bool whole =
        br_frontier_init(&s->frontier, modes->stages, modes->tasks, modes->task_stage);
    if (!s->profile || !s->spent || !whole || !fill_most(s)) {
        br_mode_lister_destroy(s);
        return NULL;
    }
    return s;
}

void br_mode_lister_destroy(struct br_mode_lister *s)
{
    if (!s)
        return;
    for (uint32_t m = 0; s->profile && m <= s->machines; m++) {
        br_free(s->profile[m].time);
        br_free(s->profile[m].used);
    }
    br_free(s->profile);
    br_free(s->most_first);
    br_free(s->most);
    br_free(s->spent);
    br_frontier_finish(&s->frontier);
    br_free(s);
}

/* ---- Profiles ---- */

static bool has_room(const int64_t *used, const int64_t *most, uint32_t resources)
{
    for (uint32_t r = 0; r < resources; r++)
        if (used[r] > most[r])
            return false;
    return true;
}

/* The first time from `from` on at which no more than `most` is used for the duration; INT64_MAX if
 * that is after `latest`. */
static int64_t profile_fit(const struct profile *p, const int64_t *most, uint32_t resources,
                           int64_t from, int64_t duration, int64_t latest)
{
    uint32_t k = 0, high = p->steps;
    while (high - k > 1) { /* the step in which `from` lies */
        const uint32_t middle = k + (high - k) / 2;
        if (p->time[middle] <= from)
            k = middle;
        else
            high = middle;
    }
    const int64_t *used = p->used + (size_t)k * resources;
    int64_t start = from;
    for (; k < p->steps && p->time[k] < start + duration; k++, used += resources)
        if (!has_room(used, most, resources)) {
            if (k + 1 == p->steps || p->time[k + 1] > latest)
                return INT64_MAX;
            start = p->time[k + 1];
        }
    return start <= latest ? start : INT64_MAX;
}

/* The step that begins at that time, made if there is none; UINT32_MAX when memory is out. */
static uint32_t profile_cut(const struct br_modes *modes, struct profile *p, int64_t time)
{
    const size_t width = modes->resources;
    uint32_t k = p->steps;
    while (k && p->time[k - 1] >= time)
        k--;
    if (k < p->steps && p->time[k] == time)
        return k;
    if (!br_grow(&p->time, p->steps, &p->room, sizeof *p->time) ||
        !br_grow(&p->used, p->steps, &p->used_room, (width ? width : 1) * sizeof *p->used))
        return UINT32_MAX;
    memmove(p->time + k + 1, p->time + k, (p->steps - k) * sizeof *p->time);
    memmove(p->used + (k + 1) * width, p->used + k * width,
            (p->steps - k) * width * sizeof *p->used);
    if (k)
        memcpy(p->used + k * width, p->used + (k - 1) * width, width * sizeof *p->used);
    else
        memset(p->used, 0, width * sizeof *p->used);
    p->time[k] = time;
    p->steps++;
    return k;
}

static bool profile_add(const struct br_modes *modes, struct profile *p, bool shared,
                        const int64_t *demand, int64_t start, int64_t end)
{
    const uint32_t first = profile_cut(modes, p, start);
    const uint32_t last = first == UINT32_MAX ? first : profile_cut(modes, p, end);
    if (last == UINT32_MAX)
        return false;
    for (uint32_t k = first; k < last; k++)
        for (uint32_t r = 0; r < modes->resources; r++)
            if (modes->shared[r] == shared)
                p->used[(size_t)k * modes->resources + r] += demand[r];
    return true;
}

/* ---- One task ---- */

/* How a task may be placed. */
struct placing {
    int64_t from;
    uint32_t only; /* machine; UINT32_MAX: any */
    bool frees;    /* by any way that budgets allow */
    bool at_once;  /* at `from` or not at all */
};

/* When the task would start on the machine of the way's k-th class; INT64_MAX if after `latest`. */
static int64_t start_on(const struct br_mode_lister *s, uint32_t way, uint32_t k, uint32_t machine,
                        int64_t from, int64_t duration, int64_t latest)
{
    const struct br_modes *modes = s->modes;
    const int64_t *most = s->most + (size_t)s->most_first[way] * modes->resources;
    const int64_t *own_most = most + (size_t)k * modes->resources;
    int64_t start = from;
    if (!duration)
        return start <= latest ? start : INT64_MAX;
    for (;;) {
        const int64_t own =
            profile_fit(&s->profile[machine], own_most, modes->resources, start, duration, latest);
        if (own == INT64_MAX || !modes->any_shared)
            return own;
        start = profile_fit(&s->profile[s->machines],
                            most + (size_t)modes->way[way].classes * modes->resources,
                            modes->resources, own, duration, latest);
        if (start == own || start == INT64_MAX)
            return start;
    }
}

/* The machine on which the task starts first by the way, no later than `latest`; `only` on that one
 * (UINT32_MAX: any). UINT32_MAX: none. */
static uint32_t first_machine(const struct br_mode_lister *s, uint32_t way, struct placing how,
                              int64_t duration, int64_t latest, int64_t *start)
{
    const struct br_modes *modes = s->modes;
    const struct br_way *w = &modes->way[way];
    uint32_t best = UINT32_MAX;
    *start = INT64_MAX;
    for (uint32_t k = 0; k < w->classes; k++) {
        const struct br_class *cls = &modes->cluster->cls[modes->class_of[w->first_class + k]];
        for (uint32_t m = cls->first_machine; m < cls->first_machine + cls->count; m++) {
            if (how.only != UINT32_MAX && m != how.only)
                continue;
            const int64_t at = start_on(s, way, k, m, how.from, duration, latest);
            if (at < *start) {
                *start = at;
                best = m;
                if (at == how.from)
                    return best;
                latest = at - 1; /* what the others have to do */
            }
            if (s->profile[m].steps == 1)
                break; /* those behind it are as empty */
        }
    }
    return best;
}

/* Do the budgets allow the way in place of the present one? */
static bool affords(const struct br_mode_lister *s, uint32_t present, uint32_t way)
{
    const struct br_modes *modes = s->modes;
    for (uint32_t b = 0; b < modes->budgets; b++) {
        const int64_t more = modes->consumed[(size_t)way * modes->budgets + b] -
                             modes->consumed[(size_t)present * modes->budgets + b];
        if (more > 0 && s->spent[b] + more > modes->budget[b])
            return false;
    }
    return true;
}

/* Where and by which way a task ends first. */
struct spot {
    uint32_t way, machine; /* UINT32_MAX: nowhere */
    int64_t start, end;
};

/* Takes the way if by it the task ends before *best. */
static void try_way(const struct br_mode_lister *s, uint32_t way, uint32_t task, struct placing how,
                    struct spot *best)
{
    const int64_t duration = br_way_duration(s->modes, way, task);
    int64_t at, latest = best->end - 1 - duration;
    if (how.at_once && latest > how.from)
        latest = how.from;
    if (latest < how.from)
        return;
    const uint32_t m = first_machine(s, way, how, duration, latest, &at);
    if (m != UINT32_MAX)
        *best = (struct spot){way, m, at, at + duration};
}

/* Of ways by which it ends at the same time it takes the present one, else the first. */
static struct spot find_spot(const struct br_mode_lister *s, uint32_t present, uint32_t task,
                             struct placing how)
{
    const struct br_modes *modes = s->modes;
    const uint32_t stage = modes->task_stage[task];
    struct spot best = {.way = present, .machine = UINT32_MAX, .end = INT64_MAX};
    try_way(s, present, task, how, &best);
    if (!how.frees)
        return best;
    for (uint32_t w = modes->way_first[stage]; w < modes->way_first[stage + 1]; w++)
        if (w != present && affords(s, present, w))
            try_way(s, w, task, how, &best);
    return best;
}

/* False: it did not find room. */
static bool place(struct br_mode_lister *s, struct br_choice *choice, uint32_t task,
                  struct placing how)
{
    const struct br_modes *modes = s->modes;
    const uint32_t present = choice->way[task];
    struct spot spot = find_spot(s, present, task, how);
    if (spot.machine == UINT32_MAX && how.only != UINT32_MAX) {
        how.only = UINT32_MAX;
        spot = find_spot(s, present, task, how);
    }
    if (spot.machine == UINT32_MAX)
        return false;
    for (uint32_t b = 0; b < modes->budgets; b++)
        s->spent[b] += modes->consumed[(size_t)spot.way * modes->budgets + b] -
                       modes->consumed[(size_t)present * modes->budgets + b];
    const int64_t *demand = modes->demand + (size_t)spot.way * modes->resources;
    if (spot.end > spot.start &&
        (!profile_add(modes, &s->profile[spot.machine], false, demand, spot.start, spot.end) ||
         (modes->any_shared &&
          !profile_add(modes, &s->profile[s->machines], true, demand, spot.start, spot.end))))
        s->failed = true;
    choice->way[task] = spot.way;
    choice->start[task] = spot.start;
    choice->end[task] = spot.end;
    if (choice->machine)
        choice->machine[task] = spot.machine;
    choice->makespan = spot.end > choice->makespan ? spot.end : choice->makespan;
    return true;
}

/* ---- The order ---- */

static void begin(struct br_mode_lister *s, const struct br_choice *choice, bool backward)
{
    const struct br_modes *modes = s->modes;
    const struct br_stage_arcs parents = {modes->parent_first, modes->parent};
    const struct br_stage_arcs children = {modes->child_first, modes->child};
    for (uint32_t m = 0; m <= s->machines; m++)
        s->profile[m].steps = 0;
    for (uint32_t m = 0; m <= s->machines; m++)
        s->failed |= profile_cut(modes, &s->profile[m], 0) == UINT32_MAX;
    br_ways_spend(modes, choice->way, s->spent);
    if (backward)
        br_frontier_begin(&s->frontier, children, parents, choice->rank, false, NULL);
    else
        br_frontier_begin(&s->frontier, parents, children, choice->rank, false, modes->release);
}

bool br_mode_lister_run(struct br_mode_lister *s, struct br_choice *choice, bool backward,
                        bool frees)
{
    choice->makespan = 0;
    s->failed = false;
    begin(s, choice, backward);
    uint32_t task;
    while (!s->failed && br_frontier_next(&s->frontier, &task)) {
        const struct placing how = {.from = br_frontier_from(&s->frontier, task),
                                    .only = choice->only ? choice->only[task] : UINT32_MAX,
                                    .frees = frees};
        s->failed |= !place(s, choice, task, how);
        if (!s->failed)
            br_frontier_place(&s->frontier, task, choice->start[task], choice->end[task]);
    }
    return !s->failed;
}

/* ---- Without looking back ---- */

static bool earlier(const struct br_mode_lister *s, const int64_t *a, const int64_t *b)
{
    return *a < *b;
}
BR_HEAP(times, int64_t, const struct br_mode_lister *, earlier, 2)

/* The tasks that wait for nothing, by rank, and the times at which something ends or is released.
 */
struct dispatch {
    uint32_t *ready, readies;
    int64_t *time;
    uint32_t times;
    uint64_t *full; /* by stage: the last turn in which one of its tasks found no room */
    uint64_t turn;
};

/* Takes the tasks for which all they wait for is placed among those that are ready. */
static void dispatch_take(struct br_mode_lister *s, struct dispatch *d,
                          const struct br_choice *choice, int64_t now)
{
    uint32_t task;
    while (br_frontier_next(&s->frontier, &task)) {
        uint32_t at = d->readies++;
        for (; at && choice->rank[d->ready[at - 1]] > choice->rank[task]; at--)
            d->ready[at] = d->ready[at - 1];
        d->ready[at] = task;
        const int64_t from = br_frontier_from(&s->frontier, task);
        if (from > now)
            times_push(s, d->time, &d->times, from);
    }
}

/* Starts what can start now. */
static void dispatch_start(struct br_mode_lister *s, struct dispatch *d, struct br_choice *choice,
                           int64_t now)
{
    uint32_t kept = 0;
    d->turn++;
    for (uint32_t k = 0; k < d->readies; k++) {
        const uint32_t task = d->ready[k], stage = s->modes->task_stage[task];
        const bool can =
            !s->failed && br_frontier_from(&s->frontier, task) <= now && d->full[stage] != d->turn;
        const struct placing how = {
            .from = now, .only = UINT32_MAX, .frees = true, .at_once = true};
        if (can && place(s, choice, task, how)) {
            br_frontier_place(&s->frontier, task, choice->start[task], choice->end[task]);
            times_push(s, d->time, &d->times, choice->end[task]);
            continue;
        }
        if (can)
            d->full[stage] = d->turn;
        d->ready[kept++] = task;
    }
    d->readies = kept;
}

bool br_mode_lister_dispatch(struct br_mode_lister *s, struct br_choice *choice)
{
    const struct br_modes *modes = s->modes;
    struct dispatch d = {.ready = br_malloc(((size_t)modes->tasks + 1) * sizeof *d.ready),
                         .time = br_malloc((2 * (size_t)modes->tasks + 1) * sizeof *d.time),
                         .full = br_calloc((size_t)modes->stages + 1, sizeof *d.full)};
    choice->makespan = 0;
    s->failed = !d.ready || !d.time || !d.full;
    if (!s->failed) {
        begin(s, choice, false);
        times_push(s, d.time, &d.times, 0);
    }
    while (!s->failed && d.times) {
        const int64_t now = d.time[0];
        while (d.times && d.time[0] == now)
            times_pop(s, d.time, &d.times);
        dispatch_take(s, &d, choice, now);
        dispatch_start(s, &d, choice, now);
    }
    s->failed |= d.readies > 0;
    br_free(d.ready);
    br_free(d.time);
    br_free(d.full);
    return !s->failed;
}

void br_ways_spend(const struct br_modes *modes, const uint32_t *way, int64_t *spent)
{
    memset(spent, 0, modes->budgets * sizeof *spent);
    for (uint32_t t = 0; t < modes->tasks; t++)
        for (uint32_t b = 0; b < modes->budgets; b++)
            spent[b] += modes->consumed[(size_t)way[t] * modes->budgets + b];
}
