/* Finding fits. Both directions are one search: times are turned round for the backward one, so
 * that sooner is always less. */
#include "planner/space/space.h"

#include "base/collections/heap.h"
#include "planner/space/space_profile.h"

#define NONE UINT32_MAX

enum { GROUP = 16 }; /* machines that are looked at together */

/* The earliest start in from..limit on one machine, or limit + 1. *at is the segment of `from`, and
 * becomes that of the start. */
static inline int64_t space_fit_earliest_on(const struct br_profile *p, uint32_t resources,
                                            const int64_t *demand, int64_t duration, int64_t from,
                                            int64_t limit, struct br_segment *at)
{
    struct br_segment k = *at;
    uint32_t looks = 0;
    while (!br_profile_holds_until(p, resources, demand, from + duration, &k, &looks)) {
        if (br_profile_end(p, k) > limit)
            return limit + 1;
        k = *at = br_profile_relief_after(p, resources, demand, k, UINT32_MAX, &looks);
        from = br_profile_begin(p, k);
        if (from > limit)
            return limit + 1;
    }
    return from;
}

/* The latest end in limit..until on one machine, or limit - 1. *at is the segment before `until`,
 * and becomes that before the end. */
static inline int64_t latest_on(const struct br_profile *p, uint32_t resources,
                                const int64_t *demand, int64_t duration, int64_t until,
                                int64_t limit, struct br_segment *at)
{
    struct br_segment k = *at;
    uint32_t looks = 0;
    while (!br_profile_holds_since(p, resources, demand, until - duration, &k, &looks)) {
        if (br_profile_begin(p, k) < limit)
            return limit - 1;
        k = *at = br_profile_relief_before(p, resources, demand, k, UINT32_MAX, &looks);
        until = br_profile_end(p, k);
        if (until < limit)
            return limit - 1;
    }
    return until;
}

/* A task of duration 0 goes wherever its demand could be held at all. */
static uint32_t space_fit_first_holder(const struct br_space *space, const int64_t *demand)
{
    const struct br_instance *in = space->in;
    uint32_t c = 0;
    while (!br_space_holds(in->capacity + (size_t)c * in->resources, demand, in->resources))
        c++;
    return in->class_first[c];
}

/* A question to the space. The time of a fit is its start, or minus its end backward. */
struct query {
    const struct br_space *space;
    const int64_t *demand;
    int64_t duration, bound; /* bound is a time of a fit */
    bool forward;
};

static bool space_fit_offer_before(const struct br_space_offer *a, const struct br_space_offer *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->slack != b->slack)
        return a->slack < b->slack;
    return a->machine < b->machine;
}

static bool offer_better(const void *none, const struct br_space_offer *a,
                         const struct br_space_offer *b)
{
    (void)none;
    return space_fit_offer_before(a, b);
}

/* The point in time of a profile whose segment a search from the bound on begins with. */
static int64_t point_of(const struct query *q, int64_t bound)
{
    return q->forward ? bound : -bound - 1;
}

/* The machine's best time from the bound on, or one after the limit. The segment is the one that
 * the search begins with. */
static inline struct br_space_offer ask_from(const struct query *q, uint32_t cls, uint32_t machine,
                                             int64_t bound, int64_t limit, struct br_segment at)
{
    const struct br_space *space = q->space;
    const struct br_profile *p = &space->profile[machine];
    struct br_space_offer offer = {.machine = machine};
    if (q->forward) {
        offer.time =
            space_fit_earliest_on(p, space->resources, q->demand, q->duration, bound, limit, &at);
    } else {
        offer.time = -latest_on(p, space->resources, q->demand, q->duration, -bound, -limit, &at);
    }
    if (offer.time <= limit)
        offer.slack =
            br_space_slack(space, cls, br_profile_free(p, at, space->resources), q->demand);
    offer.at = at;
    return offer;
}

static struct br_space_offer space_fit_ask(const struct query *q, uint32_t cls, uint32_t machine,
                                           int64_t bound, int64_t limit)
{
    const struct br_profile *p = &q->space->profile[machine];
    return ask_from(q, cls, machine, bound, limit, br_profile_at(p, point_of(q, bound)));
}

/* The first machine of the class from that one on which is idle from the bound on for good, or
 * which is not; NONE if there is none. */
static uint32_t space_fit_next_of(const struct query *q, uint32_t cls, uint32_t from, bool idle)
{
    uint32_t end = q->space->in->class_first[cls + 1];
    uint32_t next = br_idle_next(&q->space->idle[!q->forward], from, q->bound, idle);
    return next < end ? next : NONE;
}

/* The offer of an idle machine of the class: that of all of them. */
static struct br_space_offer offer_idle(const struct query *q, uint32_t cls, uint32_t machine)
{
    const int64_t *capacity = q->space->in->capacity + (size_t)cls * q->space->resources;
    return (struct br_space_offer){
        .time = q->bound,
        .slack = br_space_slack(q->space, cls, capacity, q->demand),
        .machine = machine,
    };
}

static bool class_holds(const struct query *q, uint32_t cls)
{
    uint32_t resources = q->space->resources;
    return br_space_holds(q->space->in->capacity + (size_t)cls * resources, q->demand, resources);
}

static struct query make_query(const struct br_space *space, bool forward, uint32_t stage,
                               int64_t duration, int64_t bound)
{
    return (struct query){.space = space,
                          .demand = space->in->demand + (size_t)stage * space->resources,
                          .duration = duration,
                          .bound = forward ? bound : -bound,
                          .forward = forward};
}

static struct br_fit fit_of(const struct query *q, const struct br_space_offer *offer)
{
    return (struct br_fit){q->forward ? offer->time : -offer->time - q->duration, offer->machine};
}

/* The best offer whose time is at most the limit; none: its time is after it. */
static inline struct br_space_offer best_offer(const struct query *q, int64_t limit)
{
    const struct br_space *space = q->space;
    struct br_space_offer best = {.time = limit + 1};
    if (q->duration == 0)
        return (struct br_space_offer){.time = q->bound,
                                       .machine = space_fit_first_holder(space, q->demand)};
    for (uint32_t c = 0; c < space->in->classes; c++) {
        if (!class_holds(q, c))
            continue;
        uint32_t first = space->in->class_first[c], idle = space_fit_next_of(q, c, first, true);
        struct br_space_offer offer;
        if (idle != NONE && (offer = offer_idle(q, c, idle), space_fit_offer_before(&offer, &best)))
            best = offer;
        for (uint32_t m = first; (m = space_fit_next_of(q, c, m, false)) != NONE; m++) {
            offer = space_fit_ask(q, c, m, q->bound, best.time);
            if (space_fit_offer_before(&offer, &best))
                best = offer;
        }
    }
    return best;
}

struct br_fit br_space_find(const struct br_space *space, bool forward, uint32_t stage,
                            int64_t duration, int64_t bound)
{
    struct query q = make_query(space, forward, stage, duration, bound);
    struct br_space_offer best = best_offer(&q, BR_FOREVER - 2);
    return fit_of(&q, &best);
}

bool br_space_earliest_before(const struct br_space *space, uint32_t stage, int64_t duration,
                              int64_t from, int64_t limit, struct br_fit *fit)
{
    struct query q = make_query(space, true, stage, duration, from);
    struct br_space_offer best = best_offer(&q, limit - 1);
    *fit = fit_of(&q, &best);
    return best.time < limit;
}

struct br_fit br_space_earliest(const struct br_space *space, uint32_t stage, int64_t duration,
                                int64_t from)
{
    return br_space_find(space, true, stage, duration, from);
}

struct br_fit br_space_latest(const struct br_space *space, uint32_t stage, int64_t duration,
                              int64_t until)
{
    return br_space_find(space, false, stage, duration, until);
}

struct br_fit br_space_earliest_on(const struct br_space *space, uint32_t machine, uint32_t stage,
                                   int64_t duration, int64_t from)
{
    struct query q = make_query(space, true, stage, duration, from);
    if (machine >= space->in->machines || !class_holds(&q, space->machine_class[machine]))
        return br_space_find(space, true, stage, duration, from);
    const struct br_profile *p = &space->profile[machine];
    if (duration == 0 || p->count == 0)
        return (struct br_fit){from, machine};
    struct br_segment at = br_profile_at(p, from);
    return (struct br_fit){
        space_fit_earliest_on(p, space->resources, q.demand, duration, from, BR_FOREVER - 1, &at),
        machine};
}

/* How many tasks an empty machine of the class holds side by side, up to `most`. */
static uint32_t copies_idle(const struct br_space *space, uint32_t cls, const int64_t *demand,
                            uint32_t most)
{
    const int64_t *capacity = space->in->capacity + (size_t)cls * space->resources;
    for (uint32_t r = 0; r < space->resources; r++)
        if (demand[r] && capacity[r] / demand[r] < most)
            most = (uint32_t)(capacity[r] / demand[r]);
    return most;
}

/* The answer of br_space_copies on a profile that something has touched. Forward, the segment is
 * that of the start, else that before the end. */
static uint32_t copies_at(const struct br_profile *p, uint32_t resources, const int64_t *demand,
                          int64_t start, int64_t end, bool forward, struct br_segment k,
                          uint32_t most)
{
    const int64_t *row = br_profile_free(p, k, resources);
    uint32_t copies = most;
    for (uint32_t r = 0; r < resources; r++)
        if (demand[r] && row[r] / demand[r] < copies)
            copies = (uint32_t)(row[r] / demand[r]);
    while (forward ? br_profile_end(p, k) < end : br_profile_begin(p, k) > start) {
        k = forward ? br_profile_next(p, k) : br_profile_previous(p, k);
        row = br_profile_free(p, k, resources);
        for (uint32_t r = 0; r < resources; r++)
            if (row[r] < demand[r] * copies) /* no more than one segment has, so within range */
                copies = (uint32_t)(row[r] / demand[r]);
    }
    return copies;
}

uint32_t br_space_copies(const struct br_space *space, uint32_t stage, int64_t duration,
                         struct br_fit fit, uint32_t most)
{
    const struct br_instance *in = space->in;
    const int64_t *demand = in->demand + (size_t)stage * in->resources;
    const struct br_profile *p = &space->profile[fit.machine];
    if (duration == 0)
        return most;
    if (p->count)
        return copies_at(p, in->resources, demand, fit.start, fit.start + duration, true,
                         br_profile_at(p, fit.start), most);
    return copies_idle(space, space->machine_class[fit.machine], demand, most);
}

BR_HEAP(offer, struct br_space_offer, const void *, offer_better, 2)

/* Asks the machines of the class that are not idle from the bound on, and puts their offers up to
 * the limit into the heap. Their profiles lie far from one another: so machines are taken in
 * groups, and each part of a profile is called for while the others of the group are looked at. */
static void ask_all(const struct query *q, uint32_t cls, int64_t limit, struct br_space_offer *heap,
                    uint32_t *size)
{
    const struct br_space *space = q->space;
    int64_t point = point_of(q, q->bound);
    uint32_t machine[GROUP], m = space->in->class_first[cls], resources = space->resources;
    struct br_segment at[GROUP];
    for (uint32_t n; m != NONE;) {
        for (n = 0; n < GROUP && (m = space_fit_next_of(q, cls, m, false)) != NONE; n++) {
            __builtin_prefetch(space->profile[m].time);
            machine[n] = m++;
        }
        for (uint32_t i = 0; i < n; i++) {
            const struct br_profile *p = &space->profile[machine[i]];
            at[i].block = br_last_before(p->time, p->blocks, point);
            __builtin_prefetch(p->block[at[i].block]);
        }
        for (uint32_t i = 0; i < n; i++) {
            const struct br_block *block = space->profile[machine[i]].block[at[i].block];
            at[i].at = br_last_before(block->time, block->count, point);
            __builtin_prefetch(block->free + (size_t)at[i].at * resources);
        }
        for (uint32_t i = 0; i < n; i++) {
            struct br_space_offer offer = ask_from(q, cls, machine[i], q->bound, limit, at[i]);
            if (offer.time <= limit)
                offer_push(NULL, heap, size, offer);
        }
    }
}

/* Do the machines of the class that are idle from the bound on hold that many copies? */
static bool idle_hold(const struct query *q, uint32_t cls, uint32_t copies)
{
    uint32_t each = copies_idle(q->space, cls, q->demand, copies);
    for (uint32_t m = q->space->in->class_first[cls];
         (m = space_fit_next_of(q, cls, m, true)) != NONE; m++) {
        if (copies <= each)
            return true;
        copies -= each;
    }
    return false;
}

/* Placing on one machine leaves what the others offer as it was: a heap of offers serves all copies
 * with one search a machine and one a batch. If the idle machines hold all the copies, none of them
 * starts later than the bound. */
bool br_space_fill(struct br_space *space, bool forward, uint32_t stage, int64_t duration,
                   int64_t bound, uint32_t copies,
                   void (*settle)(void *context, struct br_fit fit, uint32_t copies), void *context)
{
    struct query q = make_query(space, forward, stage, duration, bound);
    struct br_space_offer *heap = space->offer;
    uint32_t size = 0;
    if (duration == 0) {
        struct br_fit fit = br_space_find(space, forward, stage, duration, bound);
        if (!br_space_place(space, stage, duration, fit, copies))
            return false;
        settle(context, fit, copies);
        return true;
    }
    int64_t limit = BR_FOREVER - 1;
    for (uint32_t c = 0; c < space->in->classes && limit > q.bound; c++)
        if (class_holds(&q, c) && idle_hold(&q, c, copies))
            limit = q.bound;
    for (uint32_t c = 0; c < space->in->classes; c++) {
        if (!class_holds(&q, c))
            continue;
        uint32_t idle = space_fit_next_of(&q, c, space->in->class_first[c], true);
        if (idle != NONE)
            offer_push(NULL, heap, &size, offer_idle(&q, c, idle));
        ask_all(&q, c, limit, heap, &size);
    }
    while (copies) {
        struct br_space_offer offer = offer_pop(NULL, heap, &size);
        uint32_t cls = space->machine_class[offer.machine];
        bool idle = br_idle_time(&space->idle[!forward], offer.machine) <= q.bound;
        struct br_fit fit = fit_of(&q, &offer);
        uint32_t batch =
            idle ? copies_idle(space, cls, q.demand, copies)
                 : copies_at(&space->profile[offer.machine], space->resources, q.demand, fit.start,
                             fit.start + duration, forward, offer.at, copies);
        if (!br_space_place(space, stage, duration, fit, batch))
            return false;
        settle(context, fit, batch);
        copies -= batch;
        if (!copies)
            break;
        struct br_space_offer again = space_fit_ask(&q, cls, offer.machine, offer.time, limit);
        if (again.time <= limit)
            offer_push(NULL, heap, &size, again);
        uint32_t next = idle ? space_fit_next_of(&q, cls, offer.machine + 1, true) : NONE;
        if (next != NONE)
            offer_push(NULL, heap, &size, offer_idle(&q, cls, next));
    }
    return true;
}
