/* A step function per machine: sorted breakpoints, and the free vector from each to the next. The
 * first breakpoint is at minus infinity. Machines of a class that nothing has touched yet are all
 * alike, and since ties go to the lower number they are touched in order: of each class only the
 * touched ones and the first untouched one need a look. */
#include "planner/space.h"

#include <stdlib.h>
#include <string.h>

#define FOREVER INT64_MAX
#define SINCE_EVER INT64_MIN

struct profile {
    uint32_t count, room;
    int64_t *time; /* count breakpoints; time[0] is minus infinity */
    int64_t *free; /* count rows of one value per resource */
};

struct step {
    int64_t begin, end; /* of the space before the step */
    int64_t start, duration;
    uint32_t stage, machine, copies;
    bool new_start, new_end; /* breakpoints that the step brought */
};

struct br_space {
    const struct br_instance *in;
    uint32_t resources;
    struct profile *profile; /* by machine; count 0: untouched */
    uint32_t *touched;       /* by class */
    uint32_t *machine_class;
    double *weight; /* [class * resources + resource]: 1 / capacity^2, 0 where none */
    struct step *trail;
    uint64_t steps, room;
    int64_t begin, end;
};

struct br_space *br_space_create(const struct br_instance *in)
{
    struct br_space *space = calloc(1, sizeof *space);
    if (!space)
        return NULL;
    size_t cells = (size_t)in->classes * in->resources;
    space->in = in;
    space->resources = in->resources;
    space->profile = calloc(in->machines, sizeof *space->profile);
    space->touched = calloc(in->classes, sizeof *space->touched);
    space->machine_class = calloc(in->machines, sizeof *space->machine_class);
    space->weight = calloc(cells + 1, sizeof *space->weight);
    if (!space->profile || !space->touched || !space->machine_class || !space->weight) {
        br_space_destroy(space);
        return NULL;
    }
    for (size_t i = 0; i < cells; i++)
        if (in->capacity[i])
            space->weight[i] = 1.0 / ((double)in->capacity[i] * (double)in->capacity[i]);
    for (uint32_t c = 0; c < in->classes; c++)
        for (uint32_t m = in->class_first[c]; m < in->class_first[c + 1]; m++)
            space->machine_class[m] = c;
    return space;
}

void br_space_destroy(struct br_space *space)
{
    if (!space)
        return;
    for (uint32_t m = 0; space->profile && m < space->in->machines; m++) {
        free(space->profile[m].time);
        free(space->profile[m].free);
    }
    free(space->profile);
    free(space->touched);
    free(space->machine_class);
    free(space->weight);
    free(space->trail);
    free(space);
}

static bool holds(const int64_t *free, const int64_t *demand, uint32_t resources)
{
    for (uint32_t r = 0; r < resources; r++)
        if (free[r] < demand[r])
            return false;
    return true;
}

/* The last breakpoint at or before the time. */
static uint32_t segment_at(const struct profile *p, int64_t time)
{
    uint32_t low = 0, high = p->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (p->time[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int64_t segment_end(const struct profile *p, uint32_t segment)
{
    return segment + 1 < p->count ? p->time[segment + 1] : FOREVER;
}

/* The earliest start in from..limit on one machine, or limit + 1; *at is its segment. */
static int64_t earliest_on(const struct profile *p, uint32_t resources, const int64_t *demand,
                           int64_t duration, int64_t from, int64_t limit, uint32_t *at)
{
    uint32_t k = segment_at(p, from);
    int64_t start = from;
    *at = k;
    for (;; k++) {
        int64_t end = segment_end(p, k);
        if (!holds(p->free + (size_t)k * resources, demand, resources)) {
            start = end; /* never the last segment, which is the whole machine */
            *at = k + 1;
            if (start > limit)
                return limit + 1;
        } else if (end == FOREVER || end - start >= duration) {
            return start;
        }
    }
}

/* The latest end in limit..until on one machine, or limit - 1; *at is the segment before it. */
static int64_t latest_on(const struct profile *p, uint32_t resources, const int64_t *demand,
                         int64_t duration, int64_t until, int64_t limit, uint32_t *at)
{
    uint32_t k = segment_at(p, until - 1);
    int64_t end = until;
    *at = k;
    for (;; k--) {
        if (!holds(p->free + (size_t)k * resources, demand, resources)) {
            end = p->time[k]; /* never the first segment */
            *at = k - 1;
            if (end < limit)
                return limit - 1;
        } else if (k == 0 || end - p->time[k] >= duration) {
            return end;
        }
    }
}

/* Dot product of demand and free vector as shares of a machine; the smaller, the better the fit. */
static double slack(const struct br_space *space, uint32_t cls, const int64_t *free,
                    const int64_t *demand)
{
    const double *weight = space->weight + (size_t)cls * space->resources;
    double sum = 0;
    for (uint32_t r = 0; r < space->resources; r++)
        sum += (double)demand[r] * (double)free[r] * weight[r];
    return sum;
}

/* A task of duration 0 goes wherever its demand could be held at all. */
static uint32_t first_holder(const struct br_space *space, const int64_t *demand)
{
    const struct br_instance *in = space->in;
    uint32_t c = 0;
    while (!holds(in->capacity + (size_t)c * in->resources, demand, in->resources))
        c++;
    return in->class_first[c];
}

struct br_fit br_space_earliest(const struct br_space *space, uint32_t stage, int64_t duration,
                                int64_t from)
{
    const struct br_instance *in = space->in;
    const int64_t *demand = in->demand + (size_t)stage * in->resources;
    if (duration == 0)
        return (struct br_fit){from, first_holder(space, demand)};
    struct br_fit best = {FOREVER - 1, 0};
    double best_slack = 0;
    for (uint32_t c = 0; c < in->classes; c++) {
        const int64_t *capacity = in->capacity + (size_t)c * in->resources;
        if (!holds(capacity, demand, in->resources))
            continue;
        uint32_t first = in->class_first[c], used = first + space->touched[c];
        for (uint32_t m = first; m < used; m++) {
            const struct profile *p = &space->profile[m];
            uint32_t at;
            int64_t start =
                earliest_on(p, space->resources, demand, duration, from, best.start, &at);
            if (start > best.start)
                continue;
            double s = slack(space, c, p->free + (size_t)at * space->resources, demand);
            if (start < best.start || s < best_slack) {
                best = (struct br_fit){start, m};
                best_slack = s;
            }
        }
        if (used < in->class_first[c + 1]) {
            double s = slack(space, c, capacity, demand);
            if (from < best.start || s < best_slack) {
                best = (struct br_fit){from, used};
                best_slack = s;
            }
        }
    }
    return best;
}

struct br_fit br_space_latest(const struct br_space *space, uint32_t stage, int64_t duration,
                              int64_t until)
{
    const struct br_instance *in = space->in;
    const int64_t *demand = in->demand + (size_t)stage * in->resources;
    if (duration == 0)
        return (struct br_fit){until, first_holder(space, demand)};
    int64_t best_end = SINCE_EVER + 1;
    uint32_t machine = 0;
    double best_slack = 0;
    for (uint32_t c = 0; c < in->classes; c++) {
        const int64_t *capacity = in->capacity + (size_t)c * in->resources;
        if (!holds(capacity, demand, in->resources))
            continue;
        uint32_t first = in->class_first[c], used = first + space->touched[c];
        for (uint32_t m = first; m < used; m++) {
            const struct profile *p = &space->profile[m];
            uint32_t at;
            int64_t end = latest_on(p, space->resources, demand, duration, until, best_end, &at);
            if (end < best_end)
                continue;
            double s = slack(space, c, p->free + (size_t)at * space->resources, demand);
            if (end > best_end || s < best_slack) {
                best_end = end;
                machine = m;
                best_slack = s;
            }
        }
        if (used < in->class_first[c + 1]) {
            double s = slack(space, c, capacity, demand);
            if (until > best_end || s < best_slack) {
                best_end = until;
                machine = used;
                best_slack = s;
            }
        }
    }
    return (struct br_fit){best_end - duration, machine};
}

uint32_t br_space_copies(const struct br_space *space, uint32_t stage, int64_t duration,
                         struct br_fit fit, uint32_t most)
{
    const struct br_instance *in = space->in;
    const int64_t *demand = in->demand + (size_t)stage * in->resources;
    const struct profile *p = &space->profile[fit.machine];
    const int64_t *row = in->capacity + (size_t)space->machine_class[fit.machine] * in->resources;
    uint32_t k = 0, copies = most;
    if (duration == 0)
        return most;
    if (p->count) {
        k = segment_at(p, fit.start);
        row = p->free + (size_t)k * in->resources;
    }
    for (;;) {
        for (uint32_t r = 0; r < in->resources; r++)
            if (demand[r] && row[r] / demand[r] < copies)
                copies = (uint32_t)(row[r] / demand[r]);
        if (!p->count || segment_end(p, k) == FOREVER || segment_end(p, k) - fit.start >= duration)
            return copies;
        row = p->free + (size_t)++k * in->resources;
    }
}

/* Room for `more` further breakpoints. */
static bool reserve(struct profile *p, uint32_t more, uint32_t resources)
{
    if (p->count + more <= p->room)
        return true;
    uint32_t room = p->room ? 2 * p->room : 8;
    int64_t *time = realloc(p->time, (size_t)room * sizeof *time);
    if (time)
        p->time = time;
    int64_t *free = realloc(p->free, ((size_t)room * resources + 1) * sizeof *free);
    if (free)
        p->free = free;
    if (!time || !free)
        return false;
    p->room = room;
    return true;
}

/* Splits segment k at the time; the new breakpoint is k + 1. */
static void split(struct profile *p, uint32_t k, int64_t time, uint32_t resources)
{
    size_t row = resources * sizeof *p->free, after = p->count - k - 1;
    memmove(p->time + k + 2, p->time + k + 1, after * sizeof *p->time);
    memmove(p->free + (size_t)(k + 1) * resources, p->free + (size_t)k * resources,
            (after + 1) * row);
    p->time[k + 1] = time;
    p->count++;
}

static void join(struct profile *p, uint32_t k, uint32_t resources)
{
    size_t row = resources * sizeof *p->free, after = p->count - k - 1;
    memmove(p->time + k, p->time + k + 1, after * sizeof *p->time);
    memmove(p->free + (size_t)k * resources, p->free + (size_t)(k + 1) * resources, after * row);
    p->count--;
}

bool br_space_place(struct br_space *space, uint32_t stage, int64_t duration, struct br_fit fit,
                    uint32_t copies)
{
    const struct br_instance *in = space->in;
    uint32_t resources = space->resources;
    struct profile *p = &space->profile[fit.machine];
    if (space->steps == space->room) {
        uint64_t room = space->room ? 2 * space->room : 64;
        struct step *larger = realloc(space->trail, room * sizeof *larger);
        if (!larger)
            return false;
        space->trail = larger;
        space->room = room;
    }
    if (duration > 0 && !reserve(p, 3, resources))
        return false;
    struct step *step = &space->trail[space->steps];
    *step = (struct step){.begin = space->begin,
                          .end = space->end,
                          .start = fit.start,
                          .duration = duration,
                          .stage = stage,
                          .machine = fit.machine,
                          .copies = copies};
    int64_t end = fit.start + duration;
    if (space->steps == 0 || fit.start < space->begin)
        space->begin = fit.start;
    if (space->steps == 0 || end > space->end)
        space->end = end;
    space->steps++;
    if (duration == 0)
        return true;
    uint32_t cls = space->machine_class[fit.machine];
    if (p->count == 0) {
        p->count = 1;
        p->time[0] = SINCE_EVER;
        memcpy(p->free, in->capacity + (size_t)cls * resources, resources * sizeof *p->free);
        space->touched[cls]++;
    }
    uint32_t k = segment_at(p, fit.start);
    if (p->time[k] != fit.start) {
        split(p, k++, fit.start, resources);
        step->new_start = true;
    }
    const int64_t *demand = in->demand + (size_t)stage * resources;
    for (;; k++) {
        int64_t until = segment_end(p, k);
        if (until > end) {
            split(p, k, end, resources);
            step->new_end = true;
            until = end;
        }
        int64_t *row = p->free + (size_t)k * resources;
        for (uint32_t r = 0; r < resources; r++)
            row[r] -= demand[r] * copies;
        if (until == end)
            return true;
    }
}

uint64_t br_space_mark(const struct br_space *space)
{
    return space->steps;
}

void br_space_undo(struct br_space *space, uint64_t mark)
{
    uint32_t resources = space->resources;
    while (space->steps > mark) {
        const struct step *step = &space->trail[--space->steps];
        space->begin = step->begin;
        space->end = step->end;
        if (step->duration == 0)
            continue;
        struct profile *p = &space->profile[step->machine];
        const int64_t *demand = space->in->demand + (size_t)step->stage * resources;
        int64_t end = step->start + step->duration;
        uint32_t first = segment_at(p, step->start), k = first;
        for (; k < p->count && p->time[k] < end; k++) {
            int64_t *row = p->free + (size_t)k * resources;
            for (uint32_t r = 0; r < resources; r++)
                row[r] += demand[r] * step->copies;
        }
        if (step->new_end)
            join(p, k, resources);
        if (step->new_start)
            join(p, first, resources);
        if (p->count == 1) {
            p->count = 0;
            space->touched[space->machine_class[step->machine]]--;
        }
    }
}

int64_t br_space_begin(const struct br_space *space)
{
    return space->begin;
}

int64_t br_space_end(const struct br_space *space)
{
    return space->end;
}
