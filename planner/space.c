/* Creating, filling and emptying a space. */
#include "planner/space_profile.h"

#include <stdlib.h>
#include <string.h>

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
    space->offer = malloc(in->machines * sizeof *space->offer);
    if (!space->profile || !space->touched || !space->machine_class || !space->weight ||
        !space->offer) {
        br_space_destroy(space);
        return NULL;
    }
    br_space_set_weights(space, NULL);
    for (uint32_t c = 0; c < in->classes; c++)
        for (uint32_t m = in->class_first[c]; m < in->class_first[c + 1]; m++)
            space->machine_class[m] = c;
    return space;
}

void br_space_set_weights(struct br_space *space, const double *factor)
{
    const struct br_instance *in = space->in;
    for (uint32_t c = 0; c < in->classes; c++)
        for (uint32_t r = 0; r < in->resources; r++) {
            size_t i = (size_t)c * in->resources + r;
            double capacity = (double)in->capacity[i];
            if (in->capacity[i])
                space->weight[i] = (factor ? factor[r] : 1.0) / (capacity * capacity);
        }
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
    free(space->offer);
    free(space->trail);
    free(space);
}

/* Room for `more` further breakpoints. */
static bool reserve(struct br_profile *p, uint32_t more, uint32_t resources)
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
static void split(struct br_profile *p, uint32_t k, int64_t time, uint32_t resources)
{
    size_t row = resources * sizeof *p->free, after = p->count - k - 1;
    memmove(p->time + k + 2, p->time + k + 1, after * sizeof *p->time);
    memmove(p->free + (size_t)(k + 1) * resources, p->free + (size_t)k * resources,
            (after + 1) * row);
    p->time[k + 1] = time;
    p->count++;
}

static void join(struct br_profile *p, uint32_t k, uint32_t resources)
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
    struct br_profile *p = &space->profile[fit.machine];
    if (space->steps == space->room) {
        uint64_t room = space->room ? 2 * space->room : 64;
        struct br_step *larger = realloc(space->trail, room * sizeof *larger);
        if (!larger)
            return false;
        space->trail = larger;
        space->room = room;
    }
    if (duration > 0 && !reserve(p, 3, resources))
        return false;
    struct br_step *step = &space->trail[space->steps];
    *step = (struct br_step){.begin = space->begin,
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
        p->time[0] = BR_SINCE_EVER;
        memcpy(p->free, in->capacity + (size_t)cls * resources, resources * sizeof *p->free);
        space->touched[cls]++;
    }
    uint32_t k = br_profile_at(p, fit.start);
    if (p->time[k] != fit.start) {
        split(p, k++, fit.start, resources);
        step->new_start = true;
    }
    const int64_t *demand = in->demand + (size_t)stage * resources;
    for (;; k++) {
        int64_t until = br_profile_end(p, k);
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
        const struct br_step *step = &space->trail[--space->steps];
        space->begin = step->begin;
        space->end = step->end;
        if (step->duration == 0)
            continue;
        struct br_profile *p = &space->profile[step->machine];
        const int64_t *demand = space->in->demand + (size_t)step->stage * resources;
        int64_t end = step->start + step->duration;
        uint32_t first = br_profile_at(p, step->start), k = first;
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
