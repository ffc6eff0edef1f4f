/* Heads, tails and sorted orders. Barrier arcs are followed once a stage: what a stage hands on is
 * the maximum over its tasks. */
#include "planner/schedule/order.h"

#include <string.h>

#include "base/collections/memory.h"
#include "base/invariant.h"
#include "base/collections/sort.h"
#include "base/numbers/wide.h"

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* One direction: `out` of a task is the longest path through tasks that come before it in the
 * given sense. `passed` is scratch, by stage: the longest path up to and with any of its tasks. */
static void schedule_order_longest_paths(const struct br_instance *in, bool forward, int64_t *out,
                                         int64_t *passed)
{
    const uint32_t *first = forward ? in->parent_first : in->child_first;
    const struct br_arc *arc = forward ? in->parent : in->child;
    for (uint32_t k = 0; k < in->stages; k++) {
        uint32_t s = in->topological[forward ? k : in->stages - 1 - k];
        uint32_t here = in->stage_first[s], count = in->stage_first[s + 1] - here;
        int64_t base = 0;
        for (uint32_t a = first[s]; a < first[s + 1]; a++)
            if (!arc[a].one_to_one)
                base = max64(base, passed[arc[a].stage]);
        for (uint32_t i = 0; i < count; i++)
            out[here + i] = base;
        for (uint32_t a = first[s]; a < first[s + 1]; a++) {
            uint32_t there = in->stage_first[arc[a].stage];
            if (arc[a].one_to_one)
                for (uint32_t i = 0; i < count; i++)
                    out[here + i] = max64(out[here + i], out[there + i] + in->duration[there + i]);
        }
        passed[s] = 0;
        for (uint32_t i = 0; i < count; i++)
            passed[s] = max64(passed[s], out[here + i] + in->duration[here + i]);
    }
}

bool br_reach_init(struct br_reach *reach, const struct br_instance *in)
{
    int64_t *passed = br_malloc(in->stages * sizeof *passed);
    *reach = (struct br_reach){.head = br_malloc(in->tasks * sizeof *reach->head),
                               .tail = br_malloc(in->tasks * sizeof *reach->tail)};
    bool ok = passed && reach->head && reach->tail;
    if (ok) {
        schedule_order_longest_paths(in, true, reach->head, passed);
        for (uint32_t s = 0; s < in->stages; s++)
            reach->critical_path = max64(reach->critical_path, passed[s]);
        schedule_order_longest_paths(in, false, reach->tail, passed);
    }
    br_free(passed);
    return ok;
}

void br_reach_finish(struct br_reach *reach)
{
    br_free(reach->head);
    br_free(reach->tail);
    *reach = (struct br_reach){0};
}

static int schedule_order_by_key(const void *a, const void *b, void *context)
{
    const struct br_key *key = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (key[x].first != key[y].first)
        return key[x].first > key[y].first ? -1 : 1;
    if (key[x].second != key[y].second)
        return key[x].second > key[y].second ? -1 : 1;
    if (key[x].third != key[y].third)
        return key[x].third > key[y].third ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Sorts by the whole key the tasks whose first keys are equal, unless they are sorted already, as
 * equal tasks of a stage are. */
static void sort_ties(struct br_sort_item *item, uint32_t count, const struct br_key *key,
                      uint32_t *scratch)
{
    for (uint32_t k = 0, end; k < count; k = end) {
        bool sorted = true;
        for (end = k + 1; end < count && item[end].key == item[k].key; end++)
            sorted &= schedule_order_by_key(&item[end - 1].item, &item[end].item, (void *)key) < 0;
        if (sorted)
            continue;
        for (uint32_t i = k; i < end; i++)
            scratch[i - k] = item[i].item;
        br_sort_within(scratch, end - k, sizeof *scratch, schedule_order_by_key, (void *)key);
        for (uint32_t i = k; i < end; i++)
            item[i].item = scratch[i - k];
    }
}

bool br_order_is_sound(const struct br_order *order, const struct br_instance *in)
{
    uint64_t sum = 0; /* of all places, which tells those that are taken twice */
    for (uint32_t s = 0; s < in->stages; s++)
        for (uint32_t k = in->stage_first[s]; k < in->stage_first[s + 1]; k++) {
            uint32_t task = order->by_stage[k];
            if (in->task_stage[task] != s || order->place[task] >= in->tasks ||
                (k > in->stage_first[s] &&
                 order->place[order->by_stage[k - 1]] >= order->place[task]))
                return false;
            sum += order->place[task];
        }
    return sum == (uint64_t)in->tasks * (in->tasks - 1) / 2;
}

bool br_order_init(struct br_order *order, const struct br_instance *in, const struct br_key *key)
{
    struct br_sort_item *sorted = br_malloc(2 * (size_t)in->tasks * sizeof *sorted);
    uint32_t *next = br_malloc(in->stages * sizeof *next);
    order->place = br_malloc(in->tasks * sizeof *order->place);
    order->by_stage = br_malloc(in->tasks * sizeof *order->by_stage);
    bool ok = sorted && next && order->place && order->by_stage;
    if (ok) {
        for (uint32_t t = 0; t < in->tasks; t++)
            sorted[t] = (struct br_sort_item){~br_sort_key(key[t].first), t};
        br_sort(sorted, sorted + in->tasks, in->tasks);
        sort_ties(sorted, in->tasks, key, order->place);
        memcpy(next, in->stage_first, in->stages * sizeof *next);
        for (uint32_t k = 0; k < in->tasks; k++) {
            uint32_t t = sorted[k].item;
            order->place[t] = k;
            order->by_stage[next[in->task_stage[t]]++] = t;
        }
        br_costly_assert(br_order_is_sound(order, in));
    }
    br_free(sorted);
    br_free(next);
    return ok;
}

void br_order_finish(struct br_order *order)
{
    br_free(order->place);
    br_free(order->by_stage);
    *order = (struct br_order){0};
}

int64_t br_dominant_share(const struct br_instance *in, uint32_t stage)
{
    int64_t share = 0;
    for (uint32_t r = 0; r < in->resources; r++)
        share =
            max64(share, (int64_t)(((br_wide)in->demand[(size_t)stage * in->resources + r] << 32) /
                                   in->total[r]));
    return share;
}

void br_key_longest(const struct br_instance *in, const struct br_reach *reach,
                    enum br_direction direction, struct br_key *key)
{
    const int64_t *path = direction == BR_FORWARD ? reach->tail : reach->head;
    for (uint32_t s = 0; s < in->stages; s++) {
        int64_t share = br_dominant_share(in, s);
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            key[t] = (struct br_key){in->duration[t], path[t], share};
    }
}
