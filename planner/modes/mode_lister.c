#include "planner/modes/mode_lister.h"

#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/heap.h"
#include "base/collections/memory.h"

struct eligible {
    uint32_t rank, task;
};

static bool eligible_before(void *context, const struct eligible *a, const struct eligible *b)
{
    (void)context;
    return a->rank != b->rank ? a->rank < b->rank : a->task < b->task;
}

BR_HEAP(eligible, struct eligible, void *, eligible_before, 4)

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
    int64_t *spent;
    struct eligible *heap;
    uint32_t heaped;
    uint32_t *left;  /* by stage: tasks that are not placed */
    uint32_t *waits; /* by stage: arcs from stages that are not placed as a whole */
    uint32_t *pairs; /* by task: one-to-one arcs from tasks that are not placed */
    int64_t *stage_from, *task_from;
    int64_t *last_start, *last_end; /* by stage */
    bool failed;
};

struct br_mode_lister *br_mode_lister_create(const struct br_modes *modes)
{
    struct br_mode_lister *s = br_calloc(1, sizeof *s);
    const size_t n = (size_t)modes->tasks + 1, stages = (size_t)modes->stages + 1;
    if (!s)
        return NULL;
    s->modes = modes;
    s->machines = modes->cluster->machines;
    s->profile = br_calloc((size_t)s->machines + 1, sizeof *s->profile);
    s->spent = br_calloc((size_t)modes->budgets + 1, sizeof *s->spent);
    s->heap = br_malloc(n * sizeof *s->heap);
    s->left = br_malloc(stages * sizeof *s->left);
    s->waits = br_malloc(stages * sizeof *s->waits);
    s->pairs = br_malloc(n * sizeof *s->pairs);
    s->stage_from = br_malloc(stages * sizeof *s->stage_from);
    s->task_from = br_malloc(n * sizeof *s->task_from);
    s->last_start = br_malloc(stages * sizeof *s->last_start);
    s->last_end = br_malloc(stages * sizeof *s->last_end);
    if (!s->profile || !s->spent || !s->heap || !s->left || !s->waits || !s->pairs ||
        !s->stage_from || !s->task_from || !s->last_start || !s->last_end) {
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
    br_free(s->spent);
    br_free(s->heap);
    br_free(s->left);
    br_free(s->waits);
    br_free(s->pairs);
    br_free(s->stage_from);
    br_free(s->task_from);
    br_free(s->last_start);
    br_free(s->last_end);
    br_free(s);
}

/* ---- Profiles ---- */

/* The first time from `from` on at which the demand fits for the duration. */
static int64_t profile_fit(const struct br_modes *modes, const struct profile *p, bool shared,
                           const int64_t *capacity, const int64_t *demand, int64_t from,
                           int64_t duration)
{
    uint32_t k = 0, high = p->steps;
    while (high - k > 1) { /* the step in which `from` lies */
        const uint32_t middle = k + (high - k) / 2;
        if (p->time[middle] <= from)
            k = middle;
        else
            high = middle;
    }
    int64_t start = from;
    for (; k < p->steps && p->time[k] < start + duration; k++) {
        const int64_t *used = p->used + (size_t)k * modes->resources;
        for (uint32_t r = 0; r < modes->resources; r++)
            if (modes->shared[r] == shared && demand[r] && used[r] + demand[r] > capacity[r]) {
                start = k + 1 < p->steps ? p->time[k + 1] : INT64_MAX;
                break;
            }
        if (start == INT64_MAX)
            return start;
    }
    return start;
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

/* When the task would start on the machine by the way. */
static int64_t start_on(const struct br_mode_lister *s, uint32_t way, uint32_t cls,
                        uint32_t machine, int64_t from, int64_t duration)
{
    const struct br_modes *modes = s->modes;
    const int64_t *demand = modes->demand + (size_t)way * modes->resources;
    const int64_t *capacity = modes->capacity + (size_t)cls * modes->resources;
    int64_t start = from;
    if (!duration)
        return start;
    for (;;) {
        const int64_t own =
            profile_fit(modes, &s->profile[machine], false, capacity, demand, start, duration);
        const int64_t both = !modes->any_shared || own == INT64_MAX
                                 ? own
                                 : profile_fit(modes, &s->profile[s->machines], true,
                                               modes->shared_capacity, demand, own, duration);
        if (both == own)
            return own;
        start = both;
    }
}

/* The machine on which the task starts first by the way. */
static uint32_t first_machine(const struct br_mode_lister *s, uint32_t way, int64_t from,
                              int64_t duration, int64_t *start)
{
    const struct br_modes *modes = s->modes;
    const struct br_way *w = &modes->way[way];
    uint32_t best = UINT32_MAX;
    *start = INT64_MAX;
    for (uint32_t k = 0; k < w->classes; k++) {
        const uint32_t c = modes->class_of[w->first_class + k];
        const struct br_class *cls = &modes->cluster->cls[c];
        for (uint32_t m = cls->first_machine; m < cls->first_machine + cls->count; m++) {
            const int64_t at = start_on(s, way, c, m, from, duration);
            if (at < *start) {
                *start = at;
                best = m;
            }
            if (at == from)
                return best;
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

static void place(struct br_mode_lister *s, struct br_choice *choice, uint32_t task, int64_t from,
                  bool frees)
{
    const struct br_modes *modes = s->modes;
    const uint32_t stage = modes->task_stage[task], present = choice->way[task];
    uint32_t way = present, machine = UINT32_MAX;
    int64_t start = 0, end = INT64_MAX;
    for (uint32_t w = frees ? modes->way_first[stage] : present;
         w < (frees ? modes->way_first[stage + 1] : present + 1); w++) {
        const int64_t duration = br_way_duration(modes, w, task);
        int64_t at;
        if (w != present && (from + duration > end || !affords(s, present, w)))
            continue;
        const uint32_t m = first_machine(s, w, from, duration, &at);
        if (m == UINT32_MAX || at > INT64_MAX - duration)
            continue;
        if (at + duration < end || (at + duration == end && w == present)) {
            way = w;
            machine = m;
            start = at;
            end = at + duration;
        }
    }
    if (machine == UINT32_MAX) {
        s->failed = true;
        return;
    }
    for (uint32_t b = 0; b < modes->budgets; b++)
        s->spent[b] += modes->consumed[(size_t)way * modes->budgets + b] -
                       modes->consumed[(size_t)present * modes->budgets + b];
    const int64_t *demand = modes->demand + (size_t)way * modes->resources;
    if (end > start && (!profile_add(modes, &s->profile[machine], false, demand, start, end) ||
                        (modes->any_shared &&
                         !profile_add(modes, &s->profile[s->machines], true, demand, start, end))))
        s->failed = true;
    choice->way[task] = way;
    choice->start[task] = start;
    choice->end[task] = end;
    choice->makespan = end > choice->makespan ? end : choice->makespan;
}

/* ---- The order ---- */

static void raise_to(int64_t *value, int64_t least)
{
    *value = least > *value ? least : *value;
}

static void make_eligible(struct br_mode_lister *s, const struct br_choice *choice, uint32_t task)
{
    eligible_push(NULL, s->heap, &s->heaped, (struct eligible){choice->rank[task], task});
}

static void begin(struct br_mode_lister *s, const struct br_choice *choice, bool backward)
{
    const struct br_modes *modes = s->modes;
    const uint32_t *first = backward ? modes->child_first : modes->parent_first;
    const struct br_modes_arc *arc = backward ? modes->child : modes->parent;
    for (uint32_t m = 0; m <= s->machines; m++)
        s->profile[m].steps = 0;
    for (uint32_t m = 0; m <= s->machines; m++)
        s->failed |= profile_cut(modes, &s->profile[m], 0) == UINT32_MAX;
    br_ways_spend(modes, choice->way, s->spent);
    s->heaped = 0;
    for (uint32_t stage = 0; stage < modes->stages; stage++) {
        const struct br_stage *of = &modes->dag->stage[stage];
        uint32_t pairs = 0;
        s->left[stage] = of->tasks;
        s->waits[stage] = 0;
        s->stage_from[stage] = s->last_start[stage] = s->last_end[stage] = 0;
        for (uint32_t k = first[stage]; k < first[stage + 1]; k++) {
            pairs += arc[k].one_to_one;
            s->waits[stage] += !arc[k].one_to_one;
        }
        for (uint32_t t = of->first_task; t < of->first_task + of->tasks; t++) {
            s->pairs[t] = pairs;
            s->task_from[t] = backward ? 0 : modes->release[t];
            if (!pairs && !s->waits[stage])
                make_eligible(s, choice, t);
        }
    }
}

static void tell(struct br_mode_lister *s, const struct br_choice *choice, uint32_t task,
                 bool backward)
{
    const struct br_modes *modes = s->modes;
    const uint32_t stage = modes->task_stage[task];
    const uint32_t *first = backward ? modes->parent_first : modes->child_first;
    const struct br_modes_arc *arc = backward ? modes->parent : modes->child;
    const uint32_t index = task - modes->dag->stage[stage].first_task;
    raise_to(&s->last_start[stage], choice->start[task]);
    raise_to(&s->last_end[stage], choice->end[task]);
    s->left[stage]--;
    for (uint32_t k = first[stage]; k < first[stage + 1]; k++) {
        const struct br_stage *other = &modes->dag->stage[arc[k].stage];
        if (arc[k].one_to_one) {
            const uint32_t t = other->first_task + index;
            raise_to(&s->task_from[t],
                     (arc[k].stream ? choice->start[task] : choice->end[task]) + arc[k].lag);
            if (!--s->pairs[t] && !s->waits[arc[k].stage])
                make_eligible(s, choice, t);
        } else if (!s->left[stage]) {
            raise_to(&s->stage_from[arc[k].stage],
                     (arc[k].stream ? s->last_start[stage] : s->last_end[stage]) + arc[k].lag);
            if (--s->waits[arc[k].stage])
                continue;
            for (uint32_t t = other->first_task; t < other->first_task + other->tasks; t++)
                if (!s->pairs[t])
                    make_eligible(s, choice, t);
        }
    }
}

bool br_mode_lister_run(struct br_mode_lister *s, struct br_choice *choice, bool backward,
                        bool frees)
{
    choice->makespan = 0;
    s->failed = false;
    begin(s, choice, backward);
    while (s->heaped && !s->failed) {
        const uint32_t task = eligible_pop(NULL, s->heap, &s->heaped).task;
        int64_t from = s->task_from[task];
        raise_to(&from, s->stage_from[s->modes->task_stage[task]]);
        place(s, choice, task, from, frees);
        if (!s->failed)
            tell(s, choice, task, backward);
    }
    return !s->failed;
}

void br_ways_spend(const struct br_modes *modes, const uint32_t *way, int64_t *spent)
{
    memset(spent, 0, modes->budgets * sizeof *spent);
    for (uint32_t t = 0; t < modes->tasks; t++)
        for (uint32_t b = 0; b < modes->budgets; b++)
            spent[b] += modes->consumed[(size_t)way[t] * modes->budgets + b];
}
