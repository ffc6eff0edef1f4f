/* Passes over a whole job and double justification. [Li92] [Valls05]
 * Differs: machines are chosen anew by best fit, so the better of before and after is kept. */
#include "planner/schedule/justify.h"

#include <string.h>

#include "base/collections/memory.h"
#include "base/invariant.h"

struct entry {
    int64_t key;
    uint32_t task;
};

struct br_serial {
    const struct br_instance *in;
    const struct br_reach *reach;
    struct br_placer *placer;
    struct br_order order;
    struct entry *sorted[2]; /* by direction, as the last pass left it */
    struct entry *spare;
    uint32_t *next; /* by stage */
    int64_t *key;
    char *letter;
    struct br_schedule right, left;
};

struct br_serial *br_serial_create(const struct br_instance *in, const struct br_reach *reach)
{
    struct br_serial *s = br_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    size_t n = in->tasks;
    s->in = in;
    s->reach = reach;
    s->placer = br_placer_create(in);
    s->order.place = br_malloc(n * sizeof *s->order.place);
    s->order.by_stage = br_malloc(n * sizeof *s->order.by_stage);
    s->sorted[0] = br_malloc(n * sizeof *s->spare);
    s->sorted[1] = br_malloc(n * sizeof *s->spare);
    s->spare = br_malloc(n * sizeof *s->spare);
    s->next = br_malloc(in->stages * sizeof *s->next);
    s->key = br_malloc(n * sizeof *s->key);
    s->letter = br_malloc(n);
    bool right = br_schedule_init(&s->right, in), left = br_schedule_init(&s->left, in);
    if (!s->placer || !s->order.place || !s->order.by_stage || !s->sorted[0] || !s->sorted[1] ||
        !s->spare || !s->next || !s->key || !s->letter || !right || !left) {
        br_serial_destroy(s);
        return NULL;
    }
    for (uint32_t t = 0; t < in->tasks; t++)
        s->sorted[0][t].task = s->sorted[1][t].task = t;
    memset(s->letter, 'S', n);
    return s;
}

void br_serial_destroy(struct br_serial *s)
{
    if (!s)
        return;
    br_placer_destroy(s->placer);
    br_order_finish(&s->order);
    br_free(s->sorted[0]);
    br_free(s->sorted[1]);
    br_free(s->spare);
    br_free(s->next);
    br_free(s->key);
    br_free(s->letter);
    br_schedule_finish(&s->right);
    br_schedule_finish(&s->left);
    br_free(s);
}

void br_serial_set_weights(struct br_serial *s, const double *factor)
{
    br_placer_set_weights(s->placer, factor);
}

struct br_placer *br_serial_placer(struct br_serial *s)
{
    return s->placer;
}

uint64_t br_serial_placements(const struct br_serial *s)
{
    return br_placer_placements(s->placer);
}

static bool entry_before(const struct entry *a, const struct entry *b)
{
    return a->key != b->key ? a->key < b->key : a->task < b->task;
}

/* Merge sort from the bottom, which passes over what is in order already: from pass to pass most of
 * it is. Returns which of the two arrays holds the result. */
static struct entry *justify_sort(struct entry *from, struct entry *to, uint32_t n)
{
    for (uint32_t width = 1; width < n; width *= 2) {
        for (uint32_t low = 0; low < n; low += 2 * width) {
            uint32_t middle = n - low < width ? n : low + width;
            uint32_t high = n - middle < width ? n : middle + width;
            uint32_t a = low, b = middle, k = low;
            if (middle == high || entry_before(&from[middle - 1], &from[middle])) {
                memcpy(to + low, from + low, (high - low) * sizeof *to);
                continue;
            }
            while (a < middle && b < high)
                to[k++] = entry_before(&from[b], &from[a]) ? from[b++] : from[a++];
            memcpy(to + k, from + a, (middle - a) * sizeof *to);
            memcpy(to + k + (middle - a), from + b, (high - b) * sizeof *to);
        }
        struct entry *keep = from;
        from = to;
        to = keep;
        if (width > n / 2)
            break;
    }
    return from;
}

bool br_serial_pass(struct br_serial *s, enum br_direction direction, const int64_t *key,
                    int64_t limit, struct br_schedule *schedule, const struct br_stop *stop)
{
    const struct br_instance *in = s->in;
    struct entry **sorted = &s->sorted[direction == BR_BACKWARD];
    for (uint32_t k = 0; k < in->tasks; k++)
        (*sorted)[k].key = key[(*sorted)[k].task];
    struct entry *result = justify_sort(*sorted, s->spare, in->tasks);
    if (result != *sorted) {
        s->spare = *sorted;
        *sorted = result;
    }
    memcpy(s->next, in->stage_first, in->stages * sizeof *s->next);
    for (uint32_t k = 0; k < in->tasks; k++) {
        uint32_t task = result[k].task;
        s->order.place[task] = k;
        s->order.by_stage[s->next[in->task_stage[task]]++] = task;
    }
    br_costly_assert(br_order_is_sound(&s->order, in));
    if (!br_placer_push(s->placer))
        return false;
    br_placer_set_limit(s->placer,
                        limit == INT64_MAX        ? NULL
                        : direction == BR_FORWARD ? s->reach->tail
                                                  : s->reach->head,
                        limit);
    bool ok = br_place(s->placer, direction, s->letter, 'S', &s->order, stop);
    if (ok) {
        br_schedule_take(schedule, in, s->placer, schedule->subset);
    } else if (br_placer_over(s->placer)) {
        schedule->makespan = INT64_MAX;
        ok = true;
    }
    br_placer_pop(s->placer);
    return ok;
}

void br_serial_key(const struct br_schedule *schedule, const struct br_instance *in,
                   enum br_direction direction, int64_t *key)
{
    for (uint32_t t = 0; t < in->tasks; t++)
        key[t] =
            direction == BR_FORWARD ? schedule->start[t] : -(schedule->start[t] + in->duration[t]);
}

/* All but the subsets. */
static void justify_take_over(struct br_schedule *to, const struct br_schedule *from)
{
    memcpy(to->start, from->start, from->tasks * sizeof *to->start);
    memcpy(to->machine, from->machine, from->tasks * sizeof *to->machine);
    to->makespan = from->makespan;
    to->ends = from->ends;
}

bool br_justify(struct br_serial *s, struct br_schedule *schedule, uint32_t rounds,
                const struct br_stop *stop)
{
    const struct br_instance *in = s->in;
    const struct br_schedule *from = schedule;
    for (; rounds; rounds--) {
        br_serial_key(from, in, BR_BACKWARD, s->key);
        if (!br_serial_pass(s, BR_BACKWARD, s->key, INT64_MAX, &s->right, stop))
            return false;
        assert(in->machines > 1 || s->right.makespan <= from->makespan);
        if (br_schedule_better(&s->right, schedule))
            justify_take_over(schedule, &s->right);
        br_serial_key(&s->right, in, BR_FORWARD, s->key);
        if (!br_serial_pass(s, BR_FORWARD, s->key, INT64_MAX, &s->left, stop))
            return false;
        assert(in->machines > 1 || s->left.makespan <= s->right.makespan);
        if (!br_schedule_better(&s->left, schedule))
            return true;
        justify_take_over(schedule, &s->left);
        from = &s->left;
    }
    return true;
}
