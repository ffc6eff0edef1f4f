/* All moves work on keys: a task's time in the base schedule, start or negated end, in finer units
 * so that there is room between any two. Copies of a task that have the same key stay together and
 * can be placed in bulk, so random numbers are mostly drawn per stage. */
#include "planner/improve/disturb.h"

#include <assert.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"

enum { CHAIN_MOST = 4096, TIES_MOST = 64 };

/* A task of the critical chain, and a task that ends when it starts: a parent, or one that holds
 * its machine. */
struct link {
    uint32_t task, blocker;
    bool parent;
};

struct br_disturb {
    const struct br_instance *in;
    const struct br_reach *reach;
    const struct br_schedule *base;
    int64_t scale;         /* units of a key in a tick */
    uint32_t *sequence[2]; /* by direction: tasks by increasing start, by decreasing end */
    struct link *chain;
    uint32_t links;
};

struct br_disturb *br_disturb_create(const struct br_instance *in, const struct br_reach *reach)
{
    struct br_disturb *d = br_calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->in = in;
    d->reach = reach;
    d->chain = br_malloc(CHAIN_MOST * sizeof *d->chain);
    bool ok = d->chain != NULL;
    for (uint32_t k = 0; k < 2; k++) {
        d->sequence[k] = br_malloc(in->tasks * sizeof *d->sequence[k]);
        ok &= d->sequence[k] != NULL;
    }
    if (!ok) {
        br_disturb_destroy(d);
        return NULL;
    }
    for (uint32_t t = 0; t < in->tasks; t++)
        d->sequence[0][t] = d->sequence[1][t] = t;
    return d;
}

void br_disturb_destroy(struct br_disturb *d)
{
    if (!d)
        return;
    br_free(d->sequence[0]);
    br_free(d->sequence[1]);
    br_free(d->chain);
    br_free(d);
}

static int64_t disturb_end_of(const struct br_disturb *d, uint32_t t)
{
    return d->base->start[t] + d->in->duration[t];
}

static int disturb_compare(int64_t a, int64_t b, uint32_t x, uint32_t y)
{
    return a != b ? (a < b ? -1 : 1) : x < y ? -1 : x > y;
}

static int starts_before(const void *a, const void *b, void *context)
{
    const struct br_disturb *d = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return disturb_compare(d->base->start[x], d->base->start[y], x, y);
}

static int ends_after(const void *a, const void *b, void *context)
{
    const struct br_disturb *d = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return disturb_compare(disturb_end_of(d, y), disturb_end_of(d, x), x, y);
}

static bool disturb_is_parent(const struct br_instance *in, uint32_t parent, uint32_t child)
{
    uint32_t s = in->task_stage[child], p = in->task_stage[parent];
    for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++)
        if (in->parent[a].stage == p)
            return !in->parent[a].one_to_one ||
                   parent - in->stage_first[p] == child - in->stage_first[s];
    return false;
}

/* A task's time in the order of the direction. */
static int64_t disturb_time_of(const struct br_disturb *d, enum br_direction direction, uint32_t t)
{
    return direction == BR_FORWARD ? d->base->start[t] : -disturb_end_of(d, t);
}

/* First position in the sequence of the direction with at least this time. */
static uint32_t first_at(const struct br_disturb *d, enum br_direction direction, int64_t time)
{
    uint32_t low = 0, high = d->in->tasks;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (disturb_time_of(d, direction, d->sequence[direction][middle]) < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Walks from the task that ends last back to the beginning, each time to a task for which the
 * present one waited. A task that held its machine goes before a parent, since moves can change
 * that. */
static void disturb_find_chain(struct br_disturb *d)
{
    const struct br_instance *in = d->in;
    const uint32_t *by_end = d->sequence[BR_BACKWARD];
    uint32_t task = by_end[0];
    d->links = 0;
    while (d->links < CHAIN_MOST) {
        int64_t start = d->base->start[task];
        uint32_t found = UINT32_MAX;
        bool parent = true;
        uint32_t k = first_at(d, BR_BACKWARD, -start);
        for (uint32_t n = 0;
             k < in->tasks && n < TIES_MOST && disturb_end_of(d, by_end[k]) == start; k++, n++) {
            uint32_t other = by_end[k];
            if (in->duration[other] == 0 || other == task)
                continue;
            if (disturb_is_parent(in, other, task)) {
                if (found == UINT32_MAX)
                    found = other;
            } else if (d->base->machine[other] == d->base->machine[task] && parent) {
                found = other;
                parent = false;
            }
        }
        if (found == UINT32_MAX)
            break;
        assert(d->base->start[found] < start);
        d->chain[d->links++] = (struct link){task, found, parent};
        task = found;
    }
}

void br_disturb_base(struct br_disturb *d, const struct br_schedule *base)
{
    assert(base->makespan != INT64_MAX);
    d->base = base;
    d->scale = base->makespan < INT64_C(1) << 48 ? 1024 : 1;
    br_sort_within(d->sequence[0], d->in->tasks, sizeof *d->sequence[0], starts_before, d);
    br_sort_within(d->sequence[1], d->in->tasks, sizeof *d->sequence[1], ends_after, d);
    disturb_find_chain(d);
}

/* Uniform in [0, 1), by number, from a seed. */
static double hashed(uint64_t seed, uint32_t number)
{
    struct br_rng rng = {seed + number * UINT64_C(0x9e3779b97f4a7c15)};
    return br_rng_unit(&rng);
}

/* A share of the makespan between 1 / 2^most and 1 / 2^least, in units of keys. */
static int64_t span(const struct br_disturb *d, struct br_rng *rng, uint32_t least, uint32_t most)
{
    assert(least <= most);
    double share = 1.0 / (double)(UINT64_C(1) << (least + br_rng_below(rng, most - least + 1)));
    return 1 + (int64_t)((0.5 + br_rng_unit(rng)) * share * (double)d->base->makespan *
                         (double)d->scale);
}

static uint32_t disturb_random_stage(const struct br_disturb *d, struct br_rng *rng)
{
    /* Draws a stage half of the time, else the stage of a task, so that large stages come more
     * often. */
    if (br_rng_below(rng, 2))
        return (uint32_t)br_rng_below(rng, d->in->stages);
    return d->in->task_stage[br_rng_below(rng, d->in->tasks)];
}

static void move_shift(const struct br_disturb *d, struct br_rng *rng, int64_t *key)
{
    const struct br_instance *in = d->in;
    for (uint64_t n = 1 + br_rng_below(rng, 3); n; n--) {
        uint32_t s = disturb_random_stage(d, rng);
        int64_t by = span(d, rng, 1, 6);
        bool earlier = br_rng_below(rng, 2), part = br_rng_below(rng, 3) == 0;
        int64_t from = key[in->stage_first[s] +
                           br_rng_below(rng, in->stage_first[s + 1] - in->stage_first[s])];
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            if (!part || key[t] == from)
                key[t] += earlier ? -by : by;
    }
}

/* Moves a task before one for which it waits, now and then with the rest of its stage. */
static void move_chain(const struct br_disturb *d, enum br_direction direction, struct br_rng *rng,
                       int64_t *key)
{
    const struct br_instance *in = d->in;
    if (d->links == 0)
        return;
    for (uint64_t n = 1 + br_rng_below(rng, 3); n; n--) {
        const struct link *link = &d->chain[br_rng_below(rng, d->links)];
        for (uint32_t tries = 0; link->parent && tries < 8; tries++)
            link = &d->chain[br_rng_below(rng, d->links)];
        bool forward = direction == BR_FORWARD;
        uint32_t task = forward ? link->task : link->blocker;
        uint32_t other = forward ? link->blocker : link->task;
        int64_t by = key[task] - key[other] + 1;
        by += (int64_t)(br_rng_unit(rng) * (double)(by > 0 ? by : 0));
        if (br_rng_below(rng, 2)) {
            key[task] -= by;
            continue;
        }
        uint32_t s = in->task_stage[task];
        int64_t from = key[task];
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            if (key[t] >= from)
                key[t] -= by;
    }
}

static void move_stages(const struct br_disturb *d, enum br_direction direction, struct br_rng *rng,
                        int64_t *key)
{
    const struct br_instance *in = d->in;
    const int64_t *before = direction == BR_FORWARD ? d->reach->head : d->reach->tail;
    const int64_t *after = direction == BR_FORWARD ? d->reach->tail : d->reach->head;
    int64_t origin = direction == BR_FORWARD ? 0 : -d->base->makespan;
    for (uint64_t n = 1 + br_rng_below(rng, 4); n; n--) {
        uint32_t s = disturb_random_stage(d, rng);
        bool early = br_rng_below(rng, 3) != 0;
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++) {
            int64_t late = d->base->makespan - after[t] - in->duration[t];
            key[t] = (origin + (early ? before[t] : late)) * d->scale;
        }
    }
}

/* The troublesome task is the largest of a few by work of its dominant resource. */
static void move_eject(const struct br_disturb *d, struct br_rng *rng, int64_t *key)
{
    const struct br_instance *in = d->in;
    uint32_t task = 0;
    double most = -1;
    for (uint32_t n = 0; n < 4; n++) {
        uint32_t t = (uint32_t)br_rng_below(rng, in->tasks);
        double work = (double)in->duration[t] * (double)br_dominant_share(in, in->task_stage[t]);
        if (work > most)
            task = t, most = work;
    }
    bool all = br_rng_below(rng, 3) == 0, first = br_rng_below(rng, 2);
    int64_t least = key[task], after = key[task] + in->duration[task] * d->scale;
    for (uint32_t t = 0; t < in->tasks; t++) {
        if (t == task || (!all && d->base->machine[t] != d->base->machine[task]) ||
            d->base->start[t] >= disturb_end_of(d, task) ||
            disturb_end_of(d, t) <= d->base->start[task])
            continue;
        if (first && key[t] < least)
            least = key[t];
        else if (!first && key[t] <= key[task] && in->task_stage[t] != in->task_stage[task])
            key[t] = after;
    }
    if (first)
        key[task] = least - 1;
}

static void move_noise(const struct br_disturb *d, struct br_rng *rng, int64_t *key)
{
    const struct br_instance *in = d->in;
    double width = (double)span(d, rng, 2, 7);
    uint64_t seed = br_rng_next(rng);
    bool by_task = br_rng_below(rng, 4) == 0;
    for (uint32_t t = 0; t < in->tasks; t++)
        key[t] += (int64_t)(hashed(seed, by_task ? t : in->task_stage[t]) * width);
}

void br_disturb(const struct br_disturb *d, enum br_move move, enum br_direction direction,
                struct br_rng *rng, int64_t *key)
{
    for (uint32_t t = 0; t < d->in->tasks; t++)
        key[t] = disturb_time_of(d, direction, t) * d->scale;
    switch (move) {
    case BR_MOVE_SHIFT:
        move_shift(d, rng, key);
        break;
    case BR_MOVE_CHAIN:
        move_chain(d, direction, rng, key);
        break;
    case BR_MOVE_STAGES:
        move_stages(d, direction, rng, key);
        break;
    case BR_MOVE_EJECT:
        move_eject(d, rng, key);
        break;
    default:
        move_noise(d, rng, key);
    }
}

const uint32_t *br_disturb_sequence(const struct br_disturb *d, enum br_direction direction)
{
    return d->sequence[direction];
}

void br_disturb_window(const struct br_disturb *d, enum br_direction direction, struct br_rng *rng,
                       uint32_t *low, uint32_t *high)
{
    int64_t width = span(d, rng, 2, 5) / d->scale;
    uint32_t middle = (uint32_t)br_rng_below(rng, d->in->tasks);
    int64_t time = disturb_time_of(d, direction, d->sequence[direction][middle]);
    int64_t from = time - (int64_t)(br_rng_unit(rng) * (double)width);
    *low = first_at(d, direction, from);
    *high = first_at(d, direction, from + width + 1);
}

void br_disturb_within(const struct br_disturb *d, enum br_direction direction, struct br_rng *rng,
                       const uint32_t *window, uint32_t count, int64_t *key)
{
    const int64_t *path = direction == BR_FORWARD ? d->reach->tail : d->reach->head;
    int64_t first = INT64_MAX, last = INT64_MIN, most = 1;
    double urgency = (double)br_rng_below(rng, 4) * 0.3, share = br_rng_unit(rng);
    bool blur = br_rng_below(rng, 2), by_task = br_rng_below(rng, 4) == 0;
    uint64_t seed = br_rng_next(rng);
    for (uint32_t k = 0; k < count; k++) {
        int64_t time = disturb_time_of(d, direction, window[k]);
        first = time < first ? time : first;
        last = time > last ? time : last;
        most = path[window[k]] > most ? path[window[k]] : most;
    }
    double width = (double)(last - first + 1) * (double)d->scale;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t t = window[k];
        double chance = hashed(seed, by_task ? t : d->in->task_stage[t]);
        double early = 1 - (double)path[t] / (double)most;
        key[t] =
            blur ? disturb_time_of(d, direction, t) * d->scale + (int64_t)(share * chance * width)
                 : (int64_t)((urgency * early + (1 - urgency) * chance) * width);
    }
}

void br_disturb_tails(const struct br_disturb *d, struct br_rng *rng, int64_t *key)
{
    const struct br_instance *in = d->in;
    double width = (double)span(d, rng, 2, 6);
    uint64_t seed = br_rng_next(rng);
    bool tails = br_rng_below(rng, 2);
    for (uint32_t t = 0; t < in->tasks; t++) {
        int64_t at = tails ? -(d->reach->tail[t] + in->duration[t]) : d->base->start[t];
        key[t] = at * d->scale + (int64_t)(hashed(seed, in->task_stage[t]) * width);
    }
}
