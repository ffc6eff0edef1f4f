/* Creating, filling and emptying a space. */
#include "planner/space/space.h"

#include <string.h>

#include "base/collections/memory.h"
#include "base/invariant.h"
#include "planner/space/space_profile.h"

struct br_space *br_space_create(const struct br_instance *in)
{
    struct br_space *space = br_calloc(1, sizeof *space);
    if (!space)
        return NULL;
    size_t cells = (size_t)in->classes * in->resources;
    space->in = in;
    space->resources = in->resources;
    space->profile = br_calloc(in->machines, sizeof *space->profile);
    space->touched = br_calloc(in->classes, sizeof *space->touched);
    space->machine_class = br_calloc(in->machines, sizeof *space->machine_class);
    space->weight = br_calloc(cells + 1, sizeof *space->weight);
    space->offer = br_malloc(in->machines * sizeof *space->offer);
    bool idle =
        br_idle_init(&space->idle[0], in->machines) && br_idle_init(&space->idle[1], in->machines);
    if (!idle || !space->profile || !space->touched || !space->machine_class || !space->weight ||
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
        for (uint32_t b = 0; b < space->profile[m].blocks; b++)
            br_free(space->profile[m].block[b]);
        br_free(space->profile[m].time);
        br_free(space->profile[m].block);
    }
    for (struct br_block *block = space->spare, *next; block; block = next) {
        next = block->next_spare;
        br_free(block);
    }
    br_idle_finish(&space->idle[0]);
    br_idle_finish(&space->idle[1]);
    br_free(space->profile);
    br_free(space->touched);
    br_free(space->machine_class);
    br_free(space->weight);
    br_free(space->offer);
    br_free(space->trail);
    br_free(space);
}

/* --- invariants ------------------------------------------------------------------------------- */

/* Whether a free vector lies between nothing and the whole machine; before the first and after the
 * last breakpoint it has to be the whole machine. */
static bool row_is_sound(const int64_t *free, const int64_t *capacity, uint32_t resources,
                         bool whole)
{
    for (uint32_t r = 0; r < resources; r++)
        if (free[r] < (whole ? capacity[r] : 0) || free[r] > capacity[r])
            return false;
    return true;
}

/* Whether the machine's profile is a step function as space_profile.h describes it: blocks that are
 * neither empty nor too full, breakpoints that ascend from minus infinity, free vectors within the
 * machine. And whether the indices of idle machines tell the same times as the profile. */
static bool profile_is_sound(const struct br_space *space, uint32_t machine)
{
    const struct br_profile *p = &space->profile[machine];
    const int64_t *capacity =
        space->in->capacity + (size_t)space->machine_class[machine] * space->resources;
    int64_t first = BR_SINCE_EVER, last = BR_SINCE_EVER;
    uint32_t seen = 0;
    for (uint32_t b = 0; p->count && b < p->blocks; b++) {
        const struct br_block *block = p->block[b];
        if (block->count == 0 || block->count > block->room || p->time[b] != block->time[0])
            return false;
        for (uint32_t k = 0; k < block->count; k++, seen++) {
            bool ascends = seen ? block->time[k] > last : block->time[k] == BR_SINCE_EVER;
            bool whole = seen == 0 || seen + 1 == p->count;
            if (!ascends || !row_is_sound(block->free + (size_t)k * space->resources, capacity,
                                          space->resources, whole))
                return false;
            last = block->time[k];
            if (seen == 1)
                first = last;
        }
    }
    return seen == p->count && p->count != 1 && br_idle_time(&space->idle[0], machine) == last &&
           br_idle_time(&space->idle[1], machine) == (p->count ? -first : BR_SINCE_EVER);
}

/* --- blocks ----------------------------------------------------------------------------------- */

static struct br_block *make_block(uint32_t room, uint32_t resources)
{
    size_t cells = (size_t)room * (1 + resources);
    struct br_block *block = br_malloc(sizeof *block + cells * sizeof *block->time);
    if (block) {
        block->room = room;
        block->count = 0;
        block->time = (int64_t *)(block + 1);
        block->free = block->time + room;
    }
    return block;
}

/* Moves `count` breakpoints, which may overlap. */
static void space_move(struct br_block *to, uint32_t at, const struct br_block *from,
                       uint32_t first, uint32_t count, uint32_t resources)
{
    memmove(to->time + at, from->time + first, count * sizeof *to->time);
    memmove(to->free + (size_t)at * resources, from->free + (size_t)first * resources,
            (size_t)count * resources * sizeof *to->free);
}

static void spare_block(struct br_space *space, struct br_block *block)
{
    if (block->room < BR_BLOCK) {
        br_free(block);
        return;
    }
    block->next_spare = space->spare;
    space->spare = block;
    space->spares++;
}

/* Room for two further breakpoints, wherever they come; a machine's first block grows with what it
 * holds. */
static bool space_reserve(struct br_space *space, struct br_profile *p)
{
    uint32_t resources = space->resources;
    if (p->room < p->blocks + 2) {
        uint32_t room = p->room ? 2 * p->room : 4;
        int64_t *time = br_realloc(p->time, room * sizeof *time);
        if (time)
            p->time = time;
        struct br_block **block = br_realloc(p->block, room * sizeof *block);
        if (block)
            p->block = block;
        if (!time || !block)
            return false;
        p->room = room;
    }
    if (p->blocks == 0 || (p->blocks == 1 && p->block[0]->room < BR_BLOCK &&
                           p->block[0]->count + 2 > p->block[0]->room)) {
        struct br_block *block = make_block(p->blocks ? 2 * p->block[0]->room : 8, resources);
        if (!block)
            return false;
        if (p->blocks) {
            block->count = p->block[0]->count;
            space_move(block, 0, p->block[0], 0, block->count, resources);
            br_free(p->block[0]);
        } else {
            p->blocks = 1;
            p->time[0] = BR_SINCE_EVER;
        }
        p->block[0] = block;
    }
    while (p->block[0]->room == BR_BLOCK && space->spares < 2) {
        struct br_block *block = make_block(BR_BLOCK, resources);
        if (!block)
            return false;
        spare_block(space, block);
    }
    return true;
}

/* Moves the upper half of a full block to a new one behind it. */
static void halve(struct br_space *space, struct br_profile *p, uint32_t number)
{
    struct br_block *low = p->block[number], *high = space->spare;
    assert(space->spares > 0 && number < p->blocks && p->blocks < p->room);
    space->spare = high->next_spare;
    space->spares--;
    high->count = low->count - low->count / 2;
    low->count /= 2;
    space_move(high, 0, low, low->count, high->count, space->resources);
    memmove(p->block + number + 2, p->block + number + 1,
            (p->blocks - number - 1) * sizeof(struct br_block *));
    memmove(p->time + number + 2, p->time + number + 1, (p->blocks - number - 1) * sizeof *p->time);
    p->block[number + 1] = high;
    p->time[number + 1] = high->time[0];
    p->blocks++;
}

/* Takes out a block whose breakpoints are no longer there. */
static void drop_block(struct br_space *space, struct br_profile *p, uint32_t number)
{
    assert(p->blocks > 1 && number < p->blocks);
    spare_block(space, p->block[number]);
    p->blocks--;
    memmove(p->block + number, p->block + number + 1,
            (p->blocks - number) * sizeof(struct br_block *));
    memmove(p->time + number, p->time + number + 1, (p->blocks - number) * sizeof *p->time);
}

/* Splits the segment at the time; returns the later half. */
static struct br_segment space_split(struct br_space *space, struct br_profile *p,
                                     struct br_segment k, int64_t time)
{
    if (p->block[k.block]->count == p->block[k.block]->room) {
        halve(space, p, k.block);
        if (k.at >= p->block[k.block]->count)
            k = (struct br_segment){k.block + 1, k.at - p->block[k.block]->count};
    }
    struct br_block *block = p->block[k.block];
    space_move(block, k.at + 1, block, k.at, block->count - k.at, space->resources);
    assert(block->time[k.at] < time && block->count < block->room);
    block->time[++k.at] = time;
    block->count++;
    p->count++;
    return k;
}

/* Joins the segment with the one before it. Blocks that together are half full become one. */
static void space_join(struct br_space *space, struct br_profile *p, struct br_segment k)
{
    struct br_block *block = p->block[k.block];
    block->count--;
    p->count--;
    space_move(block, k.at, block, k.at + 1, block->count - k.at, space->resources);
    if (k.at == 0 && block->count)
        p->time[k.block] = block->time[0];
    uint32_t low = k.block ? k.block - 1 : 0;
    if (p->blocks > 1 && p->block[low]->count + p->block[low + 1]->count <= BR_BLOCK / 2) {
        space_move(p->block[low], p->block[low]->count, p->block[low + 1], 0,
                   p->block[low + 1]->count, space->resources);
        p->block[low]->count += p->block[low + 1]->count;
        drop_block(space, p, low + 1);
    } else if (block->count == 0) {
        drop_block(space, p, k.block);
    }
}

/* --- placing and undoing ---------------------------------------------------------------------- */

/* Tells the indices from when on the machine is idle: after its last breakpoint, and before the
 * first one that is not minus infinity. */
static void show_idle(struct br_space *space, uint32_t machine)
{
    const struct br_profile *p = &space->profile[machine];
    int64_t after = INT64_MIN, before = INT64_MIN;
    if (p->count) {
        const struct br_block *last = p->block[p->blocks - 1];
        after = last->time[last->count - 1];
        before = -(p->block[0]->count > 1 ? p->block[0]->time[1] : p->time[1]);
    }
    br_idle_set(&space->idle[0], machine, after);
    br_idle_set(&space->idle[1], machine, before);
}

bool br_space_place(struct br_space *space, uint32_t stage, int64_t duration, struct br_fit fit,
                    uint32_t copies)
{
    const struct br_instance *in = space->in;
    uint32_t resources = space->resources;
    struct br_profile *p = &space->profile[fit.machine];
    br_costly_assert(fit.machine < in->machines && duration >= 0 && copies > 0);
    if (space->steps == space->room) {
        uint64_t room = space->room ? 2 * space->room : 64;
        struct br_step *larger = br_realloc(space->trail, room * sizeof *larger);
        if (!larger)
            return false;
        space->trail = larger;
        space->room = room;
    }
    if (duration > 0 && !space_reserve(space, p))
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
    p->changed = space->steps;
    uint32_t cls = space->machine_class[fit.machine];
    if (p->count == 0) {
        p->count = p->block[0]->count = 1;
        p->block[0]->time[0] = BR_SINCE_EVER;
        memcpy(p->block[0]->free, in->capacity + (size_t)cls * resources,
               resources * sizeof(int64_t));
        space->touched[cls]++;
    }
    struct br_segment k = br_profile_at(p, fit.start);
    if (br_profile_begin(p, k) != fit.start) {
        k = space_split(space, p, k, fit.start);
        step->new_start = true;
    }
    const int64_t *demand = in->demand + (size_t)stage * resources;
    int64_t below = 0;
    for (;; k = br_profile_next(p, k)) {
        int64_t until = br_profile_end(p, k);
        if (until > end) {
            struct br_segment rest = space_split(space, p, k, end);
            k = br_profile_previous(p, rest);
            step->new_end = true;
            until = end;
        }
        int64_t *row = br_profile_free(p, k, resources);
        for (uint32_t r = 0; r < resources; r++)
            below |= row[r] -= demand[r] * copies;
        if (until == end) {
            show_idle(space, fit.machine);
            assert(below >= 0); /* the placement leaves no resource below zero */
            (void)below;
            br_costly_assert(profile_is_sound(space, fit.machine));
            return true;
        }
    }
}

uint64_t br_space_mark(const struct br_space *space)
{
    return space->steps;
}

/* Undoes all steps at once: an idle machine has no profile to mend. */
static void space_empty(struct br_space *space)
{
    for (; space->steps; space->steps--) {
        const struct br_step *step = &space->trail[space->steps - 1];
        struct br_profile *p = &space->profile[step->machine];
        space->begin = step->begin;
        space->end = step->end;
        if (p->count == 0) /* a task without duration, or undone already */
            continue;
        while (p->blocks > 1)
            spare_block(space, p->block[--p->blocks]);
        p->count = p->block[0]->count = 0;
        p->changed = 0;
        assert(space->touched[space->machine_class[step->machine]] > 0);
        space->touched[space->machine_class[step->machine]]--;
        show_idle(space, step->machine);
        br_costly_assert(profile_is_sound(space, step->machine));
    }
}

void br_space_undo(struct br_space *space, uint64_t mark)
{
    uint32_t resources = space->resources;
    assert(mark <= space->steps);
    if (mark == 0)
        space_empty(space);
    while (space->steps > mark) {
        const struct br_step *step = &space->trail[--space->steps];
        space->begin = step->begin;
        space->end = step->end;
        if (step->duration == 0)
            continue;
        struct br_profile *p = &space->profile[step->machine];
        p->changed = 0; /* users that remember more of it have to begin anew */
        assert(p->count > 1);
        const int64_t *demand = space->in->demand + (size_t)step->stage * resources;
        int64_t end = step->start + step->duration;
        struct br_segment k = br_profile_at(p, step->start);
        for (;; k = br_profile_next(p, k)) {
            int64_t *row = br_profile_free(p, k, resources);
            for (uint32_t r = 0; r < resources; r++)
                row[r] += demand[r] * step->copies;
            if (br_profile_end(p, k) == end)
                break;
        }
        if (step->new_end)
            space_join(space, p, br_profile_next(p, k));
        if (step->new_start)
            space_join(space, p, br_profile_at(p, step->start));
        if (p->count == 1) {
            p->count = 0;
            assert(space->touched[space->machine_class[step->machine]] > 0);
            space->touched[space->machine_class[step->machine]]--;
        }
        show_idle(space, step->machine);
        br_costly_assert(profile_is_sound(space, step->machine));
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
