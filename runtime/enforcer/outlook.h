/* The outlook of one machine: when its running tasks end, and when the plan starts others. */
#ifndef BR_RUNTIME_ENFORCER_OUTLOOK_H
#define BR_RUNTIME_ENFORCER_OUTLOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/enforcer/job.h"

struct br_outlook_event {
    int64_t at_ns;
    uint32_t task;
    int32_t sign; /* +1: its demand becomes free; -1: it starts */
};

/* Spans of time, ascending; each lasts until the next begins, the last for good. */
struct br_outlook {
    uint32_t width; /* resources */
    uint32_t spans, span_room, events, event_room;
    int64_t now_ns, late_ns;
    struct br_outlook_event *event;
    int64_t *from_ns; /* by span */
    int64_t *free; /* [span * width]: neither taken by running tasks nor promised to planned ones */
};

/* Looks at the machine, of which `room` is free now. False when memory is out; then, too, the
 * outlook is to be finished. O(n log n) in its running tasks and as many planned ones as are looked
 * at (a constant). */
bool br_outlook_make(struct br_outlook *outlook, const struct br_job *job, uint32_t machine,
                     const int64_t *room, uint32_t resources, int64_t now_ns);
/* May the ready task start there now, without making another later than the plan has it? A task
 * that is due may. */
bool br_outlook_allows(const struct br_outlook *outlook, const struct br_job *job, uint32_t task,
                       uint32_t machine);
void br_outlook_finish(struct br_outlook *outlook);

#endif
