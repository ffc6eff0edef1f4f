/* The index over holes. Backward, times are turned round (minus the end), so that sooner is always
 * less; all times in this file are such times unless they are a profile's or a step's. */
#include "planner/holes.h"

#include <stdlib.h>

#include "planner/space_profile.h"

enum {
    CHUNK = 32, /* segments of a machine that are looked at before another may be sooner */
    NONE = UINT32_MAX,
};
/* Slack of a hole that has to be looked at: before that of any other that begins with it. */
#define UNSEEN (-1.0)

/* A span of a machine outside of which, up to the next one, no task of the series fits. */
struct span {
    int64_t begin, end;
    uint32_t next; /* of the same machine, in ascending order; or NONE */
};

struct waiting {
    int64_t length, begin;
    uint32_t machine;
};

struct leaf {
    int64_t time; /* of the first span, or BR_FOREVER */
    double slack; /* there, or UNSEEN */
    int64_t good; /* seen: the demand holds from time to good */
    uint32_t first;
};

struct br_holes {
    const struct br_space *space;
    const int64_t *demand;
    int64_t bound, shortest;
    uint64_t seen; /* steps of the space that are accounted for */
    bool forward;

    struct leaf *leaf; /* by machine */
    uint32_t *winner;  /* by node of the tournament: a machine; the root is node 1 */
    uint32_t leaves;   /* a power of two */
    uint32_t *open;    /* by class: machines in play */

    struct span *span;
    uint32_t spans, span_room, unused; /* unused: the first of a list */
    struct waiting *waiting;           /* a heap, the longest on top */
    uint32_t waitings, waiting_room;
};

struct br_holes *br_holes_create(const struct br_space *space)
{
    struct br_holes *h = calloc(1, sizeof *h);
    uint32_t machines = space->in->machines;
    if (!h)
        return NULL;
    h->space = space;
    for (h->leaves = 2; h->leaves < machines; h->leaves *= 2)
        ;
    h->leaf = malloc(h->leaves * sizeof *h->leaf);
    h->winner = malloc(h->leaves * sizeof *h->winner);
    h->open = malloc(space->in->classes * sizeof *h->open);
    if (!h->leaf || !h->winner || !h->open) {
        br_holes_destroy(h);
        return NULL;
    }
    return h;
}

void br_holes_destroy(struct br_holes *h)
{
    if (!h)
        return;
    free(h->leaf);
    free(h->winner);
    free(h->open);
    free(h->span);
    free(h->waiting);
    free(h);
}

/* --- the tournament over machines ----------------------------------------------------------- */

static uint32_t better(const struct br_holes *h, uint32_t a, uint32_t b)
{
    const struct leaf *x = &h->leaf[a], *y = &h->leaf[b];
    if (x->time != y->time)
        return x->time < y->time ? a : b;
    if (x->slack != y->slack)
        return x->slack < y->slack ? a : b;
    return a < b ? a : b;
}

static uint32_t play(const struct br_holes *h, uint32_t node)
{
    if (2 * node >= h->leaves)
        return better(h, 2 * node - h->leaves, 2 * node + 1 - h->leaves);
    return better(h, h->winner[2 * node], h->winner[2 * node + 1]);
}

/* The leaf has changed. */
static void replay(struct br_holes *h, uint32_t machine)
{
    for (uint32_t node = (h->leaves + machine) / 2; node; node /= 2) {
        uint32_t before = h->winner[node];
        h->winner[node] = play(h, node);
        if (h->winner[node] == before && before != machine)
            return;
    }
}

/* --- holes that wait for shorter tasks ------------------------------------------------------ */

static bool push_waiting(struct br_holes *h, struct waiting w)
{
    if (h->waitings == h->waiting_room) {
        uint32_t room = h->waiting_room ? 2 * h->waiting_room : 64;
        struct waiting *larger = realloc(h->waiting, room * sizeof *larger);
        if (!larger)
            return false;
        h->waiting = larger;
        h->waiting_room = room;
    }
    uint32_t at = h->waitings++;
    for (; at && h->waiting[(at - 1) / 2].length < w.length; at = (at - 1) / 2)
        h->waiting[at] = h->waiting[(at - 1) / 2];
    h->waiting[at] = w;
    return true;
}

static struct waiting pop_waiting(struct br_holes *h)
{
    struct waiting top = h->waiting[0], last = h->waiting[--h->waitings];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= h->waitings)
            break;
        if (child + 1 < h->waitings && h->waiting[child + 1].length > h->waiting[child].length)
            child++;
        if (last.length >= h->waiting[child].length)
            break;
        h->waiting[at] = h->waiting[child];
        at = child;
    }
    h->waiting[at] = last;
    return top;
}

/* --- the spans of a machine ------------------------------------------------------------------ */

static bool add_span(struct br_holes *h, uint32_t machine, int64_t begin, int64_t end)
{
    uint32_t at = h->unused, *link = &h->leaf[machine].first;
    if (at != NONE) {
        h->unused = h->span[at].next;
    } else {
        if (h->spans == h->span_room) {
            uint32_t room = h->span_room ? 2 * h->span_room : 64;
            struct span *larger = realloc(h->span, room * sizeof *larger);
            if (!larger)
                return false;
            h->span = larger;
            h->span_room = room;
        }
        at = h->spans++;
    }
    while (*link != NONE && h->span[*link].begin < begin)
        link = &h->span[*link].next;
    h->span[at] = (struct span){begin, end, *link};
    *link = at;
    return true;
}

/* The machine's first span is another, or begins elsewhere. */
static void unsee(struct br_holes *h, uint32_t machine)
{
    struct leaf *leaf = &h->leaf[machine];
    leaf->time = leaf->first == NONE ? BR_FOREVER : h->span[leaf->first].begin;
    leaf->slack = UNSEEN;
    leaf->good = leaf->time;
}

/* Machines of the class come into play one after another, see space_profile.h. */
static bool open_class(struct br_holes *h, uint32_t cls, bool replayed)
{
    uint32_t first = h->space->in->class_first[cls];
    for (; h->open[cls] < br_space_class_end(h->space, cls) - first; h->open[cls]++) {
        if (!add_span(h, first + h->open[cls], h->bound, BR_FOREVER))
            return false;
        unsee(h, first + h->open[cls]);
        if (replayed)
            replay(h, first + h->open[cls]);
    }
    return true;
}

void br_holes_begin(struct br_holes *h, bool forward, uint32_t stage, int64_t bound,
                    int64_t shortest)
{
    const struct br_instance *in = h->space->in;
    h->demand = in->demand + (size_t)stage * in->resources;
    h->forward = forward;
    h->bound = forward ? bound : -bound;
    h->shortest = shortest;
    h->seen = h->space->steps;
    h->spans = h->waitings = 0;
    h->unused = NONE;
    for (uint32_t m = 0; m < h->leaves; m++)
        h->leaf[m] = (struct leaf){.time = BR_FOREVER, .slack = UNSEEN, .first = NONE};
    for (uint32_t c = 0; c < in->classes; c++)
        h->open[c] = NONE; /* until the first search, which can fail */
}

static bool open_all(struct br_holes *h)
{
    const struct br_instance *in = h->space->in;
    for (uint32_t c = 0; c < in->classes; c++) {
        if (!br_space_holds(in->capacity + (size_t)c * in->resources, h->demand, in->resources))
            continue;
        h->open[c] = 0;
        if (!open_class(h, c, false))
            return false;
    }
    for (uint32_t node = h->leaves - 1; node; node--)
        h->winner[node] = play(h, node);
    return true;
}

/* What was placed since the last search: machines come into play, and holes may have shrunk. */
static bool catch_up(struct br_holes *h)
{
    const struct br_space *space = h->space;
    for (; h->seen < space->steps; h->seen++) {
        const struct br_step *step = &space->trail[h->seen];
        struct leaf *leaf = &h->leaf[step->machine];
        if (leaf->first == NONE)
            continue;
        int64_t end = step->start + step->duration;
        int64_t from = h->forward ? step->start : -end, to = h->forward ? end : -step->start;
        if (from < leaf->good && to > leaf->time && leaf->slack != UNSEEN) {
            unsee(h, step->machine);
            replay(h, step->machine);
        }
        if (!open_class(h, space->machine_class[step->machine], true))
            return false;
    }
    return true;
}

/* --- searching ------------------------------------------------------------------------------- */

/* Where segment k begins and ends. */
static int64_t begin_of(const struct br_holes *h, const struct br_profile *p, uint32_t k)
{
    return h->forward ? p->time[k] : -br_profile_end(p, k);
}

static int64_t end_of(const struct br_holes *h, const struct br_profile *p, uint32_t k)
{
    return h->forward ? br_profile_end(p, k) : k == 0 ? BR_FOREVER : -p->time[k];
}

/* Looks at the machine's first span for a hole of the duration. Finds it, or where it would have
 * to be sought next; shorter holes on the way are made to wait. False when memory is out. */
static bool look(struct br_holes *h, uint32_t machine, int64_t duration)
{
    const struct br_space *space = h->space;
    const struct br_profile *p = &space->profile[machine];
    struct leaf *leaf = &h->leaf[machine];
    uint32_t at = leaf->first, resources = space->resources, looks = 0;
    uint32_t cls = space->machine_class[machine];
    int64_t begin = h->span[at].begin, end = h->span[at].end;
    const int64_t *free = space->in->capacity + (size_t)cls * resources;
    if (p->count) {
        uint32_t k = br_profile_at(p, h->forward ? begin : -begin - 1);
        bool open = false;
        for (;; k = h->forward ? k + 1 : k - 1, looks++) {
            const int64_t *row = p->free + (size_t)k * resources;
            if (!br_space_holds(row, h->demand, resources)) {
                int64_t length = open ? begin_of(h, p, k) - begin : 0;
                if (length >= h->shortest &&
                    !push_waiting(h, (struct waiting){length, begin, machine}))
                    return false;
                open = false;
                begin = end_of(h, p, k); /* never the last segment, which is the whole machine */
                if (begin < end && looks < CHUNK)
                    continue;
                if (begin < end) {
                    h->span[at].begin = begin;
                } else {
                    leaf->first = h->span[at].next;
                    h->span[at].next = h->unused;
                    h->unused = at;
                }
                unsee(h, machine);
                replay(h, machine);
                return true;
            }
            if (!open)
                free = row;
            open = true;
            int64_t until = end_of(h, p, k);
            if (until == BR_FOREVER || until - begin >= duration)
                break;
        }
    }
    h->span[at].begin = leaf->time = begin;
    leaf->good = begin + duration;
    leaf->slack = br_space_slack(space, cls, free, h->demand);
    replay(h, machine);
    return true;
}

bool br_holes_find(struct br_holes *h, int64_t duration, struct br_fit *fit)
{
    uint32_t machine = 0;
    bool begun = false;
    for (uint32_t c = 0; c < h->space->in->classes; c++)
        begun |= h->open[c] != NONE;
    if (begun ? !catch_up(h) : !open_all(h))
        return false;
    while (h->waitings && h->waiting[0].length >= duration) {
        struct waiting w = pop_waiting(h);
        if (!add_span(h, w.machine, w.begin, w.begin + w.length))
            return false;
        if (h->span[h->leaf[w.machine].first].begin == w.begin) {
            unsee(h, w.machine);
            replay(h, w.machine);
        }
    }
    for (;;) {
        machine = h->winner[1];
        const struct leaf *leaf = &h->leaf[machine];
        if (leaf->slack != UNSEEN && leaf->good - leaf->time >= duration)
            break;
        if (!look(h, machine, duration))
            return false;
    }
    int64_t time = h->leaf[machine].time;
    *fit = (struct br_fit){h->forward ? time : -time - duration, machine};
    return true;
}
