/* The index over holes. Backward, times are turned round (minus the end), so that sooner is always
 * less; all times in this file are such times unless they are a profile's or a step's.
 *
 * Among spans that begin together, the one with the least slack comes first, and those whose slack
 * is not known before all others. So what is first in the list, long enough and known, is the
 * answer. A span is known from the look that found the demand to hold from its beginning to `good`
 * until something is placed there; a machine's known spans are a list through `next`.
 *
 * If tasks have bounds of their own, spans that begin before the bound offer just that time. Of the
 * last such look a span keeps the slack, `inner`, between `low` and `high`; it holds as long as the
 * machine has not changed since step `seen`. */
#include "planner/space/holes.h"

#include "base/collections/memory.h"
#include "base/invariant.h"
#include "planner/space/hole_list.h"
#include "planner/space/space_profile.h"

enum { CHUNK = 32 }; /* segments that are looked at before another machine may be sooner */
#define UNKNOWN (-1.0)
#define ABSENT (BR_NO_HOLE - 1)
/* The end of spans that have none, so that they have a length, too. */
#define FAR (INT64_MAX / 2)

/* The result of the last look at a part of a span; see above. */
struct note {
    int64_t low, high;
    uint64_t seen;
    double inner;
};

struct br_holes {
    const struct br_space *space;
    const int64_t *demand;
    int64_t least, shortest;
    uint64_t seen; /* steps of the space that are accounted for */
    bool forward;
    uint32_t *idle;  /* by class: the machine that stands for all idle ones, or BR_NO_HOLE */
    uint32_t *known; /* by machine: the first of its known spans; ABSENT: it has none in the list */
    uint32_t *over;  /* scratch: a machine's spans do not overlap, so one of each is enough */
    struct br_hole_list list;
    struct note *note; /* by hole */
    uint32_t notes;
};

struct br_holes *br_holes_create(const struct br_space *space)
{
    struct br_holes *h = br_calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->space = space;
    h->idle = br_malloc(space->in->classes * sizeof *h->idle);
    h->known = br_malloc(space->in->machines * sizeof *h->known);
    h->over = br_malloc(space->in->machines * sizeof *h->over);
    if (!h->idle || !h->known || !h->over) {
        br_holes_destroy(h);
        return NULL;
    }
    return h;
}

void br_holes_destroy(struct br_holes *h)
{
    if (!h)
        return;
    br_free(h->idle);
    br_free(h->known);
    br_free(h->over);
    br_hole_list_finish(&h->list);
    br_free(h->note);
    br_free(h);
}

/* Another span, of which nothing is known. False when memory is out. */
static bool holes_add(struct br_holes *h, uint32_t machine, int64_t begin, int64_t end)
{
    uint32_t at = br_hole_list_add(&h->list, machine, begin, end, UNKNOWN);
    if (at == BR_NO_HOLE)
        return false;
    if (at >= h->notes) {
        struct note *larger = br_realloc(h->note, h->list.room * sizeof *larger);
        if (!larger)
            return false;
        h->note = larger;
        h->notes = h->list.room;
    }
    h->note[at] = (struct note){.low = INT64_MAX};
    return true;
}

/* Brings the machine into play, with all the time from the bound of the series on. */
static bool holes_enter(struct br_holes *h, uint32_t machine)
{
    assert(h->known[machine] == ABSENT);
    h->known[machine] = BR_NO_HOLE;
    return holes_add(h, machine, h->least, FAR);
}

/* The next machine of the class that is idle for good from the bound of the series on, or is not.
 */
static uint32_t holes_next_of(const struct br_holes *h, uint32_t cls, uint32_t from, bool idle)
{
    uint32_t next = br_idle_next(&h->space->idle[!h->forward], from, h->least, idle);
    return next < h->space->in->class_first[cls + 1] ? next : BR_NO_HOLE;
}

static bool holes_is_idle(const struct br_holes *h, uint32_t machine)
{
    return br_idle_time(&h->space->idle[!h->forward], machine) <= h->least;
}

/* If the machine that stands for the idle ones is no longer idle, the next one takes its place. */
static bool replace_idle(struct br_holes *h, uint32_t cls)
{
    uint32_t m = h->idle[cls];
    if (m == BR_NO_HOLE || holes_is_idle(h, m))
        return true;
    m = h->idle[cls] = holes_next_of(h, cls, m + 1, true);
    return m == BR_NO_HOLE || holes_enter(h, m);
}

bool br_holes_begin(struct br_holes *h, bool forward, uint32_t stage, int64_t least,
                    int64_t shortest)
{
    const struct br_instance *in = h->space->in;
    h->demand = in->demand + (size_t)stage * in->resources;
    h->forward = forward;
    h->least = forward ? least : -least;
    h->shortest = shortest;
    h->seen = h->space->steps;
    br_hole_list_clear(&h->list);
    for (uint32_t c = 0; c < in->classes; c++) {
        const int64_t *capacity = in->capacity + (size_t)c * in->resources;
        bool holds = br_space_holds(capacity, h->demand, in->resources);
        uint32_t first = in->class_first[c];
        for (uint32_t m = first; m < in->class_first[c + 1]; m++)
            h->known[m] = holds ? ABSENT : BR_NO_HOLE;
        h->idle[c] = holds ? holes_next_of(h, c, first, true) : BR_NO_HOLE;
        if (h->idle[c] != BR_NO_HOLE && !holes_enter(h, h->idle[c]))
            return false;
        for (uint32_t m = first; holds && (m = holes_next_of(h, c, m, false)) != BR_NO_HOLE; m++)
            if (!holes_enter(h, m))
                return false;
    }
    return true;
}

/* --- known spans ------------------------------------------------------------------------------ */

static void holes_forget(struct br_holes *h, uint32_t at)
{
    uint32_t *link = &h->known[h->list.hole[at].machine];
    while (*link != at) {
        br_costly_assert(*link < ABSENT);
        link = &h->list.hole[*link].next;
    }
    *link = h->list.hole[at].next;
}

/* Takes in the placements since the last search: machines come into play, known spans change. What
 * is idle only ever becomes less, so the next idle machine is never one that is in play. */
static bool holes_catch_up(struct br_holes *h)
{
    const struct br_space *space = h->space;
    for (uint64_t k = h->seen; k < space->steps; k++) { /* so that the loop below waits less */
        uint32_t at = h->known[space->trail[k].machine];
        if (at < ABSENT)
            __builtin_prefetch(&h->list.hole[at]);
    }
    for (; h->seen < space->steps; h->seen++) {
        const struct br_step *step = &space->trail[h->seen];
        uint32_t at = h->known[step->machine];
        if (at == ABSENT && !holes_is_idle(h, step->machine) && !holes_enter(h, step->machine))
            return false;
        if (at >= ABSENT)
            continue;
        int64_t end = step->start + step->duration;
        int64_t from = h->forward ? step->start : -end, to = h->forward ? end : -step->start;
        for (uint32_t next; at != BR_NO_HOLE; at = next) {
            const struct br_hole *hole = &h->list.hole[at];
            next = hole->next;
            if (from >= hole->good || to <= hole->begin)
                continue;
            holes_forget(h, at);
            if (!br_hole_list_change(&h->list, at, hole->begin, hole->end, UNKNOWN))
                return false;
        }
    }
    for (uint32_t c = 0; c < space->in->classes; c++)
        if (!replace_idle(h, c))
            return false;
    return true;
}

/* --- searching -------------------------------------------------------------------------------- */

/* The beginning and the end of a segment. */
static int64_t begin_of(const struct br_holes *h, const struct br_profile *p, struct br_segment k)
{
    return h->forward ? br_profile_begin(p, k) : -br_profile_end(p, k);
}

static int64_t holes_end_of(const struct br_holes *h, const struct br_profile *p,
                            struct br_segment k)
{
    return h->forward               ? br_profile_end(p, k)
           : br_profile_is_first(k) ? BR_FOREVER
                                    : -br_profile_begin(p, k);
}

static struct br_segment segment_at(const struct br_holes *h, const struct br_profile *p,
                                    int64_t begin)
{
    return br_profile_at(p, h->forward ? begin : -begin - 1);
}

/* Whether the demand holds from `begin`, which lies in segment *k, for the whole duration; else *k
 * is the first segment that does not hold it. *looks grows with the segments looked at. */
static bool holes_lasts(const struct br_holes *h, const struct br_profile *p, int64_t begin,
                        int64_t duration, struct br_segment *k, uint32_t *looks)
{
    uint32_t resources = h->space->resources;
    return h->forward
               ? br_profile_holds_until(p, resources, h->demand, begin + duration, k, looks)
               : br_profile_holds_since(p, resources, h->demand, -begin - duration, k, looks);
}

/* A later segment than this one, which does not hold the demand: those between do not either. */
static struct br_segment relief(const struct br_holes *h, const struct br_profile *p,
                                struct br_segment k, uint32_t *looks)
{
    uint32_t resources = h->space->resources, most = *looks < CHUNK ? CHUNK - *looks : 1;
    return h->forward ? br_profile_relief_after(p, resources, h->demand, k, most, looks)
                      : br_profile_relief_before(p, resources, h->demand, k, most, looks);
}

/* The slack on the machine, in that segment of it; of one that nothing has touched there is none.
 */
static double slack_in(const struct br_holes *h, uint32_t machine, struct br_segment k)
{
    const struct br_space *space = h->space;
    const struct br_profile *p = &space->profile[machine];
    uint32_t cls = space->machine_class[machine], resources = space->resources;
    const int64_t *free =
        p->count ? br_profile_free(p, k, resources) : space->in->capacity + (size_t)cls * resources;
    return br_space_slack(space, cls, free, h->demand);
}

static bool holes_keep(struct br_holes *h, uint32_t machine, int64_t begin, int64_t end)
{
    return end - begin < h->shortest || holes_add(h, machine, begin, end);
}

/* False when memory is out. */
static bool holes_change(struct br_holes *h, uint32_t at, int64_t begin, int64_t end)
{
    if (h->list.hole[at].slack != UNKNOWN)
        holes_forget(h, at);
    if (end - begin >= h->shortest)
        return br_hole_list_change(&h->list, at, begin, end, UNKNOWN);
    br_hole_list_drop(&h->list, at);
    return true;
}

/* Looks for the duration from the beginning of the span on, and moves the beginning to where it
 * was found, or to where it would have to be sought next. False when memory is out. */
static bool holes_advance(struct br_holes *h, uint32_t at, int64_t duration)
{
    uint32_t machine = h->list.hole[at].machine;
    struct br_segment k = {0, 0};
    const struct br_profile *p = &h->space->profile[machine];
    int64_t begin = h->list.hole[at].begin, end = h->list.hole[at].end;
    if (p->count) {
        k = br_profile_near(p, h->forward ? begin : -begin - 1, h->list.hole[at].near);
        struct br_segment row = k;
        for (uint32_t looks = 0; !holes_lasts(h, p, begin, duration, &k, &looks); row = k) {
            if (!holes_keep(h, machine, begin, begin_of(h, p, k)))
                return false;
            k = relief(h, p, k, &looks);
            begin = begin_of(h, p, k);
            if (begin >= end || looks >= CHUNK) {
                h->list.hole[at].near = k.block;
                return holes_change(h, at, begin, end);
            }
        }
        h->list.hole[at].near = row.block;
        k = row;
    }
    if (h->list.hole[at].slack != UNKNOWN)
        holes_forget(h, at);
    if (!br_hole_list_change(&h->list, at, begin, end, slack_in(h, machine, k)))
        return false;
    h->list.hole[at].good = begin + duration;
    h->list.hole[at].next = h->known[machine];
    h->known[machine] = at;
    return true;
}

/* A search among spans that begin before `from`: the one with the least slack there so far. */
struct within {
    int64_t from, duration;
    double slack;
    uint32_t machine; /* NO_MACHINE: none so far */
};
#define NO_MACHINE UINT32_MAX

/* Offers a span that begins before. If the task does not fit, the span is cut in two, and none of
 * the halves is long enough. False when memory is out. */
static bool offer_within(struct br_holes *h, struct within *best, uint32_t at)
{
    const struct br_hole *span = &h->list.hole[at];
    struct note *note = &h->note[at];
    uint32_t machine = span->machine, looks = 0;
    const struct br_profile *p = &h->space->profile[machine];
    struct br_segment k = {0, 0};
    bool kept = note->seen >= p->changed && note->low <= best->from && best->from < note->high;
    if (!kept) {
        note->seen = h->seen;
        note->low = span->begin;
        note->high = span->end;
        if (p->count) {
            k = segment_at(h, p, best->from);
            note->low = begin_of(h, p, k);
            note->high = holes_end_of(h, p, k);
        }
        note->inner = slack_in(h, machine, k);
    }
    double slack = note->inner;
    if (best->machine != NO_MACHINE &&
        (slack > best->slack || (slack == best->slack && machine > best->machine)))
        return true; /* nobody asks whether it fits */
    if (kept && p->count)
        k = segment_at(h, p, best->from);
    if (!p->count || holes_lasts(h, p, best->from, best->duration, &k, &looks)) {
        best->slack = slack;
        best->machine = machine;
        return true;
    }
    int64_t end = span->end;
    return holes_change(h, at, span->begin, begin_of(h, p, k)) &&
           holes_keep(h, machine, holes_end_of(h, p, k), end);
}

/* Does the list of the machine's known spans hold spans of this machine that are known? */
static bool known_is_sound(const struct br_holes *h, uint32_t machine)
{
    for (uint32_t at = h->known[machine]; at != BR_NO_HOLE; at = h->list.hole[at].next)
        if (h->list.hole[at].machine != machine || h->list.hole[at].slack == UNKNOWN ||
            h->list.hole[at].good <= h->list.hole[at].begin)
            return false;
    return true;
}

/* The fit found by a look at all machines and all intervals. */
static struct br_fit holes_plain(const struct br_holes *h, int64_t duration, int64_t bound)
{
    const struct br_space *space = h->space;
    uint32_t stage = (uint32_t)((size_t)(h->demand - space->in->demand) /
                                (space->in->resources ? space->in->resources : 1));
    return br_space_find(space, h->forward, stage, duration, bound);
}

/* Does that look find the same? */
static bool agrees(const struct br_holes *h, int64_t duration, int64_t bound, struct br_fit fit)
{
    struct br_fit plain = holes_plain(h, duration, bound);
    return plain.start == fit.start && plain.machine == fit.machine;
}

/* Does it find nothing before the limit, either? */
static bool is_full(const struct br_holes *h, int64_t duration, int64_t from, int64_t limit)
{
    return holes_plain(h, duration, from).start >= limit;
}

/* Finds the first fit from `from` on, both in times of this file. If none begins before the limit,
 * best->machine stays NO_MACHINE. False when memory is out. */
static bool holes_search(struct br_holes *h, struct within *best, int64_t limit, int64_t *time)
{
    const int64_t from = best->from, duration = best->duration;
    *time = from;
    if (!holes_catch_up(h))
        return false;
    for (uint32_t k = br_hole_list_over(&h->list, from, from + duration, h->over); k--;)
        if (!offer_within(h, best, h->over[k]))
            return false;
    for (;;) {
        uint32_t at = br_hole_list_first(&h->list, from, duration);
        const struct br_hole *hole = &h->list.hole[at];
        if (best->machine != NO_MACHINE && (at == BR_NO_HOLE || hole->begin > from))
            return true;
        if (hole->begin >= limit)
            return true;
        if (hole->slack == UNKNOWN || h->list.hole[at].good - hole->begin < duration) {
            if (!holes_advance(h, at, duration))
                return false;
            continue;
        }
        if (best->machine == NO_MACHINE || hole->slack < best->slack ||
            (hole->slack == best->slack && hole->machine < best->machine)) {
            *time = hole->begin;
            best->machine = hole->machine;
        }
        return true;
    }
}

bool br_holes_find(struct br_holes *h, int64_t duration, int64_t bound, struct br_fit *fit)
{
    struct within best = {
        .from = h->forward ? bound : -bound, .duration = duration, .machine = NO_MACHINE};
    int64_t time;
    if (!holes_search(h, &best, INT64_MAX, &time))
        return false;
    *fit = (struct br_fit){h->forward ? time : -time - duration, best.machine};
    assert(time >= best.from && best.machine < h->space->in->machines);
    br_costly_assert(known_is_sound(h, best.machine) && agrees(h, duration, bound, *fit));
    return true;
}

bool br_holes_find_before(struct br_holes *h, int64_t duration, int64_t from, int64_t limit,
                          struct br_fit *fit, bool *found)
{
    struct within best = {.from = from, .duration = duration, .machine = NO_MACHINE};
    assert(h->forward && from < limit);
    if (!holes_search(h, &best, limit, &fit->start))
        return false;
    fit->machine = best.machine;
    *found = best.machine != NO_MACHINE;
    br_costly_assert(*found ? agrees(h, duration, from, *fit) : is_full(h, duration, from, limit));
    return true;
}
