/* Time-table propagation of the pool [Schutt11]: a task that must start by u and cannot end before
 * e runs from u to e in every case. Where these compulsory parts leave too little for another task,
 * it cannot run, and is pushed past.
 *
 * The profile is kept tick by tick, all resources of a tick in a word or a few, so that whether a
 * task fits is a subtraction and a mask. Explanations name one tick at which the task does not fit:
 * "starts too early to have ended by then" and, for each task of a choice that fills the pool
 * there, "runs then". [Schutt11] calls that pointwise. They are made when analysis asks. */
#include "planner/exact/lcg.h"

/* Whether the task's amounts are free at the tick. */
static inline bool fits(const struct br_lcg *s, uint32_t task, int32_t at)
{
    uint32_t words = s->p->words;
    const uint64_t *lane = s->p->lane + (size_t)task * words, *guard = s->p->guard;
    const uint64_t *free_words = s->free + (size_t)at * words;
    for (uint32_t w = 0; w < words; w++)
        if (((free_words[w] - lane[w]) & guard[w]) != guard[w])
            return false;
    return true;
}

/* Takes the task's amounts from some ticks; the first at which there was too little, or -1. The
 * lanes stay exact in that case, too: nothing is taken beyond one task too many. */
static int32_t take(struct br_lcg *s, uint32_t task, int32_t from, int32_t to)
{
    uint32_t words = s->p->words;
    const uint64_t *lane = s->p->lane + (size_t)task * words, *guard = s->p->guard;
    int32_t over = -1;
    for (int32_t at = to; at-- > from;) {
        uint64_t *free_words = s->free + (size_t)at * words;
        for (uint32_t w = 0; w < words; w++) {
            free_words[w] -= lane[w];
            if ((free_words[w] & guard[w]) != guard[w])
                over = at;
        }
    }
    return over;
}

static void give(struct br_lcg *s, uint32_t task, int32_t from, int32_t to)
{
    uint32_t words = s->p->words;
    const uint64_t *lane = s->p->lane + (size_t)task * words;
    for (int32_t at = from; at < to; at++)
        for (uint32_t w = 0; w < words; w++)
            s->free[(size_t)at * words + w] += lane[w];
}

void br_lcg_parts_undo(struct br_lcg *s, uint32_t count)
{
    while (s->parts_count > count) {
        const struct br_lcg_part *old = &s->parts[--s->parts_count];
        uint32_t task = old->task;
        if (old->from == old->to) {
            give(s, task, s->part_from[task], s->part_to[task]);
        } else {
            give(s, task, s->part_from[task], old->from);
            give(s, task, old->to, s->part_to[task]);
        }
        s->part_from[task] = old->from;
        s->part_to[task] = old->to;
    }
}

static void add_interval(struct br_lcg_interval *list, uint32_t *count, int32_t from, int32_t to)
{
    if (*count < BR_LCG_INTERVALS) {
        list[(*count)++] = (struct br_lcg_interval){from, to};
        return;
    }
    struct br_lcg_interval *last = &list[BR_LCG_INTERVALS - 1];
    last->from = from < last->from ? from : last->from;
    last->to = to > last->to ? to : last->to;
}

/* Brings the task's compulsory part up to date, and adds where the profile has changed. */
static bool grow_part(struct br_lcg *s, uint32_t task, struct br_lcg_interval *list,
                      uint32_t *count)
{
    int32_t from = br_lcg_upper(s, task), to = br_lcg_lower(s, task) + s->p->duration[task];
    int32_t old_from = s->part_from[task], old_to = s->part_to[task], over, late;
    if (from >= to || (from == old_from && to == old_to))
        return true;
    if (!br_grow(&s->parts, s->parts_count, &s->parts_room, sizeof *s->parts)) {
        s->failed = true;
        return false;
    }
    s->parts[s->parts_count++] = (struct br_lcg_part){task, old_from, old_to};
    s->part_from[task] = from;
    s->part_to[task] = to;
    if (old_from == old_to) {
        over = take(s, task, from, to);
        add_interval(list, count, from, to);
    } else {
        over = take(s, task, from, old_from);
        late = take(s, task, old_to, to);
        over = over < 0 ? late : over;
        if (from < old_from)
            add_interval(list, count, from, old_from);
        if (old_to < to)
            add_interval(list, count, old_to, to);
    }
    if (over < 0)
        return true;
    s->failed_literal.side = BR_LCG_NONE;
    s->failed_why = br_lcg_why(BR_LCG_PROFILE, 0);
    s->failed_at = over;
    return false;
}

/* Pushes the start past the last tick of the earliest run at which the task does not fit, until it
 * fits; where the run overlaps the task's own compulsory part it is part of the profile. */
static bool push_right(struct br_lcg *s, uint32_t task)
{
    for (;;) {
        int32_t from = br_lcg_lower(s, task), to = from + s->p->duration[task];
        if (to > br_lcg_upper(s, task))
            to = br_lcg_upper(s, task);
        int32_t at = to - 1;
        while (at >= from && fits(s, task, at))
            at--;
        if (at < from)
            return true;
        if (!br_lcg_push(s, 2 * task, at + 1, br_lcg_why(BR_LCG_PROFILE, 0), at))
            return false;
    }
}

static bool push_left(struct br_lcg *s, uint32_t task)
{
    for (;;) {
        int32_t duration = s->p->duration[task];
        int32_t from = br_lcg_upper(s, task), to = from + duration;
        if (from < br_lcg_lower(s, task) + duration)
            from = br_lcg_lower(s, task) + duration;
        int32_t at = from;
        while (at < to && fits(s, task, at))
            at++;
        if (at >= to)
            return true;
        if (!br_lcg_push(s, 2 * task + 1, duration - at, br_lcg_why(BR_LCG_PROFILE, 0), at))
            return false;
    }
}

static bool touches(const struct br_lcg_interval *list, uint32_t count, int32_t from, int32_t to)
{
    for (uint32_t k = 0; k < count; k++)
        if (list[k].from < to && from < list[k].to)
            return true;
    return false;
}

bool br_lcg_timetable(struct br_lcg *s)
{
    const struct br_exact_problem *p = s->p;
    struct br_lcg_interval list[BR_LCG_INTERVALS];
    uint32_t count = 0, moved = s->dirty_count;
    for (uint32_t k = 0; k < moved; k++)
        if (!grow_part(s, s->dirty[k], list, &count))
            return false;
    for (uint32_t k = 0; k < p->holdings; k++) {
        uint32_t task = p->holding[k];
        int32_t lower = br_lcg_lower(s, task), upper = br_lcg_upper(s, task);
        if (lower == upper)
            continue;
        int32_t duration = p->duration[task];
        bool dirty = s->is_dirty[task];
        if ((dirty || touches(list, count, lower, lower + duration)) && !push_right(s, task))
            return false;
        if ((dirty || touches(list, count, upper, upper + duration)) && !push_left(s, task))
            return false;
    }
    for (uint32_t k = 0; k < moved; k++)
        s->is_dirty[s->dirty[k]] = false;
    s->dirty_count = 0;
    return true;
}

/* --- explanations ---------------------------------------------------------------------------- */

/* The tasks other than `task` that run at the tick in every case, as known before the entry; the
 * bounds now, which are no weaker, rule most out. */
static uint32_t running(struct br_lcg *s, uint32_t task, int32_t at, uint32_t entry)
{
    const struct br_exact_problem *p = s->p;
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->holdings; k++) {
        uint32_t other = p->holding[k];
        int32_t duration = p->duration[other];
        if (other != task && -s->cur[2 * other + 1] <= at && s->cur[2 * other] + duration > at &&
            -br_lcg_value_before(s, 2 * other + 1, entry) <= at &&
            br_lcg_value_before(s, 2 * other, entry) + duration > at)
            s->candidate[count++] = other;
    }
    return count;
}

static uint32_t age(const struct br_lcg *s, struct br_lcg_literal l)
{
    uint32_t e = s->root[l.side] >= l.bound ? BR_LCG_NONE : br_lcg_entry_of(s, l);
    return e == BR_LCG_NONE ? 0 : e + 1;
}

/* Leaves out candidates without which there is still too little, the latest first, and puts why
 * the others run into the reason. */
static bool explain_run(struct br_lcg *s, uint32_t count, uint32_t resource, int64_t spare,
                        int32_t at)
{
    const struct br_exact_problem *p = s->p;
    uint32_t *list = s->candidate, *key = s->recency;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t task = list[k], j = k;
        uint32_t upper = age(s, (struct br_lcg_literal){2 * task + 1, -at});
        uint32_t lower = age(s, (struct br_lcg_literal){2 * task, at + 1 - p->duration[task]});
        uint32_t latest = upper > lower ? upper : lower;
        for (; j > 0 && key[j - 1] < latest; j--) {
            key[j] = key[j - 1];
            list[j] = list[j - 1];
        }
        key[j] = latest;
        list[j] = task;
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t task = list[k];
        int64_t demand = br_exact_demand(p, task, resource);
        if (demand <= spare) {
            spare -= demand;
            continue;
        }
        if (!br_lcg_add_literal(s, &s->reason, &s->reason_count, &s->reason_room,
                                (struct br_lcg_literal){2 * task + 1, -at}) ||
            !br_lcg_add_literal(s, &s->reason, &s->reason_count, &s->reason_room,
                                (struct br_lcg_literal){2 * task, at + 1 - p->duration[task]}))
            return false;
    }
    return true;
}

/* Explains by one tick; *found tells whether there is too little at it. */
static bool explain_at(struct br_lcg *s, uint32_t task, int32_t at, uint32_t entry, bool *found)
{
    const struct br_exact_problem *p = s->p;
    uint32_t count = running(s, task, at, entry);
    *found = false;
    for (uint32_t r = 0; r < p->resources; r++) {
        int64_t sum = p->taken ? p->taken[(size_t)at * p->resources + r] : 0;
        if (task != BR_LCG_NONE)
            sum += br_exact_demand(p, task, r);
        for (uint32_t k = 0; k < count; k++)
            sum += br_exact_demand(p, s->candidate[k], r);
        if (sum > p->capacity[r] && (task == BR_LCG_NONE || br_exact_demand(p, task, r) > 0)) {
            *found = true;
            return explain_run(s, count, r, sum - p->capacity[r] - 1, at);
        }
    }
    return true;
}

bool br_lcg_explain_profile(struct br_lcg *s, struct br_lcg_literal l, int32_t at, uint32_t entry)
{
    bool found = false;
    if (l.side == BR_LCG_NONE)
        return explain_at(s, BR_LCG_NONE, at, entry, &found);
    uint32_t task = l.side / 2;
    int32_t duration = s->p->duration[task];
    /* Less may have been asked for than was derived: then the tick nearest to that may do. */
    int32_t nearest = l.side & 1 ? duration - l.bound : l.bound - 1;
    if (nearest >= 0 && nearest < s->p->horizon && !explain_at(s, task, nearest, entry, &found))
        return false;
    if (found)
        at = nearest;
    else if (!explain_at(s, task, at, entry, &found))
        return false;
    struct br_lcg_literal before = {l.side, l.side & 1 ? -at : at + 1 - duration};
    return br_lcg_add_literal(s, &s->reason, &s->reason_count, &s->reason_room, before);
}
