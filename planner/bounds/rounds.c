/* Groups of copies are kept by duration while stages are added by head downwards. */
#include "planner/bounds/rounds.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/numbers/wide.h"

/* Most steps (stages x thresholds x measures x groups), and rounds looked at. */
#define ROUNDS_STEPS 30000000u
#define ROUNDS_MOST 4096u

/* A place in a walk through copies: the group, how many of its copies are behind, and the durations
 * up to there. */
struct mark {
    uint32_t group;
    int64_t passed; /* copies in the groups before */
    br_wide sum;    /* of their durations */
};

/* The sum of the `count` longest; count never falls from call to call. */
static br_wide bounds_rounds_longest(struct mark *mark, const struct br_copies *group,
                                     int64_t count)
{
    while (mark->passed + group[mark->group].count < count) {
        mark->sum += (br_wide)group[mark->group].count * group[mark->group].duration;
        mark->passed += group[mark->group].count;
        mark->group++;
    }
    return mark->sum + (br_wide)(count - mark->passed) * group[mark->group].duration;
}

int64_t br_rounds(const struct br_copies *group, uint32_t groups, int64_t capacity, uint32_t rounds)
{
    br_wide work = 0;
    int64_t all = 0;
    struct mark low = {0, 0, 0}, high = {0, 0, 0};
    assert(capacity > 0);
    if (groups == 0)
        return 0;
    for (uint32_t g = 0; g < groups; g++) {
        assert(g == 0 || group[g].duration <= group[g - 1].duration);
        all += group[g].count;
        work += (br_wide)group[g].count * group[g].duration;
    }
    br_wide best = (work + capacity - 1) / capacity;
    best = group[0].duration > best ? group[0].duration : best;
    for (uint32_t q = 1; q <= rounds && (br_wide)q * capacity < all; q++) {
        int64_t count = q * capacity + 1; /* at most all */
        br_wide sum = bounds_rounds_longest(&high, group, count) -
                      bounds_rounds_longest(&low, group, count - q - 1);
        best = sum > best ? sum : best;
    }
    return (int64_t)best;
}

/* Counts of copies stay far within 63 bits. */
#define COPIES_MOST (INT64_MAX / 4)

static void bounds_rounds_insert(struct br_copies *group, uint32_t *groups, int64_t duration,
                                 int64_t count)
{
    uint32_t at = *groups;
    while (at > 0 && group[at - 1].duration < duration)
        at--;
    if (at > 0 && group[at - 1].duration == duration) {
        group[at - 1].count += count;
        return;
    }
    memmove(group + at + 1, group + at, (*groups - at) * sizeof *group);
    group[at] = (struct br_copies){duration, count};
    ++*groups;
}

/* Is br_rounds of copies with this work, the longest of this duration, at most this many ticks for
 * sure? The q + 1 shortest of the q x capacity + 1 longest copies are (q + 1) / (q x capacity + 1)
 * of the work of these at most, which is greatest for q = 1. */
static bool rounds_within(br_wide work, int64_t longest_ticks, int64_t capacity, int64_t ticks)
{
    return longest_ticks <= ticks && work <= (br_wide)ticks * capacity &&
           2 * work < ((br_wide)ticks + 1) * ((br_wide)capacity + 1);
}

/* A stage as one measure sees it. */
struct counted {
    int64_t head, tail;
    int64_t copies;   /* of all its tasks together */
    int64_t duration; /* of the shortest task, not 0 */
};

/* The stages that the measure counts, by head downwards as `head` lists them. */
static uint32_t count_stages(const struct br_windows *w, const struct br_instance *in,
                             const struct br_measure *m, const struct br_by_time *head,
                             const int64_t *shortest, struct counted *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < in->stages; i++) {
        uint32_t s = head[i].stage;
        br_wide copies = (br_wide)(in->stage_first[s + 1] - in->stage_first[s]) * m->weight[s];
        if (copies == 0 || shortest[s] == 0)
            continue;
        /* A sum of two such numbers ends the walk; see try_tail. */
        int64_t most = copies > COPIES_MOST ? COPIES_MOST + 1 : (int64_t)copies;
        out[count++] = (struct counted){head[i].time, w->stage_tail[s], most, shortest[s]};
    }
    return count;
}

/* The largest b before which copies for more than one round must run; -1 if there is none. The
 * stages are listed by tail upwards. */
static int64_t several_rounds(const struct br_instance *in, const struct br_measure *m,
                              const struct br_by_time *tail, const int64_t *shortest)
{
    br_wide copies = 0;
    for (uint32_t i = in->stages; i-- > 0;) {
        uint32_t s = tail[i].stage;
        if (shortest[s] > 0)
            copies += (br_wide)(in->stage_first[s + 1] - in->stage_first[s]) * m->weight[s];
        if (copies > m->capacity)
            return tail[i].time;
    }
    return -1;
}

/* One measure and one b: all a, downwards. */
static int64_t try_tail(const struct br_measure *m, const struct counted *stage, uint32_t stages,
                        int64_t b, int64_t least, struct br_copies *group, struct br_energy *best)
{
    uint32_t groups = 0, taken = 0; /* stages before `taken` are in the groups */
    br_wide work = 0;
    int64_t copies = 0, longest_ticks = 0;
    for (uint32_t i = 0; i < stages; i++) {
        if (stage[i].tail < b)
            continue;
        copies += stage[i].copies;
        if (copies > COPIES_MOST)
            break;
        work += (br_wide)stage[i].copies * stage[i].duration;
        longest_ticks = stage[i].duration > longest_ticks ? stage[i].duration : longest_ticks;
        if (copies <= m->capacity) /* a single round */
            continue;
        if (rounds_within(work, longest_ticks, m->capacity, least - stage[i].head - b))
            continue;
        for (; taken <= i; taken++)
            if (stage[taken].tail >= b)
                bounds_rounds_insert(group, &groups, stage[taken].duration, stage[taken].copies);
        int64_t bound = stage[i].head + b + br_rounds(group, groups, m->capacity, ROUNDS_MOST);
        if (bound > least) {
            least = bound;
            if (best)
                *best = (struct br_energy){m, stage[i].head, b};
        }
    }
    return least;
}

int64_t br_windows_rounds(const struct br_windows *w, const struct br_instance *in,
                          const struct br_measures *measures, int64_t least, struct br_energy *best)
{
    uint32_t n = in->stages, tails = 0;
    struct br_by_time *head = br_malloc(n * sizeof *head), *tail = br_malloc(n * sizeof *tail);
    struct br_copies *group = br_malloc(((size_t)n + 1) * sizeof *group);
    int64_t *shortest = br_malloc(n * sizeof *shortest);
    struct counted *stage = br_malloc(((size_t)n * measures->count + 1) * sizeof *stage);
    uint32_t *stages = br_malloc(((size_t)measures->count + 1) * sizeof *stages);
    int64_t *latest = br_malloc(((size_t)measures->count + 1) * sizeof *latest);
    bool ok = head && tail && group && shortest && stage && stages && latest;
    if (best)
        *best = (struct br_energy){0};
    for (uint32_t s = 0; ok && s < n; s++) {
        head[s] = (struct br_by_time){w->stage_head[s], s};
        tail[s] = (struct br_by_time){w->stage_tail[s], s};
        shortest[s] = in->stage_longest[s];
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            shortest[s] = in->duration[t] < shortest[s] ? in->duration[t] : shortest[s];
    }
    if (ok) {
        br_by_time_sort(head, n);
        br_by_time_sort(tail, n);
    }
    for (uint32_t m = 0; ok && m < measures->count; m++) {
        const struct br_measure *measure = &measures->measure[m];
        stages[m] = count_stages(w, in, measure, head, shortest, stage + (size_t)m * n);
        latest[m] = several_rounds(in, measure, tail, shortest);
    }
    for (uint32_t k = 0; ok && k < n; k++)
        if (k == 0 || tail[k].time != tail[tails - 1].time)
            tail[tails++].time = tail[k].time;
    uint64_t tries = ROUNDS_STEPS / ((uint64_t)n * n * (measures->count + 1)) + 1;
    tries = tries < tails ? tries : tails;
    for (uint64_t k = 0; ok && k < tries; k++) {
        int64_t b = tail[tails - 1 - (tails - 1) * k / (tries > 1 ? tries - 1 : 1)].time;
        for (uint32_t m = 0; m < measures->count && !br_stopped(measures->stop); m++)
            if (b <= latest[m])
                least = try_tail(&measures->measure[m], stage + (size_t)m * n, stages[m], b, least,
                                 group, best);
    }
    br_free(head);
    br_free(tail);
    br_free(group);
    br_free(shortest);
    br_free(stage);
    br_free(stages);
    br_free(latest);
    return ok ? least : -1;
}

/* The search for the best line: items by value for time. */
struct line {
    const struct br_line_item *item;
    uint32_t items, order[BR_LINE_ITEMS];
    int64_t taken[BR_LINE_ITEMS], best_taken[BR_LINE_ITEMS], best, nodes;
    /* The different heads and tails, upwards, and where an item's stand among them. */
    uint32_t heads, tails, head_of[BR_LINE_ITEMS], tail_of[BR_LINE_ITEMS];
    int64_t head[BR_LINE_ITEMS], tail[BR_LINE_ITEMS];
    int64_t left[BR_LINE_ITEMS][BR_LINE_ITEMS]; /* of the time between a head and a tail */
};

/* The places of an item's times among all, which are sorted, each once. */
static void place_among(int64_t *all, uint32_t *count, int64_t time)
{
    uint32_t at = 0;
    while (at < *count && all[at] < time)
        at++;
    if (at < *count && all[at] == time)
        return;
    memmove(all + at + 1, all + at, (*count - at) * sizeof *all);
    all[at] = time;
    ++*count;
}

static uint32_t bounds_rounds_find(const int64_t *all, int64_t time)
{
    uint32_t at = 0;
    while (all[at] != time)
        at++;
    return at;
}

static void bounds_rounds_lay_out(struct line *l, int64_t length)
{
    for (uint32_t k = 0; k < l->items; k++) {
        place_among(l->head, &l->heads, l->item[k].head);
        place_among(l->tail, &l->tails, l->item[k].tail);
    }
    for (uint32_t k = 0; k < l->items; k++) {
        l->head_of[k] = bounds_rounds_find(l->head, l->item[k].head);
        l->tail_of[k] = bounds_rounds_find(l->tail, l->item[k].tail);
    }
    for (uint32_t a = 0; a < l->heads; a++)
        for (uint32_t b = 0; b < l->tails; b++)
            l->left[a][b] = length - l->head[a] - l->tail[b];
}

/* The number of tasks of the item that fit beside those taken. */
static int64_t bounds_rounds_fit(const struct line *l, uint32_t k)
{
    int64_t least = INT64_MAX;
    for (uint32_t a = 0; a <= l->head_of[k]; a++)
        for (uint32_t b = 0; b <= l->tail_of[k]; b++)
            least = l->left[a][b] < least ? l->left[a][b] : least;
    int64_t most = least < 0 ? 0 : least / l->item[k].duration;
    return most < l->item[k].count ? most : l->item[k].count;
}

/* Takes this much time for a task of the item, or gives it back. */
static void bounds_rounds_take(struct line *l, uint32_t k, int64_t time)
{
    for (uint32_t a = 0; a <= l->head_of[k]; a++)
        for (uint32_t b = 0; b <= l->tail_of[k]; b++)
            l->left[a][b] -= time;
}

/* Takes as many of the k-th item as fit, then fewer. The later items do not bring more value for
 * their time than the k-th. */
static void bounds_rounds_fill(struct line *l, uint32_t k, int64_t left, int64_t value)
{
    if (value > l->best) {
        l->best = value;
        memcpy(l->best_taken, l->taken, sizeof l->taken);
    }
    if (k == l->items || left == 0)
        return;
    const uint32_t at = l->order[k];
    const struct br_line_item *item = &l->item[at];
    if ((br_wide)item->value * left <= (br_wide)(l->best - value) * item->duration)
        return;
    l->nodes -= 1 + l->heads * l->tails / 16;
    if (l->nodes < 0)
        return;
    for (int64_t n = bounds_rounds_fit(l, at); n >= 0; n--) {
        l->taken[at] = n;
        bounds_rounds_take(l, at, n * item->duration);
        bounds_rounds_fill(l, k + 1, left - n * item->duration, value + n * item->value);
        bounds_rounds_take(l, at, -n * item->duration);
        if (l->nodes < 0)
            break;
        const struct br_line_item *next = k + 1 < l->items ? &l->item[l->order[k + 1]] : NULL;
        /* With one less of this item, its time goes to the next. */
        br_wide room = left - (n - 1) * item->duration;
        if (!next || (br_wide)next->value * room <=
                         (br_wide)(l->best - value - (n - 1) * item->value) * next->duration)
            break;
    }
    l->taken[at] = 0;
}

int64_t br_line_best(const struct br_line_item *item, uint32_t items, int64_t length,
                     int64_t *taken, int64_t *nodes)
{
    struct line l = {.item = item, .items = items, .nodes = *nodes};
    br_wide most = 0; /* of all items, each alone on the line */
    if (items > BR_LINE_ITEMS)
        return -1;
    for (uint32_t k = 0; k < items; k++) {
        assert(item[k].duration > 0 && item[k].value >= 0 && item[k].head >= 0 &&
               item[k].tail >= 0);
        int64_t fit = length / item[k].duration;
        most += (br_wide)item[k].value * (fit < item[k].count ? fit : item[k].count);
    }
    if (most > INT64_MAX)
        return -1;
    for (uint32_t k = 0; k < items; k++) {
        uint32_t at = k;
        for (; at > 0 && (br_wide)item[l.order[at - 1]].value * item[k].duration <
                             (br_wide)item[k].value * item[l.order[at - 1]].duration;
             at--)
            l.order[at] = l.order[at - 1];
        l.order[at] = k;
    }
    bounds_rounds_lay_out(&l, length);
    bounds_rounds_fill(&l, 0, length, 0);
    *nodes = l.nodes;
    memcpy(taken, l.best_taken, items * sizeof *taken);
    return l.nodes < 0 ? -1 : l.best;
}
