/* Spans begin and end with machines as intervals do, so a walk over the machines keeps a list of
 * those that it is within. */
#include "planner/check/spans.h"

#include "base/collections/memory.h"

bool br_span_walk_init(const struct br_calendar *calendar, bool changes, struct br_span_walk *walk)
{
    const uint32_t count = changes ? calendar->changes : calendar->unavailables;
    const size_t room = (size_t)count + 1;
    *walk = (struct br_span_walk){0};
    walk->span = br_malloc(room * sizeof(struct br_span_of_machines *));
    walk->by_first = br_malloc(room * sizeof *walk->by_first);
    walk->number = br_malloc(room * sizeof *walk->number);
    walk->scratch = br_malloc(room * sizeof *walk->scratch);
    if (!walk->span || !walk->by_first || !walk->number || !walk->scratch)
        return false;
    for (uint32_t k = 0; k < count; k++) {
        walk->span[k] = changes ? &calendar->change[k].span : &calendar->unavailable[k].span;
        if (walk->span[k]->count)
            walk->by_first[walk->count++] = (struct br_sort_item){walk->span[k]->first, k};
    }
    br_sort(walk->by_first, walk->scratch, walk->count);
    return true;
}

void br_span_walk_finish(struct br_span_walk *walk)
{
    br_free(walk->span);
    br_free(walk->by_first);
    br_free(walk->number);
    br_free(walk->scratch);
    *walk = (struct br_span_walk){0};
}

uint32_t br_span_walk_to(struct br_span_walk *walk, uint32_t machine)
{
    uint32_t kept = 0, before = walk->active;
    for (; walk->next < walk->count && walk->by_first[walk->next].key <= machine; walk->next++) {
        const uint32_t k = walk->by_first[walk->next].item;
        walk->number[walk->active++] = (struct br_sort_item){k, k};
    }
    if (walk->active > before)
        br_sort(walk->number, walk->scratch, walk->active);
    for (uint32_t k = 0; k < walk->active; k++) {
        const struct br_span_of_machines *span = walk->span[walk->number[k].item];
        if (machine - span->first < span->count)
            walk->number[kept++] = walk->number[k];
    }
    return walk->active = kept;
}
