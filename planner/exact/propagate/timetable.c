/* The profile is kept tick by tick, all resources of a tick in a word or a few, so that a
 * subtraction and a mask tell whether a task fits. Explanations name one tick at which the task
 * does not fit: "starts too early to have ended by then" and, for each task of a choice that fills
 * the capacity there, "runs then". [Schutt11] calls that pointwise. They are made when the analysis
 * asks for them. */
#include "planner/exact/propagate/timetable.h"

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/invariant.h"

/* Stretches of time in which the profile has changed, and their span. If there are too many, the
 * last stretch covers the rest. */
enum { INTERVALS = 8 };
struct intervals {
    struct interval {
        int32_t from, to;
    } item[INTERVALS], span;
    uint32_t count;
};

bool br_lcg_timetable_init(struct br_lcg_timetable *c, const struct br_lcg_problem *p,
                           struct br_lcg_trail *trail, struct br_arena *arena)
{
    *c = (struct br_lcg_timetable){.p = p, .trail = trail};
    if (!BR_ARRAY(arena, (size_t)p->horizon * p->words, c->free) ||
        !BR_ARRAY(arena, p->tasks, c->part_from) || !BR_ARRAY(arena, p->tasks, c->part_to) ||
        !BR_ARRAY(arena, p->tasks, c->moved) || !BR_ARRAY(arena, p->tasks, c->has_moved) ||
        !BR_ARRAY(arena, p->tasks, c->running) || !BR_ARRAY(arena, p->tasks, c->recency))
        return false;
    if (p->words > 0)
        memcpy(c->free, p->free, (size_t)p->horizon * p->words * sizeof *c->free);
    for (uint32_t k = 0; k < p->holdings && !p->shop; k++)
        br_lcg_timetable_note(c, p->holding[k]);
    return true;
}

void br_lcg_timetable_finish(struct br_lcg_timetable *c)
{
    br_free(c->grown);
}

/* Are the task's amounts free at the tick? */
static inline bool timetable_fits(const struct br_lcg_timetable *c, uint32_t task, int32_t at)
{
    uint32_t words = c->p->words;
    const uint64_t *lane = c->p->lane + (size_t)task * words, *guard = c->p->guard;
    const uint64_t *free_words = c->free + (size_t)at * words;
    if (words == 1) /* as a rule */
        return ((free_words[0] - lane[0]) & guard[0]) == guard[0];
    for (uint32_t w = 0; w < words; w++)
        if (((free_words[w] - lane[w]) & guard[w]) != guard[w])
            return false;
    return true;
}

/* Takes the task's amounts from some ticks. Returns the first at which there was too little, or -1.
 * The lanes stay exact in that case, too: nothing is taken beyond one task too many. */
static int32_t timetable_take(struct br_lcg_timetable *c, uint32_t task, int32_t from, int32_t to)
{
    uint32_t words = c->p->words;
    const uint64_t *lane = c->p->lane + (size_t)task * words, *guard = c->p->guard;
    int32_t over = -1;
    for (int32_t at = to; at-- > from;) {
        uint64_t *free_words = c->free + (size_t)at * words;
        for (uint32_t w = 0; w < words; w++) {
            free_words[w] -= lane[w];
            if ((free_words[w] & guard[w]) != guard[w])
                over = at;
        }
    }
    return over;
}

static void timetable_give(struct br_lcg_timetable *c, uint32_t task, int32_t from, int32_t to)
{
    uint32_t words = c->p->words;
    const uint64_t *lane = c->p->lane + (size_t)task * words;
    for (int32_t at = from; at < to; at++)
        for (uint32_t w = 0; w < words; w++)
            c->free[(size_t)at * words + w] += lane[w];
}

static void forget_moves(struct br_lcg_timetable *c)
{
    for (uint32_t k = 0; k < c->moved_count; k++)
        c->has_moved[c->moved[k]] = false;
    c->moved_count = 0;
}

void br_lcg_timetable_backtrack(struct br_lcg_timetable *c, uint32_t level)
{
    while (c->grown_count > 0 && c->grown[c->grown_count - 1].level > level) {
        const struct br_lcg_part *old = &c->grown[--c->grown_count];
        uint32_t task = old->task;
        assert(c->part_from[task] < c->part_to[task]);
        if (old->from == old->to) {
            timetable_give(c, task, c->part_from[task], c->part_to[task]);
        } else {
            timetable_give(c, task, c->part_from[task], old->from);
            timetable_give(c, task, old->to, c->part_to[task]);
        }
        c->part_from[task] = old->from;
        c->part_to[task] = old->to;
    }
    forget_moves(c);
    br_costly_assert(level > 0 || br_lcg_timetable_holds(c));
}

bool br_lcg_timetable_holds(const struct br_lcg_timetable *c)
{
    const struct br_lcg_problem *p = c->p;
    size_t cells = (size_t)p->horizon * p->words;
    uint64_t *expected = br_malloc((cells + 1) * sizeof *expected);
    if (!expected)
        return true; /* cannot tell */
    if (cells > 0)
        memcpy(expected, p->free, cells * sizeof *expected);
    for (uint32_t t = 0; t < p->tasks; t++)
        for (int32_t at = c->part_from[t]; at < c->part_to[t]; at++)
            for (uint32_t w = 0; w < p->words; w++)
                expected[(size_t)at * p->words + w] -= p->lane[(size_t)t * p->words + w];
    bool holds = cells == 0 || memcmp(expected, c->free, cells * sizeof *expected) == 0;
    br_free(expected);
    return holds;
}

static void timetable_widen(struct interval *i, int32_t from, int32_t to)
{
    i->from = from < i->from ? from : i->from;
    i->to = to > i->to ? to : i->to;
}

static void add_interval(struct intervals *list, int32_t from, int32_t to)
{
    uint32_t k = 0;
    timetable_widen(&list->span, from, to);
    while (k < list->count && (to < list->item[k].from || list->item[k].to < from))
        k++; /* one that it meets grows */
    if (k == INTERVALS)
        k--;
    if (k == list->count)
        list->item[list->count++] = (struct interval){from, to};
    else
        timetable_widen(&list->item[k], from, to);
}

/* Brings the task's compulsory part up to date, and adds the stretches in which the profile has
 * changed. */
static bool grow_part(struct br_lcg_timetable *c, uint32_t task, struct intervals *changed)
{
    int32_t from = br_lcg_upper(c->trail, task),
            to = br_lcg_lower(c->trail, task) + c->p->duration[task];
    int32_t old_from = c->part_from[task], old_to = c->part_to[task], over, late;
    if (from >= to || (from == old_from && to == old_to))
        return true;
    if (!br_grow(&c->grown, c->grown_count, &c->grown_room, sizeof *c->grown)) {
        c->trail->memory_out = true;
        return false;
    }
    c->grown[c->grown_count++] = (struct br_lcg_part){task, old_from, old_to, c->trail->level};
    c->part_from[task] = from;
    c->part_to[task] = to;
    if (old_from == old_to) {
        over = timetable_take(c, task, from, to);
        add_interval(changed, from, to);
    } else {
        over = timetable_take(c, task, from, old_from);
        late = timetable_take(c, task, old_to, to);
        over = over < 0 ? late : over;
        if (from < old_from)
            add_interval(changed, from, old_from);
        if (old_to < to)
            add_interval(changed, old_to, to);
    }
    if (over < 0)
        return true;
    c->trail->conflict =
        (struct br_lcg_conflict){{.side = BR_LCG_NONE}, br_lcg_reason(BR_LCG_PROFILE, 0), over};
    return false;
}

/* Pushes the start past the last tick of the earliest run at which the task does not fit, until it
 * fits. If the run overlaps the task's own compulsory part, that is part of the profile. */
static bool push_right(struct br_lcg_timetable *c, uint32_t task)
{
    for (;;) {
        int32_t from = br_lcg_lower(c->trail, task), to = from + c->p->duration[task];
        if (to > br_lcg_upper(c->trail, task))
            to = br_lcg_upper(c->trail, task);
        int32_t at = to - 1;
        while (at >= from && timetable_fits(c, task, at))
            at--;
        if (at < from)
            return true;
        if (!br_lcg_push(c->trail, 2 * task, at + 1, br_lcg_reason(BR_LCG_PROFILE, 0), at))
            return false;
    }
}

static bool push_left(struct br_lcg_timetable *c, uint32_t task)
{
    for (;;) {
        int32_t duration = c->p->duration[task];
        int32_t from = br_lcg_upper(c->trail, task), to = from + duration;
        if (from < br_lcg_lower(c->trail, task) + duration)
            from = br_lcg_lower(c->trail, task) + duration;
        int32_t at = from;
        while (at < to && timetable_fits(c, task, at))
            at++;
        if (at >= to)
            return true;
        if (!br_lcg_push(c->trail, 2 * task + 1, duration - at, br_lcg_reason(BR_LCG_PROFILE, 0),
                         at))
            return false;
    }
}

static bool touches(const struct intervals *list, int32_t from, int32_t to)
{
    for (uint32_t k = 0; k < list->count; k++)
        if (list->item[k].from < to && from < list->item[k].to)
            return true;
    return false;
}

/* The round ends before it has looked at all tasks: the next looks at every one. */
static void note_all(struct br_lcg_timetable *c)
{
    for (uint32_t k = 0; k < c->p->holdings; k++)
        br_lcg_timetable_note(c, c->p->holding[k]);
}

bool br_lcg_timetable_propagate(struct br_lcg_timetable *c)
{
    const struct br_lcg_problem *p = c->p;
    struct intervals changed;
    changed.count = 0;
    changed.span = (struct interval){INT32_MAX, INT32_MIN};
    uint32_t moved = c->moved_count;
    for (uint32_t k = 0; k < moved; k++)
        if (!grow_part(c, c->moved[k], &changed))
            return false;
    for (uint32_t k = 0; k < p->holdings; k++) {
        uint32_t task = p->holding[k];
        int32_t lower = br_lcg_lower(c->trail, task), upper = br_lcg_upper(c->trail, task);
        int32_t duration = p->duration[task];
        bool itself = c->has_moved[task];
        if (br_stopped(c->trail->stop)) {
            note_all(c);
            return true;
        }
        if (lower == upper ||
            (!itself && (lower >= changed.span.to || upper + duration <= changed.span.from)))
            continue;
        if ((itself || touches(&changed, lower, lower + duration)) && !push_right(c, task))
            return false;
        if ((itself || touches(&changed, upper, upper + duration)) && !push_left(c, task))
            return false;
    }
    assert(c->moved_count == moved);
    forget_moves(c);
    return true;
}

/* --- explanations ---------------------------------------------------------------------------- */

/* The tasks other than `task` that run at the tick in every case, as known before the entry. Parts
 * are taken back later than entries, so they exclude most tasks, and none that the profile held. */
static uint32_t timetable_running(struct br_lcg_timetable *c, uint32_t task, int32_t at,
                                  uint32_t entry)
{
    const struct br_lcg_trail *trail = c->trail;
    const uint32_t *holding = c->p->holding, holdings = c->p->holdings;
    uint32_t *list = c->running, count = 0, kept = 0;
    for (uint32_t k = 0; k < holdings; k++) {
        list[count] = holding[k];
        count += (c->part_from[holding[k]] <= at) & (c->part_to[holding[k]] > at);
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t other = list[k];
        if (other != task && -br_lcg_value_before(trail, 2 * other + 1, entry) <= at &&
            br_lcg_value_before(trail, 2 * other, entry) + c->p->duration[other] > at)
            list[kept++] = other;
    }
    return kept;
}

static uint32_t timetable_age(const struct br_lcg_timetable *c, struct br_lcg_literal l)
{
    uint32_t e = br_lcg_true_at_root(c->trail, l) ? BR_LCG_NONE : br_lcg_entry_of(c->trail, l);
    return e == BR_LCG_NONE ? 0 : e + 1;
}

/* Sorts the first so many running tasks: first those that run for certain only since lately. */
static void sort_by_recency(struct br_lcg_timetable *c, uint32_t count, int32_t at)
{
    uint32_t *list = c->running, *key = c->recency;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t task = list[k], j = k;
        uint32_t upper = timetable_age(c, (struct br_lcg_literal){2 * task + 1, -at});
        uint32_t lower =
            timetable_age(c, (struct br_lcg_literal){2 * task, at + 1 - c->p->duration[task]});
        uint32_t latest = upper > lower ? upper : lower;
        for (; j > 0 && key[j - 1] < latest; j--) {
            key[j] = key[j - 1];
            list[j] = list[j - 1];
        }
        key[j] = latest;
        list[j] = task;
    }
}

/* Appends why tasks run at the tick. Tasks that the excess does not need are left out, the latest
 * first: `spare` is the excess above what is needed. */
static bool explain_run(struct br_lcg_timetable *c, uint32_t count, uint32_t resource,
                        int64_t spare, int32_t at, struct br_lcg_literals *list)
{
    sort_by_recency(c, count, at);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t task = c->running[k];
        int64_t demand = br_lcg_demand(c->p, task, resource);
        if (demand <= spare) {
            spare -= demand;
            continue;
        }
        struct br_lcg_literal starts_by = {2 * task + 1, -at};
        struct br_lcg_literal ends_after = {2 * task, at + 1 - c->p->duration[task]};
        if (!br_lcg_append(c->trail, list, starts_by) || !br_lcg_append(c->trail, list, ends_after))
            return false;
    }
    return true;
}

/* Explains by one tick; *found says whether there is too little at it. */
static bool explain_at(struct br_lcg_timetable *c, uint32_t task, int32_t at, uint32_t entry,
                       struct br_lcg_literals *list, bool *found)
{
    const struct br_lcg_problem *p = c->p;
    uint32_t count = timetable_running(c, task, at, entry);
    *found = false;
    for (uint32_t r = 0; r < p->resources; r++) {
        int64_t sum = task != BR_LCG_NONE ? br_lcg_demand(p, task, r) : 0;
        for (uint32_t k = 0; k < count; k++)
            sum += br_lcg_demand(p, c->running[k], r);
        if (sum > p->capacity[r] && (task == BR_LCG_NONE || br_lcg_demand(p, task, r) > 0)) {
            *found = true;
            return explain_run(c, count, r, sum - p->capacity[r] - 1, at, list);
        }
    }
    return true;
}

bool br_lcg_timetable_explain(struct br_lcg_timetable *c, struct br_lcg_literal l, int32_t at,
                              uint32_t entry, struct br_lcg_literals *list)
{
    bool found = false, ok;
    if (l.side == BR_LCG_NONE) {
        ok = explain_at(c, BR_LCG_NONE, at, entry, list, &found);
        assert(found);
        return ok;
    }
    uint32_t task = l.side / 2;
    int32_t duration = c->p->duration[task];
    /* A weaker bound may have been asked for than was derived: then the tick nearest to it may
     * do. */
    int32_t nearest = l.side & 1 ? duration - l.bound : l.bound - 1;
    if (nearest >= 0 && nearest < c->p->horizon &&
        !explain_at(c, task, nearest, entry, list, &found))
        return false;
    if (found)
        at = nearest;
    else if (!explain_at(c, task, at, entry, list, &found))
        return false;
    assert(found);
    struct br_lcg_literal before = {l.side, l.side & 1 ? -at : at + 1 - duration};
    return br_lcg_append(c->trail, list, before);
}
