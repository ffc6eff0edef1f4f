/* Of the changes of a resource that hold at one time, the last given counts. A sweep over their
 * begins and ends keeps those that hold in a heap, the last given on top. */
#include "planner/check/steps.h"

#include "base/collections/heap.h"
#include "base/collections/memory.h"

bool br_capacity_steps_init(const struct br_calendar *calendar,
                            const struct br_check_amounts *amounts, struct br_capacity_steps *steps)
{
    const size_t room = 2 * (size_t)calendar->changes + 1;
    *steps = (struct br_capacity_steps){.calendar = calendar, .amounts = amounts};
    steps->step = br_malloc(room * sizeof *steps->step);
    steps->made = br_malloc(room * sizeof *steps->made);
    steps->item = br_malloc(room * sizeof *steps->item);
    steps->scratch = br_malloc(room * sizeof *steps->scratch);
    steps->mark = br_malloc(room * sizeof *steps->mark);
    steps->heap = br_malloc(room * sizeof *steps->heap);
    return steps->step && steps->made && steps->item && steps->scratch && steps->mark &&
           steps->heap && br_span_walk_init(calendar, true, &steps->walk);
}

void br_capacity_steps_finish(struct br_capacity_steps *steps)
{
    br_span_walk_finish(&steps->walk);
    br_free(steps->step);
    br_free(steps->made);
    br_free(steps->item);
    br_free(steps->scratch);
    br_free(steps->mark);
    br_free(steps->heap);
    *steps = (struct br_capacity_steps){0};
}

/* Lists the changes of the place by resource, those of one in the order given. */
static uint32_t list_changes(struct br_capacity_steps *steps, uint32_t machine)
{
    const struct br_calendar *calendar = steps->calendar;
    const uint32_t *resource = steps->amounts->change_of;
    uint32_t count = 0;
    if (machine != UINT32_MAX) {
        const uint32_t near = br_span_walk_to(&steps->walk, machine);
        for (uint32_t k = 0; k < near; k++)
            steps->item[count++].item = steps->walk.number[k].item;
    } else {
        for (uint32_t k = 0; k < calendar->changes; k++)
            if (!calendar->change[k].span.count)
                steps->item[count++].item = k;
    }
    uint32_t used = 0;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t number = steps->item[k].item;
        if (resource[number] != UINT32_MAX)
            steps->item[used++] = (struct br_sort_item){resource[number], number};
    }
    br_sort(steps->item, steps->scratch, used);
    return used;
}

/* Adds the steps of one resource, whose changes are item[from] to item[to - 1]. */
static void add_steps(struct br_capacity_steps *steps, uint32_t from, uint32_t to,
                      const br_wide *capacity)
{
    const struct br_change *change = steps->calendar->change;
    const uint32_t resource = (uint32_t)steps->item[from].key;
    uint32_t marks = 0, size = 0;
    for (uint32_t k = from; k < to; k++) {
        const uint32_t number = steps->item[k].item;
        const struct br_span_of_machines *span = &change[number].span;
        steps->mark[marks++] = (struct br_sort_item){br_sort_key(span->from_ns), number};
        if (span->to_ns != BR_FOREVER)
            steps->mark[marks++] = (struct br_sort_item){br_sort_key(span->to_ns), number};
    }
    br_sort(steps->mark, steps->scratch, marks);
    for (uint32_t k = 0; k < marks; k++) {
        const uint32_t number = steps->mark[k].item;
        const int64_t at = (int64_t)(steps->mark[k].key ^ br_sort_key(0));
        if (at == change[number].span.from_ns)
            br_numbers_push(NULL, steps->heap, &size, ~number);
        if (k + 1 < marks && steps->mark[k + 1].key == steps->mark[k].key)
            continue;
        while (size && change[~steps->heap[0]].span.to_ns <= at)
            br_numbers_pop(NULL, steps->heap, &size);
        steps->made[steps->count++] = (struct br_capacity_step){
            at, resource, size ? steps->amounts->change[~steps->heap[0]] : capacity[resource]};
    }
}

void br_capacity_steps_of(struct br_capacity_steps *steps, uint32_t machine,
                          const br_wide *capacity)
{
    const uint32_t changes = list_changes(steps, machine);
    steps->count = 0;
    for (uint32_t from = 0, to = 0; from < changes; from = to) {
        while (to < changes && steps->item[to].key == steps->item[from].key)
            to++;
        add_steps(steps, from, to, capacity);
    }
    for (uint32_t k = 0; k < steps->count; k++)
        steps->item[k] = (struct br_sort_item){br_sort_key(steps->made[k].at_ns), k};
    br_sort(steps->item, steps->scratch, steps->count);
    for (uint32_t k = 0; k < steps->count; k++)
        steps->step[k] = steps->made[steps->item[k].item];
}
