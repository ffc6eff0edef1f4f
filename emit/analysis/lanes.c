/* Lanes by first fit, with a heap of the busy ones by end and a heap of the free ones by number. */
#include "emit/analysis/lanes.h"

#include <assert.h>
#include <stdlib.h>

#include "base/collections/csr.h"

struct entry {
    int64_t key;
    uint32_t lane;
};

static bool lanes_is_less(struct entry a, struct entry b)
{
    return a.key != b.key ? a.key < b.key : a.lane < b.lane;
}

static void lanes_push(struct entry *heap, uint32_t *used, struct entry entry)
{
    uint32_t k = (*used)++;
    for (; k > 0 && lanes_is_less(entry, heap[(k - 1) / 2]); k = (k - 1) / 2)
        heap[k] = heap[(k - 1) / 2];
    heap[k] = entry;
}

static struct entry lanes_pop(struct entry *heap, uint32_t *used)
{
    assert(*used > 0);
    struct entry top = heap[0], last = heap[--*used];
    uint32_t k = 0;
    for (uint32_t child = 1; child < *used; child = 2 * k + 1) {
        if (child + 1 < *used && lanes_is_less(heap[child + 1], heap[child]))
            child++;
        if (!lanes_is_less(heap[child], last))
            break;
        heap[k] = heap[child];
        k = child;
    }
    if (*used > 0)
        heap[k] = last;
    return top;
}

enum br_status br_lanes(const struct br_plan *plan, uint32_t machines, uint32_t *lane,
                        uint32_t *lanes, struct br_diag *diag)
{
    uint32_t *first = calloc(br_csr_room(machines), sizeof *first);
    uint32_t *task = calloc((size_t)plan->tasks + 1, sizeof *task);
    struct entry *heaps = calloc(2 * ((size_t)plan->tasks + 1), sizeof *heaps);
    enum br_status status = first && task && heaps ? BR_OK : br_fail_memory(diag);
    /* By machine, each in the order of starts. */
    for (uint32_t t = 0; t < plan->tasks && !status; t++)
        br_csr_count(first, plan->machine[t]);
    if (!status)
        br_csr_sum(first, machines);
    for (uint32_t k = 0; k < plan->tasks && !status; k++)
        task[br_csr_place(first, plan->machine[plan->order[k]])] = plan->order[k];
    assert(status || first[machines] == plan->tasks);
    for (uint32_t m = 0; m < machines && !status; m++) {
        struct entry *busy = heaps, *idle = heaps + plan->tasks + 1;
        uint32_t busy_used = 0, idle_used = 0;
        lanes[m] = 0;
        for (uint32_t k = first[m]; k < first[m + 1]; k++) {
            uint32_t t = task[k];
            while (busy_used > 0 && busy[0].key <= plan->start_ns[t]) {
                struct entry ended = lanes_pop(busy, &busy_used);
                lanes_push(idle, &idle_used, (struct entry){0, ended.lane});
            }
            lane[t] = idle_used > 0 ? lanes_pop(idle, &idle_used).lane : lanes[m]++;
            lanes_push(busy, &busy_used, (struct entry){plan->end_ns[t], lane[t]});
        }
    }
    free(first);
    free(task);
    free(heaps);
    return status;
}
