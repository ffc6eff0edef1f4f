/* Large-neighbourhood search in a window of time, with partial reinsertion [Shaw98] [Palpant04].
 * Differs: the tasks after the window are generated anew, since in a schedule of many resources and
 * stages hardly any part moves as a whole. They are generated only if the sum of the ends in the
 * window says that room was made. */
#include "planner/improve/neighbourhood.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/invariant.h"
#include "base/collections/sort.h"
#include "base/numbers/wide.h"

enum { ORDERS = 8 /* tasks of a window, at most; fewer in a large job */ };

struct br_window {
    const struct br_instance *in;
    const struct br_reach *reach;
    struct br_placer *placer;
    struct br_order order;
    char *letter;
    int64_t *key;              /* by task */
    uint32_t *next;            /* by stage */
    uint32_t *sequence;        /* the tasks in the order of the trial */
    uint32_t *best;            /* the best order of those in the window */
    struct br_sort_item *sort; /* room for twice the tasks */
};

struct br_window *br_window_create(const struct br_instance *in, const struct br_reach *reach,
                                   struct br_placer *placer)
{
    struct br_window *w = br_calloc(1, sizeof *w);
    if (!w)
        return NULL;
    size_t n = in->tasks;
    w->in = in;
    w->reach = reach;
    w->placer = placer;
    w->order.place = br_malloc(n * sizeof *w->order.place);
    w->order.by_stage = br_malloc(n * sizeof *w->order.by_stage);
    w->letter = br_malloc(n);
    w->key = br_malloc(n * sizeof *w->key);
    w->next = br_malloc(in->stages * sizeof *w->next);
    w->sequence = br_malloc(n * sizeof *w->sequence);
    w->best = br_malloc(n * sizeof *w->best);
    w->sort = br_malloc(2 * n * sizeof *w->sort);
    if (!w->order.place || !w->order.by_stage || !w->letter || !w->key || !w->next ||
        !w->sequence || !w->best || !w->sort) {
        br_window_destroy(w);
        return NULL;
    }
    return w;
}

void br_window_destroy(struct br_window *w)
{
    if (!w)
        return;
    br_order_finish(&w->order);
    br_free(w->letter);
    br_free(w->key);
    br_free(w->next);
    br_free(w->sequence);
    br_free(w->best);
    br_free(w->sort);
    br_free(w);
}

/* One trial. Subsets: P stays, W is in the window, S follows. */
struct trial {
    struct br_window *w;
    const struct br_schedule *base;
    enum br_direction direction;
    int64_t shift; /* of the base: backward, time 0 is its end */
    uint32_t low, high;
    const struct br_stop *stop;
};

/* The time at which the task is out of the way: its end, or backward minus its start. */
static int64_t passed(const struct trial *t, const int64_t *start, uint32_t task, int64_t shift)
{
    return t->direction == BR_FORWARD ? start[task] + shift + t->w->in->duration[task]
                                      : -(start[task] + shift);
}

static br_wide neighbourhood_sum_of(const struct trial *t, const int64_t *start, int64_t shift)
{
    br_wide sum = 0;
    for (uint32_t k = t->low; k < t->high; k++)
        sum += passed(t, start, t->w->sequence[k], shift);
    return sum;
}

/* Brings the order up to date with the sequence. */
static void arrange(struct br_window *w)
{
    const struct br_instance *in = w->in;
    memcpy(w->next, in->stage_first, in->stages * sizeof *w->next);
    for (uint32_t k = 0; k < in->tasks; k++) {
        uint32_t task = w->sequence[k];
        w->order.place[task] = k;
        w->order.by_stage[w->next[in->task_stage[task]]++] = task;
    }
    br_costly_assert(br_order_is_sound(&w->order, in));
}

/* Puts the tasks before the window where they are, and marks all tasks by subset. */
static bool neighbourhood_put_before(const struct trial *t)
{
    struct br_window *w = t->w;
    for (uint32_t k = 0; k < w->in->tasks; k++) {
        uint32_t task = w->sequence[k];
        w->letter[task] = (char)(k < t->low ? 'P' : k < t->high ? 'W' : 'S');
        if (k < t->low && !br_placer_put(w->placer, task, t->base->start[task] + t->shift,
                                         t->base->machine[task]))
            return false;
    }
    return true;
}

static bool neighbourhood_place(const struct trial *t, char subset)
{
    struct br_window *w = t->w;
    return br_place(w->placer, t->direction, w->letter, subset, &w->order, t->stop);
}

/* Tries another order of the window. If its sum of ends is below *sum, *sum becomes that and the
 * order the best. */
static bool try_order(const struct trial *t, const struct br_disturb *disturb, struct br_rng *rng,
                      br_wide *sum)
{
    struct br_window *w = t->w;
    assert(t->low < t->high && t->high <= w->in->tasks);
    uint32_t count = t->high - t->low, *window = w->sequence + t->low;
    br_disturb_within(disturb, t->direction, rng, window, count, w->key);
    for (uint32_t k = 0; k < count; k++)
        w->sort[k] = (struct br_sort_item){br_sort_key(w->key[window[k]]), window[k]};
    br_sort(w->sort, w->sort + count, count);
    for (uint32_t k = 0; k < count; k++)
        window[k] = w->sort[k].item;
    arrange(w);
    if (!br_placer_push(w->placer))
        return false;
    bool ok = neighbourhood_place(t, 'W');
    if (ok) {
        br_wide own = neighbourhood_sum_of(t, br_placer_start(w->placer), 0);
        if (own < *sum) {
            *sum = own;
            memcpy(w->best, window, count * sizeof *window);
        }
    } else if (br_placer_over(w->placer)) {
        ok = true;
    }
    br_placer_pop(w->placer);
    return ok;
}

/* Places the best order again, and then the tasks after the window. */
static bool neighbourhood_follow(const struct trial *t, struct br_schedule *schedule)
{
    struct br_window *w = t->w;
    memcpy(w->sequence + t->low, w->best, (t->high - t->low) * sizeof *w->best);
    arrange(w);
    if (neighbourhood_place(t, 'W') && neighbourhood_place(t, 'S')) {
        br_schedule_take(schedule, w->in, w->placer, schedule->subset);
        return true;
    }
    return br_placer_over(w->placer);
}

bool br_window_pass(struct br_window *w, const struct br_disturb *disturb,
                    const struct br_schedule *base, enum br_direction direction, struct br_rng *rng,
                    int64_t limit, struct br_schedule *schedule, const struct br_stop *stop)
{
    const struct br_instance *in = w->in;
    bool forward = direction == BR_FORWARD;
    struct trial t = {w, base, direction, forward ? 0 : -base->makespan, 0, 0, stop};
    schedule->makespan = INT64_MAX;
    memcpy(w->sequence, br_disturb_sequence(disturb, direction), in->tasks * sizeof *w->sequence);
    br_disturb_window(disturb, direction, rng, &t.low, &t.high);
    if (!br_placer_push(w->placer))
        return false;
    br_placer_set_limit(w->placer, forward ? w->reach->tail : w->reach->head, limit);
    bool ok = neighbourhood_put_before(&t);
    br_wide were = neighbourhood_sum_of(&t, base->start, t.shift), sum = were;
    assert(t.low < t.high); /* there is a task, and the window holds at least one */
    uint32_t orders = in->tasks / (t.high - t.low);
    for (uint32_t k = 0; ok && k < ORDERS && k <= orders; k++)
        ok = try_order(&t, disturb, rng, &sum);
    if (ok && sum < were)
        ok = neighbourhood_follow(&t, schedule);
    br_placer_pop(w->placer);
    return ok;
}
