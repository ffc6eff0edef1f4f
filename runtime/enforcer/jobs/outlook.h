/* The outlook of one machine: the ends of its running tasks and the planned starts of others. It is
 * built only as far ahead as questions ask. */
#ifndef BR_RUNTIME_ENFORCER_JOBS_OUTLOOK_H
#define BR_RUNTIME_ENFORCER_JOBS_OUTLOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/enforcer/jobs/job.h"

struct br_outlook_event {
    int64_t at_ns;
    uint32_t task;
    int32_t sign; /* +1: its demand becomes free; -1: it starts */
};

/* Spans of time, ascending; each lasts until the next begins, the last for good. */
struct br_outlook {
    const struct br_job *job;
    uint32_t width; /* resources */
    uint32_t machine, at, end,
        planned; /* the next planned task, and how many have been looked at */
    uint32_t spans, span_room, events, event_room;
    int64_t now_ns, late_ns;
    struct br_outlook_event *event; /* to come: a heap with the first on top */
    int64_t *from_ns;               /* by span */
    int64_t
        *free; /* in the last span: neither taken by running tasks nor promised to planned ones */
    int64_t *least;  /* [span * width]: the least free from now to the span's end */
    uint64_t looked; /* planned tasks and spans that questions have looked at */
};

/* Prepares the outlook of the machine, which now has `room` free. False when memory is out; to be
 * finished even then. O(n log n) in its running tasks. The questions below add O(log n) per planned
 * task that they look at, a constant number at most. */
bool br_outlook_make(struct br_outlook *outlook, const struct br_job *job, uint32_t machine,
                     const int64_t *room, uint32_t resources, int64_t now_ns);
/* May the ready task start there now, without delaying another beyond the plan? A task that is due
 * may. */
bool br_outlook_allows(struct br_outlook *outlook, uint32_t task);
/* Could one of these tasks start there now? None demands less of any resource, takes less time or,
 * if the plan has it here, starts earlier in the plan (INT64_MAX: the plan has none here). */
bool br_outlook_could_allow(struct br_outlook *outlook, const double *demand, int64_t duration_ns,
                            int64_t start_ns);
void br_outlook_finish(struct br_outlook *outlook);

#endif
