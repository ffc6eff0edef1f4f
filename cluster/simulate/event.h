/* The events of a simulation that wait in its queue, and their order. */
#ifndef BR_CLUSTER_SIMULATE_EVENT_H
#define BR_CLUSTER_SIMULATE_EVENT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/collections/heap.h"

enum br_event_kind { BR_EVENT_END, BR_EVENT_MACHINE };

/* Ordered by the time, then the kind, then what it is about, in two numbers that compare quickly.
 */
struct br_event {
    uint64_t when;          /* nanoseconds times two, and the kind */
    uint64_t about;         /* job and task; machine and the number of its stay or absence */
    uint32_t slot, version; /* of the task that ends */
};

static inline struct br_event br_event_at(int64_t at_ns, enum br_event_kind kind, uint32_t a,
                                          uint32_t b)
{
    assert(at_ns >= 0);
    return (struct br_event){.when = (uint64_t)at_ns << 1 | (uint64_t)kind,
                             .about = (uint64_t)a << 32 | b};
}

static inline int64_t br_event_time(const struct br_event *event)
{
    return (int64_t)(event->when >> 1);
}

static inline enum br_event_kind br_event_kind(const struct br_event *event)
{
    return event->when & 1 ? BR_EVENT_MACHINE : BR_EVENT_END;
}

static inline bool br_event_before(const void *none, const struct br_event *a,
                                   const struct br_event *b)
{
    (void)none;
    /* Without a branch: which of two comes first nobody can foretell, the processor included. */
    return (a->when < b->when) | ((a->when == b->when) & (a->about < b->about));
}

BR_HEAP(br_event, struct br_event, const void *, br_event_before, 4)

#endif
