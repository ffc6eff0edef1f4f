/* Rounds by walking through the copies from the longest on, and the worth of one line by search. */
#include "planner/check/proofs/lines.h"

#include <assert.h>

#include "base/collections/sort.h"

/* Steps of the search for a line. */
#define STEPS_MOST INT64_C(10000000)
/* So many pairs of kinds that are looked at count as a step. */
enum { PAIRS_A_STEP = 16 };

/* A place in the list of copies. */
struct place {
    uint32_t group;
    br_wide left; /* copies of the group from here on */
    br_wide sum;  /* durations of all copies before */
};

static int longest_first(const void *a, const void *b)
{
    const struct br_line_copies *x = a, *y = b;
    return (x->duration < y->duration) - (x->duration > y->duration);
}

/* Walks on by that many copies, which are there. */
static void check_lines_walk(struct place *at, const struct br_line_copies *copies, br_wide count)
{
    while (count > at->left) {
        at->sum += at->left * copies[at->group].duration;
        count -= at->left;
        at->left = copies[++at->group].count;
    }
    at->sum += count * copies[at->group].duration;
    at->left -= count;
}

br_wide br_lines_time(struct br_line_copies *copies, uint32_t groups, int64_t lines)
{
    br_wide all = 0, work = 0;
    assert(lines > 0);
    if (groups == 0)
        return 0;
    br_sort_by(copies, groups, sizeof *copies, longest_first);
    for (uint32_t g = 0; g < groups; g++) {
        assert(copies[g].count > 0);
        all += copies[g].count;
        work += (br_wide)copies[g].count * copies[g].duration;
    }
    /* The q + 1 copies from `first` to `last` share a line. */
    struct place first = {.left = copies[0].count}, last = first;
    br_wide least = (work + lines - 1) / lines;
    check_lines_walk(&last, copies, 1);
    for (br_wide q = 0; q * lines < all; q++) {
        br_wide shared = last.sum - first.sum;
        least = shared > least ? shared : least;
        if ((q + 1) * lines < all) {
            check_lines_walk(&first, copies, lines - 1);
            check_lines_walk(&last, copies, lines);
        }
    }
    return least;
}

int64_t br_alone_slots(const struct br_instance *in, uint32_t stage)
{
    const int64_t *demand = in->demand + (size_t)stage * in->resources;
    int64_t tasks = in->stage_first[stage + 1] - in->stage_first[stage], slots = 0;
    for (uint32_t k = 0; k < in->classes; k++) {
        const int64_t *capacity = in->capacity + (size_t)k * in->resources;
        int64_t machines = in->class_first[k + 1] - in->class_first[k], each = tasks;
        for (uint32_t r = 0; r < in->resources; r++)
            if (demand[r] > 0 && capacity[r] / demand[r] < each)
                each = capacity[r] / demand[r];
        slots += machines * each;
    }
    assert(slots > 0); /* a demand that no machine holds makes no instance */
    return slots < tasks ? slots : tasks;
}

int64_t br_alone_rounds(const struct br_instance *in, uint32_t stage,
                        struct br_line_copies *scratch)
{
    uint32_t first = in->stage_first[stage], tasks = in->stage_first[stage + 1] - first;
    int64_t slots = br_alone_slots(in, stage);
    if (in->stage_equal[stage])
        return (tasks + slots - 1) / slots * in->stage_longest[stage];
    for (uint32_t i = 0; i < tasks; i++)
        scratch[i] = (struct br_line_copies){in->duration[first + i], 1};
    return (int64_t)br_lines_time(scratch, tasks, slots);
}

/* --- the worth of a line --------------------------------------------------------------------- */

struct line {
    struct br_valued kind[BR_VALUED_MOST]; /* most value for its time first */
    uint32_t kinds;
    br_wide enough;
    int64_t steps; /* left */
    /* [i][k]: of the time between before(i) and behind(k), what is not taken. */
    int64_t left[BR_VALUED_MOST][BR_VALUED_MOST];
};

/* Has to lie kind v between before(i) and behind(k)? */
static bool check_lines_between(const struct line *l, const struct br_valued *v, uint32_t i,
                                uint32_t k)
{
    return v->before >= l->kind[i].before && v->behind >= l->kind[k].behind;
}

/* How many tasks of kind v there is room for in all that it has to lie in. */
static int64_t check_lines_fit(const struct line *l, const struct br_valued *v)
{
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < l->kinds; i++)
        for (uint32_t k = 0; k < l->kinds; k++)
            if (check_lines_between(l, v, i, k) && l->left[i][k] < least)
                least = l->left[i][k];
    least = least < 0 ? 0 : least / v->duration;
    return least < v->count ? least : v->count;
}

static void check_lines_take(struct line *l, const struct br_valued *v, int64_t time)
{
    for (uint32_t i = 0; i < l->kinds; i++)
        for (uint32_t k = 0; k < l->kinds; k++)
            if (check_lines_between(l, v, i, k))
                l->left[i][k] -= time;
}

/* Is that more than `enough`: the worth so far and the most that kinds from k on can add, were the
 * last task cut to fit? */
static bool may_exceed(const struct line *l, uint32_t k, int64_t left, br_wide worth)
{
    for (; k < l->kinds && worth <= l->enough; k++) {
        const struct br_valued *v = &l->kind[k];
        int64_t most = left / v->duration;
        if (most < v->count) /* of this kind there is enough to fill the line */
            return worth + (br_wide)v->value * left / v->duration > l->enough;
        worth += (br_wide)v->value * v->count;
        left -= v->duration * v->count;
    }
    return worth > l->enough;
}

/* Fills the line with kinds from k on, which may exceed `enough`: with as many tasks of each as
 * fit, then with fewer. */
static enum br_line_answer check_lines_fill(struct line *l, uint32_t k, int64_t left, br_wide worth)
{
    if (worth > l->enough)
        return BR_LINE_YES;
    l->steps -= 1 + l->kinds * l->kinds / PAIRS_A_STEP;
    if (l->steps < 0)
        return BR_LINE_OPEN;
    const struct br_valued *v = &l->kind[k];
    enum br_line_answer answer = BR_LINE_NO;
    for (int64_t n = check_lines_fit(l, v); n >= 0 && answer == BR_LINE_NO; n--) {
        int64_t rest = left - n * v->duration;
        br_wide with = worth + (br_wide)v->value * n;
        if (!may_exceed(l, k + 1, rest, with))
            break; /* fewer of the dearest kind bring no more */
        check_lines_take(l, v, n * v->duration);
        answer = check_lines_fill(l, k + 1, rest, with);
        check_lines_take(l, v, -n * v->duration);
    }
    return answer;
}

static int dearest_first(const void *a, const void *b)
{
    const struct br_valued *x = a, *y = b;
    br_wide left = (br_wide)x->value * y->duration, right = (br_wide)y->value * x->duration;
    return (left < right) - (left > right);
}

enum br_line_answer br_line_worth_more(const struct br_valued *kind, uint32_t kinds, int64_t length,
                                       br_wide enough)
{
    struct line l = {.kinds = kinds, .enough = enough, .steps = STEPS_MOST};
    assert(kinds <= BR_VALUED_MOST);
    for (uint32_t k = 0; k < kinds; k++) {
        assert(kind[k].duration > 0 && kind[k].value >= 0);
        l.kind[k] = kind[k];
    }
    br_sort_by(l.kind, kinds, sizeof *l.kind, dearest_first);
    for (uint32_t i = 0; i < kinds; i++)
        for (uint32_t k = 0; k < kinds; k++)
            l.left[i][k] = length - l.kind[i].before - l.kind[k].behind;
    return may_exceed(&l, 0, length, 0) ? check_lines_fill(&l, 0, length, 0) : BR_LINE_NO;
}
