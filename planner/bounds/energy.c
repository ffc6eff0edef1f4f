/* Energetic reasoning [Baptiste04] without a makespan to refute: where no task is longer than the
 * interval, what must run between a and b does not depend on the makespan. So the bound is
 * a + b + energy / capacity, for the best a and b.
 *
 * For a fixed b a task of which c = min(d, t + d - b) is left adds nothing where a >= h + d, one
 * for one below that, and c from h + d - c on. So over a the energy is linear in pieces, and the
 * bound is best where a task's last piece begins, at some h + d - c. Over b it is best at some
 * tail, or where the same holds with heads and tails exchanged, which is not tried. */
#include "planner/bounds/energy.h"

#include <assert.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/wide.h"

/* Most steps (stages x thresholds x measures) that all b together may take; as many steps may go
 * into intervals that are shorter than some task. */
#define STEPS_MOST 20000000u

/* Of a measure, the energy between a and b: level - slope x a. */
struct line {
    const struct br_measure *measure;
    int64_t reach; /* all work by capacity: an interval as long holds it */
    br_wide level, slope;
};

struct search {
    const struct br_windows *w;
    const struct br_instance *in;
    const struct br_measures *ms;
    int64_t least;
    struct br_energy best;
    uint64_t steps;                     /* left, for short intervals */
    int64_t longest, latest;            /* duration; end as far to the left as it goes */
    struct line *line;                  /* by reach downwards */
    struct br_sort_item *begin;         /* stages by the end of the head's run, downwards */
    struct br_sort_item *whole, *spare; /* stages by where nothing more is added, downwards */
};

static uint64_t downwards(int64_t time)
{
    return ~br_sort_key(time);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Most sums fit 64 bits, of which the quotient takes a tenth of the time. */
static int64_t rounded_up(br_wide sum, int64_t capacity)
{
    if (sum <= INT64_MAX - capacity)
        return ((int64_t)sum + capacity - 1) / capacity;
    return (int64_t)((sum + capacity - 1) / capacity);
}

/* What is left of a task of the stage before b. Of tasks that last differently all or nothing. */
static int64_t left_before(const struct search *e, uint32_t s, int64_t b)
{
    int64_t d = e->in->stage_longest[s], late = e->w->stage_tail[s] - b;
    if (late >= 0)
        return d;
    return e->in->stage_equal[s] && d + late > 0 ? d + late : 0;
}

/* The most of `length` for which the energy between a and b exceeds an interval as long; -1: none
 * that gives more than there is, or too many steps. A task whose head and tail are both outside
 * fills no more of the interval than all. Others never do, within a makespan that holds their heads
 * and tails. So the energy is linear in pieces, bent downwards; each step goes to where the piece
 * would meet the interval. */
static int64_t overfull(struct search *e, const struct br_measure *measure, int64_t a, int64_t b,
                        int64_t length)
{
    const struct br_instance *in = e->in;
    while (length >= 0 && a + b + length >= e->least && e->steps >= in->stages) {
        br_wide fixed = 0, whole = 0; /* energy; weight of those that fill all of the interval */
        e->steps -= in->stages;
        for (uint32_t s = 0; s < in->stages; s++) {
            int64_t head = e->w->stage_head[s], part = left_before(e, s, b);
            br_wide weight = measure->weight[s];
            if (!in->stage_equal[s]) {
                fixed += part > 0 && head >= a ? weight * e->ms->work[s] : 0;
                continue;
            }
            weight *= in->stage_first[s + 1] - in->stage_first[s];
            part = smaller(part, head + in->stage_longest[s] - a);
            if (part >= length && head < a && e->w->stage_tail[s] < b)
                whole += weight;
            else if (part > 0)
                fixed += weight * part;
        }
        if (fixed + whole * length > (br_wide)length * measure->capacity)
            return length;
        if (whole >= measure->capacity)
            return -1;
        length = rounded_up(fixed, measure->capacity - (int64_t)whole) - 1;
    }
    return -1;
}

/* Notes a and b, where their energy gives more than all before. Those between which the makespan
 * known already leaves no time are passed over: in the tests' jobs they bring nothing more. */
static void take(struct search *e, const struct br_measure *measure, int64_t a, int64_t b,
                 br_wide energy)
{
    int64_t apart = e->least - a - b;
    if (apart < 0 || (apart == 0 && e->least > 0) || energy <= (br_wide)apart * measure->capacity)
        return;
    int64_t length = rounded_up(energy, measure->capacity) - 1;
    if (length < e->longest)
        length = overfull(e, measure, a, b, length);
    if (length < 0)
        return;
    assert(a + b + length >= e->least);
    e->least = a + b + length + 1;
    e->best = (struct br_energy){measure, a, b};
}

/* Adds a stage to the energy below h + d, or takes that back and adds all of it. */
static void turn(struct search *e, uint32_t lines, uint32_t s, int64_t left, bool whole)
{
    const struct br_instance *in = e->in;
    bool equal = in->stage_equal[s];
    br_wide end = e->w->stage_head[s] + in->stage_longest[s];
    br_wide tasks = in->stage_first[s + 1] - in->stage_first[s];
    for (uint32_t m = 0; m < lines; m++) {
        br_wide weight = e->line[m].measure->weight[s];
        if (weight == 0)
            continue;
        if (!equal) {
            e->line[m].level += weight * e->ms->work[s];
        } else if (whole) {
            e->line[m].level += weight * tasks * (left - end);
            e->line[m].slope -= weight * tasks;
        } else {
            e->line[m].level += weight * tasks * end;
            e->line[m].slope += weight * tasks;
        }
    }
}

/* How many lines may still exceed an interval between a and b, or a longer one. */
static uint32_t in_reach(const struct search *e, uint32_t lines, int64_t a, int64_t b)
{
    while (lines > 0 && e->least - a - b >= e->line[lines - 1].reach)
        lines--;
    return lines;
}

/* All a, downwards, for one b. */
static void go_over(struct search *e, int64_t b)
{
    const struct br_instance *in = e->in;
    uint32_t n = in->stages, begun = 0, lines = in_reach(e, e->ms->count, e->latest, b);
    if (lines == 0)
        return;
    for (uint32_t m = 0; m < lines; m++)
        e->line[m].level = e->line[m].slope = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t s = e->whole[k].item;
        int64_t end = e->w->stage_head[s] + in->stage_longest[s];
        e->whole[k].key = downwards(end - left_before(e, s, b));
    }
    br_sort(e->whole, e->spare, n);
    for (uint32_t k = 0; k < n && lines > 0; k++) {
        uint32_t s = e->whole[k].item;
        int64_t left = left_before(e, s, b);
        int64_t a = e->w->stage_head[s] + in->stage_longest[s] - left;
        lines = in_reach(e, lines, a, b);
        for (; begun < n && e->begin[begun].key < e->whole[k].key; begun++)
            if (in->stage_equal[e->begin[begun].item] &&
                left_before(e, e->begin[begun].item, b) > 0)
                turn(e, lines, e->begin[begun].item, 0, false);
        if (left == 0)
            continue;
        turn(e, lines, s, left, true);
        for (uint32_t m = 0; m < lines; m++) {
            const struct line *line = &e->line[m];
            if (line->measure->weight[s] > 0)
                take(e, line->measure, a, b, line->level - line->slope * a);
        }
    }
}

static int by_reach_downwards(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->reach != y->reach)
        return x->reach > y->reach ? -1 : 1;
    return x->measure < y->measure ? -1 : x->measure > y->measure;
}

static void make_lines(struct search *e)
{
    for (uint32_t m = 0; m < e->ms->count; m++) {
        const struct br_measure *measure = &e->ms->measure[m];
        br_wide work = 0;
        for (uint32_t s = 0; s < e->in->stages; s++)
            work += (br_wide)measure->weight[s] * e->ms->work[s];
        e->line[m] =
            (struct line){.measure = measure, .reach = rounded_up(work, measure->capacity)};
    }
    br_sort_by(e->line, e->ms->count, sizeof *e->line, by_reach_downwards);
}

int64_t br_windows_energy(const struct br_windows *windows, const struct br_instance *in,
                          const struct br_measures *measures, int64_t least, struct br_energy *best)
{
    uint32_t n = in->stages, tails = 0;
    struct search e = {.w = windows, .in = in, .ms = measures, .least = least, .steps = STEPS_MOST};
    struct br_sort_item *items = br_malloc(4 * (size_t)n * sizeof *items);
    e.line = br_malloc(((size_t)measures->count + 1) * sizeof *e.line);
    if (best)
        *best = (struct br_energy){0};
    if (!items || !e.line) {
        e.least = -1;
        goto out;
    }
    struct br_sort_item *tail = items;
    e.begin = items + n;
    e.whole = items + 2 * (size_t)n;
    e.spare = items + 3 * (size_t)n;
    for (uint32_t s = 0; s < n; s++) {
        int64_t d = in->stage_longest[s];
        e.longest = larger(e.longest, d);
        e.latest = larger(e.latest, windows->stage_head[s] + d);
        tail[s] = (struct br_sort_item){br_sort_key(windows->stage_tail[s]), s};
        e.begin[s] = (struct br_sort_item){downwards(windows->stage_head[s] + d), s};
        e.whole[s] = (struct br_sort_item){0, s};
    }
    make_lines(&e);
    br_sort(tail, e.spare, n);
    br_sort(e.begin, e.spare, n);
    for (uint32_t k = 0; k < n; k++)
        if (k == 0 || tail[k].key != tail[tails - 1].key)
            tail[tails++] = tail[k];
    uint64_t tries = STEPS_MOST / ((uint64_t)n * (measures->count + 1)) + 1;
    tries = tries < tails ? tries : tails;
    /* Spread over all, with the smallest among them, which leaves all of every stage. */
    for (uint64_t k = 0; k < tries; k++)
        go_over(&e, windows->stage_tail[tail[(tails - 1) * k / (tries > 1 ? tries - 1 : 1)].item]);
    if (best)
        *best = e.best;
out:
    br_free(items);
    br_free(e.line);
    return e.least;
}
