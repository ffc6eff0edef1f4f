/* Energetic reasoning [Baptiste04] without a makespan to refute: if no task is longer than the
 * interval, what must run between a and b does not depend on the makespan. So the bound is a + b +
 * energy / capacity, for the best a and b.
 *
 * For a fixed b, a task with c = min(d, t + d - b) left adds nothing if a >= h + d, one for one
 * below that, and c from h + d - c on. So the energy is piecewise linear in a, and the bound is
 * best at the beginning of some task's last piece, at h + d - c. In b it is best at some tail, or
 * at such a point with heads and tails exchanged, which is not tried. */
#include "planner/bounds/energy.h"

#include <assert.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/wide.h"

/* Most steps (stages x thresholds x measures) for all b together; the same number may go into
 * intervals that are shorter than some task. */
#define STEPS_MOST 20000000u
/* Small enough that some such numbers add up to less than 63 bits. */
#define NARROW_MOST ((br_wide)1 << 59)

/* A measure as the search sees it. */
struct line {
    const struct br_measure *measure;
    int64_t reach;  /* all work by capacity: the length of an interval that holds it */
    br_wide weight; /* of all tasks */
    bool narrow; /* its energy and all intermediate results fit 64 bits, as they nearly always do */
};

/* The points of a at which a stage turns the energy of a measure: for each unit of the stage's
 * weight it grows by slope for each tick below a, or by work at once. */
struct turn {
    int64_t a, slope, work;
    uint32_t stage;
    bool whole; /* below that, the stage adds nothing more */
};

struct search {
    const struct br_windows *w;
    const struct br_instance *in;
    const struct br_measures *ms;
    int64_t least;
    struct br_energy best;
    uint64_t steps;             /* left, for short intervals */
    int64_t longest, latest;    /* duration; end as far to the left as it goes */
    struct line *line;          /* by reach downwards */
    struct turn *turn;          /* of one b, by a downwards; room for two of each stage */
    struct br_sort_item *begin; /* stages by the end of the head's run, downwards */
    struct br_sort_item *whole,
        *spare; /* stages by the point at which nothing more is added, downwards */
};

static uint64_t bounds_energy_downwards(int64_t time)
{
    return ~br_sort_key(time);
}

static int64_t bounds_energy_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t bounds_energy_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Most sums fit 64 bits, whose quotient takes a tenth of the time. */
static int64_t bounds_energy_rounded_up(br_wide sum, int64_t capacity)
{
    if (sum <= INT64_MAX - capacity)
        return ((int64_t)sum + capacity - 1) / capacity;
    return (int64_t)((sum + capacity - 1) / capacity);
}

static int64_t bounds_energy_tasks_of(const struct br_instance *in, uint32_t stage)
{
    return in->stage_first[stage + 1] - in->stage_first[stage];
}

/* The part of a task of the stage that is left before b. For tasks of different durations, all or
 * nothing. */
static int64_t left_before(const struct search *e, uint32_t s, int64_t b)
{
    int64_t d = e->in->stage_longest[s], late = e->w->stage_tail[s] - b;
    if (late >= 0)
        return d;
    return e->in->stage_equal[s] && d + late > 0 ? d + late : 0;
}

/* The largest `length` for which the energy between a and b exceeds an interval of that length; -1:
 * none gives more than the best so far, or there are too many steps. A task whose head and tail are
 * both outside fills no more of the interval than all. Others never do, within a makespan that
 * holds their heads and tails. So the energy is piecewise linear and concave; each step goes to the
 * point at which the piece would meet the interval. */
static int64_t bounds_energy_overfull(struct search *e, const struct br_measure *measure, int64_t a,
                                      int64_t b, int64_t length)
{
    const struct br_instance *in = e->in;
    while (length >= 0 && a + b + length >= e->least && e->steps >= in->stages) {
        br_wide fixed = 0, whole = 0; /* energy; weight of those that fill all of the interval */
        e->steps -= in->stages;
        for (uint32_t s = 0; s < in->stages; s++) {
            int64_t head = e->w->stage_head[s], part = left_before(e, s, b);
            if (!in->stage_equal[s]) {
                if (part > 0 && head >= a)
                    fixed += (br_wide)measure->weight[s] * e->ms->work[s];
                continue;
            }
            part = bounds_energy_smaller(part, head + in->stage_longest[s] - a);
            if (part <= 0)
                continue;
            if (part >= length && head < a && e->w->stage_tail[s] < b)
                whole += (br_wide)measure->weight[s] * bounds_energy_tasks_of(in, s);
            else
                fixed += (br_wide)measure->weight[s] * (bounds_energy_tasks_of(in, s) * part);
        }
        if (fixed + whole * length > (br_wide)length * measure->capacity)
            return length;
        if (whole >= measure->capacity)
            return -1;
        length = bounds_energy_rounded_up(fixed, measure->capacity - (int64_t)whole) - 1;
    }
    return -1;
}

/* Notes a and b if this energy of the measure gives more than all before. */
static void bounds_energy_take(struct search *e, const struct br_measure *measure, int64_t a,
                               int64_t b, br_wide energy)
{
    int64_t length = bounds_energy_rounded_up(energy, measure->capacity) - 1;
    if (length < e->longest)
        length = bounds_energy_overfull(e, measure, a, b, length);
    if (length < 0)
        return;
    assert(a + b + length >= e->least);
    e->least = a + b + length + 1;
    e->best = (struct br_energy){measure, a, b};
}

/* All a, downwards, for one line and one b, in numbers of one kind. It skips those between which
 * the known makespan leaves no time: in the tests' jobs they gain nothing. The energy is level -
 * slope x a. */
#define WALK(NAME, NUMBER)                                                                         \
    static void NAME(struct search *e, const struct line *line, uint32_t turns, int64_t b)         \
    {                                                                                              \
        const struct br_measure *measure = line->measure;                                          \
        const NUMBER capacity = measure->capacity;                                                 \
        NUMBER level = 0, slope = 0;                                                               \
        for (const struct turn *turn = e->turn; turn < e->turn + turns; turn++) {                  \
            const int64_t apart = e->least - turn->a - b;                                          \
            if (turn->whole && apart >= line->reach)                                               \
                return;                                                                            \
            const NUMBER weight = measure->weight[turn->stage];                                    \
            level += weight * ((NUMBER)turn->slope * turn->a + turn->work);                        \
            slope += weight * turn->slope;                                                         \
            if (!turn->whole || apart < 0 || (apart == 0 && e->least > 0) || weight == 0)          \
                continue;                                                                          \
            const NUMBER energy = level - slope * turn->a;                                         \
            if (energy > apart * capacity)                                                         \
                bounds_energy_take(e, measure, turn->a, b, energy);                                \
        }                                                                                          \
    }

WALK(walk_narrow, int64_t)
WALK(walk_wide, br_wide)

/* Lists the points at which the energy before b turns, by a downwards. */
static uint32_t list_turns(struct search *e, int64_t b)
{
    const struct br_instance *in = e->in;
    uint32_t n = in->stages, begun = 0, turns = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t s = e->whole[k].item;
        int64_t end = e->w->stage_head[s] + in->stage_longest[s];
        e->whole[k].key = bounds_energy_downwards(end - left_before(e, s, b));
    }
    br_sort(e->whole, e->spare, n);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t s = e->whole[k].item;
        int64_t left = left_before(e, s, b);
        int64_t a = e->w->stage_head[s] + in->stage_longest[s] - left;
        for (; begun < n && e->begin[begun].key < e->whole[k].key; begun++) {
            uint32_t u = e->begin[begun].item;
            int64_t end = e->w->stage_head[u] + in->stage_longest[u];
            if (in->stage_equal[u] && left_before(e, u, b) > 0)
                e->turn[turns++] = (struct turn){end, bounds_energy_tasks_of(in, u), 0, u, false};
        }
        if (left == 0)
            continue;
        e->turn[turns++] = in->stage_equal[s]
                               ? (struct turn){a, -bounds_energy_tasks_of(in, s), 0, s, true}
                               : (struct turn){a, 0, e->ms->work[s], s, true};
    }
    return turns;
}

/* All a and all lines for one b. */
static void go_over(struct search *e, int64_t b)
{
    uint32_t lines = e->ms->count, turns = 0;
    for (uint32_t m = 0; m < lines && e->least - e->latest - b < e->line[m].reach; m++) {
        if (m == 0)
            turns = list_turns(e, b);
        if (e->line[m].narrow)
            walk_narrow(e, &e->line[m], turns, b);
        else
            walk_wide(e, &e->line[m], turns, b);
    }
}

static int by_reach_downwards(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->reach != y->reach)
        return x->reach > y->reach ? -1 : 1;
    return x->measure < y->measure ? -1 : x->measure > y->measure;
}

static void bounds_energy_make_lines(struct search *e, int64_t largest_tail)
{
    const struct br_instance *in = e->in;
    int64_t reach = 0;
    for (uint32_t m = 0; m < e->ms->count; m++) {
        const struct br_measure *measure = &e->ms->measure[m];
        br_wide work = 0, weight = 0;
        for (uint32_t s = 0; s < in->stages; s++) {
            work += (br_wide)measure->weight[s] * e->ms->work[s];
            weight += (br_wide)measure->weight[s] * bounds_energy_tasks_of(in, s);
        }
        int64_t own = bounds_energy_rounded_up(work, measure->capacity);
        reach = bounds_energy_larger(reach, own);
        e->line[m] = (struct line){measure, own, weight, false};
    }
    /* No time or length that is met is larger. */
    br_wide last = (br_wide)e->latest + largest_tail + e->longest + e->least + reach + 1;
    for (uint32_t m = 0; m < e->ms->count; m++) {
        br_wide most = NARROW_MOST / last;
        e->line[m].narrow =
            in->tasks <= most && e->line[m].weight <= most && e->line[m].measure->capacity <= most;
    }
    br_sort_by(e->line, e->ms->count, sizeof *e->line, by_reach_downwards);
}

int64_t br_windows_energy(const struct br_windows *windows, const struct br_instance *in,
                          const struct br_measures *measures, int64_t least, int64_t enough,
                          struct br_energy *best)
{
    uint32_t n = in->stages, tails = 0;
    struct search e = {.w = windows, .in = in, .ms = measures, .least = least, .steps = STEPS_MOST};
    struct br_sort_item *items = br_malloc(4 * (size_t)n * sizeof *items);
    e.line = br_malloc(((size_t)measures->count + 1) * sizeof *e.line);
    e.turn = br_malloc(2 * (size_t)n * sizeof *e.turn);
    if (best)
        *best = (struct br_energy){0};
    if (!items || !e.line || !e.turn) {
        e.least = -1;
        goto out;
    }
    struct br_sort_item *tail = items;
    e.begin = items + n;
    e.whole = items + 2 * (size_t)n;
    e.spare = items + 3 * (size_t)n;
    for (uint32_t s = 0; s < n; s++) {
        int64_t d = in->stage_longest[s];
        e.longest = bounds_energy_larger(e.longest, d);
        e.latest = bounds_energy_larger(e.latest, windows->stage_head[s] + d);
        tail[s] = (struct br_sort_item){br_sort_key(windows->stage_tail[s]), s};
        e.begin[s] = (struct br_sort_item){bounds_energy_downwards(windows->stage_head[s] + d), s};
        e.whole[s] = (struct br_sort_item){0, s};
    }
    br_sort(tail, e.spare, n);
    br_sort(e.begin, e.spare, n);
    for (uint32_t k = 0; k < n; k++)
        if (k == 0 || tail[k].key != tail[tails - 1].key)
            tail[tails++] = tail[k];
    bounds_energy_make_lines(&e, windows->stage_tail[tail[tails - 1].item]);
    uint64_t tries = STEPS_MOST / ((uint64_t)n * (measures->count + 1)) + 1;
    tries = tries < tails ? tries : tails;
    /* Spread over all tails, with the smallest among them, which leaves all of every stage. */
    for (uint64_t k = 0; k < tries && e.least < enough && !br_stopped(measures->stop); k++)
        go_over(&e, windows->stage_tail[tail[(tails - 1) * k / (tries > 1 ? tries - 1 : 1)].item]);
    if (best)
        *best = e.best;
out:
    br_free(items);
    br_free(e.line);
    br_free(e.turn);
    return e.least;
}
