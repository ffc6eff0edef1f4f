#include "runtime/deadline/trials/trail.h"

#include <assert.h>
#include <stdlib.h>

bool br_trail_init(struct br_trail *trail, uint32_t bins)
{
    *trail = (struct br_trail){.bins = bins};
    trail->passage = calloc(bins, sizeof *trail->passage);
    return trail->passage;
}

void br_trail_finish(struct br_trail *trail)
{
    free(trail->passage);
    *trail = (struct br_trail){0};
}

void br_trail_begin(struct br_trail *trail)
{
    trail->bin = 0;
    trail->place = trail->since_s = 0;
    trail->passage[0] = (struct br_passage){0};
}

/* The place has held since the last step. */
static void deadline_trail_pass(struct br_trail *trail, double now_s)
{
    struct br_passage *passage = &trail->passage[trail->bin];
    double lasts_s = now_s - trail->since_s;
    assert(lasts_s >= 0);
    passage->time_s += lasts_s;
    passage->place_s += lasts_s * trail->place;
    passage->last = trail->place;
    trail->since_s = now_s;
}

static void enter_up_to(struct br_trail *trail, uint32_t bin, double now_s)
{
    while (trail->bin < bin)
        trail->passage[++trail->bin] = (struct br_passage){.enter_s = now_s};
}

void br_trail_step(struct br_trail *trail, double progress, double now_s)
{
    assert(progress >= 0 && progress <= 1);
    double at = progress * trail->bins;
    uint32_t bin = (uint32_t)at, before = trail->bin;
    deadline_trail_pass(trail, now_s);
    enter_up_to(trail, bin < trail->bins ? bin : trail->bins - 1, now_s);
    trail->place = at - trail->bin;
    if (trail->bin > before)
        trail->passage[trail->bin].first = trail->passage[trail->bin].last = trail->place;
}

void br_trail_end(struct br_trail *trail, double end_s)
{
    deadline_trail_pass(trail, end_s);
    enter_up_to(trail, trail->bins - 1, end_s);
}
